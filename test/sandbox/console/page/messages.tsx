import type { MessageView } from '../views';
import { momentOf } from './format';
import { Card, Empty } from './parts';

/** One message, as its contact reads it. */
export const Message = ({ message }: { message: MessageView }) => (
	<li>
		<div class="line">
			<b>{message.to || 'An erased contact'}</b>
			<span class="time">{momentOf(message.sentAt)}</span>
		</div>
		<p class="text">{message.text}</p>
		<span class="template">{message.template}</span>
	</li>
);

/** What was sent, the newest first. */
export function Messages({ messages }: { messages: MessageView[] }) {
	const note = messages.length > 0 ? String(messages.length) : undefined;
	return (
		<Card title="Sent messages" name="messages" note={note}>
			{messages.length === 0 ? (
				<Empty>No message sent yet: run Send Template in a workflow.</Empty>
			) : (
				<ul class="list" aria-label="Sent messages, newest first">
					{messages.map((message) => (
						<Message key={message.id} message={message} />
					))}
				</ul>
			)}
		</Card>
	);
}
