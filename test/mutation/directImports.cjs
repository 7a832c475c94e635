/**
 * What Jest takes for the imports of a file: for tests, what they are; for all other files, none. So
 * the tests "related" to a module are those that import it themselves. Those that reach it through
 * other modules took more time than all else, and a module should be held by tests of its own.
 */
exports.extract = (code, filePath, defaultExtract) =>
	filePath.endsWith('.test.ts') ? defaultExtract(code) : new Set();
exports.getCacheKey = () => 'direct imports';
