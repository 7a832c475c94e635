import type { Contact, EventType, Subscription } from '../records';
import type { RateHistory } from './rate-history';

export interface TagView {
	name: string;
	contacts: number;
}

export type SubscriptionView = Omit<Subscription, 'secret'> & {
	/** What it starts, such as the name of a workflow, where somebody knows it. */
	label?: string;
};

export interface AttemptView {
	atMs: number;
	status: number | null;
	durationMs: number;
	error?: string;
}

export interface DeliveryView {
	id: string;
	event: EventType;
	url: string;
	body: string;
	state: 'pending' | 'delivered' | 'dropped';
	attempts: AttemptView[];
}

export interface RequestView {
	/** Counts from 1. */
	number: number;
	method: string;
	path: string;
	/** JSON, shortened when it is long; undefined without a body. */
	body?: string;
	/** 0 until answered, and for good when the connection was cut. */
	status: number;
	atMs: number;
	/** Undefined until it ended. */
	tookMs?: number;
	isOverRate: boolean;
}

/** A failure that waits for its request. */
export interface FailureView {
	which: string;
	what: string;
	times: number;
}

export interface MessageView {
	id: string;
	contactId: string;
	/** The contact's name, or its phone; empty when it is erased. */
	to: string;
	template: string;
	text: string;
	sentAt: string;
}

/** What the page shows. Nothing in it holds a signing secret, a signature or a request's headers. */
export interface Sections {
	service: { workspace: { id: string; name: string }; apiKey: string; contacts: number };
	contacts: { rows: Contact[]; total: number; offset: number };
	tags: TagView[];
	subscriptions: SubscriptionView[];
	messages: MessageView[];
	deliveries: DeliveryView[];
	requests: RequestView[];
	failures: FailureView[];
	rate: RateHistory & { limit: number | null };
}
