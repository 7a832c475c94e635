import type { Fault, FaultKind } from '../http/faults';
import type { FailureView } from './views';

const drops = {
	beforeEffect: 'cut off, nothing done',
	afterEffect: 'cut off after it was done',
	midAnswer: 'cut off within the answer',
};

function describeKind(kind: FaultKind): string {
	if ('html' in kind) return `${kind.status ?? 200} with a web page`;
	if ('status' in kind) return `${kind.status}${kind.afterEffect ? ' after it was done' : ''}`;
	if ('drop' in kind) return drops[kind.drop];
	if ('delayMs' in kind) return `answered ${kind.delayMs / 1000} s late`;
	if ('truncated' in kind) return 'half of the JSON';
	return Object.keys(kind).join(', ');
}

/** Says in a few words which requests a fault waits for and what it does to them. */
export function describeFault({ match, times = 1, kind }: Fault): FailureView {
	const wanted = match?.path;
	const text = wanted instanceof RegExp ? wanted.source.replace(/\\\//g, '/') : wanted;
	const path = text && `with ${text}`;
	const which = [match?.method, path].filter(Boolean).join(' ');
	return { which: which || 'any request', what: describeKind(kind), times };
}
