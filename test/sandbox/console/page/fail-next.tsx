import type { FailureView } from '../views';
import { failureChoices } from './failure-choices';
import { ActionForm, Field } from './form';
import { count } from './format';
import { Card } from './parts';
import { request } from './request';

/** Lets coming requests fail, and shows which failures still wait for theirs. */
export function FailNext({ failures }: { failures: FailureView[] }) {
	const fail = async (value: (name: string) => string) => {
		await request('POST', '/sandbox/fail', {
			kind: failureChoices[Number(value('kind'))].kind,
			times: Number(value('times')),
			match: { method: value('method') || undefined, path: value('path') || undefined },
		});
		// The list below says what waits, for as long as it does.
		return '';
	};
	return (
		<Card title="Let a request fail" name="fail">
			<ActionForm button="Let it fail" act={fail}>
				<Field label="How">
					<select name="kind">
						{failureChoices.map(({ label }, index) => (
							<option key={label} value={index}>
								{label}
							</option>
						))}
					</select>
				</Field>
				<div class="row">
					<Field label="Method">
						<select name="method">
							<option value="">Any</option>
							{['GET', 'POST', 'PATCH', 'DELETE'].map((method) => (
								<option key={method}>{method}</option>
							))}
						</select>
					</Field>
					<Field label="Path contains">
						<input name="path" placeholder="any, e.g. /v1/tags" />
					</Field>
					<Field label="How many times">
						<input name="times" type="number" min="1" max="99" required defaultValue="1" />
					</Field>
				</div>
			</ActionForm>
			{failures.length > 0 && (
				<div class="waiting">
					<ul>
						{failures.map(({ which, what, times }, index) => (
							<li key={index}>
								Waiting: <b>{what}</b> for {which}, {count(times, 'time')}
							</li>
						))}
					</ul>
					<button
						type="button"
						class="plain"
						onClick={() => void request('DELETE', '/console/failures')}
					>
						Call off
					</button>
				</div>
			)}
		</Card>
	);
}
