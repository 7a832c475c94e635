interface FailureChoice {
	label: string;
	/** As `POST /sandbox/fail` takes it. */
	kind: object;
}

export const failureChoices: FailureChoice[] = [
	{
		label: '429, wait 5 seconds',
		kind: { status: 429, detail: 'Rate limit exceeded', headers: { 'retry-after': '5' } },
	},
	{ label: '500', kind: { status: 500 } },
	{ label: '500, although it was done', kind: { status: 500, afterEffect: true } },
	{ label: '503', kind: { status: 503 } },
	{ label: '502 with a web page', kind: { html: true, status: 502 } },
	{ label: '401, key revoked', kind: { status: 401, detail: 'API key revoked' } },
	{ label: 'Connection cut before anything is done', kind: { drop: 'beforeEffect' } },
	{ label: 'Connection cut after it was done', kind: { drop: 'afterEffect' } },
	{ label: 'Connection cut within the answer', kind: { drop: 'midAnswer' } },
	{ label: 'Half of the JSON', kind: { truncated: true } },
	{ label: 'Answer 10 seconds late', kind: { delayMs: 10_000 } },
];
