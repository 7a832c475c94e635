import { useEffect, useState } from 'preact/hooks';

/** The class of an element that has been on the page before: what comes into it now is new. */
export function useSettled(): string {
	const [name, setName] = useState('');
	useEffect(() => setName('settled'), []);
	return name;
}
