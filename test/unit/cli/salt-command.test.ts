import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { InterruptHandler } from '../../../src/cli/salt/interrupt.ts';
import { functionHint, functionNames, namedIds } from '../../../src/cli/salt/hints.ts';
import { ProgressBar } from '../../../src/cli/salt/progress-bar.ts';
import { readSaltRequest, unreadKwargs, withoutNodegroups } from '../../../src/cli/salt/request.ts';
import { PLAIN_OUTPUTTERS } from '../../../src/cli/options/rules.ts';
import { runSalt } from '../../../src/cli/salt/salt.ts';
import { chooseSubset } from '../../../src/cli/salt/subset.ts';
import { noPublisher, sayNoMinions, type SaltRun } from '../../../src/cli/salt/context.ts';
import { NoMinionsError } from '../../../src/runtime/client/errors.ts';
import { Display, OutputFileError } from '../../../src/cli/terminal/display.ts';
import { outputOptions } from '../../../src/plugins/outputters/options.ts';
import { OUTPUTTER_NAMES, displayOutput } from '../../../src/plugins/outputters/registry.ts';
import { silentLogger } from '../../../src/host/log.ts';
import { ExitCodes } from '../../../src/cli/program/exit-codes.ts';
import { systemRandom } from '../../../src/host/random.ts';
import { dict, type Dict, type Value } from '../../../src/python/values/value.ts';
import { recordedIo } from '../../support/command-io.ts';
import { FakeMaster, JumpingClock, patience } from '../runtime/client/fake-master.ts';

const root = mkdtempSync(join(tmpdir(), 'brine-salt-'));
after(() => rmSync(root, { recursive: true, force: true }));
mkdirSync(join(root, 'm'));
writeFileSync(
  join(root, 'm', 'master'),
  [
    `root_dir: ${root}`,
    'sock_dir: run',
    'cachedir: cache',
    'pki_dir: pki',
    'nodegroups: {webs: "web1 web2"}',
    'default_include: none/*',
  ].join('\n'),
);

/** Runs the command on a configuration without a master. */
async function salt(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const io = recordedIo('');
  const code = await runSalt(['-c', join(root, 'm'), ...args], io);
  return { code, ...io.written };
}

test('salt - an incomplete command line: what is missing first, and three lines', async () => {
  const usage =
    "Usage: salt [options] '<target>' <function> [arguments]\nExample: salt 'web*' test.ping\nAll options: salt --help\n";
  assert.deepEqual(await salt(), {
    code: 42,
    stdout: '',
    stderr: `Cannot execute command without defining a target.\n${usage}`,
  });
  const one = { code: 42, stdout: '', stderr: `Incomplete options passed.\n${usage}` };
  assert.deepEqual(await salt('web1'), one);
  assert.deepEqual(await salt('--preview-target'), one);
  const more = await salt('web1', 'test.echo,test.echo', 'a,b,c');
  assert.match(more.stderr, /^Cannot execute compound command with more arguments than commands\.\nUsage: /);
  assert.equal(more.code, 42);
});

test('salt - options that are refused', async () => {
  const refused = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await salt(...args);
    assert.equal(code, 64);
    return /error: (.*)\n$/.exec(stderr)?.[1] ?? stderr;
  };
  assert.match(await refused('x', 'test.ping', '--abort-on', '1'), /^option --abort-on needs --canary/);
  assert.match(
    await refused('x', 'test.ping', '--canary', '1', '-b', '1'),
    /^option --canary cannot be combined with --batch/,
  );
  // whether the master runs or not
  for (const name of ['--username=alice', '--password=x'])
    assert.match(await refused('x', 'test.ping', name), /^option --(username|password) needs --eauth/);
  assert.match(await refused('x', 'test.ping', '-T'), /^option --make-token needs --eauth/);
  assert.match(await refused('x', 'test.ping', '-a', 'pma'), /"pma" is not available\. Did you mean 'pam'\?/);
  for (const batch of ['--batch=1', '--batch-safe-limit=5'])
    assert.match(
      await refused('x', 'test.ping', '--async', batch),
      /^option --async cannot be combined with --batch\S*: .*the next minions of a batch/,
    );
  for (const [one, other] of [
    ['--preview-target', '--subset=1'],
    ['--config-dump', '--preview-target'],
    ['--config-dump', '--list'],
    ['--config-dump', '--batch=1'],
    ...[
      '--out=json',
      '--out-indent=2',
      '--out-file=/x',
      '--force-color',
      '--state-output=terse',
      '--delimiter=|',
    ].map((option) => ['--config-dump', option] as const),
    ['--async', '--hide-timeout'],
    ['--batch=1', '--batch-safe-limit=2'],
  ] as const) {
    const said = await refused(...(one === '--config-dump' ? [] : ['x', 'test.ping']), one, other);
    const name = (option: string): string => option.replace(/=.*/, '');
    assert.ok(said.startsWith(`option ${name(one)} cannot be combined with ${name(other)}: `), said);
  }
  assert.match(await refused('--config-dump', 'x', 'test.ping'), /'x test\.ping' was not run/);
  assert.match(await refused('x', 'test.ping', '--exit-codes', 'odd'), /invalid choice: 'odd'/);
  assert.match(await refused('-d', '*', 'a', 'b'), /^You can only get documentation for one method/);
});

