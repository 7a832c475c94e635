/**
 * Prints what the package ships, as a CycloneDX bill of materials: `node scripts/sbom.mjs`.
 *
 * `npm sbom` lists dependencies, but the package has none: it bundles what it needs.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { bundledPackages } from './bundle.mjs';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const bundled = await bundledPackages();

const purl = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

const component = (pack) => ({
	type: 'library',
	'bom-ref': purl(pack),
	name: pack.name,
	version: pack.version,
	purl: purl(pack),
	licenses: [{ license: { id: pack.license } }],
	externalReferences: [{ type: 'website', url: pack.homepage }],
});

/** The hash of the installed package, from the lock file. */
function hashesOf({ name }) {
	const [, base64] = /^sha512-(\S+)$/.exec(lock.packages[`node_modules/${name}`].integrity);
	return [{ alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') }];
}

const phoneData = {
	type: 'data',
	'bom-ref': 'libphonenumber-metadata',
	name: 'libphonenumber metadata',
	description: "Derived from Google's data on phone numbers; a part of libphonenumber-js",
	supplier: { name: 'Google' },
	licenses: [{ license: { id: 'Apache-2.0' } }],
	externalReferences: [{ type: 'website', url: 'https://github.com/google/libphonenumber' }],
};

const main = component(manifest);
const components = bundled.map((pack) => ({ ...component(pack), hashes: hashesOf(pack) }));
const dependsOn = (from, to) => ({
	ref: from['bom-ref'],
	dependsOn: to.map((one) => one['bom-ref']),
});

console.log(
	JSON.stringify(
		{
			$schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
			bomFormat: 'CycloneDX',
			specVersion: '1.6',
			serialNumber: `urn:uuid:${randomUUID()}`,
			version: 1,
			metadata: { timestamp: new Date().toISOString(), component: main },
			components: [...components, phoneData],
			dependencies: [
				dependsOn(main, components),
				...components.map((one) =>
					dependsOn(one, one.name === 'libphonenumber-js' ? [phoneData] : []),
				),
			],
		},
		undefined,
		'\t',
	),
);
