/** Jobs in Salt's layout: read as Salt reads them, in bounds, and cleaned as Salt cleans them. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createLogger } from '../../../../src/host/log.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { LoadMirror } from '../../../../src/storage/jobs/load-mirror.ts';
import { SaltsCleanUp } from '../../../../src/storage/jobs/salts-clean-up.ts';
import { SaltsJobs } from '../../../../src/storage/jobs/salts-jobs.ts';
import { saltsJobFolder } from '../../../../src/storage/jobs/salts-layout.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import { encode } from '../../../../src/formats/wire/msgpack.ts';

const HOUR_S = 3600;

function cache(t: TestContext): {
  cachedir: string;
  logged: string[];
  jobs: (listedMax?: number) => SaltsJobs;
} {
  const cachedir = mkdtempSync(join(tmpdir(), 'brine-salts-'));
  t.after(() => rmSync(cachedir, { recursive: true, force: true }));
  const logged: string[] = [];
  const log = createLogger('t', [{ level: 0, write: ({ message }) => logged.push(message) }]);
  const jobs = (listedMax?: number): SaltsJobs =>
    new SaltsJobs({ cachedir, hashType: 'sha256', log }, listedMax);
  return { cachedir, logged, jobs };
}

/** One job as Salt keeps it; what happened last in it happened when it began. */
function keep(cachedir: string, jid: string, returns: Record<string, Value> = {}, fun = 'test.ping'): string {
  const folder = saltsJobFolder(cachedir, 'sha256', jid);
  mkdirSync(folder, { recursive: true });
  const load = dict({ jid, fun, arg: [], tgt: '*', tgt_type: 'glob', user: 'root' });
  writeFileSync(join(folder, '.load.p'), encode(load, 'local'));
  writeFileSync(join(folder, '.minions.p'), encode(['m1'], 'local'));
  writeFileSync(join(folder, 'jid'), jid);
  const atS = Date.UTC(2026, 0, 1, Number(jid.slice(8, 10)), Number(jid.slice(10, 12))) / 1000;
  utimesSync(join(folder, 'jid'), atS, atS);
  for (const [id, value] of Object.entries(returns)) {
    mkdirSync(join(folder, id));
    writeFileSync(join(folder, id, 'return.p'), encode(value, 'local'));
  }
  return folder;
}

const jidAt = (minute: number): string =>
  `202601010${Math.floor(minute / 60)}${String(minute % 60).padStart(2, '0')}00000000`;

test('jobs of Salt - loads, minions of syndics, returns of both forms, and outputters are read', async (t) => {
  const { cachedir, jobs, logged } = cache(t);
  const jid = jidAt(1);
  const full = dict({ return: dict({ a: 1 }), retcode: 2, success: false });
  const folder = keep(cachedir, jid, { m1: full, m2: 'old form' });
  writeFileSync(join(folder, '.minions.below.p'), encode(['s1', 'm1'], 'local'));
  writeFileSync(join(folder, 'm1', 'out.p'), encode('highstate', 'local'));
  writeFileSync(join(folder, 'endtime'), '2026, Jan 01');
  mkdirSync(join(folder, 'm3'));
  writeFileSync(join(folder, 'm3', 'return.p'), new Uint8Array([0xc1]));
  assert.deepEqual(jobs().job(jid)?.get('Minions'), ['m1', 's1']);
  const returns = (await jobs().returns(jid)).sort((a, b) => (a.id < b.id ? -1 : 1));
  assert.deepEqual(
    returns.map(({ atMs: _, ...ret }) => ret),
    [
      {
        jid,
        id: 'm1',
        fun: 'test.ping',
        return: dict({ a: 1 }),
        retcode: 2,
        success: false,
        out: 'highstate',
      },
      { jid, id: 'm2', fun: 'test.ping', return: 'old form', retcode: 0, success: true },
    ],
  );
  assert.match(logged.join(), /A return that Salt has kept cannot be read and is left out: .*m3/);
  assert.equal(jobs().job('../../etc'), undefined);
});

