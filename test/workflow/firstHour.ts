import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startSandbox, strangerShapes, type Sandbox, type Shapes } from '../sandbox';
import { entriesOf } from './editorContext';
import { runNode } from './runNode';
import { addContact, chosen } from './support';

/** How an operation ended for somebody who does nothing but what the texts say. */
export interface Outcome {
	operation: string;
	/** `works`: at once. `cured`: after what the texts said. `told`: the text says that, or what, is not known. */
	end: 'works' | 'cured' | 'told' | 'lost';
	/** How many runs it took. */
	runs: number;
	/** The last error. */
	text?: string;
}

export interface FirstHour {
	seed: number;
	shapes: Shapes;
	outcomes: Outcome[];
	/** How many answers Check API understands, of how many. */
	understood: number;
	checked: number;
	/** The settings of the credential that came out of it. */
	settings: IDataObject;
}

/** What the credential's settings are called on the screen, and when saved. */
const FIELDS: Record<string, string> = {
	'Contact Field': 'contactField',
	'Contact As': 'contactAs',
	'Template Field': 'templateField',
	'Variables Field': 'variablesField',
	'Variables As': 'variablesAs',
	'Enrollment Contact Field': 'enrollContactField',
	'Enrollment Contact As': 'enrollContactAs',
};
const VALUES: Record<string, string> = {
	ID: 'id',
	'Phone Number': 'phone',
	Object: 'object',
	'List of Values': 'list',
	'List of Names and Values': 'pairs',
};

const MAX_RUNS = 10;

/** The first hour of somebody on a service that nobody has described. */
export async function firstHour(seed: number): Promise<FirstHour> {
	const shapes = strangerShapes(seed);
	const sandbox = await startSandbox({ shapes, limiter: { kind: 'off' } });
	try {
		const hour = new Hour(sandbox);
		await hour.check();
		await hour.readLists();
		await hour.useContacts();
		await hour.send();
		await hour.enroll();
		const { outcomes, understood, checked, settings } = hour;
		return { seed, shapes, outcomes, understood, checked, settings };
	} finally {
		await sandbox.close();
	}
}

class Hour {
	readonly outcomes: Outcome[] = [];

	readonly settings: IDataObject = {};

	understood = 0;

	checked = 0;

	private readonly contact;

	constructor(private readonly sandbox: Sandbox) {
		this.contact = addContact(sandbox, { name: 'Anna Löwe', tags: ['vip', 'lead'] });
		addContact(sandbox, { phone: '+4915123456780', opt_in_status: 'confirmed' });
	}

	private async run(resource: string, operation: string, parameters: INodeParameters = {}) {
		return await runNode(this.sandbox, {
			parameters: { resource, operation, ...parameters },
			credential: this.settings,
		});
	}

	/** For operations that no setting changes. */
	private async once(
		resource: string,
		operation: string,
		isRight: (json: IDataObject[]) => boolean,
		parameters: INodeParameters = {},
	): Promise<void> {
		const { json, error } = await this.run(resource, operation, parameters);
		const text = error && `${error.message}\n${error.description ?? ''}`;
		const end = !error && isRight(json) ? 'works' : isTold(text) ? 'told' : 'lost';
		this.outcomes.push({ operation: `${resource} ${operation}`, end, runs: 1, text });
	}

	async check(): Promise<void> {
		await this.once('workspace', 'checkApi', (json) => {
			const asked = json.filter(({ status }) => status !== undefined);
			this.checked = asked.length;
			this.understood = asked.filter(({ understood }) => understood).length;
			return asked.every(({ understood, whatToDo }) => understood === true || whatToDo !== '');
		});
	}

	async readLists(): Promise<void> {
		const { store } = this.sandbox;
		const counts: Record<string, number> = {
			tag: store.tags.size,
			template: store.templates.length,
			automation: store.automations.length,
			segment: store.segments.length,
			eventType: 5,
			subscription: 0,
			contact: store.contacts.size,
		};
		for (const [resource, count] of Object.entries(counts)) {
			await this.once(resource, 'getAll', (json) => json.length === count, { returnAll: true });
		}
		const [segment] = await entriesOf(this.sandbox, 'searchSegments', 'VIP');
		await this.once('segment', 'getContacts', (json) => json.length === 1, {
			segmentId: chosen('list', segment?.value ?? ''),
			returnAll: true,
		});
	}

