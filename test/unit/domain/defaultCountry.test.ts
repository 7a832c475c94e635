import { getCountries } from 'libphonenumber-js/max';

import { isoCountryOf, readCountry } from '../../../nodes/WorkspaceCrm/domain/defaultCountry';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/inputProblem';
import { thrownBy } from '../../support/thrownBy';

test.each([
	['DE', ['DE', 'de', ' De\n', 'Germany', 'GERMANY', ' germany ', 'Deutschland', 'deutschland']],
	['GB', ['UK', 'U.K.', 'United Kingdom', 'England', 'Scotland', 'Wales', 'Great Britain']],
	['US', ['USA', 'U.S.A.', 'United States', 'United States of America', 'The United States']],
	['US', ['Estados Unidos', 'EE. UU.', 'EUA', 'Amerika Serikat', 'الولايات المتحدة']],
	['NL', ['Holland', 'Netherlands', 'The Netherlands', 'Nederland']],
	['CH', ['Switzerland', 'Schweiz', 'Suisse', 'Svizzera']],
	['BE', ['Belgium', 'België', 'Belgie\u0308', 'BELGIË', 'Belgie', 'Belgique', 'Belgien']],
	['AT', ['Austria', 'Österreich', 'Osterreich']],
	['CI', ['Ivory Coast', "Cote d'Ivoire", 'Côte d’Ivoire']],
	['SA', ['KSA', 'ksa', 'K.S.A.', 'Saudi Arabia', 'المملكة العربية السعودية']],
	['AE', ['UAE', 'United Arab Emirates', 'الإمارات العربية المتحدة']],
	['CZ', ['Czechia', 'Czech Republic', 'Česko', 'cesko']],
	['TR', ['Turkey', 'Türkiye', 'TURKIYE']],
	['BA', ['Bosnia', 'Bosnia and Herzegovina', 'Bosnia & Herzegovina']],
	['MX', ['México', 'Mexico']],
	['HK', ['Hong Kong']],
	['KR', ['South Korea', '대한민국']],
	['BR', ['Brasil', 'Brésil', 'Brasilien', '+55', '55', '0055', ' +55', '00 55', '+٥٥', '+５５']],
	['DE', ['Alemania', 'Alemanha', 'Allemagne', 'Jerman', 'ألمانيا', 'जर्मनी', '+49', '0049']],
	['PT', ['+351', '351', '00351']],
	['GB', ['Reino Unido', 'Inggris Raya']],
	['IN', ['الهند', '91']],
])('%s is read from %j', (code, names) => {
	expect(names.map((name) => [name, readCountry(name)])).toEqual(names.map((name) => [name, code]));
});

test('every country is read by code, English name and own name', () => {
	for (const code of getCountries()) {
		const own = new Intl.Locale(`und-${code}`).maximize().baseName;
		for (const language of ['en', own]) {
			const name = new Intl.DisplayNames([language], { type: 'region' }).of(code) ?? '';
			expect([name, readCountry(name)]).toEqual([name, code]);
		}
		expect(readCountry(code)).toBe(code);
	}
});

test.each(['International', 'international', ' INTERNATIONAL\u200b\n'])(
	'%j means that numbers start with their country code',
	(text) => {
		expect(readCountry(text)).toBe('International');
		expect(isoCountryOf(readCountry(text))).toBeUndefined();
		expect(isoCountryOf('DE')).toBe('DE');
	},
);

test.each([undefined, '', ' ', '\n'])('%j means no country', (blank) => {
	expect(readCountry(blank)).toBeUndefined();
});

test('no name means two countries', () => {
	for (const language of ['en', 'fr', 'de', 'it', 'es', 'pt', 'id', 'ar', 'hi']) {
		for (const style of ['long', 'short'] as const) {
			const regions = new Intl.DisplayNames([language], { type: 'region', style });
			for (const code of getCountries()) {
				const name = regions.of(code) ?? '';
				// Two letters are a code: RU is Russia, and EU the European Union.
				if (/^\p{L}\W*\p{L}\W*$/u.test(name)) continue;
				expect([language, name, readCountry(name)]).toEqual([language, name, code]);
			}
		}
	}
});

test.each([
	['+1', 'AG, AI, AS, BB, BM, BS, CA, DM'],
	['1', 'AG, AI, AS, BB, BM, BS, CA, DM'],
	['+7', 'KZ, RU.'],
	['0044', 'GB, GG, IM, JE.'],
	['+39', 'IT, VA.'],
])('%s is refused, because several countries share it', (text, letters) => {
	const { message, description } = thrownBy(InputProblem, () => readCountry(text));
	expect(message).toBe(`'Default Country' is "${text}", which several countries share`);
	expect(description).toContain(`Enter the two letters of one: ${letters}`);
});

test.each(['XX', 'Atlantis', '+0', '+999', '+4915', '00', 'DE1', '-'])('%s is refused', (text) => {
	const { message, description } = thrownBy(InputProblem, () => readCountry(text));
	expect(message).toBe(`'Default Country' is "${text}", which is not a country`);
	expect(description).toBe(
		'Enter its name, such as Germany, or its two-letter code, such as DE. If all numbers start with their country code, enter International.',
	);
});

test.each([
	['Saudi', 'Saudi Arabia (SA)'],
	['السعودية', 'Saudi Arabia (SA)'],
	['Germny', 'Germany (DE)'],
	['Deutchland', 'Germany (DE)'],
	['Korea', 'North Korea (KP) or South Korea (KR)'],
	['Méxicco', 'Mexico (MX)'],
])('for %s, the error suggests %s', (text, countries) => {
	const { description } = thrownBy(InputProblem, () => readCountry(text));
	expect(description).toMatch(`Do you mean ${countries}? Enter its name`);
});

test('loads country names only when one is given, and once, so that the nodes load fast', () => {
	const { DisplayNames } = Intl;
	const asked = jest
		.spyOn(Intl, 'DisplayNames')
		.mockImplementation((...args) => new DisplayNames(...args));
	jest.isolateModules(() => {
		const phone = jest.requireActual<{ readCountry: typeof readCountry }>(
			'../../../nodes/WorkspaceCrm/domain/defaultCountry',
		);
		expect(phone.readCountry('de')).toBe('DE');
		expect(asked).not.toHaveBeenCalled();
		expect(phone.readCountry('Germany')).toBe('DE');
		expect(asked).toHaveBeenCalled();
		asked.mockClear();
		expect(phone.readCountry('Deutschland')).toBe('DE');
		expect(asked).not.toHaveBeenCalled();
	});
	asked.mockRestore();
});
