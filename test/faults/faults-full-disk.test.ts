/**
 * A master and a minion whose disks have no room: whoever waits is told which path, nothing that was acknowledged is
 * lost, and all goes on by itself when there is room again.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SqliteJobStore } from '../../src/storage/jobs/sqlite-store.ts';
import { ApiFleet } from '../support/api/api-fleet.ts';
import { SmallDisk } from '../support/cluster/small-disk.ts';
import { Fleet, namesIn, ours, runProgram, until, type Daemon } from '../support/fleet.ts';

const NOT_MOUNTED = 'did not run: nothing can be mounted here';
const BIG = 'head -c 60000 /dev/zero | tr "\\0" x';

/** A fleet whose master or minion has a disk of its own for its `cachedir`. */
async function fleetOn(
  t: TestContext,
  whose: 'm' | 'web',
  options: readonly string[] = [],
): Promise<{ fleet: Fleet; disk: SmallDisk; minion: Daemon } | undefined> {
  const mounted: SmallDisk[] = [];
  // before the folder of the fleet is removed, which holds it
  t.after(() => mounted.forEach((each) => each.release()));
  const fleet = await Fleet.create(t, ['auto_accept: True', ...options]);
  const disk = SmallDisk.mount(t, fleet.path(whose, 'cache'));
  if (disk === undefined) return undefined;
  mounted.push(disk);
  await fleet.startMaster();
  const minion = await fleet.joinMinion('web', ['return_retry_timer: 1', 'return_retry_timer_max: 2']);
  return { fleet, disk, minion };
}

function lines({ log }: Daemon, pattern: RegExp): string[] {
  return log.split('\n').filter((line) => pattern.test(line));
}

async function returnsOf(fleet: Fleet, jid: string): Promise<number> {
  const store = new SqliteJobStore({ directory: fleet.path('m', 'cache', 'job_cache'), readOnly: true });
  try {
    return (await store.returns(jid)).length;
  } finally {
    await store.close();
  }
}

test(
  'faults - a master without room says which path and what to do, and keeps every return',
  { timeout: 180_000 },
  async (t) => {
    const made = await fleetOn(t, 'm');
    if (made === undefined) return t.skip(NOT_MOUNTED);
    const { fleet, disk } = made;
    const master = fleet.master as Daemon;
    const gate = fleet.path('gate');
    const wait = `while [ ! -e ${gate} ]; do sleep 0.2; done; ${BIG}`;
    const { stdout } = await fleet.salt(['--async', 'web', 'cmd.run', wait, 'python_shell=True']);
    const jid = /job ID: (\d{20})/.exec(stdout)?.[1] ?? assert.fail(stdout);
    disk.fill();
    fleet.write(fleet.folder, 'gate', ['']);
    await master.logged(`the return of job ${jid} is not kept, and web is to send it again`);
    const wanted =
      /job_cache\/\d{8}\.sqlite cannot be written: no room is left .* Make room on \S+\/m\/cache/;
    const refused = await fleet.salt(['web', 'test.ping']);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr + refused.stdout, /^The job was not published: /m);
    assert.match(refused.stderr + refused.stdout, wanted);
    await fleet.salt(['web', 'test.ping']);
    // what lasts is told of once a minute: of publishing, and of returns
    assert.equal(lines(master, /A job of \S+ was not published/).length, 1);
    assert.equal(lines(master, /The request _return of web failed/).length, 1);
    assert.equal(namesIn(fleet.path('web', 'cache', 'returns')).length, 1);
    disk.empty();
    await until('the return has come', () => namesIn(fleet.path('web', 'cache', 'returns')).length === 0);
    assert.equal(await returnsOf(fleet, jid), 1);
    assert.deepEqual(await fleet.json(['web', 'test.ping']), { web: true });
  },
);

