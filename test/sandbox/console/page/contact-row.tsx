import type { Contact, OptInStatus } from '../../records';
import type { MessageView } from '../views';
import { momentOf } from './format';
import { Message } from './messages';
import { Badge, Chip, Copyable, type Mood } from './parts';
import { useSettled } from './use-settled';

const moods: Record<OptInStatus, Mood> = {
	none: 'calm',
	pending: 'warn',
	confirmed: 'good',
	opted_out: 'bad',
};

/** About as many characters as a row has room for, when each tag takes three for its frame. */
const tagRoom = 25;

const valueText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** The newest tags, as many as fit, and one in any case. */
function tagsInRow(tags: string[]): string[] {
	let room = tagRoom;
	const fitting = tags.toReversed().findIndex((tag) => (room -= tag.length + 3) < 0);
	return fitting < 0 ? tags : tags.slice(-Math.max(1, fitting));
}

function Tags({ tags }: { tags: string[] }) {
	const shown = tagsInRow(tags);
	const more = tags.length - shown.length;
	return (
		<span class="chips" title={tags.join(', ')}>
			{shown.map((tag) => (
				<Chip key={tag}>{tag}</Chip>
			))}
			{more > 0 && <span class="more">+{more}</span>}
		</span>
	);
}

interface Shown {
	contact: Contact;
	/** Those that were sent to it. */
	messages: MessageView[];
	writeAs: (phone: string) => void;
}

function Details({ contact, messages, writeAs }: Shown) {
	const facts: Array<[string, string | null]> = [
		['Locale', contact.locale],
		['Source', contact.source],
		['Created', momentOf(contact.created_at)],
		['Tags', contact.tags.join(', ')],
	];
	return (
		<div class="details">
			<Copyable label="ID" value={contact.id} />
			<dl>
				{facts.map(([name, value]) => (
					<div key={name}>
						<dt>{name}</dt>
						<dd>{value || '–'}</dd>
					</div>
				))}
			</dl>
			<pre>{JSON.stringify(contact.attributes, null, 2)}</pre>
			{messages.length > 0 && (
				<ul class="list" aria-label="Messages to this contact">
					{messages.map((message) => (
						<Message key={message.id} message={message} />
					))}
				</ul>
			)}
			<button type="button" class="plain" onClick={() => writeAs(contact.phone)}>
				Act as this contact
			</button>
		</div>
	);
}

/** One contact, with everything about it when it is open. */
export function ContactRow({
	isFirst,
	isOpen,
	toggle,
	...shown
}: Shown & {
	/** Only the first row is a stop of the Tab key; arrows lead to the others. */
	isFirst: boolean;
	isOpen: boolean;
	toggle: () => void;
}) {
	const { contact } = shown;
	const settled = useSettled();
	const attributes = Object.entries(contact.attributes);
	const attributeText = attributes
		.map(([name, value]) => `${name}: ${valueText(value)}`)
		.join(', ');
	return (
		<>
			<tr class={`${settled} ${isOpen ? 'is-open' : ''}`}>
				<td class="who">
					<button
						type="button"
						class="quiet"
						aria-expanded={isOpen}
						tabIndex={isFirst ? 0 : -1}
						data-stop
						onClick={toggle}
					>
						<b title={contact.name ?? ''}>{contact.name || 'No name'}</b>
						<span class="phone">{contact.phone}</span>
					</button>
				</td>
				<td>
					<Badge mood={moods[contact.opt_in_status]}>{contact.opt_in_status}</Badge>
				</td>
				<td>
					<Tags tags={contact.tags} />
				</td>
				<td class="attributes" title={attributeText}>
					{attributeText || <span class="none">–</span>}
				</td>
				<td class="when">
					{contact.last_inbound_at ? (
						momentOf(contact.last_inbound_at)
					) : (
						<span class="none">–</span>
					)}
				</td>
			</tr>
			{isOpen && (
				<tr>
					<td colSpan={5}>
						<Details {...shown} />
					</td>
				</tr>
			)}
		</>
	);
}
