/** The facts that targets ask for: what is kept, and when files are read again. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { MinionDataCache } from '../../../../src/storage/cache/minion-data.ts';
import { MinionFacts } from '../../../../src/storage/cache/minion-facts.ts';
import { forecast } from '../../../../src/runtime/targeting/forecast.ts';
import { parseTarget } from '../../../../src/runtime/targeting/parse-target.ts';
import { wantedData } from '../../../../src/runtime/targeting/wanted-data.ts';
import type { KeyStore } from '../../../../src/storage/keys/store.ts';
import { connectedIds } from '../../../../src/programs/master/commands/connected.ts';
import { dict, type Dict, type DictInit } from '../../../../src/python/values/value.ts';

function cacheIn(t: TestContext): { folder: string; cache: MinionDataCache } {
  const folder = mkdtempSync(join(tmpdir(), 'brine-facts-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, cache: new MinionDataCache(folder) };
}

const data = (os: string): Dict =>
  dict({ grains: dict({ os, deep: dict({ a: 'x' }) }), pillar: dict({ role: 'db' }) });

test('minion facts - targets say which parts they look at', () => {
  const wanted = (tgt: string, type: string): [unknown, unknown] => {
    const { grains, pillar } = wantedData(parseTarget(tgt, type));
    const shown = (names: ReadonlySet<string> | 'all'): unknown => (names === 'all' ? names : [...names]);
    return [shown(grains), shown(pillar)];
  };
  assert.deepEqual(wanted('*', 'glob'), [[], []]);
  assert.deepEqual(wanted('os:Debian', 'grain'), [['os'], []]);
  assert.deepEqual(wanted('*:Debian', 'grain'), ['all', []]);
  assert.deepEqual(wanted('*:x', 'pillar'), [[], 'all']);
  assert.deepEqual(wanted('10.0.0.0/8', 'ipcidr'), [['ipv4', 'ipv6'], []]);
  const compound = 'web* and ( G@os:Debian or not P@deep:a:x ) and I@role:db or L@a,b';
  assert.deepEqual(wanted(compound, 'compound'), [['os', 'deep'], ['role']]);
});

test('minion facts - only what was asked for is kept, and a change by any program of ours shows at once', (t) => {
  const { folder, cache } = cacheIn(t);
  cache.write('a', 'data', data('Debian'));
  const facts = new MinionFacts(cache);
  const ask = (id: string, ...names: string[]): Dict | undefined =>
    facts.select({ grains: new Set(names), pillar: new Set() })(id)?.grains;
  assert.deepEqual(ask('a', 'os'), dict({ os: 'Debian' }));
  assert.deepEqual(ask('a', 'deep'), dict({ os: 'Debian', deep: dict({ a: 'x' }) }));
  assert.equal(ask('b', 'os'), undefined);
  const other = new MinionDataCache(folder);
  other.write('b', 'data', data('Arch'));
  other.write('a', 'data', data('Fedora'));
  const path = join(folder, 'minions', 'a', 'data.p');
  utimesSync(path, new Date(), new Date(statSync(path).mtimeMs + 5));
  assert.equal(ask('a', 'os')?.get('os'), 'Fedora');
  assert.equal(ask('b', 'os')?.get('os'), 'Arch');
  other.remove('a');
  assert.equal(ask('a', 'os'), undefined);
  assert.equal(facts.select({ grains: 'all', pillar: new Set() })('b')?.pillar.get('role'), 'db');
});

test('minion facts - what a minion has said before is no change, only its time is', (t) => {
  const { folder, cache } = cacheIn(t);
  cache.write('a', 'data', data('Debian'));
  const path = join(folder, 'minions', 'a', 'data.p');
  utimesSync(path, 1_000, 1_000);
  const { mark } = cache.changesSince(undefined);
  cache.write('a', 'data', data('Debian'));
  assert.deepEqual(cache.changesSince(mark).names, []);
  assert.ok((cache.stamp('a', 'data') ?? 0) > 1_000_000);
  cache.write('a', 'data', data('Arch'));
  assert.deepEqual(cache.changesSince(mark).names, ['a']);
  assert.deepEqual(cache.read('a', 'data'), data('Arch'));
});

test('minion facts - when the list of changes begins anew, everything is looked at', (t) => {
  const { folder, cache } = cacheIn(t);
  cache.write('a', 'data', data('Debian'));
  const facts = new MinionFacts(cache);
  const os = (): unknown =>
    facts
      .select({ grains: new Set(['os']), pillar: new Set() })('a')
      ?.grains.get('os');
  assert.equal(os(), 'Debian');
  appendFileSync(join(folder, '.minion_changes'), 'x\n'.repeat(200_000));
  const path = join(folder, 'minions', 'a', 'data.p');
  cache.write('a', 'data', data('Arch'));
  utimesSync(path, new Date(), new Date(statSync(path).mtimeMs + 5));
  assert.equal(os(), 'Arch');
});

test('minion facts - a forecast is the same with and without them', (t) => {
  const { cache } = cacheIn(t);
  const ids = Array.from({ length: 40 }, (_, index) => `m${index}`);
  for (const [index, id] of ids.entries())
    if (index % 5 !== 0) cache.write(id, 'data', data(index % 2 ? 'Debian' : 'Arch'));
  const facts = new MinionFacts(cache);
  const whole = (id: string): { grains: Dict; pillar: Dict } | undefined => {
    const found = cache.read(id, 'data');
    return found && { grains: found.get('grains') as Dict, pillar: found.get('pillar') as Dict };
  };
  for (const [tgt, type] of [
    ['os:deb*', 'grain'],
    ['deep:a:x', 'grain'],
    ['*:Arch', 'grain'],
    ['OS:Debian', 'grain'],
    ['role:db', 'pillar'],
    ['m1* and not G@os:Arch or I@role:nosuch', 'compound'],
  ] as const)
    for (const greedy of [true, false])
      assert.deepEqual(
        forecast(
          parseTarget(tgt, type),
          { ids, data: whole, select: (wanted) => facts.select(wanted) },
          { greedy },
        ),
        forecast(parseTarget(tgt, type), { ids, data: whole }, { greedy }),
        tgt,
      );
});

test('connected minions - those with an address that a subscriber comes from, as far as their grains are kept', async (t) => {
  const { cache } = cacheIn(t);
  const withAddress = (grains: DictInit): Dict => dict({ grains: dict(grains), pillar: dict() });
  cache.write('a', 'data', withAddress({ ipv4: ['127.0.0.1', '10.0.0.1'] }));
  cache.write('b', 'data', withAddress({ ipv4: ['10.0.0.2'], ipv6: 'fd00::2' }));
  cache.write('c', 'data', withAddress({ os: 'Debian' }));
  const keys = { list: () => ['a', 'b', 'c', 'unheard'] } as unknown as KeyStore;
  const from = async (...addresses: string[]): Promise<string[]> => {
    const publisher = { addresses: async () => addresses, connections: () => assert.fail('not asked') };
    return [...(await connectedIds(keys, new MinionFacts(cache), publisher, false))];
  };
  assert.deepEqual(await from('10.0.0.1', '10.0.0.9'), ['a']);
  assert.deepEqual(await from('fd00::2', '10.0.0.1'), ['a', 'b']);
  assert.deepEqual(await from(), []);

  // con_cache: what the connections say counts, and addresses only for those that do not tell who they are
  const publisher = {
    addresses: async () => ['10.0.0.1', '10.0.0.2'],
    connections: async () =>
      new Map([
        ['a', { isConnected: false }],
        ['c', { isConnected: true }],
        ['unheard', { isConnected: true }],
      ]),
  };
  const known = await connectedIds(keys, new MinionFacts(cache), publisher, true);
  assert.deepEqual([...known], ['b', 'c', 'unheard']);
});
