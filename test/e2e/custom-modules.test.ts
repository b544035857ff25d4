/** Custom modules on the built programs: the guide is followed to the letter, then code that misbehaves. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { Fleet, ours, runProgram, until } from '../support/fleet.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();

/** The files of the guide below `/srv`: each code block behind its path. */
function guideFiles(): Map<string, string> {
  const guide = readFileSync(join(ROOT, 'docs/guides/custom-modules.md'), 'utf8');
  const blocks = guide.matchAll(/`\/srv\/([\w./]+)`:\n\n```\w+\n(.*?)```/gs);
  return new Map([...blocks].map(([, path = '', text = '']) => [path, text]));
}

/** A master that serves a folder of files, and a minion. */
async function fleetWithFiles(
  t: Parameters<typeof Fleet.create>[0],
  files: Iterable<readonly [string, string]>,
): Promise<{ fleet: Fleet; write(path: string, text: string): void }> {
  const fleet = await Fleet.create(t);
  return serve(fleet, files);
}

async function serve(
  fleet: Fleet,
  files: Iterable<readonly [string, string]>,
): Promise<{ fleet: Fleet; write(path: string, text: string): void }> {
  fleet.configureMaster([
    'auto_accept: True',
    `file_roots: {base: [${fleet.path('srv/salt')}]}`,
    `pillar_roots: {base: [${fleet.path('srv/pillar')}]}`,
    'fileserver_list_cache_time: 0',
    `secrets: {driver: rot, file: ${fleet.path('secrets.json')}}`,
  ]);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(fleet.path('srv', path)), { recursive: true });
    writeFileSync(fleet.path('srv', path), text);
  };
  for (const [path, text] of files) write(path, text);
  await fleet.startMaster();
  await fleet.joinMinion('m1');
  return { fleet, write };
}