test('jobs of Salt - lists are narrowed by limit, function and time, and stay within their bound', async (t) => {
  const { cachedir, jobs, logged } = cache(t);
  for (let minute = 0; minute < 60; minute++)
    keep(cachedir, jidAt(minute), {}, minute % 2 === 0 ? 'test.ping' : 'cmd.run');
  const listed = async (found: ReturnType<SaltsJobs['jobs']>): Promise<string[]> =>
    (await found).map(({ jid }) => jid);
  assert.deepEqual(await listed(jobs().jobs({ limit: 2 })), [jidAt(59), jidAt(58)]);
  assert.deepEqual(await listed(jobs().jobs({ limit: 1, fun: 'test.ping' })), [jidAt(58)]);
  assert.deepEqual(await listed(jobs().jobs({ fromJid: jidAt(57), toJid: jidAt(58) })), [
    jidAt(58),
    jidAt(57),
  ]);
  assert.equal((await jobs().jobs({})).length, 60);
  assert.deepEqual(logged, []);
  assert.deepEqual(
    await listed(jobs(10).jobs({})),
    Array.from({ length: 10 }, (_, at) => jidAt(59 - at)),
  );
  assert.match(logged.join(), /more than 10 jobs of Salt: the 50 oldest are not looked through/);
  assert.ok(jobs(10).job(jidAt(0)), 'a job by its id is found all the same');
});

test("jobs of Salt - what our master lends to Salt's commands is none, and goes after an hour; Salt's stay for keep_jobs", async (t) => {
  const { cachedir, jobs } = cache(t);
  const log = createLogger('t', []);
  const kept = keep(cachedir, jidAt(1));
  new LoadMirror({ cachedir, hashType: 'sha256', clock: systemClock, log }).save(
    jidAt(2),
    dict({ jid: jidAt(2), fun: 'test.ping' }),
    ['m1'],
    false,
  );
  const lent = saltsJobFolder(cachedir, 'sha256', jidAt(2));
  assert.deepEqual(
    (await jobs().jobs({})).map(({ jid }) => jid),
    [jidAt(1)],
  );
  const clock = (laterS: number): typeof systemClock =>
    Object.assign(Object.create(systemClock) as typeof systemClock, {
      nowMs: () => systemClock.nowMs() + laterS * 1000,
    });
  const clean = (laterS: number, keepSeconds = 24 * HOUR_S): Promise<number> =>
    new SaltsCleanUp({ cachedir, keepSeconds, clock: clock(laterS) }).round();
  assert.equal(await clean(HOUR_S / 2), 0);
  assert.equal(await clean(2 * HOUR_S), 1);
  assert.deepEqual([existsSync(lent), existsSync(kept)], [false, true]);
  assert.equal(await clean(48 * HOUR_S, 0), 0, 'keep_jobs_seconds: 0 keeps them for ever');
  assert.equal(await clean(25 * HOUR_S), 1);
  assert.equal(existsSync(kept), false);
});

test("jobs of Salt - with a shared bus the group of the master's user finds the job of a limited user by its id, without arguments", (t) => {
  const { cachedir } = cache(t);
  const mirror = (isShared: boolean): LoadMirror =>
    new LoadMirror({
      cachedir,
      hashType: 'sha256',
      isShared,
      clock: systemClock,
      log: createLogger('t', []),
    });
  const load = dict({ jid: jidAt(1), fun: 'cmd.run', arg: ['a secret'] });
  const modes = (at: number): string[] => {
    const folder = saltsJobFolder(cachedir, 'sha256', jidAt(at));
    return [dirname(folder), folder, join(folder, '.load.p'), join(folder, '.minions.p')].map((path) =>
      (statSync(path).mode & 0o777).toString(8),
    );
  };
  mirror(false).save(jidAt(1), load, ['m1'], true);
  assert.deepEqual(modes(1), ['700', '700', '600', '600'], 'nobody else hears the bus');
  mirror(true).save(jidAt(2), load, ['m1'], false);
  assert.deepEqual(modes(2), ['700', '700', '600', '600'], "a job of the master's user");
  mirror(true).save(jidAt(3), load, ['m1'], true);
  assert.deepEqual(modes(3), ['710', '750', '640', '640']);
  const kept = readFileSync(join(saltsJobFolder(cachedir, 'sha256', jidAt(3)), '.load.p'));
  assert.ok(kept.includes('cmd.run') && !kept.includes('a secret'));
});
