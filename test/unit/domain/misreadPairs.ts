/**
 * Example mobile numbers that become another number without their plus, if the Default Country is one of those
 * after the arrow: the same digits are a mobile number there, too.
 */
const PAIRS = `
	AC > DK LV MR SO TN
	AD > MG VN
	AW > MX NZ
	BG MK PE VN > BR
	BN > AT IN MX RS
	BQ CV GY IO SG SR > MX
	BZ > AG AI AS AX BB BM BS CA DM DO FI GD GU JM KN KY LC MP MS PR SX TC TR TT US VC VG VI
	CA DM LC PR SX VC > CN DE
	CK > AT BF BI BO DK HK KH LS LT MD ME ML MO NI PA QA RS SI SO SV TD TM
	CU > TR
	DK NO SJ > AX FI MX
	DO GD GU JM KN KY MP MS TT VI > CN
	ER > NZ
	FJ > AT IN RS
	FK > AX BF CR CU EE FI GT KW LS ML MN QA SV TN
	FM MH > AT GR IN
	FO GL > BY GH NZ
	GM > AG AI AS BB BM BS CA DM DO GD GU JM KN KY LC MP MS MX NZ PR SX TC TT US VC VG VI
	HK JP KH KR MO TW > ID
	IS > AG AI AS BB BM BS CA DM DO GD GU IT JM KN KY LC MP MS MX PR SX TC TT US VA VC VG VI
	KI PG TH TL > AT
	KM ST > AG AI AS BB BM BS CA DM DO GD GU JM KN KY LC MP MS PR SX TC TT US VC VG VI
	MM > AG AI AS BB BM BS CA DM DO GD GU IN JM KN KY KZ LC MP MS PH PR RU SX TC TT US VC VG VI
	MV > IN KZ MM MX NP PH RU
	NC TV > AL AT CH CM DZ EH ES FR MA MC NL RS SO TZ UA ZA
	NF > AL AT BA CL CM DZ EH ES FR MA MC RS SO TZ UA ZA
	NR TO > AT MX RS
	NU PW > AG AI AS AT BB BM BS CA DM DO GD GU JM KN KY LC MP MS PR SX TC TT US VC VG VI
	PF > AT BR
	PM > AE AX AZ FI GH HU IL KG PL SA SY TJ UA UZ
	SB > AT BR IN MX RS
	SC > AG AI AS BB BM BS CA DM DO GD GU JM KN KY LC MP MS MX PR SX TC TT US VC VG VI
	SH > BI LV MR TN
	TA > AW BM FJ GM GU TT
	TJ > KP
	TK > AT AW GM GY IS LR PW SB TO VI
	VU > AG AI AS AT BB BM BS CA DM DO GD GU IN JM KN KY LC MP MS PR RS SX TC TT US VC VG VI
	WF > AT CH CM DZ EH ES FR LU MA MC NL RS SO TZ UA ZA
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