test('custom modules - the guide works as it is written', async (t) => {
  const files = guideFiles();
  assert.deepEqual(
    [...files.keys()],
    [
      ...['_modules/greet', '_states/note', '_grains/site', '_returners/journal', '_beacons/marker'].map(
        (name) => `salt/${name}.ts`,
      ),
      'salt/_renderers/ini.ts',
      ...['pillar/site.sls', 'pillar/top.sls', 'salt/_output/lines.ts', 'salt/_sdb/rot.ts'],
      ...['tsconfig.json', 'tests/greet.test.ts'],
    ],
  );
  const { fleet, write } = await fleetWithFiles(t, files);
  const local = await runProgram(join(ours.folder, 'salt-call'), [
    ...['-c', fleet.path('m1'), '--local', '-m', fleet.path('srv/salt'), '--out', 'json'],
    ...['greet.hello', 'name=Anna'],
  ]);
  const greeting = { text: 'Hello Anna!', from: 'm1', kernel: 'Linux' };
  const { os, ...rest } = (JSON.parse(local.stdout) as { local: Record<string, unknown> }).local;
  assert.deepEqual(rest, greeting, local.stderr);
  assert.ok(typeof os === 'string' && os !== '');

  assert.deepEqual(await fleet.json(['*', 'saltutil.sync_modules']), { m1: ['modules.greet'] });
  assert.deepEqual(await fleet.json(['*', 'greet.hello', 'Anna', 'times=2']), {
    m1: { ...greeting, os, text: 'Hello Anna! Hello Anna!' },
  });
  assert.match((await fleet.salt(['*', 'sys.doc', 'greet.hello'])).stdout, /Says hello to somebody\./);
  const refused = await fleet.salt(['*', 'greet.hello', 'times=many']);
  assert.match(refused.stdout, /greet\.hello: times must be an int, not 'many'/);
  assert.match((await fleet.salt(['*', 'greet.hello', 'times=0'])).stdout, /ERROR: times must be at least 1/);

  assert.deepEqual(await fleet.json(['*', 'saltutil.sync_states']), { m1: ['states.note'] });
  const example = /state\.single note\.written <name> text=<text>/;
  assert.match((await fleet.salt(['*', 'sys.state_doc', 'note.written'])).stdout, example);
  write(
    'salt/_states/later.ts',
    (files.get('salt/_states/note.ts') ?? '').replace('The note was written', 'Later'),
  );
  const later = ['*', 'state.single', 'later.written', fleet.path('note'), 'text=x'];
  assert.deepEqual(await fleet.json(['*', 'saltutil.sync_states']), { m1: ['states.later'] });
  assert.match((await fleet.salt(later)).stdout, /Comment: Later\./);
  await fleet.salt(['*', 'sys.list_state_functions']);
  rmSync(fleet.path('srv', 'salt/_states/later.ts'));
  await fleet.json(['*', 'saltutil.sync_states']);
  assert.match((await fleet.salt(later)).stdout, /'later\.written' was not found/);

  assert.deepEqual(await fleet.json(['*', 'saltutil.sync_grains']), { m1: ['grains.site'] });
  const roles = os === 'Debian' ? ['web'] : [];
  assert.deepEqual(await fleet.json(['*', 'grains.get', 'roles']), { m1: roles });

  write(
    'salt/_modules/greet.ts',
    (files.get('salt/_modules/greet.ts') ?? '').replace('Hello ${name}', 'Good day ${name}'),
  );
  assert.deepEqual(await fleet.json(['*', 'saltutil.sync_modules']), { m1: ['modules.greet'] });
  const changed = (await fleet.json(['*', 'greet.hello', 'Anna']))['m1'] as Record<string, unknown>;
  assert.equal(changed['text'], 'Good day Anna!');
  write('pillar/top.sls', "base: {'*': [stop]}");
  for (const [allowed, answer] of [
    ['[greet.hello]', /Good day/],
    ['[]', /Minion in blackout mode/],
  ] as const) {
    write('pillar/stop.sls', `minion_blackout: True\nminion_blackout_whitelist: ${allowed}\n`);
    await fleet.json(['*', 'saltutil.refresh_pillar', 'wait=True']);
    assert.match((await fleet.salt(['*', 'greet.hello'])).stdout, answer);
  }
  write('pillar/stop.sls', 'minion_blackout: False\n');
  await fleet.json(['*', 'saltutil.refresh_pillar', 'wait=True']);
  fleet.configureMinion('m2', ['disable_modules: [greet]']);
  const disabled = await runProgram(join(ours.folder, 'salt-call'), [
    ...['-c', fleet.path('m2'), '--local', '-m', fleet.path('srv/salt'), 'greet.hello'],
  ]);
  assert.match(disabled.stderr, /'greet\.hello' is not available\./);
  rmSync(fleet.path('srv', 'salt/_modules'), { recursive: true });
  assert.deepEqual(
    await fleet
      .json(['*', 'saltutil.sync_all'])
      .then((all) => (all['m1'] as Record<string, unknown>)['modules']),
    [],
  );
  assert.match((await fleet.salt(['*', 'greet.hello'])).stdout, /'greet\.hello' is not available\./);
});

test('custom modules - the test of the guide runs with what the checkout holds', async (t) => {
  const fleet = await Fleet.create(t);
  for (const [path, text] of guideFiles()) {
    mkdirSync(dirname(fleet.path('srv', path)), { recursive: true });
    writeFileSync(fleet.path('srv', path), text);
  }
  mkdirSync(fleet.path('srv/node_modules'));
  symlinkSync(ROOT, fleet.path('srv/node_modules/brine'));
  // inside a test run Node would skip another one
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const register = join(ROOT, 'node_modules/sucrase/register');
  const { code, stdout } = await runProgram(
    process.execPath,
    ['--require', register, '--test', fleet.path('srv/tests/greet.test.ts')],
    { env },
  );
  assert.equal(code, 0, stdout);
  assert.match(stdout, /greets as often as it is told/);
});