test('salt - what does nothing beside the others is said', async () => {
  const said = async (...args: string[]): Promise<string> =>
    (await salt('x', 'test.ping', '-l', 'quiet', ...args)).stderr;
  assert.match(
    await said('--out=json', '--force-color'),
    /^salt: --force-color has no effect with --out json: what it writes has no colours\.$/m,
  );
  assert.match(
    await said('--log-file-level', 'debug'),
    /^salt: --log-file-level has no effect without --log-file\.$/m,
  );
  for (const served of [['--out=nested', '--force-color'], ['--force-color'], ['--out=json']])
    assert.doesNotMatch(await said(...served), /has no effect/);
});

test('salt - the outputters that are said to colour nothing are those', async () => {
  const options = outputOptions(new Map(), { color: true });
  for (const data of [dict({ m1: { a: [1, 'x'], b: { c: true } } }), dict({ m1: 'text' })])
    for (const name of PLAIN_OUTPUTTERS)
      assert.ok(!(await displayOutput(data, name, options)).includes('\x1b'), name);
  const others = OUTPUTTER_NAMES.filter((name) => !PLAIN_OUTPUTTERS.includes(name));
  assert.deepEqual(others, [
    ...['highstate', 'key', 'nested', 'no_return', 'overstatestage', 'pony', 'profile', 'progress', 'table'],
    'virt_query',
  ]);
});

test('salt - without a master every way ends with the same code, or with that of Salt', async () => {
  const down = 'The salt master could not be contacted. Is master running?';
  const plain = await salt('x', 'test.ping', '-l', 'quiet');
  assert.deepEqual(plain, { code: 5, stdout: `${down}\n`, stderr: '' });
  const logged = await salt('x', 'test.ping');
  assert.match(logged.stderr, /^\[ERROR {3}\] Unable to connect to the salt master publisher at .*\/run\n$/);
  const docs = await salt('-d', 'x', 'test.ping', '-l', 'quiet');
  assert.deepEqual(docs, { code: 5, stdout: '', stderr: `${down}\n` });
  const ways: readonly [args: readonly string[], salts: number][] = [
    [[], 0],
    [['-b', '1'], 1],
    [['--static'], 1],
    [['--async'], 1],
    [['--subset', '1'], 0],
    [['-p'], 0],
    [['--canary', '1'], 0],
    [['-d'], 2],
  ];
  for (const [args, salts] of ways) {
    assert.equal((await salt('x', 'test.ping', '-l', 'quiet', ...args)).code, 5, args.join(' '));
    const lenient = await salt('x', 'test.ping', '-l', 'quiet', '--exit-codes=salt', ...args);
    assert.equal(lenient.code, salts, args.join(' '));
  }
});

test('salt - an error with JSON leaves standard output to the document of the error', async () => {
  const down = 'The salt master could not be contacted. Is master running?';
  const json = await salt('x', 'test.ping', '-l', 'quiet', '--out', 'json');
  assert.deepEqual(json, { code: 5, stdout: '', stderr: `${down}\n` });
  const salts = await salt('x', 'test.ping', '-l', 'quiet', '--out', 'json', '--exit-codes=salt');
  assert.deepEqual(salts, { code: 0, stdout: `"${down}"\n`, stderr: '' });
});

test('salt - the preview logs what it cannot understand', async () => {
  const none = await salt('-N', 'nogroup', '--preview-target');
  assert.match(none.stderr, /^\[ERROR {3}\] Node group nogroup unavailable in .*\/master\n/);
  assert.match(none.stderr, /ERROR: No return received\n$/);
  assert.equal(none.code, 2);
});

test('salt - the configuration is dumped without a target', async () => {
  const { code, stdout } = await salt('--config-dump');
  assert.equal(code, 0);
  assert.match(stdout, /^nodegroups:\n {2}webs: web1 web2\n/m);
});

