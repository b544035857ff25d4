// What a package consists of, as a bill of materials in CycloneDX: Node, the libraries beside the bundles and those in
// them. It has no time and no random number in it, so that the same parts give the same text.
import { createHash } from 'node:crypto';

/**
 * @param payload version of Brine, and `node`, the version of Node inside
 * @param packages of package-lock.json
 * @param paths the libraries, as `node_modules/pg`
 * @returns the document, CycloneDX 1.6 in JSON
 */
export function billOfMaterials({ version, node }, packages, paths) {
  const libraries = [...new Set(paths)].sort().map((path) => libraryOf(path, packages[path]));
  const nodeItself = {
    type: 'platform',
    'bom-ref': `pkg:generic/node@${node}`,
    name: 'node',
    version: node,
    purl: `pkg:generic/node@${node}`,
    licenses: [{ license: { id: 'MIT' } }],
  };
  const brine = {
    type: 'application',
    'bom-ref': 'brine',
    name: 'brine',
    version,
    licenses: [{ license: { id: 'Apache-2.0' } }],
  };
  const components = [nodeItself, ...libraries];
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: brine },
    components,
    dependencies: [{ ref: 'brine', dependsOn: components.map((each) => each['bom-ref']) }],
  };
  const { bomFormat, specVersion, ...rest } = document;
  return `${JSON.stringify({ bomFormat, specVersion, serialNumber: `urn:uuid:${uuidOf(document)}`, ...rest }, null, 2)}\n`;
}

function libraryOf(path, locked) {
  if (locked === undefined)
    throw new Error(`${path} is in a bundle and not in package-lock.json. Run "npm ci" and build anew.`);
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const [scope, short] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const purl = `pkg:npm/${scope === undefined ? '' : `${encodeURIComponent(scope)}/`}${short}@${locked.version}`;
  return {
    type: 'library',
    'bom-ref': path === `node_modules/${name}` ? purl : `${purl}#${path}`,
    ...(scope === undefined ? {} : { group: scope }),
    name: short,
    version: locked.version,
    purl,
    ...licencesOf(locked.license),
    ...hashesOf(locked.integrity),
  };
}

/** One licence by its name, or an expression of several. */
function licencesOf(license) {
  if (license === undefined) return {};
  const isExpression = / (?:OR|AND|WITH) /.test(license);
  return {
    licenses: [
      isExpression ? { expression: license.replace(/^\((.*)\)$/, '$1') } : { license: { id: license } },
    ],
  };
}

/** What npm compares the archive of the library with. */
function hashesOf(integrity) {
  const [, kind, sum] = /^sha(256|384|512)-(.+)$/.exec(integrity ?? '') ?? [];
  if (kind === undefined) return {};
  return { hashes: [{ alg: `SHA-${kind}`, content: Buffer.from(sum, 'base64').toString('hex') }] };
}

/** A UUID of version 8, made of the content. */
function uuidOf(document) {
  const hex = createHash('sha256').update(JSON.stringify(document)).digest('hex');
  const variant = ((Number.parseInt(hex[16], 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
