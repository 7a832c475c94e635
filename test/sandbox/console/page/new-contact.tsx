import { ActionForm, Field } from './form';
import { readLines } from './lines';
import { Card } from './parts';
import { request } from './request';

const readTags = (text: string) =>
	text
		.split(',')
		.map((tag) => tag.trim())
		.filter((tag) => tag !== '');

/** Creates a contact, or adds to the one that has the phone. */
export function NewContact() {
	const create = async (value: (name: string) => string) => {
		await request('POST', '/console/contacts', {
			phone: value('phone'),
			name: value('name') || undefined,
			tags: readTags(value('tags')),
			attributes: readLines(value('attributes')),
			opt_in: value('consent') === 'yes' || undefined,
		});
		return 'Contact saved.';
	};
	return (
		<Card title="Create a contact" name="new-contact">
			<ActionForm button="Create contact" act={create}>
				<Field label="Phone">
					<input name="phone" type="tel" required placeholder="+49 1511 2345678" />
				</Field>
				<Field label="Name">
					<input name="name" />
				</Field>
				<Field label="Tags, with commas">
					<input name="tags" placeholder="vip, newsletter" />
				</Field>
				<Field label="Attributes, one on each line">
					<textarea name="attributes" rows={2} placeholder="plan: pro" />
				</Field>
				<label class="check">
					<input type="checkbox" name="consent" value="yes" />
					<span>Has given consent</span>
				</label>
			</ActionForm>
		</Card>
	);
}
