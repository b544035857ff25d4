/** `salt-call --local` against recorded runs of Salt 3006.16, and what it does beside printing. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { runSaltCall } from '../../../src/cli/call/salt-call.ts';
import { isDict } from '../../../src/python/values/value.ts';
import { decode } from '../../../src/formats/wire/msgpack.ts';
import { recordedIo } from '../../support/command-io.ts';

/** One recorded command. Streams that are left out are not compared: documentation is our own. */
interface Recorded {
  readonly argv: readonly string[];
  readonly code: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

const FIXTURE = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/cli/salt-call-3006.16.json');
const recorded = JSON.parse(readFileSync(FIXTURE, 'utf8')) as Recorded[];

/** A minion's folder, removed with the test. */
function minionFolder(t: TestContext, options: readonly string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), 'brine-call-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const places = ['pki_dir: /pki', 'cachedir: /cache', 'sock_dir: /s', 'log_file: /log', 'pidfile: /pid'];
  const fixed = [
    'id: m1',
    'master: 127.0.0.1',
    `root_dir: ${folder}`,
    'enable_fqdns_grains: False',
    'enable_gpu_grains: False',
  ];
  writeFileSync(join(folder, 'minion'), [...fixed, ...places, ...options, ''].join('\n'));
  return folder;
}

async function call(
  folder: string,
  argv: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const io = recordedIo('');
  const code = await runSaltCall(['-c', folder, ...argv], io, { grainsScript: '/nonexistent' });
  return { code, ...io.written };
}

