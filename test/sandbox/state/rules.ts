/** What a test may set about the workspace that the API itself cannot change. */
export interface Rules {
	/** Messages in one calendar month (UTC); above it 402. null: no limit. */
	monthlySendLimit: number | null;
	/** False: the workspace has not paid, sending and enrolling give 402. */
	accountActive: boolean;
	/** Contact id or template name to the text with which the messaging platform rejects (502). */
	platformRejects: Map<string, string>;
	/** Phone numbers that no library knows yet: as they are given, and in E.164. */
	newNumbers: Map<string, string>;
	/** Subscriptions that may be active at a time. */
	maxSubscriptions: number;
	/** Status for one subscription too many. Not stated; 409 is this sandbox's choice. */
	tooManySubscriptionsStatus: number;
}

export function defaultRules(): Rules {
	return {
		monthlySendLimit: null,
		accountActive: true,
		platformRejects: new Map(),
		newNumbers: new Map(),
		maxSubscriptions: 20,
		tooManySubscriptionsStatus: 409,
	};
}
