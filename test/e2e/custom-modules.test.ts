/** Modules of the user's own on the built programs: the guide is followed to the letter, then code that misbehaves. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { Fleet, ours, runProgram } from '../support/fleet.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();

/** The files of the guide: each code block behind its path. */
function guideFiles(): Map<string, string> {
  const guide = readFileSync(join(ROOT, 'docs/guides/custom-modules.md'), 'utf8');
  const blocks = guide.matchAll(/`\/srv\/salt\/([\w./]+)`:\n\n```ts\n(.*?)```/gs);
  return new Map([...blocks].map(([, path = '', text = '']) => [path, text]));
}

/** A master that serves a folder of files, and a minion. */
async function fleetWithFiles(
  t: Parameters<typeof Fleet.create>[0],
  files: Iterable<readonly [string, string]>,
): Promise<{ fleet: Fleet; write(path: string, text: string): void }> {
  const fleet = await Fleet.create(t);
  fleet.configureMaster([
    'auto_accept: True',
    `file_roots: {base: [${fleet.path('srv')}]}`,
    'fileserver_list_cache_time: 0',
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
  assert.deepEqual([...files.keys()], ['_modules/greet.ts', '_grains/site.ts']);
  const { fleet, write } = await fleetWithFiles(t, files);
  const local = await runProgram(join(ours.folder, 'salt-call'), [
    ...['-c', fleet.path('m1'), '--local', '-m', fleet.path('srv'), '--out', 'json'],
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

  assert.deepEqual(await fleet.json(['*', 'saltutil.sync_grains']), { m1: ['grains.site'] });
  const roles = os === 'Debian' ? ['web'] : [];
  assert.deepEqual(await fleet.json(['*', 'grains.get', 'roles']), { m1: roles });

  write(
    '_modules/greet.ts',
    (files.get('_modules/greet.ts') ?? '').replace('Hello ${name}', 'Good day ${name}'),
  );
  assert.deepEqual(await fleet.json(['*', 'saltutil.sync_modules']), { m1: ['modules.greet'] });
  const changed = (await fleet.json(['*', 'greet.hello', 'Anna']))['m1'] as Record<string, unknown>;
  assert.equal(changed['text'], 'Good day Anna!');
  rmSync(fleet.path('srv', '_modules'), { recursive: true });
  assert.deepEqual(
    await fleet
      .json(['*', 'saltutil.sync_all'])
      .then((all) => (all['m1'] as Record<string, unknown>)['modules']),
    [],
  );
  assert.match((await fleet.salt(['*', 'greet.hello'])).stdout, /'greet\.hello' is not available\./);
});

const DEFINE = "import { defineModule } from 'brine';\n";

test('custom modules - code that throws, exits or hangs harms nobody', async (t) => {
  const { fleet } = await fleetWithFiles(t, [
    ['_modules/aexits.js', 'process.exit(1);'],
    ['_modules/broken.ts', 'export default {'],
    ['_modules/old.py', 'def ping():\n    return True\n'],
    [
      '_modules/wild.ts',
      `${DEFINE}export default defineModule({ functions: {
        exit: { doc: 'Exits.', run: () => process.exit(3) },
        hang: { doc: 'Hangs.', run: () => { for (;;); } },
        late: { doc: 'Fails later.', run: () => { setTimeout(() => { throw new Error('late'); }, 1); return new Promise(() => {}); } },
        fine: { doc: 'Works.', run: async (_, ctx) => (await ctx.call('mine.deeper', [2])) },
      } });`,
    ],
    [
      '_modules/mine.ts',
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
    ['old.py?saltenv=base is a module in Python', 1],
  ] as const)
    assert.equal((minion?.log.split(text).length ?? 0) - 1, times, text);
});
