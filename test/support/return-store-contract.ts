/**
 * What every kind of database that keeps returns must do, whichever it is. A unit test hands in two stores that were
 * opened on one fresh database; their tables are made here.
 */
import assert from 'node:assert/strict';
import { jidAt } from '../../src/storage/jobs/jid.ts';
import type { ReturnStore } from '../../src/plugins/shared/returner/return-store.ts';
import { dict, float, isDict, type Dict, type DictInit, type Value } from '../../src/python/values/value.ts';

/** What differs between databases. */
export interface ContractOptions {
  /** How many events are kept, where a test can count them; without it they are only written. */
  readonly countEvents?: () => Promise<number>;
  /** Now, milliseconds since 1970; the jobs of the contract begin a little before. */
  readonly nowMs?: number;
  /** False where the database cannot list what it has (a mail, a message): only writing is checked. */
  readonly canRead?: boolean;
}

const MINION = 'web-1.example.com';
const HOUR_MS = 3_600_000;

/** A return as the master gets it. */
export function contractReturn(jid: string, id: string, more: DictInit = {}): Dict {
  return dict({
    id,
    jid,
    fun: 'test.echo',
    fun_args: ['x'],
    return: 'y',
    retcode: 0,
    success: true,
    cmd: '_return',
    ...more,
  });
}

/** A load as the master publishes it. */
export function contractLoad(jid: string, more: DictInit = {}): Dict {
  return dict({
    jid,
    fun: 'test.echo',
    arg: ['x'],
    tgt: '*',
    tgt_type: 'glob',
    user: 'root',
    ret: '',
    ...more,
  });
}

/** Runs every expectation. @param second opened on the same database */
export async function checkReturnStore(
  store: ReturnStore,
  second: ReturnStore,
  options: ContractOptions = {},
): Promise<void> {
  const { nowMs = Date.now(), canRead = true } = options;
  let count = 0;
  const newJid = (): string => jidAt(nowMs - 60_000 + count++);
  const made = await store.createSchema();
  assert.ok(made.every((line) => line !== ''));
  assert.deepEqual(await store.createSchema(), [], 'a second creation makes nothing');
  const subject = { store, second, newJid, canRead, options };
  await checkEmpty(subject);
  await checkLoads(subject);
  await checkReturns(subject);
  await checkValues(subject);
  await checkLastReturns(subject);
  await checkBatch(subject);
  await checkTwoWriters(subject);
  await checkEvents(subject);
  await checkAge(subject, nowMs);
}

interface Subject {
  readonly store: ReturnStore;
  readonly second: ReturnStore;
  readonly newJid: () => string;
  readonly canRead: boolean;
  readonly options: ContractOptions;
}

/** What one minion returned for a job. */
async function returned(store: ReturnStore, jid: string, id: string): Promise<Value | undefined> {
  return (await store.returns(jid)).get(id)?.get('return');
}

async function checkEmpty({ store, newJid, canRead }: Subject): Promise<void> {
  await store.saveReturns([]);
  await store.saveLoads([]);
  await store.saveEvents([], 'master');
  if (!canRead) return;
  assert.equal(await store.load(newJid()), undefined, 'an unknown jid has no load');
  assert.equal((await store.returns(newJid())).size, 0, 'an unknown jid has no returns');
  assert.equal((await store.lastReturns('test.nothing')).size, 0);
}

async function checkLoads({ store, newJid, canRead }: Subject): Promise<void> {
  const [jid, other] = [newJid(), newJid()];
  const load = contractLoad(jid, { arg: ['grün ✓ 🧂', 1, null, dict({ a: [true] })] });
  await store.saveLoads([
    { jid, load, minions: [MINION] },
    { jid: other, load: contractLoad(other, { fun: 'test.ping' }) },
  ]);
  await store.saveLoads([{ jid, load: contractLoad(jid, { fun: 'test.other' }), minions: [] }]);
  if (!canRead) return;
  const kept = await store.load(jid);
  assert.equal(kept?.get('fun'), 'test.echo', 'a jid keeps its first load');
  assert.deepEqual(kept?.get('arg'), load.get('arg'));
  assert.equal((await store.load(other))?.get('fun'), 'test.ping');
  const all = await store.loads();
  assert.ok(all.has(jid) && all.has(other));
  assert.equal(all.get(jid)?.get('tgt'), '*');
}

async function checkReturns({ store, newJid, canRead }: Subject): Promise<void> {
  const jid = newJid();
  await store.saveReturns([contractReturn(jid, MINION, { return: 'first' })]);
  await store.saveReturns([contractReturn(jid, MINION, { return: 'first' }), contractReturn(jid, 'db-1')]);
  await store.saveReturns([contractReturn(jid, 'x'), contractReturn(jid, 'x')]);
  if (!canRead) return;
  const returns = await store.returns(jid);
  assert.deepEqual(
    [...returns.keys()].sort(),
    ['db-1', MINION, 'x'],
    'a repeated return makes no second row',
  );
  assert.equal(returns.get(MINION)?.get('return'), 'first');
  assert.ok((await store.minions()).includes(MINION));
  const ids = await store.minions();
  assert.equal(new Set(ids).size, ids.length);
}

