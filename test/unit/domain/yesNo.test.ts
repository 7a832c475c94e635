import { readYesNo, turningWord } from '../../../nodes/WorkspaceCrm/domain/typedValues';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/inputProblem';
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

// Greetings and words of other languages, and those that mean yes in one and no in another.
const OTHER_WORDS = [
	'Ha',
	'Hai',
	'Ne',
	'Hoi',
	'Ano',
	'Ka',
	'Na',
	'se',
	'nu',
	'da',
	'jo',
	'ii',
	'tak',
	'th',
];

test.each(['', ' ', null, 'maybe', 'yes please', 'x', 's', 'on', 'sure', 2, ...OTHER_WORDS])(
	'%j is refused',
	(value) => {
		const { message, description } = thrownBy(InputProblem, () => readYesNo('Opt In', value));
		expect(message).toMatch(/^'Opt In' is .*, which is neither yes nor no$/);
		expect(description).toMatch(/^Enter yes, no, true or false/);
	},
);

test.each(['S', 'di"ta', 2])('the expression turns %j into no, and keeps all others', (word) => {
	const code = /{{ (.*) }}/.exec(turningWord('$json["Opt In?"]', word))?.[1] ?? '';
	const evaluate = (json: object): unknown => runInNewContext(code, { $json: json });
	const words = [word, '', 'perhaps', undefined];
	expect(words.map((each) => evaluate({ 'Opt In?': each }))).toEqual([
		'no',
		'',
		'perhaps',
		undefined,
	]);
});

test.each(['<b>', 'x'.repeat(200)])('there is no expression for %j', (word) => {
	expect(turningWord('$json.a', word)).toBe('');
});
