import { readYesNo, turningWords } from '../../../nodes/WorkspaceCrm/domain/typedValues';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/problem';
import { runInNewContext } from '../../../tools/support/platform';
import { thrownBy } from '../../support/thrownBy';

const YES = [
	...[true, 'TRUE', 1, '1', '1.0', '\uff11', ' Yes ', 'yes\u200b', 'Y', 'oui', 'ja', 'J', 'WAHR'],
	...['VRAI', 'VERO', 'Si', 'Sì', 'sí', 'si\u0301', 'VERDADERO', 'Sim', 'VERDADEIRO', 'WAAR'],
];
const NO = [
	...[false, 'False', 0, '0', '0.0', 'no', ' N ', 'non', 'nein', 'Não', 'NAO', 'nee'],
	...['FALSCH', 'FAUX', 'FALSO', 'ONWAAR'],
];

test.each(YES)('%j means yes', (value) => {
	expect(readYesNo('Opt In', value)).toBe(true);
});

test.each(NO)('%j means no', (value) => {
	expect(readYesNo('Opt In', value)).toBe(false);
});

test.each(['', ' ', null, 'maybe', 'yes please', 'x', 's', 'on', ['yes'], 2])(
	'%j is refused',
	(value) => {
		const { message, description } = thrownBy(InputProblem, () => readYesNo('Opt In', value));
		expect(message).toMatch(/^'Opt In' is .*, which is neither yes nor no$/);
		expect(description).toMatch(/^Enter yes, no, true or false/);
	},
);

test('the expression turns one word into yes and one into no, and keeps all others', () => {
	const code = /{{ (.*) }}/.exec(turningWords('$json["Opt In?"]'))?.[1] ?? '';
	const evaluate = (json: object): unknown => runInNewContext(code, { $json: json });
	const words = ['agreed', 'refused', '', 'perhaps', undefined];
	expect(words.map((word) => evaluate({ 'Opt In?': word }))).toEqual([
		'yes',
		'no',
		'',
		'perhaps',
		undefined,
	]);
});
