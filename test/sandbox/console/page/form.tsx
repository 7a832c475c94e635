import type { ComponentChildren, TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';

export interface Outcome {
	isGood: boolean;
	text: string;
}

/** Does things and keeps what came of the last one, for the reader. */
export function useOutcome() {
	const [outcome, setOutcome] = useState<Outcome>();
	const run = async (act: () => Promise<string>) => {
		try {
			setOutcome({ isGood: true, text: await act() });
		} catch (error) {
			setOutcome({ isGood: false, text: (error as Error).message });
		}
	};
	return { outcome, run };
}

export const OutcomeText = ({
	outcome,
	children,
}: {
	outcome?: Outcome;
	children?: ComponentChildren;
}) => (
	<p role="status" class={`outcome ${outcome?.isGood === false ? 'bad' : 'good'}`}>
		{outcome?.text}
		{children}
	</p>
);

/** A form whose one button does something; its fields are read by their names. */
export function ActionForm({
	button,
	act,
	children,
}: {
	button: string;
	/** Gives what to tell the reader. */
	act: (value: (name: string) => string) => Promise<string>;
	children: ComponentChildren;
}) {
	const { outcome, run } = useOutcome();
	const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
		event.preventDefault();
		const data = new FormData(event.currentTarget);
		void run(async () => await act((name) => String(data.get(name) ?? '').trim()));
	};
	return (
		<form onSubmit={submit}>
			{children}
			<button>{button}</button>
			<OutcomeText outcome={outcome} />
		</form>
	);
}

export function Field({ label, children }: { label: string; children: ComponentChildren }) {
	return (
		<label class="field">
			<span>{label}</span>
			{children}
		</label>
	);
}
