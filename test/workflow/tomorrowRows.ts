import { altered } from '../support/altered';
import { useSandbox } from './support';
import { stopTriggers } from './triggerSetup';

/**
 * n8n of tomorrow: each thing of n8n's inside that the nodes use is taken away, renamed, frozen or changed. Then
 * everything works, or nothing is sent and the user reads why, or what is lost stands in n8n's log and on the page
 * that this test writes. Nothing else.
 */
export const sandbox = useSandbox({ limiter: { kind: 'off' } });
afterEach(async () => await stopTriggers());

export type Alter = <Context extends object>(context: Context) => Context;
export type Variants = Record<string, Alter>;
export type Run = (alter: Alter) => Promise<string>;

export const other =
	(others: Record<string, unknown>): Alter =>
	(context) =>
		altered(context, others);
export const gone = (name: string) => other({ [name]: undefined });
export const throwing = (name: string) =>
	other({
		[name]: () => {
			throw new Error('Not here');
		},
	});

export const WORKS = 'works';
export const SILENT = 'SILENT AND WRONG';
/** The first sentence, without what differs between runs. */
export const brief = (text: string) =>
	text
		.replace(/^Workspace CRM: /, '')
		.replace(/\s+/g, ' ')
		.replace(/ \[item \d+\]/, '')
		.replace(/ to the node '.*?' of the workflow \S+/, '')
		.split(/\. | Details: /)[0]
		.replace(/https?:\S+|[0-9a-f]{8}-[0-9a-f-]{20,}/g, '…');
export const refused = (error: unknown) => `sends nothing, "${brief((error as Error).message)}"`;
export const lost = (log: string) => `works, logs the loss "${brief(log)}"`;
export const said = (text: string) => `says "${brief(text)}"`;

export interface Row {
	internal: string;
	file: string;
	outcomes: Map<string, string>;
}
export const rows = new Map<number, Row>();

export function row(
	number: number,
	internal: string,
	file: string,
	variants: Variants,
	run: Run,
): void {
	const outcomes = new Map<string, string>();
	rows.set(number, { internal, file, outcomes });
	test.each(Object.keys(variants))(`${number}. ${internal} (${file}): %s`, async (name) => {
		const outcome = await run(variants[name]);
		outcomes.set(name, outcome);
		expect(outcome).not.toContain(SILENT);
	});
}

let executions = 100;
export const nextExecution = () => String((executions += 1));
