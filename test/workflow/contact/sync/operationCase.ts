import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { automatic } from './syncNode';
import {
	contacts,
	contactsWithNewPhone,
	newPhone,
	renames,
	targetOf,
	type OperationCase,
} from '../../../operationCase';

/** A sync has done its item if it reports one of these actions. */
const synced =
	(...done: string[]): OperationCase['claim'] =>
	({ sync }) => {
		const { action } = sync as IDataObject;
		if (action === 'saved') return 'unknown';
		return done.includes(String(action)) ? 'done' : 'nothing done';
	};

const columns = (value: Record<string, string>) =>
	({ mappingMode: 'defineBelow', value, schema: [] }) as unknown as INodeParameters;

const contactSync: OperationCase = {
	inN8n: ['/ 500 page that echoes the key'],
	isKilledInN8n: true,
	guide: 'sync.md',
	isMerged: true,
	forOne: automatic(),
	otherUses: [
		{ parameters: { options: { dryRun: true } } },
		{ parameters: { options: { missing: 'output' } } },
		{ parameters: automatic(), opt_in_status: 'pending' },
	],
	parameters: {
		columns: columns({ phone: '={{ $json.phone }}', name: '={{ $json.newName }}' }),
	},
	endpoints: [
		contacts,
		'PATCH /v1/contacts/*',
		'POST /v1/contacts',
		'GET /v1/contacts/*',
		'POST /v1/contacts/*/tags',
		'DELETE /v1/contacts/*/tags/*',
	],
	calls: 2,
	// To look for tags in another spelling.
	alsoAsks: ['GET /v1/tags'],
	faults: [
		{ struck: 'PATCH /v1/contacts/*' },
		{
			variant: 'new contacts',
			parameters: { columns: columns({ phone: '={{ $json.newPhone }}' }) },
			struck: 'POST /v1/contacts',
			claim: synced('created'),
			effects: contactsWithNewPhone,
		},
		{
			variant: 'new contacts with a locale, the second request',
			parameters: { columns: columns({ phone: '={{ $json.newPhone }}', locale: 'fr' }) },
			struck: 'PATCH /v1/contacts/*',
			claim: synced('created'),
			effects: ({ sandbox }, index) => {
				const all = [...sandbox.store.contacts.values()];
				return all.filter((each) => each.phone === newPhone(index) && each.locale === 'fr').length;
			},
		},
		{
			variant: 'tags to remove',
			parameters: {
				columns: columns({ phone: '={{ $json.phone }}', tags: 'new' }),
				options: { tagMode: 'match', tagPrefix: 'vip' },
			},
			struck: 'DELETE /v1/contacts/*/tags/*',
			effects: (world, index) => Number(targetOf(world, index)?.tags.join() === 'new'),
		},
	],
	claim: synced('updated'),
	effects: renames,
};

export const cases = { 'contact sync': contactSync };
