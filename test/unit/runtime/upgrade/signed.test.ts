import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { canonicalJson } from '../../../../src/runtime/upgrade/signed/canonical-json.ts';
import { publicHexOf } from '../../../../src/runtime/upgrade/signed/keys.ts';
import type { ReleaseTarget, Role } from '../../../../src/runtime/upgrade/signed/metadata.ts';
import { ReleasePlace, type RoleKeys } from '../../../../src/runtime/upgrade/signed/release-place.ts';
import { update, type Trust } from '../../../../src/runtime/upgrade/signed/update.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 0, 1);

function makeKey(): KeyObject {
  return generateKeyPairSync('ed25519').privateKey;
}

function roles(
  keys: { root: KeyObject[]; targets: KeyObject[]; online: KeyObject[] },
  threshold = 1,
): RoleKeys {
  const hexes = (some: KeyObject[]): string[] => some.map(publicHexOf);
  return new Map<Role, { keys: string[]; threshold: number }>([
    ['root', { keys: hexes(keys.root), threshold }],
    ['targets', { keys: hexes(keys.targets), threshold }],
    ['snapshot', { keys: hexes(keys.online), threshold: 1 }],
    ['timestamp', { keys: hexes(keys.online), threshold: 1 }],
  ]);
}

/** A place of releases, and a minion that knows its first root. */
class Site {
  readonly folder: string;
  readonly root = [makeKey(), makeKey()];
  readonly targets = [makeKey(), makeKey(), makeKey()];
  readonly online = [makeKey()];
  nowMs = NOW_MS;
  trust: Trust | undefined;

  constructor(t: TestContext) {
    this.folder = mkdtempSync(join(tmpdir(), 'brine-releases-'));
    t.after(() => rmSync(this.folder, { recursive: true, force: true }));
    this.place.init(roles(this, 2), this.all);
  }

  get place(): ReleasePlace {
    return new ReleasePlace(this.folder, this.nowMs);
  }

  get all(): KeyObject[] {
    return [...this.root, ...this.targets, ...this.online];
  }

  add(version: string, keys = this.all): string[] {
    const name = `brine-${version}-linux-x64.tar.gz`;
    const path = join(this.folder, name);
    writeFileSync(path, version);
    const facts = { version, arch: 'x64', length: version.length, sha256: 'a'.repeat(64), unpacked: 1 };
    return this.place.add([{ name, path, ...facts }], keys);
  }

  async look(): Promise<string[]> {
    this.trust ??= {
      root: this.text('1.root.json'),
      timestamp: undefined,
      snapshot: undefined,
      targets: undefined,
    };
    const found = await update(this.trust, {
      fetch: (name) => Promise.resolve(existsSync(join(this.folder, name)) ? this.text(name) : undefined),
      nowMs: this.nowMs,
      keep: () => undefined,
    });
    return found.map(({ version }: ReleaseTarget) => version);
  }

  text(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  /** Every file of metadata as it is now, to be put back later. */
  copy(): () => void {
    const names = readdirSync(this.folder).filter((name) => name.endsWith('.json'));
    const texts = new Map(names.map((name) => [name, this.text(name)]));
    return () => {
      for (const [name, text] of texts) writeFileSync(join(this.folder, name), text);
    };
  }
}

test('signed releases - canonical JSON is the one of The Update Framework', () => {
  assert.equal(
    canonicalJson({ b: [1, true, null], a: 'x"\\\n\u00e9' }),
    '{"a":"x\\"\\\\\n\u00e9","b":[1,true,null]}',
  );
  assert.throws(() => canonicalJson(1.5), /no whole number/);
});

test('signed releases - what enough have signed is seen, and nothing before', async (t) => {
  const site = new Site(t);
  assert.deepEqual(await site.look(), []);
  const [first, second] = site.targets;
  assert.deepEqual(site.add('1.1.0', [first as KeyObject, ...site.online]), [
    'targets version 2 waits for 1 more signature.',
  ]);
  assert.deepEqual(await site.look(), []);
  site.place.sign([second as KeyObject, ...site.online]);
  assert.deepEqual(await site.look(), ['1.1.0']);
});

test('signed releases - one key does not count twice, and a stranger not at all', async (t) => {
  const site = new Site(t);
  const [first] = site.targets;
  site.add('1.1.0', [first as KeyObject, first as KeyObject, makeKey(), ...site.online]);
  assert.deepEqual(await site.look(), []);
  const envelope = JSON.parse(site.text('1.targets.json')) as { signed: { targets: object } };
  envelope.signed.targets = { 'brine-6-linux-x64.tar.gz': { length: 1, hashes: { sha256: 'a'.repeat(64) } } };
  writeFileSync(join(site.folder, '1.targets.json'), JSON.stringify(envelope));
  await assert.rejects(
    site.look(),
    /1\.targets\.json is signed by 0 of the keys that count for it, and 2 have to sign/,
  );
});

test('signed releases - what is older than what was seen is refused', async (t) => {
  const site = new Site(t);
  const putBack = site.copy();
  site.add('1.1.0');
  assert.deepEqual(await site.look(), ['1.1.0']);
  putBack();
  await assert.rejects(
    site.look(),
    /timestamp\.json is version 1, and version 2 was seen on this machine already/,
  );
});

test('signed releases - what belongs to another list is refused', async (t) => {
  const site = new Site(t);
  site.add('1.1.0');
  writeFileSync(join(site.folder, '2.snapshot.json'), site.text('1.snapshot.json'));
  await assert.rejects(site.look(), /2\.snapshot\.json is not the file that was signed/);
});

test('signed releases - what is not renewed expires, and counts again when it is', async (t) => {
  const site = new Site(t);
  site.add('1.1.0');
  site.nowMs += 31 * DAY_MS;
  await assert.rejects(site.look(), /timestamp\.json has expired at 2026-01-31.*Renew it/);
  site.place.renew(site.online);
  assert.deepEqual(await site.look(), ['1.1.0']);
});

test('signed releases - keys are exchanged with the consent of the old ones', async (t) => {
  const site = new Site(t);
  site.add('1.1.0');
  assert.deepEqual(await site.look(), ['1.1.0']);
  const before = { root: [...site.root], targets: [...site.targets] };
  const next = { root: [makeKey(), makeKey()], targets: [makeKey(), makeKey()], online: [makeKey()] };
  const fresh = [...next.root, ...next.targets, ...next.online];
  assert.match(site.place.rotate(roles(next, 2), fresh).join(), /root version 2 waits for 2 more signatures/);
  assert.deepEqual(await site.look(), ['1.1.0']);
  site.place.sign([...before.root, ...fresh]);
  site.place.renew(fresh);
  assert.deepEqual(await site.look(), ['1.1.0']);
  // who has only the old keys is not believed any more
  site.add('6.6.6', [...before.targets, ...site.online]);
  assert.deepEqual(await site.look(), ['1.1.0']);
  rmSync(join(site.folder, 'staged'), { recursive: true });
  site.add('1.2.0', fresh);
  assert.deepEqual(await site.look(), ['1.1.0', '1.2.0']);
});

test('signed releases - a root that strangers have signed is refused', async (t) => {
  const site = new Site(t);
  const other = new Site(t);
  writeFileSync(join(site.folder, '2.root.json'), other.text('1.root.json'));
  await assert.rejects(site.look(), /2\.root\.json is signed by 0 of the keys/);
});
