import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { BusEvent } from '../../../../src/network/events/framing.ts';
import { systemClock, type Clock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { SqliteJobStore } from '../../../../src/storage/jobs/sqlite-store.ts';
import { Listener, type ListenerDeps } from '../../../../src/programs/syndic/listener.ts';
import { JobsBelow } from '../../../../src/programs/syndic/jobs-below.ts';
import { MissedReturns, type Fate } from '../../../../src/programs/syndic/missed-returns.ts';
import { masterOptions } from '../../../../src/config/master-options.ts';
import { Options } from '../../../../src/config/option.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { encode } from '../../../../src/formats/wire/msgpack.ts';
import { folder } from '../../../support/attacker.ts';

const JID = '20261121000000000001';
/** A clock on which everything in the job cache is long ago. */
const later: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + 60_000 };

function below(t: TestContext) {
  const cachedir = folder(t);
  const store = new SqliteJobStore({ directory: join(cachedir, 'job_cache') });
  t.after(() => store.close());
  const keep = (id: string, fun = 'test.ping'): Promise<boolean> =>
    store.saveReturn({
      jid: JID,
      id,
      fun,
      return: true,
      retcode: 0,
      success: true,
      atMs: systemClock.nowMs(),
    });
  const forwarded: string[] = [];
  const fails = new Set<string>();
  const start = (fate: Fate = 'goes up', clock = later): MissedReturns => {
    const missed: MissedReturns = new MissedReturns({
      folder: join(cachedir, 'syndic'),
      jobs: new JobsBelow(new Options(masterOptions, dict({ cachedir })), systemClock),
      forward: (ret) => {
        forwarded.push(ret.id);
        if (fails.delete(ret.id)) return Promise.reject(new Error('database is locked'));
        if (fate === 'goes up') missed.secured([ret]);
        return Promise.resolve(fate);
      },
      clock,
      log: silentLogger,
    });
    return missed;
  };
  const look = async (missed: MissedReturns): Promise<string[]> => {
    await missed.look();
    await missed.look(); // the cursor follows what the first look has handed on
    await missed.close();
    return forwarded.splice(0);
  };
  const cursor = (): unknown => JSON.parse(readFileSync(join(cachedir, 'syndic', 'cursor.json'), 'utf8'));
  return { keep, start, look, cursor, fails };
}

test('missed returns - the first run begins at the end; later ones find what came meanwhile, once', async (t) => {
  const { keep, start, look, cursor } = below(t);
  await keep('before');
  assert.deepEqual(await look(start()), []);
  await keep('a');
  await keep('b');
  await keep('run', 'runner.jobs.active');
  assert.deepEqual(await look(start()), ['a', 'b']);
  assert.deepEqual(await look(start()), []);
  assert.deepEqual(cursor(), { '20261121': 4 });
});

test('missed returns - what was forwarded is passed over, what may still be heard is left alone', async (t) => {
  const { keep, start, look, cursor } = below(t);
  await look(start());
  await keep('heard');
  await keep('young');
  const missed = start('goes up', systemClock);
  missed.secured([{ jid: JID, id: 'heard' }]);
  assert.deepEqual(await look(missed), []);
  assert.deepEqual(cursor(), { '20261121': 1 });
});

test('missed returns - what cannot be decided yet is found again, what stays here is not', async (t) => {
  const { keep, start, look } = below(t);
  await look(start());
  await keep('a');
  assert.deepEqual(await look(start('undecided')), ['a', 'a']);
  assert.deepEqual(await look(start('stays here')), ['a']);
  assert.deepEqual(await look(start()), []);
});

test('missed returns - one that fails to be forwarded is tried again, and keeps no other waiting', async (t) => {
  const { keep, start, look, cursor, fails } = below(t);
  await look(start());
  for (const id of ['a', 'b']) await keep(id);
  fails.add('a');
  const missed = start();
  await missed.look();
  assert.deepEqual(await look(missed), ['a', 'b', 'a']);
  assert.deepEqual(await look(start()), []);
  assert.deepEqual(cursor(), { '20261121': 2 });
});

test('listener - a large return whose job cannot be read goes up as its event has it', async () => {
  const forwarded: string[] = [];
  let isDone = (): void => undefined;
  const done = new Promise<void>((resolve) => (isDone = resolve));
  const listener = new Listener({
    lower: new Options(masterOptions, dict()),
    forwarder: { returned: ({ id }: { id: string }) => (forwarded.push(id), isDone(), true) },
    jobs: {
      returned: (jid: string, id: string) => Promise.resolve({ jid, id, return: 'large' }),
      load: () => Promise.reject(new Error('database is locked')),
    },
    clock: { ...systemClock, sleep: () => Promise.resolve() },
    log: silentLogger,
  } as unknown as ListenerDeps);
  const data = dict({ jid: JID, id: 'm', fun: 'test.ping', return: 'VALUE_TRIMMED' });
  listener.hear(new BusEvent(`salt/job/${JID}/ret/m`, Buffer.from(encode(data, 'local'))));
  await done;
  assert.deepEqual(forwarded, ['m']);
});

test('missed returns - a job is read once for all its returns, and each return alone', async (t) => {
  const cachedir = folder(t);
  const opts = new Options(masterOptions, dict({ cachedir }));
  const store = new SqliteJobStore({ directory: join(cachedir, 'job_cache') });
  t.after(() => store.close());
  await store.saveJob(JID, dict({ fun: 'test.ping', arg: ['x'], kwargs: dict({ syndic_asker: 'up' }) }), [
    'a',
  ]);
  for (const id of ['a', 'b', 'c'])
    await store.saveReturn({ jid: JID, id, fun: 'test.ping', return: id, retcode: 0, success: true });
  const below = new JobsBelow(opts, systemClock);
  t.after(() => below.close());
  let loads = 0;
  const askers: (string | undefined)[] = [];
  const listener = new Listener({
    lower: opts,
    forwarder: { returned: (_ret: unknown, asker?: string) => (askers.push(asker), true) },
    jobs: { load: (jid: string) => (loads++, below.load(jid)) },
  } as unknown as ListenerDeps);
  for (const id of ['a', 'b', 'c']) {
    const ret = await below.returned(JID, id);
    assert.equal(ret?.return, id);
    if (ret !== undefined) await listener.stored(ret);
  }
  assert.equal(await below.returned(JID, 'd'), undefined);
  assert.deepEqual([loads, askers], [1, ['up', 'up', 'up']]);
});
