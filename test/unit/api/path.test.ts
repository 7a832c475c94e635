import * as fc from 'fast-check';

import { path } from '../../../nodes/WorkspaceCrm/api/path';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/problem';
import { anyCharacter } from '../../support/anyCharacter';

const REFUSED = ['', '.', '..', '\ud800', 'a\udc00b', '\udc00\ud800'];

/** Texts that try to leave their segment, next to any other text. */
const text = fc
	.oneof(
		fc.string({ unit: anyCharacter, minLength: 1 }),
		fc.string({ unit: 'grapheme', minLength: 1 }),
		fc.string({
			unit: fc.constantFrom(
				...'/\\.%?#&;:@=+ \t\r\n\0\u007f2eE5cfF',
				'%2e',
				'%2f',
				'..',
				'é',
				'😀',
			),
			minLength: 1,
		}),
		fc.constantFrom(
			'%2e',
			'%2E%2e',
			'.%2e',
			'../..',
			'..\\',
			'a/../../b',
			'__proto__',
			'?x=1',
			'#x',
		),
	)
	.filter((value) => value !== '.' && value !== '..');

describe('the path of a request', () => {
	it('holds each value in exactly one segment, whatever the value is', () => {
		fc.assert(
			fc.property(text, text, (id, name) => {
				const url = new URL(path`/v1/contacts/${id}/tags/${name}`, 'https://crm.example.com');
				const segments = url.pathname.split('/');
				expect(segments).toHaveLength(6);
				expect(segments.filter((_, index) => index !== 3 && index !== 5)).toEqual([
					...['', 'v1', 'contacts', 'tags'],
				]);
				expect(decodeURIComponent(segments[3])).toBe(id);
				expect(decodeURIComponent(segments[5])).toBe(name);
				expect(url.origin + url.search + url.hash).toBe('https://crm.example.com');
			}),
			{ numRuns: 2_000 },
		);
	});

	it('keeps its segments behind a base URL with a path, too', () => {
		fc.assert(
			fc.property(text, (id) => {
				const url = new URL(`https://crm.example.com/crm${path`/v1/contacts/${id}`}`);
				expect(url.pathname.split('/').slice(0, 4)).toEqual(['', 'crm', 'v1', 'contacts']);
				expect(url.pathname.split('/')).toHaveLength(5);
			}),
		);
	});

	it('stays readable where nothing needs encoding', () => {
		const id = '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b';
		expect(path`/v1/contacts/${id}`).toBe(`/v1/contacts/${id}`);
		expect(path`/v1/contacts`).toBe('/v1/contacts');
	});

	it.each(REFUSED)('refuses %j, which cannot be a segment', (value) => {
		expect(() => path`/v1/contacts/${value}`).toThrow(InputProblem);
		expect(() => path`/v1/contacts/a/tags/${value}`).toThrow(JSON.stringify(value));
	});

	it('says where the value comes from when it refuses one', () => {
		expect(() => path`/v1/contacts/${''}`).toThrow(
			expect.objectContaining({ remedy: 'Check the field, or the expression in it.' }),
		);
	});
});
