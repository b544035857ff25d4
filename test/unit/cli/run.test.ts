/** `salt-run` without a master against recorded runs of Salt 3006.16. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { runSaltRun } from '../../../src/cli/run/salt-run.ts';
import { SqliteJobStore } from '../../../src/storage/jobs/sqlite-store.ts';
import { dict, type Value } from '../../../src/python/values/value.ts';
import { recordedIo } from '../../support/command-io.ts';

interface Recorded {
  readonly argv: readonly string[];
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const FIXTURES = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/runners');
const read = <T>(name: string): T => JSON.parse(readFileSync(join(FIXTURES, name), 'utf8')) as T;

/** A master's folder, removed with the test. */
function masterFolder(t: TestContext, options: readonly string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), 'brine-run-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const places = ['pki_dir: /pki', 'cachedir: /cache', 'sock_dir: /s', 'log_file: /log'];
  const fixed = ['id: vm_master', `root_dir: ${folder}`, 'ret_port: 21001', 'file_roots: {base: [ROOT/srv]}'];
  writeFileSync(join(folder, 'master'), [...fixed, ...places, ...options, ''].join('\n'));
  return folder;
}

async function run(
  folder: string,
  argv: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const io = recordedIo('');
  const code = await runSaltRun(['-c', folder, ...argv], io);
  return { code, ...io.written };
}

function comparable(text: string): string {
  const usage = /^(\nPassed invalid.*\n\nUsage:)/.exec(text)?.[1] ?? text;
  return usage.replaceAll(/\d{20}/g, 'JID');
}

