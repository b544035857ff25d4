/**
 * Keeps `npm ci`, the first command of the README, free of warnings, and the lock file free of what only one machine
 * has.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brineVersion } from '../../src/version.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
/** The oldest Node that package.json promises. */
const NODE_OLDEST: Version = [20, 19, 0];

type Version = readonly [number, number, number];

interface Locked {
  readonly engines?: { readonly node?: string };
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
}

const readJson = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
const manifest = readJson('package.json') as {
  version: string;
  engines: { node: string };
  allowScripts: Record<string, boolean>;
};
const locked = Object.entries(
  (readJson('package-lock.json') as { packages: Record<string, Locked> }).packages,
)
  .filter(([path]) => path !== '')
  .map(([path, entry]) => ({ name: path.replace(/^.*node_modules\//, ''), ...entry }));

/**
 * Whether a version lies in a range as `engines` fields spell them: `>=`, `^`, `<` and bare versions, joined by `||`.
 */
function isIn(version: Version, range: string): boolean {
  return range.split('||').some((part) => {
    const bounds = part
      .trim()
      .replace(/([<>=^~]+)\s+/g, '$1')
      .split(/\s+/);
    return bounds.every((bound) => meets(version, bound));
  });
}

function meets(version: Version, bound: string): boolean {
  const found = /^([<>=^~]*)v?(\d+|\*)(?:\.(\d+|x))?(?:\.(\d+|x))?$/.exec(bound);
  assert.ok(found, `a range this test can read: ${bound}`);
  if (found[2] === '*') return true;
  const limit = [found[2], found[3], found[4]].map((digits) => Number(digits ?? 0) || 0);
  const order =
    version.map((digit, i) => digit - (limit[i] ?? 0)).find((difference) => difference !== 0) ?? 0;
  if (found[1] === '<') return order < 0;
  return order >= 0 && (found[1] === '>=' || version[0] === limit[0]);
}

test('dependencies - the version that programs say is that of package.json', () => {
  assert.equal(brineVersion, manifest.version);
});

test('dependencies - no package refuses the Node that package.json promises, so npm warns of none (EBADENGINE)', () => {
  assert.ok(isIn(NODE_OLDEST, manifest.engines.node));
  const refuses = (version: Version): string[] =>
    locked.filter(({ engines }) => !isIn(version, engines?.node ?? '*')).map(({ name }) => name);
  assert.deepEqual(refuses(NODE_OLDEST), []);
  assert.ok(!isIn([20, 18, 3], manifest.engines.node));
  assert.ok(!isIn(NODE_OLDEST, '>= 22.x'), 'what @nats-io/nuid 3 demands');
});

test('dependencies - every package with a script at install is named in allowScripts, so npm asks for none', () => {
  const withScripts = locked.filter(({ hasInstallScript }) => hasInstallScript === true);
  assert.deepEqual(withScripts.map(({ name }) => name).sort(), Object.keys(manifest.allowScripts).sort());
});

test('dependencies - the lock file names no registry, so that each machine asks its own', () => {
  assert.deepEqual(
    locked.filter(({ resolved }) => resolved !== undefined).map(({ name }) => name),
    [],
  );
});