/** Values that texts of JSON, or of a database, may not carry by themselves. */
async function checkValues({ store, newJid, canRead }: Subject): Promise<void> {
  const values: readonly (readonly [name: string, value: Value, back?: Value])[] = [
    ['unicode', 'grün ✓ 🧂 "quoted" \\ \'single\' %s ; -- \n\t'],
    ['null', null],
    ['false', false],
    ['empty text', ''],
    ['empty list', []],
    ['empty mapping', new Map()],
    ['number', 42],
    ['fraction', 0.1],
    ['list', [1, 'two', null, [3.5]]],
    ['dotted keys', dict({ 'a.b': 1, $where: 2, 'c.d': { 'e.f': [] } })],
    ['keys of other types', new Map<Value, Value>([[1, 'one']]), new Map<Value, Value>([['1', 'one']])],
    ['long', 'x'.repeat(200_000)],
  ];
  const jid = newJid();
  const rets = values.map(([name, value]) => contractReturn(jid, name, {}).set('return', value));
  const odd = newJid();
  await store.saveReturns([
    ...rets,
    // no database has a form for all of these: they must be kept somehow, and not keep the others from being written
    contractReturn(odd, 'bytes').set('return', new Uint8Array([0xff, 0x00, 0x80])),
    contractReturn(odd, 'not a number').set('return', NaN),
    contractReturn(odd, 'integral float').set('return', [float(8)]),
    contractReturn(odd, 'great').set('return', 2n ** 70n),
    contractReturn(odd, 'nul').set('return', 'a\0b'),
    contractReturn(odd, 'several').set('fun', ['test.ping', 'test.echo']),
    contractReturn(odd, 'long name').set('fun', `module.${'f'.repeat(300)}`),
    contractReturn(odd, 'bare').set('success', false).set('retcode', 2),
  ]);
  if (!canRead) return;
  for (const [name, value, back = value] of values)
    assert.deepEqual(ordered(await returned(store, jid, name)), ordered(back), `${name} comes back`);
  assert.equal((await store.returns(odd)).size, 8);
  const [eight] = (await returned(store, odd, 'integral float')) as [Value];
  assert.equal(Number(eight), 8);
}

/** Mappings by the order of their keys: not every database keeps another. */
function ordered(value: Value | undefined): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isDict(value)) return value;
  return [...value]
    .map(([key, item]) => [String(key), ordered(item)])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

async function checkLastReturns({ store, newJid, canRead }: Subject): Promise<void> {
  const [early, late] = [newJid(), newJid()];
  const fun = 'contract.last';
  await store.saveReturns([contractReturn(early, MINION, { fun, return: 1 })]);
  await store.saveReturns([contractReturn(early, 'db-1', { fun, return: 2 })]);
  await store.saveReturns([contractReturn(late, MINION, { fun, return: 3 })]);
  if (!canRead) return;
  // some of Salt's returners give the whole of what they got, others its value
  const last = [...(await store.lastReturns(fun))].map(([id, ret]) => [
    id,
    isDict(ret) && ret.has('return') ? ret.get('return') : ret,
  ]);
  assert.deepEqual(last.sort(), [
    ['db-1', 2],
    [MINION, 3],
  ]);
}

async function checkBatch({ store, newJid, canRead }: Subject): Promise<void> {
  const jid = newJid();
  const rets = Array.from({ length: 1000 }, (_, n) =>
    contractReturn(jid, `m-${n}.example.com`, { return: n }),
  );
  await store.saveReturns(rets);
  // as after a failure of which nobody knows how much of it was written
  await store.saveReturns(rets.slice(500));
  if (!canRead) return;
  const returns = await store.returns(jid);
  assert.equal(returns.size, 1000);
  assert.equal(returns.get('m-999.example.com')?.get('return'), 999);
}

async function checkTwoWriters({ store, second, newJid, canRead }: Subject): Promise<void> {
  const jid = newJid();
  const ids = Array.from({ length: 50 }, (_, n) => `two-${n}`);
  const load = { jid, load: contractLoad(jid), minions: ids };
  const write = async (one: ReturnStore, from: number): Promise<void> => {
    await one.saveLoads([load]);
    for (let at = 0; at < 50; at += 10)
      await one.saveReturns(
        ids.slice((at + from) % 50, ((at + from) % 50) + 10).map((id) => contractReturn(jid, id)),
      );
  };
  await Promise.all([write(store, 0), write(second, 0), write(second, 20)]);
  if (!canRead) return;
  assert.equal((await second.returns(jid)).size, 50);
  assert.equal((await store.returns(jid)).size, 50);
  assert.equal((await second.load(jid))?.get('jid'), jid);
}

async function checkEvents({ store, newJid, options }: Subject): Promise<void> {
  const event = (n: number): { tag: string; data: Dict } => ({
    tag: `salt/contract/${n % 2}`,
    data: dict({ _stamp: `2026-11-22T02:00:00.00000${n}`, jid: newJid(), text: 'grün ✓', none: null }),
  });
  const events = [event(0), event(1), event(2)];
  const before = await options.countEvents?.();
  await store.saveEvents(events, 'master-1');
  await store.saveEvents(events.slice(1), 'master-1');
  if (options.countEvents !== undefined)
    assert.equal((await options.countEvents()) - (before ?? 0), 3, 'a repeated event makes no second row');
}

async function checkAge({ store, newJid, canRead }: Subject, nowMs: number): Promise<void> {
  const old = jidAt(nowMs - 48 * HOUR_MS);
  const recent = newJid();
  await store.saveLoads([
    { jid: old, load: contractLoad(old) },
    { jid: recent, load: contractLoad(recent) },
  ]);
  await store.saveReturns([contractReturn(recent, MINION)]);
  await store.removeOlderThan(nowMs - 24 * HOUR_MS);
  if (canRead) {
    assert.equal(await store.load(old), undefined, 'a job that is older is forgotten, also without returns');
    assert.equal((await store.load(recent))?.get('jid'), recent, 'a younger one stays');
    assert.equal((await store.returns(recent)).size, 1);
  }
  await store.removeOlderThan(nowMs + HOUR_MS);
  if (!canRead) return;
  assert.equal((await store.loads()).size, 0, 'what is older than a time to come is all there is');
  assert.equal((await store.returns(recent)).size, 0);
}
