import type { AttemptView, DeliveryView } from '../views';
import { durationOf, prettyJson, timeOf } from './format';
import { Badge, Card, Empty, Log, moodOf, type Mood } from './parts';

const moods: Record<DeliveryView['state'], Mood> = {
	pending: 'warn',
	delivered: 'good',
	dropped: 'bad',
};

const attemptsAllowed = 5;

function stateText({ state, attempts }: DeliveryView): string {
	if (state !== 'pending') return state;
	return attempts.length === 0 ? 'on its way' : `tried ${attempts.length} of ${attemptsAllowed}`;
}

const Attempt = ({ atMs, status, durationMs, error }: AttemptView) => (
	<li>
		<span class="time">{timeOf(atMs)}</span>
		<Badge mood={moodOf(status)}>{status ?? 'no answer'}</Badge>
		<span class="ms">{durationOf(durationMs)}</span>
		<span class="error">{error}</span>
	</li>
);

function Delivery({ delivery }: { delivery: DeliveryView }) {
	const { event, url, attempts, body, state } = delivery;
	const last = attempts.at(-1);
	return (
		<details>
			<summary tabIndex={-1} data-stop>
				<span class="name">{event}</span>
				<Badge mood={moods[state]}>{stateText(delivery)}</Badge>
				<span class="status">{last ? (last.status ?? 'none') : ''}</span>
				<span class="ms">{last ? durationOf(last.durationMs) : ''}</span>
				<span class="time">{last ? timeOf(last.atMs) : ''}</span>
			</summary>
			<div class="details">
				<code class="url">{url}</code>
				<ol class="attempts">
					{attempts.map((attempt, index) => (
						<Attempt key={index} {...attempt} />
					))}
				</ol>
				<pre>{prettyJson(body)}</pre>
			</div>
		</details>
	);
}

/** Events on their way to subscriptions, with every attempt and its answer. */
export function Deliveries({
	deliveries,
	isSubscribed,
}: {
	deliveries: DeliveryView[];
	isSubscribed: boolean;
}) {
	return (
		<Card title="Deliveries" name="deliveries">
			{deliveries.length === 0 ? (
				<Empty>
					{isSubscribed
						? 'Nothing delivered yet: send a message as a contact.'
						: 'Nothing delivered yet: events go to subscriptions, and there is none.'}
				</Empty>
			) : (
				<Log name="Deliveries">
					{deliveries.map((delivery) => (
						<Delivery key={delivery.id} delivery={delivery} />
					))}
				</Log>
			)}
		</Card>
	);
}
