import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { minionOptions } from '../../../../src/config/minion-options.ts';
import { Options } from '../../../../src/config/option.ts';
import { AuthenticationError, UnreachableError } from '../../../../src/errors/errors.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { readJob, returnLoad } from '../../../../src/programs/minion/job.ts';
import { ReturnSender, type ReturnTarget } from '../../../../src/programs/minion/return-sender.ts';
import { ReturnSpool, type SpoolLimits } from '../../../../src/programs/minion/return-spool.ts';
import { dict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { keptLog } from '../../../support/attacker.ts';
import { JumpingClock } from '../../runtime/client/fake-master.ts';

const JID = '20261121000000000001';
const ENOUGH: SpoolLimits = { count: 1000, sizeBytes: 1e6, days: 7 };
const MINUTE_MS = 60_000;

/** A folder, and what a minion that runs on it has: the parts are made anew for each of its lives. */
class Host {
  readonly directory: string;
  readonly clock = new JumpingClock();
  readonly kept = keptLog();
  readonly targets: ReturnTarget[] = [];
  /** jid and master of every return that was taken. */
  readonly taken: string[] = [];
  attempts = 0;

  constructor(t: TestContext) {
    this.directory = join(mkdtempSync(join(tmpdir(), 'bs-')), 'returns');
    t.after(() => rmSync(join(this.directory, '..'), { recursive: true, force: true }));
  }

  /** A master that answers as `answer` says; throwing is not answering. */
  master(name: string, answer: (attempt: number, load: Dict) => Value): ReturnTarget {
    let attempts = 0;
    const send = async (load: Dict): Promise<Value> => {
      this.attempts++;
      const reply = answer(++attempts, load);
      this.taken.push(`${String(load.get('jid'))}@${name}`);
      return reply;
    };
    const target = { name, requests: { send } };
    this.targets.push(target);
    return target;
  }

  spool(limits: SpoolLimits = ENOUGH): ReturnSpool {
    const { directory, clock } = this;
    return new ReturnSpool({ directory, limits, clock, log: this.kept.log });
  }

  sender(spool: ReturnSpool): ReturnSender {
    const opts = new Options(minionOptions, new Map());
    const { clock, targets } = this;
    return new ReturnSender({
      opts,
      clock,
      random: systemRandom,
      log: this.kept.log,
      spool,
      masters: () => targets,
    });
  }

  /** Waits, on this host's clock, until nothing waits on disk. */
  async empty(spool: ReturnSpool): Promise<void> {
    for (let i = 0; i < 1000 && spool.size > 0; i++) await this.clock.sleep(MINUTE_MS);
    assert.equal(spool.size, 0);
    assert.deepEqual(readdirSync(this.directory), []);
  }
}

function fail(error: Error): never {
  throw error;
}

const away = (): never => fail(new UnreachableError('away'));

test('return sender - a return is sent until the master has it', async (t) => {
  const host = new Host(t);
  const target = host.master('a:4506', (n) => (n < 50 ? away() : null));
  const spool = host.spool();
  const sender = host.sender(spool);
  await sender.send(dict({ jid: JID }), target);
  await host.empty(spool);
  assert.deepEqual([host.attempts, sender.counters.sent, host.taken], [50, 1, [`${JID}@a:4506`]]);
});

test('return sender - an empty text says that the master could not store it, a refusal may end: it is sent again', async (t) => {
  const host = new Host(t);
  const target = host.master('a:4506', (n) =>
    n < 4 ? '' : n < 8 ? fail(new AuthenticationError('no')) : null,
  );
  const spool = host.spool();
  const sender = host.sender(spool);
  await sender.send(dict({ jid: JID }), target);
  await host.empty(spool);
  assert.equal(host.attempts, 8);
  assert.equal(sender.counters.sent, 1);
});

test('return sender - one return that a master cannot store does not hold up the others', async (t) => {
  const host = new Host(t);
  let isWell = false;
  const target = host.master('a:4506', (n, load) =>
    n === 1 || (load.get('jid') === 'bad' && !isWell) ? fail(new Error('cannot')) : null,
  );
  const spool = host.spool();
  const sender = host.sender(spool);
  await sender.send(dict({ jid: 'bad' }), target);
  await Promise.all(['one', 'two'].map((jid) => sender.send(dict({ jid }), target)));
  await host.clock.sleep(10 * MINUTE_MS);
  assert.deepEqual(host.taken, ['one@a:4506', 'two@a:4506']);
  isWell = true;
  await host.empty(spool);
});

test('return sender - returns go to the master that asked, in their order, however long another is away', async (t) => {
  const host = new Host(t);
  let isAway = true;
  const a = host.master('a:4506', () => (isAway ? away() : null));
  const b = host.master('b:4506', () => null);
  const spool = host.spool();
  const sender = host.sender(spool);
  for (const jid of ['a1', 'a2', 'a3']) await sender.send(dict({ jid }), a);
  await sender.send(dict({ jid: 'b1' }), b);
  await host.clock.sleep(60 * MINUTE_MS);
  assert.deepEqual(host.taken, ['b1@b:4506']);
  isAway = false;
  await host.empty(spool);
  assert.deepEqual(host.taken, ['b1@b:4506', 'a1@a:4506', 'a2@a:4506', 'a3@a:4506']);
});

test('return sender - a return without a job id proposes one, the same however often it is sent', async (t) => {
  const host = new Host(t);
  const proposed: Value[] = [];
  const target = host.master('a:4506', (n, load) => {
    proposed.push(load.get('req_jid') ?? null);
    return n < 5 ? away() : null;
  });
  const spool = host.spool();
  const load = dict({ jid: 'req', fun: 'test.ping' });
  await host.sender(spool).send(load, target);
  await host.empty(spool);
  assert.equal(proposed.length, 5);
  assert.match(String(proposed[0]), /^\d{20}$/);
  assert.equal(new Set(proposed).size, 1);
  assert.equal(load.has('req_jid'), false);
});

test('return sender - what a killed minion had is sent by the next one; what a master that is configured no more had asked goes to the first', async (t) => {
  const host = new Host(t);
  const targets = [host.master('a:4506', away), host.master('gone:4506', away)];
  const first = host.sender(host.spool());
  for (const target of targets) await first.send(dict({ jid: `x${target.name[0]}`, return: [1] }), target);
  first.close();
  host.targets.length = 0;
  host.master('a:4506', (_n, load) => (assert.deepEqual(load.get('return'), [1]), null));
  const spool = host.spool();
  const second = host.sender(spool);
  assert.equal(spool.size, 2);
  second.wake();
  await host.empty(spool);
  assert.deepEqual(host.taken, ['xa@a:4506', 'xg@a:4506']);
});

test('return spool - at more than the limits the oldest are given up, counted; the newest is always kept', (t) => {
  const host = new Host(t);
  const spool = host.spool({ ...ENOUGH, count: 5 });
  for (let i = 0; i < 8; i++) spool.add(dict({ jid: `j${i}` }), 'a:4506');
  assert.deepEqual(
    [...spool.entries()].map(({ jid }) => jid),
    ['j3', 'j4', 'j5', 'j6', 'j7'],
  );
  assert.equal(spool.counters.givenUp, 3);
  assert.match(host.kept.lines.join('\n'), /return of job j2 was given up: too much waits .*3 so far/);
  assert.equal(readdirSync(host.directory).length, 5);
  const small = host.spool({ ...ENOUGH, sizeBytes: 2000 });
  small.add(dict({ jid: 'big', return: 'x'.repeat(5000) }), 'a:4506');
  assert.deepEqual(
    [...small.entries()].map(({ jid }) => jid),
    ['big'],
  );
});

test('return spool - what no master took for days is given up at the next start', async (t) => {
  const host = new Host(t);
  host.spool().add(dict({ jid: 'old' }), 'a:4506');
  await host.clock.sleep(8 * 24 * 60 * MINUTE_MS);
  const spool = host.spool();
  assert.deepEqual([spool.size, spool.counters.givenUp], [0, 1]);
  assert.deepEqual(readdirSync(host.directory), []);
});

test('return spool - files and folder are for the minion alone; half-written and unreadable files are removed', (t) => {
  const host = new Host(t);
  const spool = host.spool();
  spool.add(dict({ jid: JID, return: 'secret' }), '[::1]:4506');
  const [name = ''] = readdirSync(host.directory);
  assert.equal(statSync(host.directory).mode & 0o777, 0o700);
  assert.equal(statSync(join(host.directory, name)).mode & 0o777, 0o600);
  writeFileSync(join(host.directory, '.abc.tmp'), 'half');
  writeFileSync(join(host.directory, name), 'torn');
  const next = host.spool();
  const [entry] = next.entries();
  assert.ok(entry !== undefined);
  assert.equal(next.read(entry), undefined);
  assert.deepEqual([next.size, next.counters.unreadable, readdirSync(host.directory)], [0, 1, []]);
});

test('return spool - a clock that was set back never makes a return overwrite another', (t) => {
  const host = new Host(t);
  const log = host.kept.log;
  const { directory } = host;
  for (let life = 0; life < 3; life++) {
    const clock = new JumpingClock(); // begins at 0 again
    new ReturnSpool({ directory, limits: { ...ENOUGH, days: 1e6 }, clock, log }).add(
      dict({ jid: JID, life }),
      'a:1',
    );
  }
  const lives = host.spool();
  assert.deepEqual(
    [...lives.entries()].map((entry) => lives.read(entry)?.get('life')),
    [0, 1, 2],
  );
});

test('return spool - what waits is brought to the disk itself once, many at a time; what was taken is not', async (t) => {
  const host = new Host(t);
  const spool = host.spool();
  const entries = Array.from({ length: 20 }, () => spool.add(dict({ jid: JID }), 'a:4506'));
  for (const entry of entries.slice(0, 5)) spool.remove(entry);
  const first = spool.secure();
  spool.add(dict({ jid: JID }), 'a:4506');
  await Promise.all([first, spool.secure(), spool.secure()]);
  assert.equal(spool.counters.secured, 16);
  await spool.secure();
  assert.equal(spool.counters.secured, 16);
  const target = host.master('a:4506', () => away());
  const sender = host.sender(spool);
  await sender.send(dict({ jid: JID }), target);
  assert.equal(spool.counters.secured, 17);
  sender.close();
});

test('return spool - a disk that takes no file is told; the return waits in memory and is sent', async (t) => {
  const host = new Host(t);
  const spool = host.spool();
  rmSync(host.directory, { recursive: true });
  writeFileSync(host.directory, 'a file stands where the folder was');
  const target = host.master('a:4506', (n) => (n < 3 ? away() : null));
  const sender = host.sender(spool);
  await sender.send(dict({ jid: JID }), target);
  assert.match(host.kept.lines[0] ?? '', /cannot be kept in .*, it waits in memory only/);
  for (let i = 0; i < 100 && spool.size > 0; i++) await host.clock.sleep(MINUTE_MS);
  assert.deepEqual(host.taken, [`${JID}@a:4506`]);
  assert.equal(readFileSync(host.directory, 'utf8'), 'a file stands where the folder was');
});

test('job - publications that name no usable job', () => {
  const usable: DictInit = { fun: 'test.ping', arg: [], tgt: '*', jid: JID, tgt_type: 'glob', ret: '' };
  assert.ok(readJob(dict(usable)));
  const changes: DictInit[] = [
    { fun: '' },
    { fun: 7 },
    { fun: [] },
    { fun: ['test.ping', 7] },
    { fun: dict({}) },
    { arg: 'x' },
    { arg: null },
    { jid: '../../x' },
    { jid: 7 },
    { jid: '' },
    { tgt_type: 7 },
  ];
  for (const change of changes)
    assert.equal(readJob(dict({ ...usable, ...change })), undefined, JSON.stringify(change));
  for (const name of ['fun', 'arg', 'tgt', 'jid']) {
    const load = dict(usable);
    load.delete(name);
    assert.equal(readJob(load), undefined, name);
  }
});

test('job - a return carries what was asked and what came of it', () => {
  const job = readJob(
    dict({ fun: 'test.echo', arg: ['x'], tgt: '*', jid: JID, user: 'root', metadata: dict({ a: 1 }) }),
  );
  assert.ok(job !== undefined);
  const load = returnLoad(job, 'm1', { return: 'x', retcode: 0, success: true });
  const { cmd, id, jid, fun_args, user } = Object.fromEntries(load) as Record<string, Value>;
  assert.deepEqual([cmd, id, jid, fun_args, user], ['_return', 'm1', JID, ['x'], 'root']);
});
