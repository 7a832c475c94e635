/**
 * Of example mobiles without plus, those that become another number where the Default Country is one
 * behind the arrow: there, the same digits are a mobile number, too.
 */
const PAIRS = `
	AC > DK
	AD > IT
	AW > MX NZ
	BG MK PE VN > BR
	BN > AT IN MX
	BQ CV GY IO SG SR > MX
	BZ > FI TR US
	CA DM LC PR SX VC > CN DE
	CK > AT DK
	CU > TR
	DK NO SJ > FI MX
	DO GD GU JM KN KY MP MS TT VI > CN
	ER FO GL > NZ
	FJ > AT IN
	FK > FI
	FM MH > AT GR IN
	GM > MX NZ US
	HK JP KH KR MO TW > ID
	IS > IT MX US
	KI PG TH TK TL > AT
	KM ST > US
	MM > IN RU US
	MV > IN MX RU
	NC TV WF > AT CH ES FR NL UA ZA
	NF > AT ES FR UA ZA
	NR TO > AT MX
	NU PW > AT US
	PF > AT BR
	PM > AE FI HU IL PL SA UA
	SB > AT BR IN MX
	SC > MX US
	VU > AT IN US
	WS > AT GR
`;

/** Each as `from>country`, in order. */
export function misreadPairs(): string[] {
	const lines = PAIRS.trim().split('\n');
	const pairs = lines.flatMap((line) => {
		const [froms, countries] = line.split('>').map((codes) => codes.trim().split(' '));
		return froms.flatMap((from) => countries.map((country) => `${from}>${country}`));
	});
	return pairs.sort();
}
