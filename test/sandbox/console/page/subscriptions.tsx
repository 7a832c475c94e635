import type { SubscriptionView } from '../views';
import { momentOf } from './format';
import { Card, Chip, Empty } from './parts';

/** Who gets which events. */
export function Subscriptions({ subscriptions }: { subscriptions: SubscriptionView[] }) {
	const note = subscriptions.length > 0 ? `${subscriptions.length} of 20` : undefined;
	return (
		<Card title="Subscriptions" name="subscriptions" note={note}>
			{subscriptions.length === 0 ? (
				<Empty>No subscription yet: publish a workflow with the Workspace CRM Trigger.</Empty>
			) : (
				<ul class="list">
					{subscriptions.map(({ id, url, events, created_at, label }) => (
						<li key={id}>
							<div class="line">
								<b>{label ?? 'Subscription'}</b>
								<span class="time">{momentOf(created_at)}</span>
							</div>
							<code class="url whole">{url}</code>
							<span class="chips">
								{events.map((event) => (
									<Chip key={event}>{event}</Chip>
								))}
							</span>
						</li>
					))}
				</ul>
			)}
		</Card>
	);
}
