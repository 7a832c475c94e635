import examples from 'libphonenumber-js/examples.mobile.json';
import {
	getCountries,
	getCountryCallingCode,
	getExampleNumber,
	parsePhoneNumberFromString,
} from 'libphonenumber-js/max';

import { readOrRefuse } from '../../support/phoneNumbers';
import { misreadPairs } from './misreadPairs';

test('without their plus, only these example mobiles become another number in another country', () => {
	const misread: string[] = [];
	let count = 0;
	for (const from of getCountries()) {
		const { number = '' } = getExampleNumber(from, examples) ?? {};
		for (const country of getCountries()) {
			if (getCountryCallingCode(from) === getCountryCallingCode(country)) continue;
			count++;
			const reading = readOrRefuse(number.slice(1), country);
			if (reading === undefined || reading.number === number) continue;
			// It is also a mobile number of the country, so the user is told about the other reading.
			expect(parsePhoneNumberFromString(reading.number)?.getType()).toMatch('MOBILE');
			expect(reading.otherReading).toBe(number);
			misread.push(`${from}>${country}`);
		}
	}
	expect(count).toBe(59_140);
	expect(misread.length).toBeLessThanOrEqual(507);
	// It may only shrink: a pair that is misread no longer has to leave the list.
	expect(misread.sort()).toEqual(misreadPairs());
});
