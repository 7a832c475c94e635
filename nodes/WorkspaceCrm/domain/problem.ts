/**
 * Something the user gave cannot be used, and no request was made for it.
 * `message` says what is wrong, `remedy` what to do next; both are shown to the user.
 */
export class InputProblem extends Error {
	constructor(
		message: string,
		readonly remedy: string,
	) {
		super(message);
		this.name = 'InputProblem';
	}
}
