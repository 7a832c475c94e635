import type { RequestView } from '../views';
import { durationOf, prettyJson, timeOf } from './format';
import { Badge, Card, Empty, Log, moodOf } from './parts';

/** IDs are long, and what matters is often behind them. */
const shortenIds = (path: string) =>
	path.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, (id) => `${id.slice(0, 4)}…`);

function Answer({ status, tookMs, isOverRate }: RequestView) {
	if (tookMs === undefined) return <Badge mood="calm">…</Badge>;
	if (status === 0) return <Badge mood="bad">cut</Badge>;
	return (
		<span title={isOverRate ? 'Refused by the rate limit' : undefined}>
			<Badge mood={isOverRate ? 'bad' : moodOf(status)}>{status}</Badge>
		</span>
	);
}

function Request({ request }: { request: RequestView }) {
	const { method, path, tookMs, atMs, body } = request;
	return (
		<details>
			<summary tabIndex={-1} data-stop>
				<span class="time">{timeOf(atMs)}</span>
				<span class={`method ${method}`}>{method}</span>
				<span class="name" title={path}>
					{shortenIds(path)}
				</span>
				<Answer {...request} />
				<span class="ms">{tookMs === undefined ? '' : durationOf(tookMs)}</span>
			</summary>
			<div class="details">
				<code class="url">{path}</code>
				{body === undefined ? <p class="none">No body</p> : <pre>{prettyJson(body)}</pre>}
			</div>
		</details>
	);
}

/** What came to the API, the newest first. */
export function RequestLog({ requests, example }: { requests: RequestView[]; example: string }) {
	const note =
		requests.length > 0 ? `${requests[0].number.toLocaleString('en')} so far` : undefined;
	return (
		<Card title="Requests" name="requests" note={note}>
			{requests.length === 0 ? (
				<Empty>
					No requests yet: put the base URL and the key into n8n's credential, or try{' '}
					<pre>{example}</pre>
				</Empty>
			) : (
				<Log name="Requests">
					{requests.map((request) => (
						<Request key={request.number} request={request} />
					))}
				</Log>
			)}
		</Card>
	);
}
