/**
 * Runs the checks that n8n runs before it verifies a package: `node scripts/scan.mjs <folder> [glob...]`.
 * Without globs, it checks the files that n8n checks in a clone of the repository.
 */
import { resolve } from 'node:path';

import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

const [folder = '.', ...patterns] = process.argv.slice(2);
const { passed, message, details } = await analyzePackage(
	resolve(folder),
	patterns.length > 0 ? patterns : SOURCE_FILE_PATTERNS,
);
console.log(passed ? 'The scan found nothing.' : `${message}\n${details ?? ''}`);
process.exitCode = passed ? 0 : 1;