	async useContacts(): Promise<void> {
		const contactId = chosen('list', this.contact.id);
		await this.once('contact', 'get', ([json]) => json.id === this.contact.id, { contactId });
		await this.once('contact', 'update', ([json]) => json.name === 'Ann', {
			contactId,
			updateFields: { name: 'Ann' },
		});
		await this.once('contact', 'upsert', ([json]) => json.created === true, {
			phone: '+4915123456781',
		});
		const columns = {
			mappingMode: 'defineBelow',
			value: { phone: '+4915123456782', name: 'Cem', opt_in: 'yes' },
			schema: [],
		} as unknown as INodeParameters;
		await this.once('contact', 'sync', ([{ sync }]) => (sync as IDataObject).action === 'created', {
			columns,
		});
		await this.once('tag', 'add', () => this.contact.tags.includes('new'), {
			contactId,
			tags: 'new',
		});
		await this.once('tag', 'remove', () => !this.contact.tags.includes('new'), {
			contactId,
			tags: 'new',
		});
	}

	async send(): Promise<void> {
		const { store } = this.sandbox;
		const [template] = await entriesOf(this.sandbox, 'searchTemplates', 'order_shipped');
		const byList = chosen('list', template?.value ?? '');
		const byName = chosen('name', 'order_shipped');
		const variables = {
			values: [
				{ name: '1', value: 'Anna' },
				{ name: '2', value: '1042' },
			],
		};
		await this.follow('message sendTemplate', store.sentMessages, (advice) => ({
			contactId: chosen('list', this.contact.id),
			template: /choose the template 'By Name'[^]*says: "template/.test(advice) ? byName : byList,
			variables,
		}));
		const [message] = store.sentMessages;
		const last = this.outcomes.at(-1);
		const isWhole = JSON.stringify(message?.variables) === JSON.stringify({ 1: 'Anna', 2: '1042' });
		// A message without its variables is worse than none.
		if (message && !isWhole && last) last.end = 'lost';
	}

	async enroll(): Promise<void> {
		const [automation] = await entriesOf(this.sandbox, 'searchAutomations', 'Win back');
		await this.follow('automation enroll', this.sandbox.store.enrolments, () => ({
			automationId: chosen('list', automation?.value ?? ''),
			contactId: chosen('list', this.contact.id),
		}));
	}

	/** Does what the texts say, until it works, or they say nothing new. */
	private async follow(
		name: string,
		done: readonly unknown[],
		parametersAfter: (advice: string) => INodeParameters,
	): Promise<void> {
		const [resource = '', operation = ''] = name.split(' ');
		const followed = new Set<string>();
		let advice = '';
		for (let runs = 1; ; runs += 1) {
			const { error } = await this.run(resource, operation, parametersAfter(advice));
			if (!error) {
				const end = done.length !== 1 ? 'lost' : runs === 1 ? 'works' : 'cured';
				this.outcomes.push({ operation: name, end, runs });
				return;
			}
			const text = `${error.message}\n${error.description ?? ''}`;
			const step = JSON.stringify([this.apply(text), /By Name/.test(text)]);
			if (followed.has(step) || runs === MAX_RUNS || done.length > 0) {
				const end = done.length === 0 && isTold(text) ? 'told' : 'lost';
				this.outcomes.push({ operation: name, end, runs, text });
				return;
			}
			followed.add(step);
			advice += text;
		}
	}

	/** Sets in the credential what a text says. */
	private apply(text: string): IDataObject {
		const steps = text.matchAll(/set '([^']+)'(?: in the credential)? to (?:"([^"]+)"|'([^']+)')/g);
		for (const [, label = '', name, choice = ''] of steps) {
			const field = FIELDS[label];
			// "If it is the contact that is not found": it is, only if the service says so.
			if (
				field === undefined ||
				(/If it is the contact/.test(text) && !/says: "contact/.test(text))
			)
				continue;
			this.settings[field] = name ?? VALUES[choice];
			if (/turn on 'Other Field Names'/.test(text)) this.settings.otherFieldNames = true;
		}
		return { ...this.settings };
	}
}

/** Whether a text says that, or what, is not known, and what can be done all the same. */
function isTold(text = ''): boolean {
	return /does not show the body of this request|does not tell what it stands for|may belong inside another object|If it is the one|to the name that it expects/.test(
		text,
	);
}
