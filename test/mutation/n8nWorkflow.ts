/** The one thing that the mutated modules need of n8n-workflow, which takes seconds to load as a whole. */
export const sleep = async (delayMs: number) =>
	await new Promise<void>((resolve) => setTimeout(resolve, delayMs));
