import type { Template } from '../records';
import type { Shapes } from '../shapes';

/** What the id and the name of a record are called. */
const names: Record<Shapes['recordNames'], (kind: string) => [id: string, name: string]> = {
	plain: () => ['id', 'name'],
	prefixed: (kind) => [`${kind}_id`, `${kind}_name`],
	camel: (kind) => [`${kind}Id`, `${kind}Name`],
	titled: () => ['uuid', 'title'],
};

/** A record of a list, with its id and name as they are called in the shape that is chosen. */
export function recordView(
	{ recordNames }: Pick<Shapes, 'recordNames'>,
	kind: string,
	{ id, name, ...rest }: { id?: string; name: string },
): object {
	const [idName, nameName] = names[recordNames](kind);
	return { ...(id !== undefined && { [idName]: id }), [nameName]: name, ...rest };
}

/** A template, with its text where the shape has it. */
export function templateView(shapes: Shapes, template: Template): object {
	const { body, ...rest } = template;
	const { templateText } = shapes;
	if (templateText === 'body') return recordView(shapes, 'template', template);
	const placeholders = [...body.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
	const text =
		templateText === 'components'
			? { components: [{ type: 'BODY', text: body }] }
			: { variables: placeholders };
	return { ...recordView(shapes, 'template', rest), ...text };
}
