import { delay, pipeline, zlib, type net } from '../../tools/support/platform';

/** Writes an answer directly to a connection. */
export type Answering = (socket: net.Socket) => void;

export const MEGABYTE = 1_000_000;
const PIECE_BYTES = 65_536;

function head(headers = '', status = '200 OK'): string {
	return `HTTP/1.1 ${status}\r\nconnection: close\r\n${headers}\r\n`;
}

type Encoding = 'gzip' | 'br';

const packed: Record<Encoding, () => Buffer> = {
	gzip: () => zlib.gzipSync(blanks(), { level: 1 }),
	br: () =>
		zlib.brotliCompressSync(blanks(), { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
};
const blanks = () => Buffer.alloc(40 * MEGABYTE, ' ');
const bombs = new Map<Encoding, Buffer>();

/** Less than a hundred kilobytes that become 40 MB. */
export function bomb(encoding: Encoding): Answering {
	return (socket) => {
		const body = bombs.get(encoding) ?? packed[encoding]();
		bombs.set(encoding, body);
		const length = `content-length: ${body.length}\r\n`;
		socket.write(head(`content-encoding: ${encoding}\r\n${length}`));
		socket.write(body);
	};
}

export interface Sent {
	/** How much the system has taken so far; it buffers some megabytes that nobody has read. */
	bytes: number;
	/** Whether the other side has closed the connection before all was sent. */
	isCut: boolean;
}

/** A body of 150 MB, in chunks, and how much of it was sent. */
export function flood(status: string) {
	const sent: Sent = { bytes: 0, isCut: false };
	const answer: Answering = (socket) => {
		socket.write(head('', status));
		const count = async function* (body: AsyncIterable<Buffer>) {
			for await (const piece of body) {
				sent.bytes += piece.length;
				yield piece;
			}
		};
		pipeline(pieces(), count, socket, (error) => void (sent.isCut = Boolean(error)));
	};
	return { sent, answer };
}

async function* pieces(): AsyncGenerator<Buffer> {
	const piece = Buffer.alloc(PIECE_BYTES, ' ');
	for (let bytes = 0; bytes < 150 * MEGABYTE; bytes += PIECE_BYTES) yield piece;
}

const blank = Buffer.alloc(33 * MEGABYTE, ' ');

/** A body of 33 MB. */
export const tooLarge: Answering = (socket) => {
	socket.write(head());
	socket.write(blank);
};

/** A body that arrives one byte each second. */
export const drip: Answering = (socket) => {
	socket.write(head());
	const go = async () => {
		for (; !socket.destroyed; await delay(1_000)) socket.write(' ');
	};
	void go();
};
