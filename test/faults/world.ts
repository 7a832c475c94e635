import { startSandbox, type Contact, type Sandbox } from '../../tools/sandbox';
import type { OperationRow } from './operationRows';

/** How many items each run has. */
export const ITEMS = 3;

export const newKey = () => `key-${crypto.randomUUID()}`;

/** More than two pages, for operations that read lists by pages. */
const LONG_LIST = 250;

/** The automation and the template that are used; both are there from the start. */
export const AUTOMATION = 'aut_win_back';
export const TEMPLATE = 'welcome';

/** A service of its own for one run, with a key of its own: no run waits for another's limit. */
export interface World {
	sandbox: Sandbox;
	/** The contacts of the items, in their order. */
	targets: Contact[];
	/** All other contacts as JSON, by id. They must not change. */
	bystanders: Map<string, string>;
	/** The subscriptions that the items are about. */
	subscriptionIds: string[];
}

export async function createWorld(row: OperationRow): Promise<World> {
	return furnish(await startSandbox({ apiKey: newKey() }), row);
}

/** Empties a running service, and adds the records of a world. */
export function furnish(sandbox: Sandbox, { isLong }: OperationRow): World {
	sandbox.reset();
	const { store } = sandbox;
	const add = (index: number) =>
		store.addContact({
			phone: `+1212${String(4_000_000 + index)}`,
			name: `Contact ${index}`,
			tags: ['vip'],
			opt_in_status: 'confirmed',
			created_at: new Date(Date.UTC(2025, 0, 1) + index * 1_000).toISOString(),
		});
	const targets = Array.from({ length: ITEMS }, (_, index) => add(index));
	const others = Array.from({ length: isLong ? LONG_LIST - ITEMS : 2 }, (_, index) =>
		add(ITEMS + index),
	);
	const subscriptionIds = targets.map((_, index) => {
		const id = `sub_${index}`;
		store.subscriptions.set(id, {
			id,
			url: `https://old.example.com/${index}`,
			events: ['tag.added'],
			secret: `signing-${crypto.randomUUID()}`,
			active: true,
			created_at: store.nowIso(),
		});
		return id;
	});
	const bystanders = new Map(others.map((contact) => [contact.id, JSON.stringify(contact)]));
	return { sandbox, targets, bystanders, subscriptionIds };
}

/** Everything that must stay secret. */
export function secretsOf({ sandbox }: World): string[] {
	const subscriptions = [...sandbox.store.subscriptions.values()];
	return [sandbox.apiKey, ...subscriptions.map(({ secret }) => secret)];
}
