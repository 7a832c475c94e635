import type { TargetedKeyboardEvent } from 'preact';

const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

/** Leads from one line of a list to the next, so that the Tab key need not stop at each. */
export function moveByArrows(event: TargetedKeyboardEvent<HTMLElement>): void {
	const step = steps[event.key];
	if (step === undefined) return;
	const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-stop]')];
	const next = stops.indexOf(document.activeElement as HTMLElement) + step;
	// From the list itself, the first arrow leads to its first line.
	const stop = stops[Math.min(Math.max(next, 0), stops.length - 1)];
	event.preventDefault();
	stop?.focus();
}