test('request - targets, functions, returners and what travels with them', () => {
  const opts = (fields: Readonly<Record<string, Value>>): Dict => dict({ conf_file: '/m', ...fields });
  const read = (words: string[], fields: Readonly<Record<string, Value>> = {}) =>
    readSaltRequest(words, opts(fields), 5000);
  const list = read(['a, b', 'test.ping'], { list: true }).publish;
  assert.deepEqual([list.tgt, list.tgtType], [['a', 'b'], 'list']);
  assert.deepEqual(read(['a b', 'test.ping'], { list: true }).publish.tgt, ['a', 'b']);
  assert.deepEqual(read(['a,,b,', 'test.ping'], { list: true }).publish.tgt, ['a', 'b']);
  assert.equal(read(['x', 'f'], { grain_pcre: true }).publish.tgtType, 'grain_pcre');
  const several = read(['x', 'a.b,c.d', '1', ',', 'k=2']);
  assert.equal(several.fun, 'a.b,c.d');
  assert.deepEqual(several.publish.fun, ['a.b', 'c.d']);
  assert.deepEqual(several.publish.arg, [[1], [dict({ __kwarg__: true, k: 2 })]]);
  assert.equal(read(['x', 'f'], { return: 'a', ext_job_cache: 'b' }).publish.ret, 'a,b');
  const kwargs = read(['x', 'f'], { metadata: '{a: 1}', return_kwargs: '{b: 2}', show_timeout: false })
    .publish.kwargs as Dict;
  assert.deepEqual(kwargs.get('metadata'), dict({ a: 1 }));
  assert.deepEqual(kwargs.get('ret_kwargs'), dict({ b: 2 }));
  assert.equal(kwargs.get('show_timeout'), false);
});

test('request - options for returners that none of them reads are named, those that are no mapping refused', () => {
  const read = (ret: string, kwargs: string) =>
    unreadKwargs(
      readSaltRequest(['x', 'f'], dict({ conf_file: '/m', return: ret, return_kwargs: kwargs }), 5000),
    );
  assert.deepEqual(read('smtp', '{frm: a@b.example, to: c@d.example}'), [
    "--return_kwargs has frm, which the returner smtp does not read; it has no effect. Did you mean 'from'?",
  ]);
  assert.deepEqual(read('pgjsonb', '{returner.pgjsonb.host: db1}'), [
    '--return_kwargs has returner.pgjsonb.host, which the returner pgjsonb does not read; it has no effect. ' +
      "Did you mean 'host'?",
  ]);
  assert.match(read('local', '{path: /x}').join(), /has path, which the returner local does not read/);
  // one of several reads it, redis reads it without its group, and a site's own returner may read anything
  assert.deepEqual(read('smtp,redis', '{to: c@d.example, db: 1}'), []);
  assert.match(read('smtp,redis', '{tow: c@d.example}').join(), /none of smtp, redis reads; .* 'to'\?/);
  assert.deepEqual(read('redis', '{startup_nodes: []}'), []);
  assert.deepEqual(read('mine,redis', '{hots: 1}'), []);
  assert.deepEqual(read('', '{hots: 1}'), []);
  assert.throws(() => read('smtp', 'to'), /option --return_kwargs takes a mapping, .* not 'to'/);
});

test('salt - without a file of configuration it is said which one was looked for', () => {
  const given = (conf_file: string) =>
    noPublisher({ get: (name: string) => ({ conf_file, sock_dir: '/run/x' })[name] } as never);
  assert.equal(given(join(root, 'm', 'master')), 'Unable to connect to the salt master publisher at /run/x');
  assert.match(
    given('/etc/web1/master'),
    /at \/run\/x, where it is by default: there is no \/etc\/web1\/master; -c names the folder/,
  );
});

test('salt - a letter of a compound target that means nothing is named', () => {
  const said = (tgt: string, tgtType = 'compound'): string => {
    const io = recordedIo('');
    const display = new Display(new Map(), io, silentLogger, '');
    sayNoMinions(
      { display, request: { publish: { tgt, tgtType } }, codes: { isStrict: false } } as never,
      new NoMinionsError('No minions.'),
    );
    return io.written.stderr;
  };
  assert.match(
    said('web1 and not ( X@a )'),
    /^ERROR: The target cannot be understood: X@ is no kind of target; there are G@/,
  );
  for (const tgt of ['G@os:x', 'web1 or E@a@b', 'me@home']) assert.equal(said(tgt), '');
  assert.equal(said('X@a', 'glob'), '');
});

test('request - node groups are written out, and what is wrong with them is told', () => {
  const groups = opts({ webs: 'web*', loop: 'N@loop or web1' });
  const written = (name: string): Value =>
    withoutNodegroups(readSaltRequest([name, 'f'], groups, 1), groups).publish.tgt;
  assert.equal(written('webs'), 'web*');
  assert.throws(() => written('loop'), {
    message:
      "Nodegroup 'loop' cannot be used: 'loop' contains itself (loop, loop). Correct nodegroups in /m.",
  });
  assert.throws(() => written('none'), /Node group none unavailable in \/m/);

  function opts(nodegroups: Readonly<Record<string, Value>>): Dict {
    return dict({ conf_file: '/m', nodegroup: true, nodegroups: dict(nodegroups) });
  }
});

