import * as fc from 'fast-check';
import examples from 'libphonenumber-js/examples.mobile.json';
import {
	getCountries,
	getExampleNumber,
	parsePhoneNumberFromString,
	type CountryCode,
	type PhoneNumber,
} from 'libphonenumber-js/max';

import { readPhone } from '../../nodes/WorkspaceCrm/domain/phone';
import { InputProblem } from '../../nodes/WorkspaceCrm/domain/inputProblem';

/** A valid number of some country: its example, with other last digits if it stays valid. */
export const validNumber: fc.Arbitrary<PhoneNumber> = fc
	.tuple(fc.constantFrom(...getCountries()), fc.array(fc.nat(9), { maxLength: 6 }))
	.map(([country, ending]) => {
		const example = getExampleNumber(country, examples);
		if (!example) throw new Error(`no example for ${country}`);
		const kept = example.number.slice(0, example.number.length - ending.length);
		const changed = parsePhoneNumberFromString(kept + ending.join(''));
		return changed?.isValid() && changed.country === country ? changed : example;
	});

/** @returns undefined if the number is refused, which must be with a remedy */
export function readOrRefuse(value: unknown, country?: CountryCode) {
	try {
		return readPhone(value, country);
	} catch (error) {
		expect(error).toBeInstanceOf(InputProblem);
		return undefined;
	}
}
