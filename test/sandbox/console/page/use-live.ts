import { useEffect, useState } from 'preact/hooks';
import type { Sections } from '../views';

export interface Live {
	/** What has come so far. */
	sections: Partial<Sections>;
	isConnected: boolean;
}

const names: Array<keyof Sections> = [
	'service',
	'contacts',
	'tags',
	'subscriptions',
	'messages',
	'deliveries',
	'requests',
	'failures',
	'rate',
];

/** The sandbox as it is now; `query` chooses the contacts. The browser reconnects by itself. */
export function useLive(query: string): Live {
	const [sections, setSections] = useState<Partial<Sections>>({});
	const [isConnected, setIsConnected] = useState(true);
	useEffect(() => {
		const source = new EventSource(`/console/live?${query}`);
		for (const name of names) {
			source.addEventListener(name, ({ data }: MessageEvent<string>) =>
				setSections((before) => ({ ...before, [name]: JSON.parse(data) })),
			);
		}
		source.onopen = () => setIsConnected(true);
		source.onerror = () => setIsConnected(false);
		return () => source.close();
	}, [query]);
	return { sections, isConnected };
}
