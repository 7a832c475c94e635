import type { Sandbox } from '../../sandbox';
import type { Sections } from '../../sandbox/console/views';

type Event = { [Name in keyof Sections]: { name: Name; data: Sections[Name] } }[keyof Sections];

export interface Live {
	/** All that came, as text. */
	text(): string;
	/** What came so far, the latest of each. */
	sections: Partial<Sections>;
	/** Reads on until the sections are so. */
	until(isSo: (sections: Partial<Sections>) => boolean): Promise<Sections>;
	/** Resolves when the sandbox ends it. */
	ended(): Promise<void>;
	close(): Promise<void>;
}

function read(block: string): Event {
	const [, name, data] = /^event: (\w+)\ndata: ([^\r\n]*)$/.exec(block) ?? [];
	return { name, data: JSON.parse(data) } as Event;
}

/** Watches a sandbox as its console does. */
export async function openLive({ url }: Sandbox, query = ''): Promise<Live> {
	const stop = new AbortController();
	const response = await fetch(`${url}/console/live?${query}`, { signal: stop.signal });
	if (!response.ok || !response.body) throw new Error(await response.text());
	const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
	let text = '';
	let rest = '';
	const sections: Partial<Sections> = {};
	const more = async (): Promise<boolean> => {
		const { done, value = '' } = await reader.read();
		text += value;
		const blocks = (rest + value).split('\n\n');
		rest = blocks.pop() ?? '';
		for (const { name, data } of blocks.map(read)) Object.assign(sections, { [name]: data });
		return !done;
	};
	return {
		text: () => text,
		sections,
		async until(isSo) {
			while (!('rate' in sections) || !isSo(sections)) {
				if (!(await more())) throw new Error('It ended before');
			}
			return sections as Sections;
		},
		async ended() {
			while (await more().catch(() => false));
		},
		async close() {
			stop.abort();
			await reader.cancel().catch(() => undefined);
		},
	};
}
