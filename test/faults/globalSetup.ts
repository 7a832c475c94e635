import { openResults } from './results';

/** Before all files of tests. */
export default function setUp(): void {
	openResults();
}
