import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { EventType } from '../../records';
import type { SubscriptionView } from '../views';
import { Field, OutcomeText, useOutcome } from './form';
import { count } from './format';
import { readLines } from './lines';
import { Card } from './parts';
import { request } from './request';

/** Says whom an event goes to, so that a reader knows where to look. */
function audience(subscriptions: SubscriptionView[], event: EventType): string {
	const wanting = subscriptions.filter(({ events }) => events.includes(event)).length;
	return wanting === 0
		? `No subscription wants ${event} now.`
		: `${count(wanting, 'subscription')} ${wanting === 1 ? 'wants' : 'want'} ${event} now.`;
}

/** Lets the reader do what contacts do by themselves: write, answer a form, opt out. */
export function ActAsContact({
	phone,
	setPhone,
	subscriptions,
}: {
	phone: string;
	setPhone: (phone: string) => void;
	subscriptions: SubscriptionView[];
}) {
	const { outcome, run } = useOutcome();
	const [event, setEvent] = useState<EventType>();
	const acts: Record<string, (value: (name: string) => string) => Promise<string>> = {
		message: async (value) => {
			await request('POST', '/sandbox/inbound-message', { phone, text: value('text') });
			setEvent('message.received');
			return 'Message received.';
		},
		form: async (value) => {
			const answers = readLines(value('answers'));
			await request('POST', '/sandbox/form', { phone, flowId: value('flow'), answers });
			setEvent('form.submitted');
			return 'Form submitted.';
		},
		optOut: async () => {
			await request('POST', '/sandbox/opt-out', { phone });
			setEvent('contact.opted_out');
			return 'Opted out.';
		},
	};
	const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
		event.preventDefault();
		const data = new FormData(event.currentTarget, event.submitter);
		const value = (name: string) => String(data.get(name) ?? '').trim();
		void run(async () => await acts[value('act')](value));
	};
	return (
		<Card title="Act as a contact" name="act">
			<form onSubmit={submit}>
				<Field label="Phone">
					<input
						id="phone"
						type="tel"
						required
						value={phone}
						onInput={({ currentTarget }) => setPhone(currentTarget.value)}
					/>
				</Field>
				<Field label="Message">
					<input name="text" defaultValue="Hello, is my order on its way?" />
				</Field>
				<div class="buttons">
					<button name="act" value="message">
						Send message
					</button>
					<button name="act" value="optOut" class="plain">
						Opt out
					</button>
				</div>
				<details>
					<summary>Submit a form</summary>
					<Field label="Form">
						<input name="flow" defaultValue="appointment_request" />
					</Field>
					<Field label="Answers, one on each line">
						<textarea name="answers" rows={3} defaultValue={'day: Tuesday\npeople: 4'} />
					</Field>
					<button name="act" value="form">
						Submit form
					</button>
				</details>
				<OutcomeText outcome={outcome}>
					{/* What is true now, and not only when the button was pressed. */}
					{outcome?.isGood && event && ` ${audience(subscriptions, event)}`}
				</OutcomeText>
			</form>
		</Card>
	);
}
