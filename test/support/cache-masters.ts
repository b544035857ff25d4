/** Masters that keep what they remember of minions on one server: what each of them has of it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../src/host/clock.ts';
import { silentLogger, type Logger } from '../../src/host/log.ts';
import { systemRandom } from '../../src/host/random.ts';
import { dict, type Dict } from '../../src/python/values/value.ts';
import type { CacheServer } from '../../src/storage/cache/cache-server.ts';
import { MinionDataCache } from '../../src/storage/cache/minion-data.ts';
import { MinionDataMirror } from '../../src/storage/cache/mirror.ts';

/** What this needs of a test. */
interface Test {
  after(run: () => void | Promise<void>): void;
}

/** How a master is. */
export interface CacheMasterOptions {
  readonly ids?: readonly string[];
  readonly clock?: Clock;
  readonly log?: Logger;
}

/** One master's folder, and what it knows. */
export class CacheMaster {
  readonly cache: MinionDataCache;
  readonly #folder: string;
  readonly #options: CacheMasterOptions;
  readonly #open: () => CacheServer;

  constructor(t: Test, open: () => CacheServer, options: CacheMasterOptions = {}) {
    this.#folder = mkdtempSync(join(tmpdir(), 'bc-'));
    t.after(() => rmSync(this.#folder, { recursive: true, force: true }));
    this.cache = new MinionDataCache(this.#folder);
    this.#options = options;
    this.#open = open;
  }

  mirror(server: CacheServer): MinionDataMirror {
    const { ids = ['web1', 'web2'], clock = systemClock, log = silentLogger } = this.#options;
    return new MinionDataMirror({
      server,
      cache: this.cache,
      ids: () => ids,
      statePath: join(this.#folder, 'agreed'),
      clock,
      random: systemRandom,
      log,
    });
  }

  /** One life of its process: all that is to be done is done. @returns what it counted */
  async sync(): Promise<MinionDataMirror['counters']> {
    const server = this.#open();
    const mirror = this.mirror(server);
    await mirror.start();
    await mirror.stop();
    await server.close();
    return mirror.counters;
  }
}

/** Grains and pillar of a minion with a name in them. */
export function minionData(id: string, os: string): Dict {
  return dict({ grains: { id, os, 'ip4.x': ['10.0.0.1', null] }, pillar: { role: 'web', secret: 'grün' } });
}

/** What every server does, with two masters of ours on it. */
export async function checkSharedCache(t: Test, open: () => CacheServer): Promise<void> {
  const [a, b] = [new CacheMaster(t, open), new CacheMaster(t, open)];
  const [first, second] = [minionData('web1', 'Debian'), minionData('web1', 'Ubuntu')];
  a.cache.write('web1', 'data', first);
  a.cache.write('web1', 'mine', dict({ 'network.ip_addrs': ['10.0.0.1'] }));
  assert.equal((await a.sync()).stored, 2);
  assert.equal((await a.sync()).stored, 0, 'nothing is brought twice');
  assert.equal((await b.sync()).loaded, 2);
  assert.deepEqual(b.cache.read('web1', 'data'), first);
  assert.deepEqual(b.cache.read('web1', 'mine'), dict({ 'network.ip_addrs': ['10.0.0.1'] }));

  b.cache.write('web1', 'data', second);
  assert.equal((await b.sync()).stored, 1);
  await a.sync();
  assert.deepEqual(a.cache.read('web1', 'data'), second);

  a.cache.remove('web1', 'mine');
  await a.sync();
  assert.equal((await b.sync()).removed, 1);
  assert.equal(b.cache.read('web1', 'mine'), undefined);
  assert.deepEqual(b.cache.read('web1', 'data'), second);

  b.cache.remove('web1');
  await b.sync();
  await a.sync();
  assert.equal(a.cache.read('web1', 'data'), undefined);

  const server = open();
  assert.deepEqual(await server.list('minions/web1'), []);
  await server.close();
}

/** What the banks of `cache.*` do on every server. */
export async function checkServer(open: () => CacheServer, flushed: unknown): Promise<void> {
  const server = open();
  const [one, two] = [
    { bank: 'cloud/active/ec2', key: 'one' },
    { bank: 'cloud/active/ec2', key: 'two' },
  ];
  const bytes = Buffer.from([0xc4, 0x00, 0xff, 0x0a]);
  assert.equal(await server.fetch(one), undefined);
  const before = Math.floor(systemClock.nowMs() / 1000);
  const stamp = await server.store(one, bytes);
  await server.store(two, Buffer.from('x'));
  assert.ok(stamp >= before - 1 && stamp <= before + 10, String(stamp));
  assert.deepEqual(await server.fetch(one), bytes);
  assert.deepEqual((await server.list(one.bank)).sort(), ['one', 'two']);
  const [known, missing] = await server.stamps([one, { bank: 'cloud/active/ec2', key: 'three' }]);
  assert.deepEqual([known, missing], [stamp, undefined]);
  assert.equal(await server.flush(one.bank, 'one'), flushed);
  assert.deepEqual([await server.fetch(one), await server.list(one.bank)], [undefined, ['two']]);
  await server.flush(one.bank);
  assert.deepEqual([await server.fetch(two), await server.list(one.bank)], [undefined, []]);
  assert.deepEqual(await server.stamps([two]), [undefined]);
  await server.close();
}
