import { useState } from 'preact/hooks';
import { ActAsContact } from './act-as-contact';
import { Contacts, noFilter, pageSize, type ContactFilter } from './contacts';
import { Deliveries } from './deliveries';
import { FailNext } from './fail-next';
import { Messages } from './messages';
import { NewContact } from './new-contact';
import { Copyable } from './parts';
import { RateChart } from './rate-chart';
import { RequestLog } from './request-log';
import { Subscriptions } from './subscriptions';
import { Tags } from './tags';
import { useLive } from './use-live';

const queryOf = ({ search, tag, status, offset }: ContactFilter) =>
	new URLSearchParams({
		search,
		tag,
		opt_in_status: status,
		limit: String(pageSize),
		offset: String(offset),
	}).toString();

/** The page: on the left what one can do, in the middle what there is, on the right what happens. */
export function App() {
	const [filter, setFilter] = useState(noFilter);
	const [phone, setPhone] = useState('+4915112345678');
	const { sections, isConnected } = useLive(queryOf(filter));
	const { service, contacts, rate, tags = [], subscriptions = [], requests = [] } = sections;
	const { deliveries = [], failures = [], messages = [] } = sections;
	if (!service || !contacts || !rate) {
		return <p class="loading">{isConnected ? 'Loading …' : 'The sandbox does not answer.'}</p>;
	}
	const { origin } = location;
	const writeAs = (chosen: string) => {
		setPhone(chosen);
		document.getElementById('phone')?.focus();
	};
	return (
		<>
			<header class="top">
				<img src="/console/icon.svg" alt="" width="28" height="28" />
				<h1>
					CRM sandbox <span>{service.workspace.name}</span>
				</h1>
				<span role="status" class={isConnected ? 'live' : 'live lost'}>
					{isConnected ? 'Live' : 'Connection lost, trying again'}
				</span>
				<Copyable label="Base URL" value={origin} />
				<Copyable label="API key" value={service.apiKey} />
			</header>
			<main>
				<div class="column do">
					<ActAsContact phone={phone} setPhone={setPhone} subscriptions={subscriptions} />
					<FailNext failures={failures} />
					<NewContact />
				</div>
				<div class="column hold">
					<Contacts
						shown={contacts}
						messages={messages}
						tags={tags}
						all={service.contacts}
						filter={filter}
						setFilter={setFilter}
						writeAs={writeAs}
					/>
					<Messages messages={messages} />
					<Subscriptions subscriptions={subscriptions} />
					<Tags tags={tags} />
				</div>
				<div class="column watch">
					<RateChart rate={rate} />
					<RequestLog
						requests={requests}
						example={`curl -H 'X-API-Key: ${service.apiKey}' ${origin}/v1/contacts`}
					/>
					<Deliveries deliveries={deliveries} isSubscribed={subscriptions.length > 0} />
				</div>
			</main>
		</>
	);
}