test(
  'faults - a minion gets its pillar from a master without room, whose reactor reacts once there is some, to each event once',
  { timeout: 180_000 },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'brine-reactions-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const rule = join(folder, 'r.sls');
    const seen = join(folder, 'seen');
    const command = `echo {{ data['number'] }} >> ${seen}`;
    writeFileSync(rule, `r:\n  local.cmd.shell:\n    - tgt: web\n    - arg: [${JSON.stringify(command)}]\n`);
    const made = await fleetOn(t, 'm', [`reactor: [{'my/tag': ['${rule}']}]`]);
    if (made === undefined) return t.skip(NOT_MOUNTED);
    const { fleet, disk } = made;
    const master = fleet.master as Daemon;
    const fire = (number: number) => fleet.run('salt-run', ['event.send', 'my/tag', `{number: ${number}}`]);
    const numbers = (): string[] =>
      existsSync(seen) ? readFileSync(seen, 'utf8').split('\n').filter(Boolean).sort() : [];
    await fire(0);
    await until('the reactor works', () => numbers().length === 1);
    disk.fill();
    const called = await runProgram(join(ours.folder, 'salt-call'), [
      ...['-c', fleet.path('web'), 'test.ping'],
    ]);
    assert.equal(called.code, 0, called.stderr);
    await master.logged('Grains and pillar of web are not kept');
    await fire(1);
    await master.logged('The reactor keeps no events, and reacts to them when it can again: ');
    await Promise.all([2, 3, 4].map(fire));
    assert.equal(lines(master, /The reactor keeps no events/).length, 1);
    assert.deepEqual(numbers(), ['0']);
    disk.empty();
    await until('all events were reacted to', () => numbers().length >= 5);
    assert.deepEqual(await fleet.json(['web', 'test.ping']), { web: true });
    assert.deepEqual(numbers(), ['0', '1', '2', '3', '4']);
    assert.deepEqual(lines(master, /Reactor ends after|cannot rollback/), []);
  },
);

test(
  'faults - who asks a salt-api of a master without room is told the reason by both versions, as data that programs read',
  { timeout: 180_000 },
  async (t) => {
    let disk: SmallDisk | undefined;
    t.after(() => disk?.release());
    const api = await ApiFleet.start(t, [], (fleet) => {
      disk = SmallDisk.mount(t, fleet.path('m', 'cache'));
    });
    if (disk === undefined) return t.skip(NOT_MOUNTED);
    await api.fleet.joinMinion('web');
    const credentials = { username: 'alice', password: 'pw', eauth: 'file' };
    api.token = await api.logIn();
    disk.fill();
    const job = { tgt: 'web', fun: 'test.ping' };
    const wanted = /^The job was not published: .*cannot be written: no room is left .* Make room on /;
    const first = async (client: string): Promise<void> => {
      const sent = await api.run([{ client, ...job }]);
      const alone = await api.send('/run', { json: [{ client, ...job, ...credentials }], isAnonymous: true });
      for (const { status, json } of [sent, alone]) {
        assert.equal(status, 500, client);
        assert.match(String(json.return), wanted, client);
      }
    };
    for (const client of ['local', 'local_async', 'local_subset', 'local_batch']) await first(client);
    assert.match(String((await api.send('/minions', { json: job })).json.return), wanted);
    const published = await api.send('/api/v2/jobs', {
      json: job,
    });
    const { error } = JSON.parse(published.text) as { error: { code: string; message: string } };
    assert.deepEqual([published.status, error.code], [500, 'master-failed'], error.message);
    assert.match(error.message, wanted);
    const session = await api.send('/api/v2/session', { json: credentials, isAnonymous: true });
    assert.equal(session.status, 500, session.text);
    assert.match(
      session.text,
      /"code":"master-failed","message":"The master could not keep a token for this log-in/,
    );
    disk.empty();
    assert.equal((await api.run([{ client: 'local', ...job }])).status, 200);
  },
);

test(
  'faults - a minion without room runs its jobs, and says which file it cannot write',
  { timeout: 180_000 },
  async (t) => {
    const made = await fleetOn(t, 'web');
    if (made === undefined) return t.skip(NOT_MOUNTED);
    const { fleet, disk, minion } = made;
    for (const [lacking, use] of [
      ['room', () => disk.fill()],
      ['inode', () => disk.useUpInodes()],
    ] as const) {
      use();
      assert.deepEqual(await fleet.json(['web', 'test.ping']), { web: true });
      const target = fleet.path('web', 'cache', lacking);
      const written = await fleet.salt(['web', 'file.write', target, 'x'.repeat(60_000)]);
      assert.equal(written.code, 1, written.stdout);
      disk.empty();
    }
    assert.equal(minion.child.exitCode, null);
    assert.equal(lines(minion, /runs without its file, .* cannot be written: no room is left/).length, 1);
    assert.equal(lines(minion, /it waits in memory only/).length, 1);
    const path = fleet.path('web', 'cache', 'again');
    await fleet.salt(['web', 'file.write', path, 'text']);
    assert.equal(readFileSync(path, 'utf8'), 'text\n');
  },
);
