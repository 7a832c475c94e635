import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { OptInStatus } from '../nodes/WorkspaceCrm/domain/consent';
import { variablesOf } from '../tools/engine/engine';
import type { Contact } from '../tools/sandbox';
import type { World } from './faults/world';

/** What the tests know about an operation: how it is used, its requests and its effects. */
export interface OperationCase {
	/** In addition to resource and operation. Expressions read the item that `contactItem` makes. */
	parameters: INodeParameters;
	/**
	 * The requests that it may make, by method and path; `*` is one segment. With the parameters above
	 * it makes the first of them, once.
	 */
	endpoints: readonly [string, ...string[]];
	/** Whether the API reference does not show its answer, so that the schema cannot describe all of it. */
	isUnstated?: boolean;
	/** How it is used in tests with faults; by default, as above. */
	faults?: FaultCase[];
	/** What an item returns if all goes well; by default anything. */
	output?: (world: World, index: number) => object[];
	/** How many times the item was done, by the service's records. Not for operations that only read. */
	effects?: (world: World, index: number) => number;
	/** Whether its request may be sent again if the outcome is unknown; by default, it may. */
	isRepeatable?: boolean;
	/** Whether an output item says that its item is done; by default, it does. */
	claim?: (json: IDataObject) => Claim;
	/** Which part of the request identifies the item, if it must be sent at most once per item. */
	isAbout?: (body: IDataObject, world: World, index: number) => boolean;
	/** Whether its success has a body; by default, it has. */
	hasAnswer?: boolean;
	/** What it asks first, once in five minutes. */
	asksFirst?: string;
	/** Further endpoints that it may call with other parameters. */
	alsoAsks?: string[];
	/** Whether it calls all of the endpoints, in this order. */
	callsAll?: boolean;
	/** Otherwise, how many of the endpoints it calls, in this order; 1 by default. */
	calls?: number;
	/** The request that `isRepeatable` and `isAbout` are about; by default, the first of the endpoints. */
	once?: string;
	/** Whether the execution waits afterwards; it then accepts one item only. */
	waits?: boolean;
	/** Whether its output reports what the service does wrong. */
	isReport?: boolean;
	/** Whether it reads a list by pages. */
	isLong?: boolean;
	/** The faults of `test/faults` that are also tried in a real n8n, each behind the variant that it strikes. */
	inN8n?: string[];
	/** Whether a real n8n is also killed while it runs. */
	isKilledInN8n?: boolean;
	/** A page about it, relative to `docs`. */
	guide?: string;
	/** Parameters that replace those above in tests with one contact. */
	forOne?: INodeParameters;
	/** Whether items of one contact are handled as one. */
	isMerged?: boolean;
	/** Other ways to use it, for the fields that its usual output does not have. */
	otherUses?: Array<{ parameters: object; opt_in_status?: OptInStatus }>;
	/** All that can come out once it has waited; the usual output first. */
	afterWait?: (contact: Contact) => IDataObject[];
}

/** What differs while requests fail. */
export interface FaultCase {
	/** What is special about this case, if there are several. */
	variant?: string;
	/** Parameters that replace or extend those above. */
	parameters?: INodeParameters;
	/** The request that the faults strike; by default, the first of the endpoints. */
	struck?: string;
	/** Whether that request is made once for all items, so that all fail with it. */
	isForAll?: boolean;
	effects?: OperationCase['effects'];
	claim?: OperationCase['claim'];
}

/** What an output says about its item. */
export type Claim = 'done' | 'nothing done' | 'unknown';

/** A record in a resource locator, as the editor saves it. */
export const chosen = (mode: string, value: string) => ({ __rl: true, mode, value });
export const contactId = chosen('id', '={{ $json.contactId }}');
export const templateVariables = variablesOf({ name: 'Anna' });

export const contacts = 'GET /v1/contacts';
export const templates = 'GET /v1/templates';

export const targetOf = ({ sandbox, targets }: World, index: number) =>
	sandbox.store.contacts.get(targets[index].id);
export const renames: OperationCase['effects'] = (world, index) =>
	Number(targetOf(world, index)?.name === `Renamed ${index}`);
export const isAboutContact: OperationCase['isAbout'] = ({ contact_id }, { targets }, index) =>
	contact_id === targets[index].id;

export const newPhone = (index: number) => `+1212${5_000_000 + index}`;
export const contactsWithNewPhone: OperationCase['effects'] = ({ sandbox }, index) =>
	[...sandbox.store.contacts.values()].filter(({ phone }) => phone === newPhone(index)).length;
