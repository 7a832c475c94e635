import type { INodeParameters } from 'n8n-workflow';

import { WorkspaceCrm } from '../../../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { expectPlain, HOSTILE_TEXTS } from '../../../support/hostileTexts';
import { editorContext } from '../../editorContext';
import { addContact, useSandbox } from '../../support';
import { automatic, runSync } from './syncNode';

/** What the service and its contacts say is text wherever a person reads it, and data in the output. */
const sandbox = useSandbox();
const { resourceMapping } = new WorkspaceCrm().methods;
const written = HOSTILE_TEXTS.map(([text]) => text);

/** As the editor asks for lists, columns and the like. */
const contextOf = (parameters: INodeParameters) => editorContext(sandbox, parameters);

test('is plain in the summary of a sync', async () => {
	const columns = Object.fromEntries(written.map((name) => [name, 'x']));
	const long = { ['z'.repeat(10_000)]: 'x' };
	const { hints } = await runSync(sandbox, [{ phone: '+4915123456789', ...columns, ...long }]);
	expectPlain(hints.join().replaceAll('<br>', ' '));
	expect(hints.join().length).toBeLessThan(1_500);
});

test('is plain in the columns of a sync, whose IDs stay unchanged', async () => {
	const attributes = Object.fromEntries([...written, 'long'.repeat(50)].map((key) => [key, 'x']));
	addContact(sandbox, { attributes });
	const { fields } = await resourceMapping.getContactColumns.call(contextOf(automatic()));
	expectPlain(fields.map(({ displayName }) => displayName).join(' '));
	const ids = fields.map(({ id }) => id);
	expect(ids).toEqual(expect.arrayContaining(written.map((key) => `attributes.${key}`)));
	expect(fields.at(-1)?.displayName.length).toBeLessThan(140);
});
