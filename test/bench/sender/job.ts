/** Deliveries to send to one address, each with an event of its own. */
export interface Job {
	/** Where to, as n8n listens. */
	url: string;
	/** The signed headers that do not depend on the body. */
	headers: Record<string, string>;
	/** What the deliveries are signed with. */
	secret: string;
	/** The body of a delivery; each one gets an id and a time of its own. */
	body: string;
	count: number;
	/**
	 * How much later than the one before each is due, whether that is answered or not. Without it, each
	 * is due when the one before is answered.
	 */
	everyMs?: number;
}

/** What came of one delivery. */
export interface Answer {
	/** From when it was due, not from when it was sent, so that a late sender hides nothing. */
	elapsedMs: number;
	/** Whether n8n answered with 200 and says that it started the workflow. */
	isStarted: boolean;
}
