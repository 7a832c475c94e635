/**
 * The only words for yes and for no, by language: docs/sync.md shows them. None means yes in one of these languages
 * and no in another.
 */
export const YES_NO_WORDS: Readonly<Record<string, readonly [yes: string, no: string]>> = {
	Any: ['true, 1, 1.0, y, j', 'false, 0, 0.0, n'],
	Arabic: ['نعم', 'لا'],
	Bengali: ['হ্যাঁ', 'না'],
	Chinese: ['是', '否, 不'],
	Dutch: ['ja, waar', 'nee, onwaar'],
	English: ['yes', 'no'],
	French: ['oui, vrai', 'non, faux'],
	German: ['ja, wahr', 'nein, falsch'],
	Hindi: ['हाँ, हां', 'नहीं'],
	Indonesian: ['ya', 'tidak'],
	Italian: ['sì, si, vero', 'no, falso'],
	Japanese: ['はい', 'いいえ'],
	Korean: ['예, 네', '아니요, 아니오'],
	Persian: ['بله, آری', 'خیر, نه'],
	Portuguese: ['sim, verdadeiro', 'não, nao, falso'],
	Russian: ['да', 'нет'],
	Spanish: ['sí, si, verdadero', 'no, falso'],
	Thai: ['ใช่', 'ไม่ใช่'],
	Turkish: ['evet', 'hayır'],
	Urdu: ['ہاں', 'نہیں'],
	Vietnamese: ['có', 'không'],
};
