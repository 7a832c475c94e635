import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { moveByArrows } from './move-by-arrows';
import { useSettled } from './use-settled';

interface WithChildren {
	children?: ComponentChildren;
}

/** A titled part of the page. */
export function Card({
	title,
	note,
	name,
	children,
}: WithChildren & { title: string; note?: ComponentChildren; name: string }) {
	const id = useId();
	return (
		<section class={`card ${name}`} aria-labelledby={id}>
			<header>
				<h2 id={id}>{title}</h2>
				{note !== undefined && <span class="note">{note}</span>}
			</header>
			{children}
		</section>
	);
}

/** What is said where there is nothing to show yet. */
export const Empty = ({ children }: WithChildren) => <div class="empty">{children}</div>;

export type Mood = 'good' | 'warn' | 'bad' | 'calm';

export const Badge = ({ mood, children }: WithChildren & { mood: Mood }) => (
	<span class={`badge ${mood}`}>{children}</span>
);

export const Chip = ({ children }: WithChildren) => <span class="chip">{children}</span>;

/** A labelled value with a button that copies it. */
export function Copyable({ label, value }: { label: string; value: string }) {
	const shown = useRef<HTMLElement>(null);
	const [isCopied, setIsCopied] = useState(false);
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(value);
			setIsCopied(true);
		} catch {
			// Not every address is safe enough for the clipboard: Ctrl-C does it then.
			if (shown.current) getSelection()?.selectAllChildren(shown.current);
		}
	};
	return (
		<span class="copyable">
			<span class="label">{label}</span>
			<code ref={shown}>{value}</code>
			<button
				type="button"
				class="quiet"
				aria-label={`Copy ${label}`}
				onClick={() => void copy()}
				onBlur={() => setIsCopied(false)}
			>
				{isCopied ? 'Copied' : 'Copy'}
			</button>
		</span>
	);
}

/** A list that scrolls, the newest first. The Tab key stops at it once; arrows lead through its lines. */
export const Log = ({ name, children }: WithChildren & { name: string }) => (
	<div
		class={`log ${useSettled()}`}
		role="region"
		aria-label={`${name}, newest first`}
		tabIndex={0}
		onKeyDown={moveByArrows}
	>
		{children}
	</div>
);

/** The colour of an HTTP status; null and 0 are no answer. */
export function moodOf(status: number | null): Mood {
	if (!status || status >= 500) return 'bad';
	return status >= 400 ? 'warn' : 'good';
}
