import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import type { MinionState } from '../../../../src/programs/minion/state.ts';
import { LazyWaitingRoom } from '../../../../src/programs/minion/waiting-room.ts';
import { WaitingReturns } from '../../../../src/programs/minion/waiting-returns.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import { leastRandom } from '../../../support/module-context.ts';

/** Databases that are up by the name of their configuration. */
function open(t: TestContext, folder: string, up: Set<string>, written: string[]): WaitingReturns {
  const configOf = (ret: Dict): string => String(ret.get('ret_config') ?? 'usual');
  const waiting = new WaitingReturns({
    folder,
    bytesMax: 10_000,
    clock: systemClock,
    random: leastRandom,
    log: silentLogger,
    write: async (name, ret) => {
      if (!up.has(configOf(ret))) throw new Error('away');
      written.push(`${name} ${configOf(ret)} ${String(ret.get('jid'))}`);
    },
    probe: async (_name, ret) => {
      if (!up.has(configOf(ret))) throw new Error('away');
    },
  });
  t.after(() => waiting.close());
  return waiting;
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let turn = 0; turn < 500 && !isTrue(); turn++) await systemClock.sleep(10);
  assert.ok(isTrue());
}

test('waiting returns - wait for their own database, through a restart, and are written once', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'br-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [up, written] = [new Set(['usual']), [] as string[]];
  const ret = (jid: string, config?: string): Dict => dict({ jid, id: 'm1', ret_config: config });
  let waiting = open(t, folder, up, written);
  await waiting.keep('redis', ret('1', 'other'));
  await waiting.keep('redis', ret('2'));
  await until(() => written.length === 1 && waiting.isDown('redis', ret('3', 'other')));
  assert.equal(waiting.isDown('redis', ret('3')), false);
  await waiting.keep('redis', ret('3', 'other'));
  await waiting.close();
  assert.ok(readdirSync(folder).includes('redis@other.sqlite'));
  up.add('other');
  waiting = open(t, folder, up, written);
  await until(() => written.length === 3);
  assert.deepEqual(written, ['redis usual 2', 'redis other 1', 'redis other 3']);
  await assert.rejects(
    waiting.keep('redis', ret('4', '../x')),
    /redis@\.\.\/x is no name that a file can have/,
  );
});

test('waiting returns - what has been written leaves nothing behind, so that any number of databases may come', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'br-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [up, written] = [new Set<string>(), [] as string[]];
  let waiting = open(t, folder, up, written);
  const ret = (n: number): Dict => dict({ jid: String(n), id: 'm1', ret_config: `c${n}` });
  for (let n = 0; n < 16; n++) await waiting.keep('redis', ret(n));
  await assert.rejects(waiting.keep('redis', ret(16)), /returns wait for 16 databases already/);
  for (let n = 0; n < 5; n++) up.add(`c${n}`);
  await until(() => written.length === 5);
  up.add('c16');
  await waiting.keep('redis', ret(16));
  assert.equal(waiting.rooms, 12);
  await until(() => written.includes('redis c16 16'));
  await waiting.keep('redis', ret(0));
  await until(() => written.filter((line) => line === 'redis c0 0').length === 2);
  await waiting.close();
  waiting = open(t, folder, up, written);
  assert.equal(waiting.rooms, 11);
  await waiting.close();
  assert.deepEqual(
    readdirSync(folder).filter((name) => /c(0|16)\./.test(name)),
    [],
  );
  assert.equal(written.length, 7);
});

test('waiting returns - a file that cannot be used, or a full disk for once, keeps no later return from waiting', async (t) => {
  const cachedir = mkdtempSync(join(tmpdir(), 'br-'));
  t.after(() => rmSync(cachedir, { recursive: true, force: true }));
  const folder = join(cachedir, 'returners');
  mkdirSync(join(folder, 'mysql.sqlite'), { recursive: true });
  writeFileSync(join(folder, 'some thing.sqlite'), '');
  const [up, written] = [new Set(['usual']), [] as string[]];
  await open(t, folder, up, written).keep('redis', dict({ jid: '1', id: 'm1' }));
  await until(() => written.length === 1);
  let isFull = true;
  const room = new LazyWaitingRoom(() => {
    if (isFull) throw new Error('no space left on device');
    const opts = { get: (name: string) => (name === 'cachedir' ? join(cachedir, 'other') : 10_000) };
    const deps = { opts, clock: systemClock, random: leastRandom, log: silentLogger };
    return { deps } as unknown as MinionState;
  });
  t.after(() => room.close());
  await assert.rejects(room.keep('redis', dict({ jid: '2', id: 'm1' })), /no space/);
  isFull = false;
  await room.keep('redis', dict({ jid: '2', id: 'm1' }));
  assert.ok(readdirSync(join(cachedir, 'other', 'returners')).includes('redis.sqlite'));
});
