/** Numbers that look random and are the same on every run, so that demos look the same. */
export class SeededRandom {
	constructor(private state: number) {}

	/** At least 0, below 1 (mulberry32). */
	next(): number {
		this.state = (this.state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
	}

	/** A whole number from 0 to `below` - 1. */
	integer(below: number): number {
		return Math.floor(this.next() * below);
	}

	pick<T>(choices: readonly T[]): T {
		return choices[this.integer(choices.length)];
	}

	chance(probability: number): boolean {
		return this.next() < probability;
	}

	digits(count: number): string {
		return String(this.integer(10 ** count)).padStart(count, '0');
	}

	/** A version 4 UUID. */
	uuid(): string {
		const hex = (count: number) =>
			this.integer(16 ** count)
				.toString(16)
				.padStart(count, '0');
		return `${hex(8)}-${hex(4)}-4${hex(3)}-${this.pick(['8', '9', 'a', 'b'])}${hex(3)}-${hex(6)}${hex(6)}`;
	}
}