test('interrupt - Ctrl-C tells how to find running jobs again; codes follow the options', () => {
  const run = (
    hardCrash: boolean,
    isStrict: boolean,
    signal: 'interrupt' | 'terminate',
  ): [string, number] => {
    const io = recordedIo('');
    let code = -1;
    const handler = new InterruptHandler({
      stderr: io.stderr,
      hardCrash,
      codes: new ExitCodes(isStrict ? 'strict' : 'salt', 'plain'),
      exit: (value) => (code = value),
    });
    handler.began('1');
    handler.began('2');
    handler.ended('1');
    handler[signal]();
    return [io.written.stderr, code];
  };
  const [text, code] = run(false, false, 'interrupt');
  assert.equal(
    text,
    "\nExiting gracefully on Ctrl-c\nThis job's jid is: 2\nThe minions may not have all finished running and any " +
      'remaining minions will return upon completion. To look up the return data for this job later, run the ' +
      'following command:\n\nsalt-run jobs.lookup_jid 2\n',
  );
  assert.equal(code, 0);
  assert.equal(run(true, false, 'interrupt')[1], 1);
  assert.equal(run(false, true, 'interrupt')[1], 130);
  assert.deepEqual(run(false, false, 'terminate'), ['', 0]);
  assert.equal(run(false, true, 'terminate')[1], 143);
});

test('hints - the nearest function only, and ids that a target names', async () => {
  assert.equal(await functionHint('test.pnig'), "Hint: there is no 'test.pnig'. Did you mean 'test.ping'?");
  assert.equal(await functionHint('completely.different'), undefined);
  assert.ok((await functionNames()).includes('cmd.run'));
  assert.deepEqual(namedIds('web1', 'glob'), ['web1']);
  assert.deepEqual(namedIds('web*', 'glob'), []);
  assert.deepEqual(namedIds(['a', 'b'], 'list'), ['a', 'b']);
  assert.deepEqual(namedIds('os:x', 'grain'), []);
});

test('subset - only minions that know the function, as many as wanted', async () => {
  const master = new FakeMaster({
    a: { value: ['test.ping', 'x.y'] },
    b: { value: ['test.ping'] },
    c: { value: ['x.y'] },
    d: {},
  });
  const io = recordedIo('');
  const run = {
    watch: master.parts,
    patience,
    request: readSaltRequest(['*', 'x.y'], new Map(), 5000),
    program: { merged: new Map() },
    display: new Display(new Map(), io, silentLogger, ''),
  } as unknown as SaltRun;
  assert.deepEqual((await chooseSubset(run, 5, systemRandom)).sort(), ['a', 'c']);
  assert.equal((await chooseSubset(run, 1, systemRandom)).length, 1);
  assert.equal(master.published[0]?.fun, 'sys.list_functions');
});

test('progress - redrawn on a terminal, written once elsewhere', () => {
  const draw = (isTTY: boolean): string => {
    const written: string[] = [];
    const stderr = { isTTY, columns: 60, write: (text: string) => written.push(text) };
    const bar = new ProgressBar({ ...recordedIo(''), stderr }, new JumpingClock(), 2);
    bar.update(1);
    bar.update(2);
    bar.end();
    return written.join('');
  };
  assert.match(draw(true), /^\r {2}0% \|.*\r 50% \|.*\r100% \|.*\[2\/2\]\n$/);
  assert.match(draw(false), /^100% \|[^\r]*\[2\/2\]\n$/);
});

test('display - a file that cannot be written is named', async () => {
  const file = join(root, 'no', 'where');
  const display = new Display(dict({ output_file: file }), recordedIo(''), silentLogger, '');
  await assert.rejects(display.value(true), (error) => {
    assert.ok(error instanceof OutputFileError);
    assert.equal(error.exitCode, 73);
    return error.message.startsWith(`The output file ${file} cannot be written: `);
  });
});

test('display - a colour theme replaces colours', async () => {
  const theme = join(root, 'theme');
  writeFileSync(theme, 'CYAN: "0;45"\n');
  const io = recordedIo('');
  const opts = dict({ color_theme: theme, force_color: true });
  await new Display(opts, io, silentLogger, '').value(dict({ a: 1 }));
  assert.equal(io.written.stdout, '\x1b[0;45ma\x1b[0;0m:\n    \x1b[0;1;33m1\x1b[0;0m\n');
});

test('salt - messages go to the log file that is named', async () => {
  const file = join(root, 'log');
  await salt('x', 'test.ping', '-l', 'quiet', '--log-file', file, '--log-file-level', 'error');
  assert.match(readFileSync(file, 'utf8'), /\[ERROR {3}\].*Unable to connect to the salt master publisher/);
});