function comparable(text: string, folder: string): string {
  return text
    .replaceAll(/\d{20}/g, 'JID')
    .replaceAll(/(__pub_pid(?:": |: |:\n\s+))\d+/g, '$1PID')
    .replaceAll(folder, 'ROOT');
}

for (const { argv, code, stdout, stderr } of recorded) {
  if (argv.includes('--master')) continue; // --local and --master are refused together
  test(`salt-call - ${argv.join(' ')} does as Salt 3006.16`, async (t) => {
    const folder = minionFolder(t);
    const got = await call(folder, ['--exit-codes=salt', '--local', ...argv]);
    assert.equal(got.code, code, got.stderr);
    if (stdout !== undefined) assert.equal(comparable(got.stdout, folder), stdout);
    // Salt has no hints
    const said = comparable(got.stderr, folder).replace(/Hint: there is no '.*\n$/, '');
    if (stderr !== undefined) assert.equal(said, stderr);
  });
}

test('salt-call - a function with unfit arguments shows its own documentation', async (t) => {
  const { code, stdout, stderr } = await call(minionFolder(t), ['--local', 'test.echo']);
  assert.equal(code, 1);
  assert.equal(
    stderr,
    "\nPassed invalid arguments: echo() missing 1 required positional argument: 'text'.\n\nUsage:\n",
  );
  assert.match(stdout, /^\n {4}\S.*CLI Example:/s);
});

test('salt-call - a name that begins others gives their documentation and code 1', async (t) => {
  const { code, stdout } = await call(minionFolder(t), ['--local', 'test.pi']);
  assert.equal(code, 1);
  assert.match(
    stdout,
    /^local:\n {4}-{10}\n {4}test\.pi:\n {8}'test\.pi' is not available\.\n {4}test\.ping:/,
  );
});

test('salt-call - -d prints documentation of a module or a function', async (t) => {
  const folder = minionFolder(t);
  const one = await call(folder, ['--local', '-d', 'test.ping']);
  assert.equal(one.code, 0);
  assert.match(one.stdout, /^test\.ping:\n\n {4}\S/);
  const file = join(folder, 'docs');
  assert.equal((await call(folder, ['--local', '-d', 'event', '--out-file', file])).stdout, '');
  assert.match(readFileSync(file, 'utf8'), /event\.fire_master:/);
  const asJson = await call(folder, ['--local', '-d', 'event', '--out=json']);
  const names = ['event.fire', 'event.fire_master', 'event.send'];
  assert.deepEqual(Object.keys(JSON.parse(asJson.stdout) as object), names);
  for (const [one, other] of [
    ['--doc', '--return=local'],
    ['--grains', '--metadata'],
  ] as const) {
    const { code, stderr } = await call(folder, ['--local', one, other]);
    assert.equal(code, 64);
    assert.ok(stderr.includes(`option ${one} cannot be combined with ${other.replace(/=.*/, '')}`), stderr);
  }
  const module = await call(folder, ['--local', '-d', 'event']);
  assert.deepEqual(module.stdout.match(/^event\.\w+:$/gm), [
    'event.fire:',
    'event.fire_master:',
    'event.send:',
  ]);
});

test('salt-call - --cachedir moves the synced modules along, unless they have a place of their own (salt issue 66742)', async (t) => {
  const asked = async (folder: string, ...more: string[]): Promise<unknown[]> => {
    const values: unknown[] = [];
    for (const name of ['cachedir', 'extension_modules', 'utils_dirs']) {
      const { stdout } = await call(folder, ['--local', '--out=json', ...more, 'config.get', name]);
      values.push((JSON.parse(stdout) as { local: unknown }).local);
    }
    return values;
  };
  const folder = minionFolder(t);
  const minion = join(folder, 'minion');
  writeFileSync(minion, readFileSync(minion, 'utf8').replace('cachedir: /cache\n', ''));
  const [cache, ext] = await asked(folder);
  assert.equal(ext, `${String(cache)}/extmods`);
  const other = join(folder, 'other');
  assert.deepEqual((await asked(folder, `--cachedir=${other}`)).slice(0, 2), [other, `${other}/extmods`]);
  const own = minionFolder(t, ['extension_modules: /ext']);
  const [, kept] = await asked(own, `--cachedir=${other}`);
  assert.equal(kept, join(own, 'ext'));
});

test('salt-call - -g shows the grains, and --skip-grains none', async (t) => {
  const folder = minionFolder(t, ['grains: {role: web}']);
  const all = await call(folder, ['--local', '--out', 'json', '-g']);
  const { local } = JSON.parse(all.stdout) as { local: Record<string, unknown> };
  assert.equal(local['role'], 'web');
  assert.equal(local['id'], 'm1');
  const none = await call(folder, ['--local', '--out', 'json', '--skip-grains', 'grains.items']);
  assert.deepEqual(JSON.parse(none.stdout), { local: {} });
});

test('salt-call - the proc file is there while the function runs, and gone afterwards', async (t) => {
  const folder = minionFolder(t);
  const listing = await call(folder, ['--local', '--out', 'json', 'cmd.run', `ls ${folder}/cache/proc`]);
  assert.match((JSON.parse(listing.stdout) as { local: string }).local, /^\d{20}$/);
  assert.deepEqual(readdirSync(join(folder, 'cache', 'proc')), []);
});

test('salt-call - cache_jobs keeps the return', async (t) => {
  const folder = minionFolder(t, ['cache_jobs: True']);
  await call(folder, ['--local', '--set-metadata', '{ticket: 7}', 'test.echo', 'hi']);
  const jobs = join(folder, 'cache', 'minion_jobs');
  const [jid] = readdirSync(jobs);
  const kept = decode(readFileSync(join(jobs, jid as string, 'return.p')), 'local');
  assert.ok(isDict(kept));
  assert.deepEqual(
    [kept.get('fun'), kept.get('return'), kept.get('fun_args'), kept.get('metadata')],
    ['test.echo', 'hi', ['hi'], new Map([['ticket', 7]])],
  );
});

test('salt-call - what is not there yet is said, and does not stop the rest', async (t) => {
  const folder = minionFolder(t);
  const returner = await call(folder, ['--local', '--return', 'carbon,pigeon', 'test.ping']);
  assert.equal(returner.code, 1);
  assert.equal(returner.stdout, 'local:\n    True\n');
  assert.match(
    returner.stderr,
    /Returner carbon\.returner could not be loaded.*\n.*Returner pigeon\.returner could not be loaded/,
  );
  const modules = await call(folder, ['--local', '-m', '/srv/mods', 'test.ping']);
  assert.deepEqual([modules.code, modules.stderr], [0, '']);
  const proxy = await call(folder, ['--proxyid', 'p1', 'test.ping']);
  assert.equal(proxy.code, 64);
  assert.match(proxy.stderr, /option --proxyid is not served: there are no proxy minions/);
  assert.doesNotMatch((await call(folder, ['--help'])).stdout, /proxyid/);
});

test('salt-call - a function that is not there is answered with one that may have been meant', async (t) => {
  const folder = minionFolder(t);
  const near = await call(folder, ['--local', 'test.pnig']);
  assert.equal(
    near.stderr,
    "'test.pnig' is not available.\nHint: there is no 'test.pnig'. Did you mean 'test.ping'?\n",
  );
  assert.deepEqual([near.code, near.stdout], [255, '']);
  const far = await call(folder, ['--local', 'qqqq.zzzz']);
  assert.equal(far.stderr, "'qqqq.zzzz' is not available.\n");
});

test('salt-call - --local makes no keys and no connection', async (t) => {
  const folder = minionFolder(t);
  assert.equal((await call(folder, ['--local', 'test.ping'])).code, 0);
  assert.equal(existsSync(join(folder, 'pki')), false);
});

test('salt-call - a master that does not answer is named, with what to look at', async (t) => {
  const folder = minionFolder(t, ['master_port: 1', 'auth_timeout: 1', 'auth_tries: 1', 'keysize: 2048']);
  const { code, stdout, stderr } = await call(folder, ['test.ping']);
  assert.equal(code, 1);
  assert.equal(stdout, '');
  assert.match(stderr, /master at 127\.0\.0\.1:1 did not answer.*Is it running/);
  assert.match(
    stderr,
    /\nUnable to sign_in to master: Attempt to authenticate .* failed with timeout error\n$/,
  );
});

test('salt-call - a file that has no folder to be put into names the folder, from wherever it comes', async (t) => {
  const folder = minionFolder(t);
  const place = join(folder, 'none', 'there');
  const roots = join(folder, 'served');
  mkdirSync(roots);
  writeFileSync(join(roots, 'a'), 'text');
  for (const url of ['salt://a', 'http://127.0.0.1:1/a']) {
    const { code, stderr } = await call(folder, [
      '--local',
      `--file-root=${roots}`,
      'cp.get_url',
      url,
      place,
    ]);
    assert.equal(code, 1);
    assert.ok(
      stderr.includes(`'${url}' is not written: there is no folder '${join(folder, 'none')}'`),
      stderr,
    );
  }
});

test('salt-call - what was asked for and not done is not 0; an answer of no is', async (t) => {
  const folder = minionFolder(t);
  const place = join(folder, 'there');
  const codes: readonly [number, ...string[]][] = [
    [1, 'cp.get_file', 'salt://nosuch', place],
    [1, 'cp.get_url', 'salt://nosuch', place],
    [1, 'cp.cache_file', 'salt://nosuch'],
    [1, 'cp.cache_files', 'salt://nosuch,salt://neither'],
    [1, 'cp.get_dir', 'salt://nosuch', place],
    [1, 'cp.get_file_str', 'salt://nosuch'],
    [1, 'cp.get_template', 'salt://nosuch', place],
    [1, 'http.query', 'http://127.0.0.1:1/'],
    [1, 'sdb.get', 'sdb://nosuch/key'],
    [1, 'event.send', 'a/tag'],
    [1, 'saltutil.kill_job', '20200101000000000000'],
    [0, 'saltutil.find_job', '20200101000000000000'],
    [0, 'cp.is_cached', 'salt://nosuch'],
    [0, 'file.file_exists', '/nosuch'],
    [0, 'config.get', 'nosuch'],
    [0, 'pillar.get', 'nosuch'],
    [0, 'test.false'],
  ];
  for (const [code, ...argv] of codes) {
    const got = await call(folder, ['--local', ...argv]);
    assert.equal(got.code, code, `${argv.join(' ')}: ${got.stdout}${got.stderr}`);
    const asSalt = await call(folder, ['--local', '--exit-codes=salt', ...argv]);
    assert.deepEqual([asSalt.code, asSalt.stdout], [0, got.stdout], argv.join(' '));
  }
});

test('salt-call - saltutil.sync_all has the keys of Salt, and what is not loaded is in the log', async (t) => {
  const folder = minionFolder(t, ['file_roots: {base: [/srv]}']);
  const config = join(folder, 'minion');
  writeFileSync(config, readFileSync(config, 'utf8').replace('[/srv]', `[${folder}/srv]`));
  mkdirSync(join(folder, 'srv/_thorium'), { recursive: true });
  writeFileSync(join(folder, 'srv/_thorium/old.py'), 'def go():\n    return {}\n');
  // as Salt 3006.16 answers without a master
  const kinds =
    'clouds beacons modules states sdb grains renderers returners output utils log_handlers executors proxymodules engines ' +
    'thorium serializers matchers pillar';
  for (const thorium of [['thorium.old'], []]) {
    const got = await call(folder, ['--local', '--out=json', 'saltutil.sync_all']);
    assert.equal(got.code, 0, got.stderr);
    const { local } = JSON.parse(got.stdout) as { local: Record<string, string[]> };
    assert.deepEqual(Object.keys(local).sort(), kinds.split(' ').sort());
    assert.deepEqual(local['thorium'], thorium);
    assert.match(got.stderr, /thorium\.old (was synced|is here) and is not loaded: /);
  }
});

test('salt-call - -d shows functions that have documentation, and says of others that there is none', async (t) => {
  const folder = minionFolder(t);
  mkdirSync(join(folder, 'own'));
  const lines = [
    'def bare(a):',
    '    return a',
    '',
    'def told(a):',
    '    "Has a docstring."',
    '    return a',
    '',
  ];
  writeFileSync(join(folder, 'own/mine1.py'), lines.join('\n'));
  const docs = (word: string) => call(folder, ['--local', '-m', join(folder, 'own'), '-d', word]);
  const module = await docs('mine1');
  assert.deepEqual([module.code, module.stdout], [0, 'mine1.told:\nHas a docstring.\n\n'], module.stderr);
  const bare = await docs('mine1.bare');
  assert.deepEqual([bare.code, bare.stdout], [1, '']);
  assert.match(bare.stderr, /There is no documentation of 'mine1\.bare'/);
});

test('salt-call - roots and folders of states may be given several times, and with wildcards', async (t) => {
  const folder = minionFolder(t);
  for (const [path, text] of [
    ['one/a', 'first'],
    ['two/a', 'second'],
    ['two/b', 'second'],
    ['pillar/top.sls', 'base: {"*": [p]}'],
    ['more/p.sls', 'from: more'],
  ] as const) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const roots = ['one', 'two'].map((name) => `--file-root=${join(folder, name)}`);
  for (const [given, file, text] of [
    [roots, 'a', 'first'],
    [roots, 'b', 'second'],
    [[`--file-root=${join(folder, '*o')}`], 'b', 'second'],
  ] as const) {
    const got = await call(folder, ['--local', ...given, '--out=json', 'cp.get_file_str', `salt://${file}`]);
    assert.deepEqual(JSON.parse(got.stdout), { local: text });
  }
  const pillar = ['pillar', 'more'].map((name) => `--pillar-root=${join(folder, name)}`);
  const got = await call(folder, ['--local', ...pillar, '--out=json', 'pillar.get', 'from']);
  assert.deepEqual(JSON.parse(got.stdout), { local: 'more' });
  const states = ['one', 'two'].map((name) => `--states-dir=${join(folder, name)}`);
  const dirs = await call(folder, ['--local', ...states, '--out=json', 'config.get', 'states_dirs']);
  assert.deepEqual(JSON.parse(dirs.stdout), { local: [join(folder, 'one'), join(folder, 'two')] });
});

test('salt-call - a root that would not be looked at is refused', async (t) => {
  const folder = minionFolder(t);
  for (const option of ['--file-root', '--pillar-root']) {
    const refused = await call(folder, [`${option}=${folder}`, 'test.ping']);
    assert.equal(refused.code, 64);
    assert.match(refused.stderr, new RegExp(`option ${option} needs --local, or file_client: local`));
    assert.equal((await call(folder, ['--local', `${option}=${folder}`, 'test.ping'])).code, 0);
  }
  const masterless = minionFolder(t, ['file_client: local']);
  assert.equal((await call(masterless, [`--file-root=${masterless}`, 'test.ping'])).code, 0);
});

test('salt-call - an option for the master says that it does nothing where none is asked', async (t) => {
  const folder = minionFolder(t);
  const masterless = minionFolder(t, ['file_client: local']);
  for (const [where, words, option] of [
    [folder, ['--local', '-t', '5'], '--timeout'],
    [folder, ['--local', '--no-return-event'], '--no-return-event'],
    [folder, ['--local', '-t', '5', '-d'], '--timeout'],
    [masterless, ['--timeout=5'], '--timeout'],
    [masterless, ['--master=127.0.0.1'], '--master'],
  ] as const) {
    const { code, stderr } = await call(where, [...words, 'test.ping']);
    assert.equal(code, 0);
    assert.match(stderr, new RegExp(`^salt-call: ${option} has no effect: this call asks no master`, 'm'));
  }
  assert.doesNotMatch((await call(folder, ['--local', 'test.ping'])).stderr, /has no effect/);
});
