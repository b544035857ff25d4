import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  cachedGrains,
  grainsCachePath,
  loadCachedGrains,
  type GrainsCacheInput,
} from '../../../../src/plugins/grains/core/cache.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { dict, type Dict, type DictInit } from '../../../../src/python/values/value.ts';
import { decode, encode } from '../../../../src/formats/wire/msgpack.ts';

function setUp(t: TestContext, opts: DictInit = {}): { input: GrainsCacheInput; path: string } {
  const cachedir = mkdtempSync(join(tmpdir(), 'brine-grains-'));
  t.after(() => rmSync(cachedir, { recursive: true, force: true }));
  const all = dict({ cachedir, grains_cache: true, ...opts });
  return {
    input: { opts: all, clock: systemClock, log: silentLogger },
    path: grainsCachePath(all) ?? '',
  };
}

const collected = (): Promise<Dict> => Promise.resolve(dict({ os: 'Debian', osrelease_info: [12] }));
const refuse = (): Promise<Dict> => Promise.reject(new Error('must not be collected'));

test('grains - the cache is written for us alone and serves the next call', async (t) => {
  const { input, path } = setUp(t);
  await cachedGrains(input, collected);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(decode(readFileSync(path), 'local'), await collected());
  assert.deepEqual(await cachedGrains(input, refuse), await collected());
});

test('grains - the cache is not used when it is off, forced, told to refresh, or old', async (t) => {
  const { input, path } = setUp(t, { grains_cache_expiration: 60 });
  writeFileSync(path, encode(dict({ os: 'Old' }), 'local'));
  const osOf = async (more: DictInit, force = false): Promise<unknown> => {
    const opts = new Map([...input.opts, ...dict({ ...more, grains_cache: more['grains_cache'] ?? false })]);
    return (await cachedGrains({ ...input, opts }, collected, { force })).get('os');
  };
  assert.equal(await osOf({}), 'Debian');
  assert.equal(loadCachedGrains(input)?.get('os'), 'Old');
  const age = (seconds: number): void => {
    const then = Date.now() / 1000 - seconds;
    utimesSync(path, then, then);
  };
  age(59);
  assert.equal(loadCachedGrains(input)?.get('os'), 'Old');
  age(70);
  assert.equal(loadCachedGrains(input), undefined);
  age(0);
  assert.equal(await osOf({ grains_cache: true, refresh_grains_cache: true }), 'Debian');
  writeFileSync(path, encode(dict({ os: 'Old' }), 'local'));
  assert.equal(await osOf({ grains_cache: true }, true), 'Debian');
});

test('grains - a cache that is empty or damaged is collected anew', async (t) => {
  const { input, path } = setUp(t);
  for (const content of [Buffer.from([0x80]), Buffer.from([0xc1]), Buffer.from('x')]) {
    writeFileSync(path, content);
    assert.equal((await cachedGrains(input, collected)).get('os'), 'Debian');
  }
});

test('grains - skip_grains collects nothing', async (t) => {
  const { input } = setUp(t, { skip_grains: true, grains_cache: false });
  assert.equal((await cachedGrains(input, refuse)).size, 0);
});

test('grains - a cache that cannot be written does not stop anything', async (t) => {
  const { input, path } = setUp(t, { cachedir: '/proc/nowhere' });
  assert.equal((await cachedGrains(input, collected)).get('os'), 'Debian');
  assert.equal(existsSync(path), false);
});
