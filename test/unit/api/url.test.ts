import { parseUrl } from '../../../nodes/WorkspaceCrm/api/url';

test('a text that is a URL is read, and any other is none', () => {
	expect(parseUrl('https://crm.example.com/a?b#c')?.href).toBe('https://crm.example.com/a?b#c');
	for (const text of ['', 'x', '/path', 'https://', 'https://[::1']) {
		expect(parseUrl(text)).toBeUndefined();
	}
});
