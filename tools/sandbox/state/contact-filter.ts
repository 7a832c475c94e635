import type { FastifyRequest } from 'fastify';
import { invalid } from '../http/api-error';
import { queryText } from '../http/paging';
import { optInStates, type Contact, type OptInStatus } from '../records';
import { digitsOf } from './phone';

type Test = (contact: Contact) => boolean;

function searchTest(search: string): Test {
	const wanted = search.trim().toLowerCase();
	// Digits are only looked for in phones when the text reads like a phone: "Anna 2" does not.
	const digits = /^[+\d\s()./-]+$/.test(wanted) ? digitsOf(wanted) : '';
	return ({ name, phone }) =>
		(name?.toLowerCase().includes(wanted) ?? false) || (digits !== '' && phone.includes(digits));
}

const isOptInStatus = (text: string): text is OptInStatus =>
	(optInStates as readonly string[]).includes(text);

/** The test that a list request's filters make together; undefined when there is none. */
export function filterOf(request: FastifyRequest): Test | undefined {
	const tests: Test[] = [];
	const search = queryText(request, 'search');
	const tag = queryText(request, 'tag');
	const status = queryText(request, 'opt_in_status');
	if (search) tests.push(searchTest(search));
	if (tag) tests.push(({ tags }) => tags.includes(tag));
	if (status) {
		if (!isOptInStatus(status)) {
			throw invalid(`parameter 'opt_in_status' must be one of ${optInStates.join(', ')}`);
		}
		tests.push(({ opt_in_status }) => opt_in_status === status);
	}
	if (tests.length === 0) return undefined;
	return (contact) => tests.every((test) => test(contact));
}
