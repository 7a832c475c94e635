/**
 * The one place where tests and tools access the machine that they run on.
 *
 * Shipped code may use none of this, and the linter rejects it everywhere. Tests and the sandbox need files,
 * sockets, processes and timers, and import them from here.
 */
export { AsyncLocalStorage } from 'node:async_hooks';
export * as childProcess from 'node:child_process';
export * as diagnosticsChannel from 'node:diagnostics_channel';
export { default as dns } from 'node:dns';
export * as fs from 'node:fs';
export * as http from 'node:http';
export * as https from 'node:https';
export * as net from 'node:net';
export * as os from 'node:os';
export { default as path } from 'node:path';
export { getEventListeners, once, setMaxListeners } from 'node:events';
export { createRequire } from 'node:module';
export { performance } from 'node:perf_hooks';
export { default as process } from 'node:process';
export { pipeline } from 'node:stream';
export { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
export * as tls from 'node:tls';
export { fileURLToPath } from 'node:url';
export { setFlagsFromString } from 'node:v8';
export { runInNewContext, runInThisContext } from 'node:vm';
export { isDeepStrictEqual, parseArgs, stripVTControlCharacters } from 'node:util';
export * as zlib from 'node:zlib';
