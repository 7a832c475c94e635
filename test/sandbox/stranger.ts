import { invalidForms, type InvalidForm } from './http/invalid-forms';
import { SeededRandom } from './seed/random';
import type { EnrollForm, ListShape, SendForm, Shapes } from './shapes';

const LISTS: ListShape[] = ['array', 'data', 'named', 'paged', 'nested', 'meta'];

const CONTACT_FIELDS = [
	'contact_id',
	'contactId',
	'contact',
	'contact.id',
	'recipient_id',
	'customer_id',
	'userId',
	'subscriber',
	'profile',
];
const PHONE_FIELDS = ['to', 'phone', 'phone_number', 'recipient', 'recipient.phone', 'msisdn'];
const TEMPLATE_FIELDS = [
	'template',
	'template_name',
	'templateName',
	'template_id',
	'template.name',
	'message_template',
	'hsm',
	'name',
];
const VARIABLE_FIELDS = [
	'variables',
	'params',
	'template_params',
	'templateVariables',
	'placeholders',
	'components',
	'template.variables',
	'body',
];

/**
 * Shapes of a service that nobody has described: each chosen by chance, and the same for the same seed.
 */
export function strangerShapes(seed: number): Shapes {
	const random = new SeededRandom(seed);
	const list = () => random.pick(LISTS);
	const enrollForm = (): EnrollForm => {
		const contactBy = random.pick(['id', 'id', 'phone'] as const);
		return {
			contactBy,
			contact: random.pick(contactBy === 'id' ? CONTACT_FIELDS : PHONE_FIELDS),
			checksContact: random.chance(0.5),
			isStrict: random.chance(0.5),
		};
	};
	const sendForm = (): SendForm => {
		for (;;) {
			const form: SendForm = {
				...enrollForm(),
				template: random.pick(TEMPLATE_FIELDS),
				templateBy: random.pick(['either', 'id', 'name'] as const),
				variables: random.pick(VARIABLE_FIELDS),
				variablesAs: random.pick(['object', 'object', 'list', 'pairs'] as const),
				// The messaging platform refuses a template without its variables.
				needsVariables: true,
			};
			if (!collide([form.contact, form.template, form.variables])) return form;
		}
	};
	return {
		list: {
			tags: list(),
			templates: list(),
			automations: list(),
			segments: list(),
			events: list(),
			subscriptions: list(),
		},
		emptyList: random.pick(['asEver', 'null', 'noContent']),
		tags: random.pick(['objects', 'strings']),
		events: random.pick(['strings', 'objects']),
		recordNames: random.pick(['plain', 'plain', 'prefixed', 'camel', 'titled']),
		templateText: random.pick(['body', 'components', 'variables']),
		optInTrue: random.pick(['confirmed', 'pending', 'recorded']),
		optInFalse: random.pick(['opted_out', 'recorded']),
		segmentContacts: random.pick(['contacts', 'ids']),
		tagAnswer: random.pick(['contact', 'tag', 'empty']),
		sendAnswer: random.pick(['record', 'empty', 'message']),
		enrollAnswer: random.pick(['record', 'empty', 'message']),
		subscriptionCreateAnswer: 'full',
		tagInEvent: random.pick(['string', 'object']),
		answersInEvent: random.pick(['object', 'array']),
		sendBody: sendForm(),
		enrollBody: enrollForm(),
		invalidBody: random.pick(Object.keys(invalidForms) as InvalidForm[]),
		encoding: random.pick(['utf8', 'bom', 'latin1', 'oddType']),
	};
}

/** Whether a field would be in another, which is no object. */
function collide(fields: string[]): boolean {
	return fields.some((field, index) =>
		fields.some((other, at) => at !== index && `${other}.`.startsWith(`${field}.`)),
	);
}
