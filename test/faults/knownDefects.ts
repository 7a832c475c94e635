/** Runs that do not end in the right state yet, and why. Whoever mends it takes it out of here. */
export const knownDefects = new Map<string, string>();
