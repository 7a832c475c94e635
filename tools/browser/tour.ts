import { fs, path } from '../support/platform';

/** An operation is chosen, a campaign is tried without sending anything, and a message is sent. */
const SCENES = ['node-panel', 'send-campaign', 'send-template'];
const SCENE_MS = 3_000;

interface Chunk {
	name: string;
	data: Buffer;
}

/** The README's moving picture: others of one size, one after the other, and not drawn anew (RFC 9649). */
export function makeTour(folder: string): Buffer {
	const scenes = SCENES.map((name) =>
		readChunks(fs.readFileSync(path.join(folder, `${name}.webp`))),
	);
	const [header, profile] = ['VP8X', 'ICCP'].map((name) => partOf(scenes[0], name).data);
	const size = header.subarray(4);
	const frames = scenes.map((scene) => {
		if (!partOf(scene, 'VP8X').data.subarray(4).equals(size)) throw new Error('Sizes differ');
		return chunk('ANMF', [atTopLeft, size, duration, replaces, whole(partOf(scene, 'VP8 '))]);
	});
	const parts = [
		chunk('VP8X', [Buffer.of(header[0] | ANIMATED), header.subarray(1)]),
		chunk('ICCP', [profile]),
		chunk('ANIM', [background, forever]),
		...frames,
	];
	return chunk('RIFF', [Buffer.from('WEBP'), ...parts]);
}

const ANIMATED = 2;
const atTopLeft = Buffer.alloc(6);
const duration = Buffer.from([SCENE_MS & 255, SCENE_MS >> 8, 0]);
const replaces = Buffer.of(2);
const background = Buffer.alloc(4, 255);
const forever = Buffer.alloc(2);

function readChunks(file: Buffer): Chunk[] {
	const chunks: Chunk[] = [];
	for (let at = 12; at < file.length; ) {
		const length = file.readUInt32LE(at + 4);
		const data = file.subarray(at + 8, at + 8 + length);
		chunks.push({ name: file.toString('latin1', at, at + 4), data });
		at += 8 + length + (length % 2);
	}
	return chunks;
}

function partOf(chunks: Chunk[], name: string): Chunk {
	const found = chunks.find((each) => each.name === name);
	if (!found) throw new Error(`The picture has no ${name}`);
	return found;
}

const whole = ({ name, data }: Chunk) => chunk(name, [data]);

function chunk(name: string, parts: Buffer[]): Buffer {
	const data = Buffer.concat(parts);
	const length = Buffer.alloc(4);
	length.writeUInt32LE(data.length);
	return Buffer.concat([Buffer.from(name), length, data, Buffer.alloc(data.length % 2)]);
}
