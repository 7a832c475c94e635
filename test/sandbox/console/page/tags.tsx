import type { TagView } from '../views';
import { Card, Chip, Empty } from './parts';
import { useSettled } from './use-settled';

/** The workspace's tags, those of the most contacts first. */
export function Tags({ tags }: { tags: TagView[] }) {
	const settled = useSettled();
	const sorted = [...tags].sort((one, other) => other.contacts - one.contacts);
	return (
		<Card title="Tags" name="tags" note={tags.length > 0 ? String(tags.length) : undefined}>
			{tags.length === 0 ? (
				<Empty>
					No tags yet: add one to a contact in a workflow, or create a contact with one.
				</Empty>
			) : (
				<ul class={`chips ${settled}`}>
					{sorted.map(({ name, contacts }) => (
						<li key={name}>
							<Chip>
								<span class="tag-name">{name}</span> <b class="number">{contacts}</b>
							</Chip>
						</li>
					))}
				</ul>
			)}
		</Card>
	);
}
