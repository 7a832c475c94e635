import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Contact, Sandbox } from '../../../../tools/sandbox';
import { runNode, type NodeResult, type NodeRun } from '../../../../tools/engine/runNode';
import { patientRuntime } from '../../support';

/** The parameters of a sync whose columns are mapped by hand, each to an expression or a value. */
export function mapped(
	value: IDataObject,
	options: IDataObject = {},
	types: Record<string, string> = {},
): INodeParameters {
	return sync({ mappingMode: 'defineBelow', value, schema: columnsOf(value, types) }, options);
}

/** The parameters of a sync that takes its columns from the input. */
export function automatic(
	options: IDataObject = {},
	types: Record<string, string> = {},
): INodeParameters {
	return sync(
		{ mappingMode: 'autoMapInputData', value: null, schema: columnsOf({}, types) },
		options,
	);
}

function sync(columns: IDataObject, options: IDataObject): INodeParameters {
	return { resource: 'contact', operation: 'sync', columns, options } as INodeParameters;
}

/** Runs a sync that waits for no rate limit. */
export async function runSync(
	sandbox: Sandbox,
	items: IDataObject[],
	parameters: INodeParameters = automatic(),
	run: Partial<NodeRun> = {},
): Promise<NodeResult> {
	const { runtime } = patientRuntime();
	return await runNode(sandbox, { runtime, ...run, parameters, items });
}

/** What a sync says of each output item, without whose row it is and what its fields were. */
export function syncsOf(json: IDataObject[]): IDataObject[] {
	return json.map(({ sync }) => briefly(sync as IDataObject));
}

function briefly(sync: IDataObject): IDataObject {
	const brief = { ...sync };
	for (const name of ['item', 'row', 'phone', 'changes']) delete brief[name];
	return brief;
}

/** Output items with what `syncsOf` returns. */
export function withBriefSync(json: IDataObject[]): IDataObject[] {
	return json.map((each) =>
		each.sync ? { ...each, sync: briefly(each.sync as IDataObject) } : each,
	);
}

export function actionsOf(json: IDataObject[]): unknown[] {
	return syncsOf(json).map(({ action }) => action);
}

/** A contact as an input item that changes nothing. */
export function itemOf({ phone, name, locale, source, attributes, tags }: Contact): IDataObject {
	return { phone, name, locale, source, attributes, tags } as IDataObject;
}

/** The schema that the editor saves: of the columns mapped, or of those whose type matters. */
function columnsOf(value: IDataObject, types: Record<string, string>): IDataObject[] {
	const ids = [...new Set([...Object.keys(value), ...Object.keys(types)])];
	return ids.map((id) => ({
		id,
		displayName: id,
		type: types[id] ?? 'string',
		required: id === 'phone',
		defaultMatch: id === 'phone',
		display: true,
	}));
}
