import { useEffect, useState } from 'preact/hooks';

const dark = matchMedia('(prefers-color-scheme: dark)');

/** The scheme that the reader's system asks for, and a new value when it changes. */
export function useColourScheme(): 'light' | 'dark' {
	const [isDark, setIsDark] = useState(dark.matches);
	useEffect(() => {
		const update = () => setIsDark(dark.matches);
		dark.addEventListener('change', update);
		return () => dark.removeEventListener('change', update);
	}, []);
	return isDark ? 'dark' : 'light';
}
