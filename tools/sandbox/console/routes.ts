import { createHash, randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fileURLToPath, fs } from '../../support/platform';
import type { Context } from '../context';
import type { DeliveryRecord } from '../delivery/deliveries';
import { notFound } from '../http/api-error';
import { objectBody } from '../http/body';
import type { EventEnvelope } from '../records';
import { upsertContact } from '../state/contact-changes';
import { filterOf } from '../state/contact-filter';
import { consoleState } from './state';

const pageFile = fileURLToPath(new URL('page.html', import.meta.url));

/** The source of a Content-Security-Policy that allows exactly one element of the page. */
function sourceOf(page: string, element: 'script' | 'style'): string {
	const [, text] = new RegExp(`<${element}[^>]*>([^]*)</${element}>`).exec(page) ?? [];
	return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Older than what a trigger accepts by default. */
const TWO_HOURS_MS = 7_200_000;

function deliveryIn({ deliveries }: Context, { params }: FastifyRequest): DeliveryRecord {
	const { id } = params as { id: string };
	const record = deliveries.records.find(({ deliveryId }) => deliveryId === id);
	if (!record) throw notFound('delivery');
	return record;
}

/** The page that shows the sandbox. As with `/sandbox`: no key, no limit, no record. */
export function consoleRoutes(app: FastifyInstance, context: Context): void {
	app.get('/', async (_request, reply) => {
		const page = await fs.promises.readFile(pageFile, 'utf8');
		const policy = [
			"default-src 'none'",
			`script-src ${sourceOf(page, 'script')}`,
			`style-src ${sourceOf(page, 'style')}`,
			'img-src data:',
			"connect-src 'self'",
			"base-uri 'none'",
			"form-action 'none'",
			"frame-ancestors 'none'",
		];
		return reply
			.headers({ 'cache-control': 'no-store', 'content-security-policy': policy.join('; ') })
			.type('text/html; charset=utf-8')
			.send(page);
	});

	/** `search` and `opt_in_status` are those of `GET /v1/contacts`. */
	app.get('/console/state', (request) => consoleState(context, filterOf(request)));

	/** As `POST /v1/contacts`, but outside the rate limit. */
	app.post('/console/contacts', (request) =>
		upsertContact(context.store, context.events, objectBody(request)),
	);

	/** The same delivery once more, as after an answer that was lost. */
	app.post('/console/deliveries/:id/again', async (request) => {
		await context.deliveries.redeliver(deliveryIn(context, request).deliveryId);
		return { ok: true };
	});

	/** Another event of the same kind, which arrives two hours after it happened. */
	app.post('/console/deliveries/:id/late', (request) => {
		const { body, subscriptionId } = deliveryIn(context, request);
		const subscription = context.store.subscriptions.get(subscriptionId);
		if (!subscription) throw notFound('subscription');
		const envelope = JSON.parse(body) as EventEnvelope;
		const created_at = new Date(Date.parse(envelope.created_at) - TWO_HOURS_MS).toISOString();
		context.deliveries.start({ ...envelope, id: `evt_${randomUUID()}`, created_at }, subscription);
		return { ok: true };
	});

	app.delete('/console/failures', () => {
		context.faults.clear();
		return { ok: true };
	});
}
