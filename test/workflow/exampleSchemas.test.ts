import type { INode, ResourceMapperField } from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { startSandbox, type Sandbox } from '../../tools/sandbox';
import { fs, isDeepStrictEqual, path, process } from '../../tools/support/platform';
import { editorContext } from './editorContext';

const folder = 'examples';
const { description, methods } = new WorkspaceCrm();

/** The CRM of the demo, whose contacts and templates the examples use. */
let sandbox: Sandbox;
beforeAll(async () => (sandbox = await startSandbox({ contacts: 200, limiter: { kind: 'off' } })));
afterAll(async () => await sandbox.close());

interface Mapped {
	mappingMode: string;
	value: object | null;
	schema: ResourceMapperField[];
}

/** What lists the fields of resource mappers, by the names under which they are saved. */
const mappers = Object.fromEntries(
	description.properties.flatMap(({ name, typeOptions }) => {
		const method = typeOptions?.resourceMapper?.resourceMapperMethod;
		return method ? [[name, Reflect.get(methods.resourceMapping, method) as Mapper]] : [];
	}),
);
type Mapper = WorkspaceCrm['methods']['resourceMapping']['getTemplateVariables'];

/** What the editor saves: every field that the node offers, without those that nobody filled in. */
async function schemaOf({ parameters }: INode, name: string, mapped: Mapped) {
	const context = editorContext(sandbox, parameters, {}, name === 'columns' ? '' : 'template');
	const { fields } = await mappers[name].call(context);
	const isManual = mapped.mappingMode === 'defineBelow';
	const given = mapped.value ?? {};
	return fields.map((field) => ({ ...field, removed: isManual && !(field.id in given) }));
}

const files = fs.readdirSync(folder).filter((file) => file.endsWith('.json'));

/** Otherwise the editor says of the node that its columns or variables are outdated. */
test.each(files)('%s has the schemas that the editor saves', async (name) => {
	const file = path.join(folder, name);
	const example = JSON.parse(fs.readFileSync(file, 'utf8')) as { nodes: INode[] };
	for (const node of example.nodes) {
		for (const mapper of Object.keys(mappers)) {
			const mapped = node.parameters[mapper] as unknown as Mapped | undefined;
			if (!mapped?.schema || !node.type.startsWith('n8n-nodes-workspace-crm.')) continue;
			const schema = await schemaOf(node, mapper, mapped);
			if (process.env.UPDATE_DOCS && !isDeepStrictEqual(mapped.schema, schema)) {
				mapped.schema = schema;
				fs.writeFileSync(file, `${JSON.stringify(example, undefined, '\t')}\n`);
			}
			expect([node.name, mapped.schema]).toEqual([node.name, schema]);
		}
	}
});
