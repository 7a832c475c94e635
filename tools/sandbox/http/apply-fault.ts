import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ListEnvelope } from '../records';
import type { Scheduler } from '../scheduler';
import type { FaultKind, RecordedRequest } from './faults';

type StatusFault = Extract<FaultKind, { status: number; detail?: string }>;

const page =
	'<!DOCTYPE html><html><head><title>Please wait</title></head><body>Proxy</body></html>';

function statusPayload(reply: FastifyReply, fault: StatusFault): string {
	const body = fault.body ?? JSON.stringify({ detail: fault.detail ?? `Fault ${fault.status}` });
	const isPage = body.trimStart().startsWith('<');
	void reply
		.code(fault.status)
		.type(isPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8')
		.headers(fault.headers ?? {});
	return body;
}

const isStatus = (fault: FaultKind): fault is StatusFault =>
	'status' in fault && !('html' in fault);

function destroy(request: FastifyRequest, reply: FastifyReply): void {
	reply.hijack();
	request.raw.socket.destroy();
}

/** Sends all but the end of an answer, whose length says that there is more. */
async function breakOff(
	request: FastifyRequest,
	reply: FastifyReply,
	payload: string,
): Promise<void> {
	reply.hijack();
	const { socket } = request.raw;
	const head = [
		`HTTP/1.1 ${reply.statusCode} OK`,
		'content-type: application/json',
		...(payload === '' ? [] : [`content-length: ${Buffer.byteLength(payload)}`]),
	];
	// Without a body, the head is left incomplete.
	const half = payload === '' ? '' : `\r\n\r\n${payload.slice(0, Math.ceil(payload.length / 2))}`;
	await new Promise<void>((resolve) => socket.write(head.join('\r\n') + half, () => resolve()));
	socket.destroy();
}

/** Strikes before the request has an effect. Returns true if it answered or dropped the request. */
export function strikeBefore(
	fault: FaultKind,
	request: FastifyRequest,
	reply: FastifyReply,
): boolean {
	if ('drop' in fault && fault.drop === 'beforeEffect') {
		destroy(request, reply);
	} else if ('html' in fault) {
		void reply
			.code(fault.status ?? 200)
			.type('text/html; charset=utf-8')
			.send(page);
	} else if (isStatus(fault) && !fault.afterEffect) {
		void reply.send(statusPayload(reply, fault));
	} else {
		return false;
	}
	return true;
}

/** Strikes an answer that is ready. Returns the payload to send instead, or null if the answer is dropped. */
export async function strikeAfter(
	fault: FaultKind,
	request: FastifyRequest,
	reply: FastifyReply,
	payload: string,
	{ record, scheduler }: { record: RecordedRequest; scheduler: Scheduler },
): Promise<string | null> {
	if ('drop' in fault) {
		if (fault.drop === 'midAnswer') await breakOff(request, reply, payload);
		else destroy(request, reply);
		return null;
	}
	if ('raw' in fault) {
		const { socket } = request.raw;
		reply.hijack();
		fault.raw(socket);
		// Otherwise, the server would append an answer of its own.
		if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
		return null;
	}
	if ('rewrite' in fault) return await fault.rewrite(payload, record);
	if ('meanwhile' in fault) await fault.meanwhile();
	if ('answerHeaders' in fault) void reply.headers(fault.answerHeaders);
	if ('paddedBy' in fault && payload !== '') return payload + ' '.repeat(fault.paddedBy);
	if (isStatus(fault)) {
		return statusPayload(reply, fault);
	}
	if ('delayMs' in fault) await scheduler.wait(fault.delayMs);
	if ('truncated' in fault) return payload.slice(0, Math.floor(payload.length / 2));
	if ('page' in fault) {
		const envelope = JSON.parse(payload) as ListEnvelope;
		// An error has no page to rewrite.
		return Array.isArray(envelope.data) ? JSON.stringify(fault.page(envelope)) : payload;
	}
	return payload;
}
