import { zlib } from '../../../support/platform';

/** Bytes of a pixel: red, green and blue, as Chromium's pictures have them. */
const depth = 3;

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

function chunksOf(png: Buffer): Array<{ type: string; data: Buffer }> {
	const chunks = [];
	for (let at = signature.length; at < png.length; ) {
		const end = at + 8 + png.readUInt32BE(at);
		chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, end) });
		at = end + 4;
	}
	return chunks;
}

function chunk(type: string, data: Buffer): Buffer {
	const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	const framed = Buffer.alloc(body.length + 8);
	framed.writeUInt32BE(data.length, 0);
	body.copy(framed, 4);
	framed.writeUInt32BE(zlib.crc32(body), body.length + 4);
	return framed;
}

/** What the neighbours left, above and above left say about a byte, by the row's kind of filter. */
function prediction(filter: number, left: number, above: number, corner: number): number {
	if (filter < 3) return [0, left, above][filter];
	if (filter === 3) return (left + above) >> 1;
	const estimate = left + above - corner;
	const distances = [left, above, corner].map((value) => Math.abs(estimate - value));
	return [left, above, corner][distances.indexOf(Math.min(...distances))];
}

function pixelsOf(filtered: Buffer, rowBytes: number): Buffer {
	const rows = filtered.length / (rowBytes + 1);
	const pixels = Buffer.alloc(rows * rowBytes);
	for (let row = 0; row < rows; row += 1) {
		const filter = filtered[row * (rowBytes + 1)];
		for (let column = 0; column < rowBytes; column += 1) {
			const at = row * rowBytes + column;
			const left = column < depth ? 0 : pixels[at - depth];
			const above = row === 0 ? 0 : pixels[at - rowBytes];
			const corner = column < depth || row === 0 ? 0 : pixels[at - rowBytes - depth];
			pixels[at] = filtered[at + row + 1] + prediction(filter, left, above, corner);
		}
	}
	return pixels;
}

const partsOf = (colour: number) => [colour >> 16, (colour >> 8) & 255, colour & 255];

function distance(one: number, other: number): number {
	const others = partsOf(other);
	return partsOf(one).reduce((sum, part, index) => sum + (part - others[index]) ** 2, 0);
}

/** The picture with its 256 most frequent colours, which takes a third of the bytes. */
export function smallPng(png: Buffer): Buffer {
	const chunks = chunksOf(png);
	const header = Buffer.from(chunks[0].data);
	const [width, height, kind] = [header.readUInt32BE(0), header.readUInt32BE(4), header[9]];
	if (kind !== 2) throw new Error('The picture is not one of red, green and blue');
	const packed = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
	const pixels = pixelsOf(zlib.inflateSync(Buffer.concat(packed)), width * depth);
	const colourAt = (index: number) => pixels.readUIntBE(index * depth, depth);

	const counts = new Map<number, number>();
	for (let index = 0; index < width * height; index += 1) {
		counts.set(colourAt(index), (counts.get(colourAt(index)) ?? 0) + 1);
	}
	const byFrequency = [...counts].sort(([, one], [, other]) => other - one);
	const palette = byFrequency.slice(0, 256).map(([colour]) => colour);
	const places = new Map(
		byFrequency.map(([colour]) => {
			const distances = palette.map((candidate) => distance(colour, candidate));
			return [colour, distances.indexOf(Math.min(...distances))];
		}),
	);

	const rows = Buffer.alloc((width + 1) * height);
	for (let index = 0; index < width * height; index += 1) {
		rows[index + Math.floor(index / width) + 1] = places.get(colourAt(index)) ?? 0;
	}
	header[9] = 3;
	return Buffer.concat([
		signature,
		chunk('IHDR', header),
		chunk('PLTE', Buffer.from(palette.flatMap(partsOf))),
		chunk('IDAT', zlib.deflateSync(rows, { level: 9, memLevel: 9 })),
		chunk('IEND', Buffer.alloc(0)),
	]);
}
