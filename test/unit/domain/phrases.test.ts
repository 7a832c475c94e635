import * as fc from 'fast-check';

import { hasPhrase } from '../../../nodes/WorkspaceCrm/domain/sameText';

describe('a phrase in a text', () => {
	const passes = (text: string, words: string[]) => words.some((word) => hasPhrase(text, word));

	test.each([
		['Please STOP!', 'stop', true],
		['stopp', 'stop', false],
		['non-stop', 'stop', true],
		['What are your opening\n hours?', 'Opening Hours', true],
		['opening at all hours', 'opening hours', false],
		['Öffnungszeiten?', 'öffnungszeiten', true],
		['OFFNUNGSZEITEN', 'öffnungszeiten', true],
		// With an asterisk, the word may continue.
		['Was sind die Preise?', 'Preis', false],
		['Was sind die Preise?', 'Preis*', true],
		['Eure Sonderpreise?', 'preis*', false],
		['Eure Sonderpreise?', '*preis*', true],
		['Sonderpreis!', '*preis', true],
		['Sonderpreise', '*preis', false],
		['opening hours', 'open* hours', false],
		['opening hoursandminutes', 'opening hour* ', true],
		['*Preis* bitte', 'preis', true],
		['it costs $5', '$5', true],
		['👍', '👍', true],
		['ＳＴＯＰ', 'stop', true],
		['', 'stop', false],
		['5', '5', true],
		// what WhatsApp and its keyboards add
		['Yes👍', 'yes', true],
		['Yes👍🏽', 'yes', true],
		['~price~', 'price', true],
		['*price*', 'price', true],
		['_price_', 'price', true],
		['```price```', 'price', true],
		['Price=?', 'price', true],
		['pri\u200bce', 'price', true],
		['\u200eprice\u200f', 'price', true],
		['so\u00adft', 'soft', true],
		['❤️', '❤', true],
		['👩‍💻 hi', '👩‍💻', true],
		['underpriced', 'price', false],
		['price2', 'price', false],
		// German, French, Spanish, Turkish
		['GROẞE STRASSE', 'straße', true],
		['cafe\u0301 ouvert', 'café', true],
		['¿Precio?', 'precio', true],
		['İPTAL', 'iptal', true],
		// Russian, Greek
		['Цена:', 'цена', true],
		['ценами', 'цена', false],
		['ΣΤΟΠ!', 'στοπ', true],
		['ΤΙΜΗ', 'τιμή', true],
		['interesse', 'intéressé', true],
		['zażółć', 'ZAZOLC', true],
		['кто йод', 'иод', false],
		['なか゛', 'なが', false],
		// Arabic, Persian, Hebrew, Hindi
		['السعر؟', 'السعر', true],
		['می\u200cخواهم', 'می\u200cخواهم', true],
		['מחיר?', 'מחיר', true],
		['कीमत?', 'कीमत', true],
		['कीमती', 'कीमत', false],
		// Korean has blanks; Chinese, Japanese and Thai have none
		['가격 알려주세요', '가격', true],
		['请问价格多少', '价格', true],
		['请问价钱多少', '价格', false],
		['価格を教えてください', '価格', true],
		['ご予約キャンセルします', 'キャンセル', true],
		['ขอราคาหน่อย', 'ราคา', true],
		['ขอราคาหน่อย', 'สวัสดี', false],
		['价格price价格', 'price', true],
	])('%j with %j: %j', (text, word, is) => {
		expect(passes(text, ['price', word])).toBe(is);
	});

	test('finds each word in a text, in any case, with any punctuation', () => {
		const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
		fc.assert(
			fc.property(
				fc.array(word),
				word,
				fc.array(word),
				fc.constantFrom(' ', ', ', '!\n'),
				(before, one, after, between) => {
					const text = [...before, one.toUpperCase(), ...after].join(between);
					expect(passes(text, [one])).toBe(true);
					expect(passes(text, [`${one}x`])).toBe([...before, ...after].includes(`${one}x`));
				},
			),
		);
	});
});
