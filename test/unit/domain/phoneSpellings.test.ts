import { getCountries, getExampleNumber, type CountryCode } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/examples.mobile.json';

import { readPhone } from '../../../nodes/WorkspaceCrm/domain/phone';

/** How people write a number: the library's own example for each country, in each way. */
const numbers = getCountries().map((code) => {
	const number = getExampleNumber(code, examples);
	if (!number) throw new Error(`The library has no example for ${code}`);
	const national = number.formatNational();
	const international = number.formatInternational();
	const spellings = {
		national,
		international,
		'with 00': international.replace('+', '00'),
		'with dashes': national.replace(/\s/g, '-'),
		'with dots': international.replace(/\s/g, '.'),
		'as RFC 3966 has it': number.getURI(),
		'in E.164': number.number,
	};
	return { code, expected: number.number, spellings };
});

test('all countries are here', () => {
	expect(numbers.length).toBeGreaterThanOrEqual(245);
});

test.each(numbers)(
	'$expected of $code is read in every spelling',
	({ code, expected, spellings }) => {
		const read = Object.entries(spellings).map(([how, text]) => [
			how,
			readPhone(text, code).number,
		]);
		expect(read).toEqual(Object.keys(spellings).map((how) => [how, expected]));
	},
);

test.each(numbers)(
	'$expected is read abroad, with a plus or with 00',
	({ expected, spellings }) => {
		for (const country of [undefined, 'DE', 'US', 'JP', 'RU', 'AU', 'IT'] as const) {
			for (const how of ['international', 'with dots', 'as RFC 3966 has it', 'in E.164'] as const) {
				expect(readPhone(spellings[how], country).number).toBe(expected);
			}
			// Of two readings none is taken; never another number.
			const read = readOrRefuse(spellings['with 00'], country);
			expect([expected, 'refused']).toContain(read);
		}
	},
);

function readOrRefuse(text: string, country: CountryCode | undefined): string {
	try {
		return readPhone(text, country).number;
	} catch {
		return 'refused';
	}
}
