import { isPublicHttpsUrl } from '../api/urls';
import { InputProblem } from '../domain/problem';

/** @throws InputProblem when the service could not reach the URL that n8n takes deliveries at */
export function assertReachable(url: string): void {
	if (isPublicHttpsUrl(url)) return;
	const [shown] = url.split('?');
	throw new InputProblem(
		"The CRM can't send events to this n8n: its address cannot be reached from the internet",
		`Ask whoever runs n8n to set the environment variables N8N_WEBHOOK_URL and WEBHOOK_URL to its public https address, and to restart n8n. In queue mode, the workers need them too. Now its webhook URL is ${shown}. To try things out on your own machine, use a tunnel.`,
	);
}