test('custom modules - returners, beacons, renderers and outputters of the guide work as they are written', async (t) => {
  const fleet = await Fleet.create(t);
  const files = [...guideFiles()].map(
    ([path, text]) => [path, text.replaceAll('/tmp/', `${fleet.folder}/`)] as const,
  );
  await serve(fleet, files);
  const [minion] = fleet.daemons.slice(-1);
  const synced = (await fleet.json(['*', 'saltutil.sync_all']))['m1'] as Record<string, unknown>;
  assert.deepEqual([synced['returners'], synced['beacons']], [['returners.journal'], ['beacons.marker']]);

  assert.deepEqual(await fleet.json(['*', 'test.ping', '--return', 'journal']), { m1: true });
  await until('the returner has written', () => existsSync(fleet.path('journal')));
  const options = ['-c', fleet.path('m1'), '--local', '--return', 'journal'];
  await runProgram(join(ours.folder, 'salt-call'), [...options, 'test.echo', 'hi']);
  assert.equal(readFileSync(fleet.path('journal'), 'utf8'), 'm1 test.ping true\nm1 test.echo "hi"\n');

  const marker = fleet.path('marker');
  const refused = await fleet.json(['*', 'beacons.add', 'marker', '[{file: 7}]']);
  assert.match(JSON.stringify(refused), /configuration invalid, not adding\.\\nfile must be a path/);
  const listen = fleet.start('salt-run', ['-c', fleet.masterDir, 'state.event', 'salt/beacon/*', 'count=1']);
  await fleet.json(['*', 'beacons.add', 'marker', `[{file: ${marker}}, {interval: 0.1}]`]);
  writeFileSync(marker, '');
  await listen.exited;
  assert.match(listen.log, /^salt\/beacon\/m1\/marker\/appeared\t\{"file": "/);

  await fleet.run('salt-run', ['saltutil.sync_all']);
  writeFileSync(fleet.path('secrets.json'), '{"password": "s3cret"}');
  assert.match((await fleet.run('salt-run', ['sdb.get', 'sdb://secrets/password'])).stdout, /^s3cret$/m);
  const refusal = await fleet.run('salt-run', ['sdb.delete', 'sdb://secrets/password']);
  assert.match(refusal.stdout, /The sdb profile secrets cannot delete values: its driver rot only has get\./);
  await fleet.json(['*', 'saltutil.refresh_pillar', 'wait=True']);
  const pillar = { site: { name: 'm1' }, mail: { host: 'mx.example.org' } };
  assert.deepEqual(await fleet.json(['*', 'pillar.items']), { m1: pillar });
  assert.equal((await fleet.salt(['*', 'test.ping', '--out', 'lines'])).stdout, 'm1: true\n');
  assert.doesNotMatch(minion?.log ?? '', /ERROR/);
});

test('custom modules - what fails in the other kinds is named, and the rest goes on', async (t) => {
  const fleet = await Fleet.create(t);
  const define = (kind: string, body: string): string =>
    `import { define${kind}, defineFunction } from 'brine';\nexport default define${kind}({ ${body} });`;
  const returner = (body: string): string =>
    define(
      'Module',
      `functions: { returner: defineFunction({ doc: 'R.', run: () => { ${body} }, kwargs: 'k', varargs: 'v' }) }`,
    );
  await serve(fleet, [
    ['salt/_returners/gone.ts', returner('process.exit(3)')],
    ['salt/_returners/bad.ts', returner("throw new Error('no room')")],
    ['salt/_beacons/gone.ts', define('Beacon', 'look: () => process.exit(3)')],
    ['salt/_beacons/stuck.ts', define('Beacon', 'look: () => { for (;;); }')],
    [
      'salt/_beacons/fine.ts',
      define('Beacon', "look: async (_, ctx) => [{ tag: 'x', up: await ctx.call('test.echo', ['up']) }]"),
    ],
    ['salt/_output/bad.ts', define('Outputter', "render: () => { throw new Error('no words'); }")],
    ['salt/_renderers/bad.ts', define('Renderer', "render: () => { throw new Error('no sense'); }")],
    ['pillar/top.sls', "base: {'*': [a, b]}"],
    ['pillar/a.sls', '#!bad\nx: 1\n'],
    ['pillar/b.sls', 'fine: true\n'],
  ]);
  const [minion] = fleet.daemons.slice(-1);
  await Promise.all([fleet.json(['*', 'saltutil.sync_all']), fleet.run('salt-run', ['saltutil.sync_all'])]);
  const listen = fleet.start('salt-run', [
    '-c',
    fleet.masterDir,
    'state.event',
    'salt/beacon/*/fine/*',
    'count=3',
  ]);
  for (const name of ['stuck', 'gone', 'fine'])
    await fleet.json(['*', 'beacons.add', name, '[{interval: 0.1}]']);
  await listen.exited;
  assert.match(listen.log, /salt\/beacon\/m1\/fine\/x\t\{"up": "up"/);
  await minion?.logged('The beacon gone failed: it ends the process');
  const shown = await fleet.salt(['*', 'test.ping', '--out', 'bad', '--return', 'gone,bad']);
  assert.equal(shown.stdout, 'm1:\n    True\n');
  assert.match(shown.stderr, /The outputter bad failed, nested is used: Error: no words \(.*bad\.ts:2\)/);
  await minion?.logged('no room (');
  await minion?.logged('ended before the function returned');
  await fleet.json(['*', 'saltutil.refresh_pillar', 'wait=True']);
  const pillar = (await fleet.json(['*', 'pillar.items']))['m1'] as Record<string, unknown>;
  assert.equal(pillar['fine'], true);
  assert.match(fleet.master?.log ?? '', /The renderer bad failed: Error: no sense/);
});

const DEFINE = "import { defineModule } from 'brine';\n";

test('custom modules - code that throws, exits or hangs harms nobody', async (t) => {
  const { fleet } = await fleetWithFiles(t, [
    ['salt/_modules/aexits.js', 'process.exit(1);'],
    ['salt/_modules/broken.ts', 'export default {'],
    [
      'salt/_modules/wild.ts',
      `${DEFINE}export default defineModule({ functions: {
        exit: { doc: 'Exits.', run: () => process.exit(3) },
        hang: { doc: 'Hangs.', run: () => { for (;;); } },
        late: { doc: 'Fails later.', run: () => { setTimeout(() => { throw new Error('late'); }, 1); return new Promise(() => {}); } },
        fine: { doc: 'Works.', run: async (_, ctx) => (await ctx.call('mine.deeper', [2])) },
      } });`,
    ],
    [
      'salt/_modules/mine.ts',
      `${DEFINE}export default defineModule({ functions: { deeper: { doc: 'D.', params: { n: { type: 'int' } }, run: ({ n }) => ({ doubled: 2 * n }) } } });`,
    ],
  ]);
  assert.deepEqual(await fleet.json(['m1', 'saltutil.sync_modules']), {
    m1: ['aexits', 'broken', 'mine', 'wild'].map((name) => `modules.${name}`),
  });
  const [minion] = fleet.daemons.slice(-1);
  assert.deepEqual(await fleet.json(['m1', 'wild.fine']), { m1: { doubled: 4 } });
  for (const fun of ['wild.exit', 'wild.late'])
    assert.match((await fleet.salt(['m1', fun])).stdout, /ended before the function returned/);
  const { stdout } = await fleet.salt(['--async', 'm1', 'wild.hang']);
  const jid = /job ID: (\d+)/.exec(stdout)?.[1] ?? '';
  assert.deepEqual(await fleet.json(['m1', 'test.ping']), { m1: true });
  for (let running = false; !running;) {
    const jobs = (await fleet.json(['m1', 'saltutil.running']))['m1'] as Record<string, unknown>[];
    running = jobs.some((job) => job['jid'] === jid && job['pid'] !== minion?.child.pid);
  }
  assert.match(String((await fleet.json(['m1', 'saltutil.kill_job', jid]))['m1']), /Signal 9 sent to job/);
  assert.deepEqual(await fleet.json(['m1', 'wild.fine']), { m1: { doubled: 4 } });
  for (const [text, times] of [
    ['aexits.js cannot be used: it ends the process', 1],
    ['broken.ts cannot be loaded: SyntaxError', 1],
  ] as const)
    assert.equal((minion?.log.split(text).length ?? 0) - 1, times, text);
});
