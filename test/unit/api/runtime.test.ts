import { budgetOf, createRuntime, processRuntime } from '../../../nodes/WorkspaceCrm/api/runtime';
import { RequestBudget } from '../../../nodes/WorkspaceCrm/api/budget';
import { systemClock } from '../../../nodes/WorkspaceCrm/n8n/clock';
import { VirtualClock } from '../../support/virtualClock';

describe('the budget of a key', () => {
	it('is the same for all that use the key at this service, and for nobody else', () => {
		const runtime = createRuntime(new VirtualClock());
		const budget = budgetOf(runtime, 'https://a.example', 'key');
		expect(budget).toBeInstanceOf(RequestBudget);
		expect(budgetOf(runtime, 'https://a.example', 'key')).toBe(budget);
		expect(budgetOf(runtime, 'https://a.example', 'other')).not.toBe(budget);
		expect(budgetOf(runtime, 'https://b.example', 'key')).not.toBe(budget);
		expect(budgetOf(createRuntime(), 'https://a.example', 'key')).not.toBe(budget);
	});

	it('is not confused by where the address ends and the key begins', () => {
		const runtime = createRuntime();
		expect(budgetOf(runtime, 'https://a.example', 'xkey')).not.toBe(
			budgetOf(runtime, 'https://a.examplex', 'key'),
		);
	});

	it('is kept without the key', () => {
		const runtime = createRuntime();
		budgetOf(runtime, 'https://a.example', 'secret-key');
		const [id] = runtime.budgets.keys();
		expect(id).toMatch(/^[0-9a-f]{64}$/);
	});
});

test('a process goes by the clock of the machine', () => {
	expect(processRuntime.clock).toBe(systemClock);
	expect(createRuntime().clock).toBe(systemClock);
});
