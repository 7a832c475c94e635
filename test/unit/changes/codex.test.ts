import { fs } from '../../../tools/support/platform';

test('the node panel finds the Changes Trigger by what people want to do', () => {
	const file = 'nodes/WorkspaceCrm/WorkspaceCrmChangesTrigger.node.json';
	const { alias } = JSON.parse(fs.readFileSync(file, 'utf8')) as { alias: string[] };
	expect(alias).toContain('New contact');
});
