/** An update of the mine says what there is: what left `mine_functions` is taken out. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { UnreachableError } from '../../../../src/errors/errors.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { LOG_LEVELS } from '../../../../src/host/log.ts';
import { fakeContext } from '../../../support/module-context.ts';

test('mine.update - takes out what is no longer configured, and leaves what was sent', async (t) => {
  const cachedir = mkdtempSync(join(tmpdir(), 'brine-mine-'));
  t.after(() => rmSync(cachedir, { recursive: true }));
  const mine = new Map<Value, Value>();
  let isAway = false;
  const request = (load: Dict): Promise<Value> => {
    if (isAway) throw new UnreachableError('no master');
    const data = load.get('data');
    if (load.get('cmd') === '_mine_delete') mine.delete(load.get('fun') ?? null);
    else if (data instanceof Map) for (const [name, value] of data) mine.set(name, value);
    return Promise.resolve(true);
  };
  const called = (fun: string, args: Value[], functions: Value): Promise<Value> => {
    const opts = dict({ id: 'm1', file_client: 'remote', cachedir, mine_functions: functions });
    return fakeContext({ id: 'm1', opts, services: { request, requestAll: request } }).functions.call(
      fun,
      args,
      new Map(),
    );
  };
  const names = (): Value[] => [...mine.keys()].sort();
  const one = dict({
    'test.ping': [],
    alias: [dict({ mine_function: 'test.echo' }), 'x'],
    'test.version': [],
  });
  await called('mine.update', [], one);
  await called('mine.send', ['test.true'], one);
  assert.deepEqual(names(), ['alias', 'test.ping', 'test.true', 'test.version']);

  const two = dict({ 'test.ping': [] });
  await called('mine.update', [false, ['test.false']], two);
  assert.equal(mine.size, 5, 'an update of some functions says nothing of the others');

  isAway = true;
  await called('mine.update', [], two);
  isAway = false;
  assert.equal(mine.size, 5);
  await called('mine.update', [], two);
  assert.deepEqual(
    names(),
    ['test.false', 'test.ping', 'test.true'],
    'what a master missed is taken out later',
  );

  assert.equal(await called('mine.update', [], dict()), null);
  assert.deepEqual(names(), ['test.false', 'test.true']);
});

test('mine - a function that fails is named with its reason', async (t) => {
  const cachedir = mkdtempSync(join(tmpdir(), 'brine-mine-'));
  t.after(() => rmSync(cachedir, { recursive: true }));
  const request = (): Promise<Value> => Promise.resolve(true);
  const mine_functions = dict({ fails: [dict({ mine_function: 'test.exception' }), 'the disk is gone'] });
  const opts = dict({ id: 'm1', file_client: 'remote', cachedir, mine_functions });
  const context = fakeContext({ id: 'm1', opts, services: { request, requestAll: request } });
  const lines = (): string[] =>
    context.logged.filter(({ level }) => LOG_LEVELS[level] >= LOG_LEVELS.error).map(({ message }) => message);

  assert.equal(await context.functions.call('mine.send', ['nosuch.fun'], new Map()), false);
  assert.equal(lines().length, 1);
  assert.match(
    lines()[0] ?? '',
    /Function nosuch\.fun in mine\.send is not available; nothing is kept for it\./,
  );

  await context.functions.call('mine.update', [], new Map());
  assert.equal(lines().length, 2);
  assert.match(lines()[1] ?? '', /test\.exception in mine\.update failed.*: .*the disk is gone/);
});