test('salt-run - does as Salt 3006.16 in every recorded run', async (t) => {
  const folder = masterFolder(t);
  for (const { argv, code, stdout, stderr } of read<Recorded[]>('salt-run-3006.16.json')) {
    const got = await run(folder, ['--exit-codes=salt', ...argv]);
    const words = argv.join(' ');
    // Salt ends with 0 when there is no such function, and when it does not take the arguments
    const isRefused = /is not available\.|^\nPassed invalid arguments/m.test(stdout) && code === 0;
    assert.equal(got.code, isRefused ? 1 : code, words);
    // nor does it say that a module is its own
    const told = comparable(got.stdout).replace(/ here: Brine does not have Salt's runner module \w+\./, '.');
    assert.equal(told, stdout, words);
    // what is not in Salt: lines about a job that is not known, and about nothing to sync
    const ours = comparable(got.stderr).replaceAll(
      /^\[WARNING \] No (job JID is known;|files to sync:).*\n/gm,
      '',
    );
    assert.equal(ours.replaceAll(/^(Hint: |ERROR: There is no documentation of ).*\n/gm, ''), stderr, words);
  }
});

test('salt-run - what was to be forgotten and is not there is said, as the answer is True all the same', async (t) => {
  const folder = masterFolder(t);
  for (const words of [
    ['cache.clear_mine', 'nobody'],
    ['cache.clear_grains', 'nobody'],
    ['cache.clear_all', 'nobody'],
    ['cache.clear_mine_func', 'nobody', 'clear_mine_func_flag=test.ping'],
  ]) {
    const got = await run(folder, words);
    assert.deepEqual([got.code, got.stdout], [2, 'True\n'], words[0]);
    assert.match(
      got.stderr,
      new RegExp(`${words[0]}: the target 'nobody' matches no minion; nothing was forgotten`),
    );
  }
});

test('salt-run - what ends with another code than 0 and has nothing to show says so', async (t) => {
  const folder = masterFolder(t);
  for (const words of [
    ['mine.get', 'nobody', 'test.ping'],
    ['cache.grains', 'nobody'],
    ['cache.mine', 'nobody'],
    ['cache.fetch', 'a', 'b'],
    ['queue.pop', 'q'],
  ]) {
    const got = await run(folder, words);
    assert.notEqual(got.code, 0, words[0]);
    assert.equal(got.stderr, `${words[0]} has nothing to show: there is nothing of what was asked for.\n`);
    assert.equal((await run(folder, ['--quiet', ...words])).stderr, '');
    assert.equal((await run(folder, ['--exit-codes=salt', ...words])).stderr, '');
  }
});

test('salt-run - what was asked for and not done is not 0; an answer of nothing is', async (t) => {
  const folder = masterFolder(t);
  const jid = '20200101000000000000';
  const codes: readonly [number, ...string[]][] = [
    [2, 'jobs.lookup_jid', jid],
    [1, 'jobs.list_job', jid],
    [1, 'jobs.print_job', jid],
    [2, 'jobs.exit_success', jid],
    [1, 'jobs.last_run', 'function=no.such'],
    [0, 'jobs.list_jobs', 'search_function=no.such'],
    [2, 'cache.grains', 'nobody'],
    [2, 'cache.pillar', 'nobody'],
    [2, 'cache.mine', 'nobody'],
    [2, 'cache.clear_all', 'nobody'],
    [1, 'cache.clear_all'],
    [1, 'cache.fetch', 'bank', 'key'],
    [0, 'cache.list', 'bank'],
    [1, 'mine.get', 'nobody', 'test.ping'],
    [1, 'queue.pop', 'q'],
    [0, 'queue.list_items', 'q'],
    [1, 'sdb.get', 'sdb://nosuch/key'],
    [0, 'sdb.get', 'plain'],
    [1, 'sdb.set', 'sdb://nosuch/key', 'x'],
    [1, 'http.query', 'http://127.0.0.1:1/'],
    [1, 'auth.del_token', '0123'],
    [0, 'config.get', 'nosuch'],
    [1, 'salt.cmd', 'cp.get_file_str', 'salt://nosuch'],
    [0, 'salt.cmd', 'file.file_exists', '/nosuch'],
  ];
  for (const [code, ...argv] of codes) {
    const got = await run(folder, argv);
    assert.equal(got.code, code, `${argv.join(' ')}: ${got.stdout}${got.stderr}`);
    const asSalt = await run(folder, ['--exit-codes=salt', ...argv]);
    assert.deepEqual([asSalt.code, asSalt.stdout], [0, got.stdout], argv.join(' '));
  }
});

test('salt-run - a job that is not known, and nothing to sync, are said on standard error alone', async (t) => {
  const folder = masterFolder(t);
  const job = await run(folder, ['jobs.lookup_jid', '20200101000000000000', '--out', 'json']);
  assert.deepEqual([job.code, job.stdout], [2, '{}\n']);
  assert.match(job.stderr, /No job 20200101000000000000 is known; /);
  const sync = await run(folder, ['saltutil.sync_modules', '--out', 'json']);
  assert.deepEqual([sync.code, sync.stdout], [0, '[]\n']);
  assert.match(sync.stderr, /No files to sync: salt:\/\/_modules is in no folder of file_roots of base\./);
  // proxymodules lie in a folder of another name
  const config = join(folder, 'master');
  writeFileSync(config, readFileSync(config, 'utf8').replace('ROOT', folder));
  mkdirSync(join(folder, 'srv', '_proxy'), { recursive: true });
  writeFileSync(join(folder, 'srv', '_proxy', 'px.py'), '');
  const proxies = await run(folder, ['saltutil.sync_proxymodules', '--out', 'json']);
  assert.equal(proxies.stdout, '[\n    "proxy.px"\n]\n');
});

const JIDS = [1, 2, 3, 4, 5, 6].map((n) => `2026112109330000000${n}`);

/** The jobs of the recording. */
async function recordedJobs(folder: string): Promise<void> {
  const store = new SqliteJobStore({ directory: join(folder, 'cache', 'job_cache') });
  const save = async (
    n: number,
    fun: Value,
    arg: Value[],
    tgt: Value,
    tgtType: string,
    minions: string[],
  ): Promise<void> => {
    const jid = JIDS[n - 1] as string;
    await store.saveJob(jid, dict({ jid, fun, arg, tgt, tgt_type: tgtType, user: 'root' }), minions);
  };
  const ret = async (n: number, id: string, fun: string, value: Value, more: object = {}): Promise<void> => {
    await store.saveReturn({
      jid: JIDS[n - 1] as string,
      id,
      fun,
      return: value,
      retcode: 0,
      success: true,
      ...more,
    });
  };
  const keywords = dict({ __kwarg__: true, b: 2 });
  await save(1, 'test.ping', [], '*', 'glob', ['m1', 'm2']);
  await save(3, 'test.arg', [1, keywords], ['m1', 'm2', 'm9'], 'list', ['m1', 'm2']);
  await save(4, ['test.ping', 'test.echo'], [[], ['hi']], '*', 'glob', ['m1', 'm2']);
  await save(5, 'test.false', [], 'm1 or G@os:Debian', 'compound', ['m1', 'm2']);
  await save(6, 'nope.nope', [], 'm1', 'glob', ['m1']);
  for (const id of ['m1', 'm2']) {
    await ret(1, id, 'test.ping', true);
    const kwargs = dict({
      b: 2,
      __pub_fun: 'test.arg',
      __pub_arg: [1, keywords],
      __pub_tgt: ['m1', 'm2', 'm9'],
      __pub_jid: JIDS[2],
      __pub_ret: '',
      __pub_tgt_type: 'list',
      __pub_user: 'root',
    });
    await ret(3, id, 'test.arg', dict({ args: [1], kwargs }));
    await ret(4, id, 'test.ping,test.echo', dict({ 'test.ping': true, 'test.echo': 'hi' }));
    await ret(5, id, 'test.false', false);
  }
  await ret(6, 'm1', 'nope.nope', "'nope.nope' is not available.", {
    retcode: 1,
    success: false,
    out: 'nested',
  });
  await store.close();
}

interface RecordedJob {
  readonly words: readonly string[];
  readonly stdout: string;
  readonly code: number;
}

for (const { words, stdout, code } of read<RecordedJob[]>('jobs-3006.16.json')) {
  if (words.includes('display_progress=True')) continue; // the order of minions is the file system's there
  test(`salt-run - ${words.join(' ')} shows the recorded job`, async (t) => {
    const folder = masterFolder(t);
    await recordedJobs(folder);
    const got = await run(
      folder,
      words.map((word) => word.replace(/^JID(\d)$/, (_, n) => JIDS[Number(n) - 1] as string)),
    );
    const shown = JIDS.reduce((text, jid, index) => text.replaceAll(jid, `JID${index + 1}`), got.stdout);
    assert.equal(shown.replaceAll(/\d{4}, \w{3} \d\d [\d:.]+/g, 'TIME'), stdout);
    assert.equal(got.code, code);
    assert.equal(got.stderr, '');
  });
}

test('salt-run - a run without a master is in the job cache, with its return', async (t) => {
  const folder = masterFolder(t);
  await run(folder, ['--jid', '20261121093000000000', 'test.arg', 'a', 'b=1']);
  const { stdout } = await run(folder, ['--out', 'json', 'jobs.list_job', '20261121093000000000']);
  const job = JSON.parse(stdout) as Record<string, unknown>;
  assert.equal(job['Function'], 'runner.test.arg');
  assert.deepEqual([job['Target'], job['Target-type'], job['Arguments']], ['vm_master', 'list', []]);
  const { return: data } = (job['Result'] as Record<string, { return: Record<string, unknown> }>)[
    'vm_master'
  ] as {
    return: Record<string, unknown>;
  };
  assert.deepEqual(data['fun_args'], ['a', { b: 1 }]);
  assert.deepEqual([data['success'], data['return']], [true, { args: ['a'], kwargs: { b: 1 } }]);
});

test('salt-run - runner_returns: False keeps runs out of the job cache', async (t) => {
  const folder = masterFolder(t, ['runner_returns: False']);
  await run(folder, ['test.arg']);
  assert.equal((await run(folder, ['jobs.list_jobs'])).stdout, '');
});

test('salt-run - a failed run ends with 1, and its message is the return', async (t) => {
  const folder = masterFolder(t);
  const { code, stdout } = await run(folder, ['manage.up']);
  assert.equal(code, 1);
  assert.equal(stdout, 'The salt master could not be contacted. Is master running?\n');
});

test('salt-run - pillar is made as a minion of that name and grains would get it', async (t) => {
  const roots = mkdtempSync(join(tmpdir(), 'brine-run-'));
  t.after(() => rmSync(roots, { recursive: true, force: true }));
  writeFileSync(join(roots, 'top.sls'), "base:\n  'os:Plan9':\n    - match: grain\n    - one\n");
  writeFileSync(join(roots, 'one.sls'), 'id: {{ opts.id }}\n');
  const folder = masterFolder(t, [`pillar_roots: {base: [${roots}]}`]);
  const json = async (...words: string[]): Promise<unknown> =>
    JSON.parse((await run(folder, ['--out', 'json', ...words])).stdout);
  assert.deepEqual(await json('pillar.show_pillar', 'web1', 'os=Plan9'), { id: 'web1' });
  assert.deepEqual(await json('pillar.show_pillar', 'web1'), {});
  assert.deepEqual(await json('pillar.show_top'), { base: { 'os:Plan9': [{ match: 'grain' }, 'one'] } });
  assert.equal(await json('pillar.show_pillar_cache'), false);
});

test('salt-run - a retcode in what a runner returns is the exit code', async (t) => {
  const folder = masterFolder(t);
  assert.equal((await run(folder, ['cache.store', 'b', 'k', '{retcode: 3}'])).code, 0);
  assert.equal((await run(folder, ['cache.fetch', 'b', 'k'])).code, 3);
  await run(folder, ['cache.store', 'b', 'k', '{data: {retcode: 2}, outputter: json}']);
  const wrapped = await run(folder, ['cache.fetch', 'b', 'k']);
  assert.equal(wrapped.code, 2);
  assert.equal(wrapped.stdout, '{\n    "retcode": 2\n}\n');
});

test('salt-run - -d and an unknown function show documentation', async (t) => {
  const folder = masterFolder(t);
  const { stdout, code } = await run(folder, ['-d', 'event']);
  assert.equal(code, 0);
  assert.match(stdout, /^event\.send:\n\n {4}Fires an event/);
  const all = await run(folder, ['-d']);
  assert.match(all.stdout, /^auth\.can:\n/);
  assert.match(all.stdout, /\ntest\.stream:\n/);
  const file = join(folder, 'docs');
  assert.equal((await run(folder, ['-d', 'event', '--out-file', file])).stdout, '');
  assert.match(readFileSync(file, 'utf8'), /^event\.send:\n/);
  const asJson = await run(folder, ['-d', 'event', '--out=json']);
  assert.deepEqual(Object.keys(JSON.parse(asJson.stdout) as object), ['event.send']);
  assert.match(
    (await run(folder, ['-d', 'event', '-T'])).stderr,
    /--doc cannot be combined with --make-token/,
  );
  const none = await run(folder, []);
  assert.deepEqual(none, {
    code: 64,
    stdout: '',
    stderr:
      'Must specify a function to run!\nUsage: salt-run [options] <function> [arguments]\n' +
      'Example: salt-run manage.status\nAll options: salt-run --help\n',
  });
  const undocumented = await run(folder, ['-d', 'evnt.send']);
  assert.equal(undocumented.code, 1);
  assert.match(
    undocumented.stderr,
    /^ERROR: There is no documentation of 'evnt\.send'\. Did you mean 'event\.send'/,
  );
  assert.equal((await run(folder, ['--exit-codes=salt', '-d', 'evnt.send'])).code, 0);
  const typo = await run(folder, ['manage.stats']);
  assert.match(typo.stderr, /^Hint: there is no 'manage\.stats'\. Did you mean 'manage\.status'\?\n$/);
  const invalid = await run(folder, ['jobs.list_jobs', 'bogus=1']);
  assert.match(invalid.stdout, /^jobs\.list_jobs:\n/);
  assert.equal(invalid.code, 1);
});

test('salt-run - a function that is not there ends with an error, and one of Salt is named as such', async (t) => {
  const folder = masterFolder(t);
  for (const [words, said] of [
    [['nope.nope'], "'nope.nope' is not available."],
    [['auth.nope'], "'auth.nope' is not available."],
    [
      ['net.find', 'x'],
      "'net.find' is not available here: Brine does not have Salt's runner module net. It asks network devices through NAPALM; network.* is what wakes and reaches machines.",
    ],
    [
      ['venafi.gen_key', 'x'],
      "'venafi.gen_key' is not available here: Brine does not have Salt's runner module venafi.",
    ],
    [
      ['manage.bootstrap'],
      "'manage.bootstrap' is not available here: Brine does not have this runner of Salt.",
    ],
    [
      ['salt.cmd', 'zenoss.monitored'],
      "'zenoss.monitored' is not available here: Brine does not have Salt's module zenoss; where a Salt is installed it is there with salt_python: True.",
    ],
    [['salt.cmd', 'nope.nope'], "'nope.nope' is not available."],
  ] as const) {
    const { code, stdout } = await run(folder, [...words]);
    assert.equal(stdout.trim(), said);
    assert.equal(code, 1, said);
  }
});
