import { useState } from 'preact/hooks';
import { optInStates } from '../../records';
import type { MessageView, Sections, TagView } from '../views';
import { ContactRow } from './contact-row';
import { count } from './format';
import { moveByArrows } from './move-by-arrows';
import { Card, Empty } from './parts';

export interface ContactFilter {
	search: string;
	tag: string;
	status: string;
	offset: number;
}

export const pageSize = 10;

export const noFilter: ContactFilter = { search: '', tag: '', status: '', offset: 0 };

function Filters({
	filter,
	setFilter,
	tags,
}: {
	filter: ContactFilter;
	setFilter: (filter: ContactFilter) => void;
	tags: TagView[];
}) {
	const set = (change: Partial<ContactFilter>) => setFilter({ ...filter, ...change, offset: 0 });
	return (
		<div class="filters" role="search">
			<input
				type="search"
				aria-label="Search contacts"
				placeholder="Search name or phone"
				value={filter.search}
				onInput={({ currentTarget }) => set({ search: currentTarget.value })}
			/>
			<select
				aria-label="Tag"
				value={filter.tag}
				onChange={({ currentTarget }) => set({ tag: currentTarget.value })}
			>
				<option value="">All tags</option>
				{tags.map(({ name }) => (
					<option key={name}>{name}</option>
				))}
			</select>
			<select
				aria-label="Consent"
				value={filter.status}
				onChange={({ currentTarget }) => set({ status: currentTarget.value })}
			>
				<option value="">All consent states</option>
				{optInStates.map((status) => (
					<option key={status}>{status}</option>
				))}
			</select>
		</div>
	);
}

function Pager({
	shown: { offset, total },
	setOffset,
}: {
	shown: Sections['contacts'];
	setOffset: (offset: number) => void;
}) {
	const last = Math.min(offset + pageSize, total);
	return (
		<nav class="pager" aria-label="Pages of contacts">
			<span>
				{offset + 1}–{last} of {total.toLocaleString('en')}, newest first
			</span>
			<button
				type="button"
				class="plain"
				disabled={offset === 0}
				onClick={() => setOffset(Math.max(0, offset - pageSize))}
			>
				Newer
			</button>
			<button
				type="button"
				class="plain"
				disabled={last >= total}
				onClick={() => setOffset(offset + pageSize)}
			>
				Older
			</button>
		</nav>
	);
}

/** The contacts that fit the filter, a page at a time. */
export function Contacts({
	shown,
	messages,
	tags,
	all,
	filter,
	setFilter,
	writeAs,
}: {
	shown: Sections['contacts'];
	messages: MessageView[];
	tags: TagView[];
	/** How many there are without a filter. */
	all: number;
	filter: ContactFilter;
	setFilter: (filter: ContactFilter) => void;
	writeAs: (phone: string) => void;
}) {
	const [openId, setOpenId] = useState<string>();
	if (all === 0) {
		return (
			<Card title="Contacts" name="contacts">
				<Empty>
					No contacts yet: send a message, or create one.{' '}
					<code class="whole">npm run sandbox -- --contacts 200</code> begins with 200.
				</Empty>
			</Card>
		);
	}
	return (
		<Card title="Contacts" name="contacts" note={count(all, 'contact')}>
			<Filters filter={filter} setFilter={setFilter} tags={tags} />
			{shown.total === 0 ? (
				<Empty>
					No contact fits.{' '}
					<button type="button" class="quiet" onClick={() => setFilter(noFilter)}>
						Show all
					</button>
				</Empty>
			) : (
				<>
					<table>
						<thead>
							<tr>
								<th scope="col" class="who">
									Contact
								</th>
								<th scope="col" class="consent">
									Consent
								</th>
								<th scope="col" class="tags">
									Tags
								</th>
								<th scope="col">Attributes</th>
								<th scope="col" class="when">
									Last message
								</th>
							</tr>
						</thead>
						<tbody onKeyDown={moveByArrows}>
							{shown.rows.map((contact, index) => (
								<ContactRow
									key={contact.id}
									contact={contact}
									messages={messages.filter(({ contactId }) => contactId === contact.id)}
									isFirst={index === 0}
									isOpen={contact.id === openId}
									toggle={() => setOpenId(contact.id === openId ? undefined : contact.id)}
									writeAs={writeAs}
								/>
							))}
						</tbody>
					</table>
					<Pager shown={shown} setOffset={(offset) => setFilter({ ...filter, offset })} />
				</>
			)}
		</Card>
	);
}
