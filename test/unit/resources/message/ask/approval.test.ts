import * as fc from 'fast-check';

import { isApproval } from '../../../../../nodes/WorkspaceCrm/resources/message/ask/receiveReply';

const words = ['yes', 'ok', 'Approve', 'Alles klar', 'sí', 'はい', '👍', "d'accord", 'да'];

test.each([
	...['yes', 'YES', ' Yes ', 'yes.', 'Yes!!', 'ok', 'approve', 'APPROVE', 'alles\nklar'],
	// What keyboards and phones add.
	...['y\u200bes', '\u2060yes', 'yes\ufe0f', 'Sí', '¡Sí!', '¡ sí !', '¿Sí', 'si\u0301', 'D’accord'],
	...['はい', 'はい！', 'はい。', 'ＹＥＳ', '👍', '👍🏽', '👍🏿!', 'Да.', 'ДА'],
	// An emoji of agreement at the end.
	...['yes 👍', 'Yes👍🏽', 'ok! 🙏', 'Approve ✅', 'yes 👌🏿 😊', 'yes. 🙂', 'Alles klar 👍👍'],
])('%j is a yes', (reply) => expect(isApproval(reply, words)).toBe(true));

test.each([
	...['', ' ', '.', 'no', 'yes, but', 'yes?', 'not ok', 'okay', 'yes ok', 'y e s'],
	...['yes...', 'yes…', 'yes!.!', 'yes。。', 'yes!?', '¿yes?', '¡¡yes', 'yes؟', 'yes？', 'yes‽'],
	// Accents make another word.
	...['si', 'ség', 'да́м', '👎', '👎🏽', '🏽', '\u200b', '¡', 'はいえ'],
	// Letters that only look like these.
	...['nо', 'уes', 'yеs'],
	// Other emojis may take it back, and words decide.
	...[
		'yes 👎',
		'yes 👎🏽',
		'yes 👍👎',
		'yes 😂',
		'yes 🤔',
		'yes 🙅',
		'yes ❌',
		'👎👍',
		'no 👍',
		'🙏',
		'👍 no',
		'👍 yes',
	],
	...['yes? 👍', 'yes... 👍', 'yes 👍?', '😊', ' 👌'],
	...['true', '{"approved":true}', 'undefined', 'null'],
])('%j is not a yes', (reply) => expect(isApproval(reply, words)).toBe(false));

test('without words, nothing is a yes', () => {
	fc.assert(fc.property(fc.string(), (reply) => expect(isApproval(reply, ['', ' .'])).toBe(false)));
});

test('a yes with text before or after it is not a yes', () => {
	const more = fc.string({ minLength: 1 }).filter((text) => /[\p{L}\p{N}]/u.test(text));
	fc.assert(
		fc.property(more, (text) => {
			expect(isApproval(`yes ${text}`, ['yes'])).toBe(false);
			expect(isApproval(`${text} yes`, ['yes'])).toBe(false);
		}),
	);
});
