import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { CommandExecutionError } from '../../../../src/errors/errors.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { MODULE_TABLE } from '../../../../src/plugins/registry/module/table.generated.ts';
import type { ModuleEntry } from '../../../../src/runtime/loader/module-entry.ts';
import { defineFunction, defineModule, type FunctionSpec } from '../../../../src/runtime/loader/module.ts';
import { pyRepr } from '../../../../src/python/values/repr.ts';
import { dict, isDict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext, type FakeContext, type FakeContextOptions } from '../../../support/module-context.ts';

const AS_ROOT = process.getuid?.() === 0 ? false : 'only root may change the root folder';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'brine-cmd-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function moduleOf(name: string, functions: Record<string, FunctionSpec>): ModuleEntry {
  const load = () => Promise.resolve(defineModule({ name, file: name, doc: name, functions }));
  return { name, file: name, load };
}

function minion(others: readonly ModuleEntry[], options: FakeContextOptions = {}): FakeContext {
  const own = MODULE_TABLE.filter(({ name }) => name === 'cmd');
  const registry = { table: [...own, ...others] };
  return fakeContext({ clock: systemClock, random: systemRandom, registry, ...options });
}

function call(ctx: FakeContext, fun: string, args: Value[], kwargs: DictInit = {}): Promise<Value> {
  return ctx.functions.call(fun, args, dict(kwargs));
}

/** A root folder that holds nothing but a shell; undefined where the shell's libraries cannot be found out. */
function smallRoot(t: TestContext): string | undefined {
  const root = folder(t);
  const listed = spawnSync('ldd', ['/bin/sh'], { encoding: 'utf8' });
  if (listed.status !== 0) return undefined;
  for (const path of ['/bin/sh', ...(listed.stdout.match(/\/\S+/g) ?? [])]) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    copyFileSync(path, join(root, path));
  }
  return root;
}

test('cmd - a script from the master comes through cp.cache_file and is run as it came', async (t) => {
  const path = join(folder(t), 'cached');
  writeFileSync(path, '#!/bin/sh\necho "$1 ${0##*.}"; exit 4\n');
  const asked: string[] = [];
  const cp = moduleOf('cp', {
    cache_file: defineFunction({
      doc: 'Caches.',
      params: { path: {}, saltenv: { default: null } },
      returns: 'a path',
      run: (_ctx, args) => {
        asked.push(pyRepr([args.path, args.saltenv]));
        return args.path === 'salt://there.sh?saltenv=dev' ? path : false;
      },
    }),
  });
  const ctx = minion([cp], { opts: dict({ saltenv: 'prod' }) });
  const result = await call(ctx, 'cmd.script', ['salt://there.sh?saltenv=dev', ['a b']], {
    cwd: dirname(path),
  });
  assert.ok(isDict(result));
  assert.deepEqual([result.get('stdout'), result.get('retcode'), ctx.retcode], ['a b sh', 4, 4]);
  const missing = "{'pid': 0, 'retcode': 1, 'stdout': '', 'stderr': '', 'cache_error': True}";
  assert.equal(pyRepr(await call(ctx, 'cmd.script', ['salt://gone.sh'], { saltenv: 'base' })), missing);
  assert.equal(await call(ctx, 'cmd.script_retcode', ['salt://gone.sh']), 1);
  assert.deepEqual(asked, [
    "['salt://there.sh?saltenv=dev', 'prod']",
    "['salt://gone.sh', 'base']",
    "['salt://gone.sh', 'prod']",
  ]);
  assert.equal(pyRepr(await call(minion([]), 'cmd.script', ['salt://gone.sh'])), missing);
  assert.deepEqual(readdirSync(dirname(path)), ['cached']);
});

test('cmd - the lists of commands may come from grains and pillar', async () => {
  const config = moduleOf('config', {
    get: defineFunction({
      doc: 'Gets.',
      params: { key: {} },
      returns: 'a value',
      run: (_ctx, { key }) => (key === 'cmd_blacklist_glob' ? ['rm*'] : ''),
    }),
  });
  const ctx = minion([config]);
  const job = { __pub_jid: '1' };
  await assert.rejects(call(ctx, 'cmd.run', ['rm x'], job), {
    message: 'The shell command "rm x" is not permitted',
  });
  assert.equal(await call(ctx, 'cmd.run', ['echo x'], job), 'x');
});

test('cmd - in another root folder, as text and as a list', { skip: AS_ROOT }, async (t) => {
  const root = smallRoot(t);
  if (root === undefined) return t.skip('ldd cannot tell the libraries of /bin/sh here');
  const ctx = minion([]);
  const result = await call(ctx, 'cmd.run_chroot', [root, 'echo *; pwd; echo e >&2; exit 3']);
  assert.ok(isDict(result));
  assert.deepEqual(
    [result.get('stdout'), result.get('stderr'), result.get('retcode')],
    [`${readdirSync(root).sort().join(' ')}\n/`, 'e', 3],
  );
  const hidden = await call(ctx, 'cmd.run_chroot', [root, ['echo', 'x']], { hide_output: true });
  assert.ok(isDict(hidden) && hidden.get('stdout') === '' && hidden.get('retcode') === 0);
  const user = await call(ctx, 'cmd.run_chroot', [root, 'echo $A > /forbidden'], {
    runas: '65534',
    env: { A: 'x' },
  });
  assert.ok(isDict(user) && user.get('retcode') !== 0);
  assert.equal(existsSync(join(root, 'forbidden')), false);
});

test('cmd - nothing in another root folder outlives its command', { skip: AS_ROOT }, async (t) => {
  const root = smallRoot(t);
  if (root === undefined) return t.skip('ldd cannot tell the libraries of /bin/sh here');
  writeFileSync(join(root, 'log'), '');
  const text = '(trap "" HUP; while :; do :; done) >/log 2>&1 </log & echo $!';
  const result = await call(minion([]), 'cmd.run_chroot', [root, text]);
  assert.ok(isDict(result));
  const pid = String(result.get('stdout'));
  assert.match(pid, /^\d+$/);
  assert.equal(existsSync(`/proc/${pid}/exe`), false);
});

test('cmd - a group needs sudo, and says so before anything is run', async (t) => {
  const before = process.env['PATH'];
  t.after(() => (process.env['PATH'] = before));
  const installed = ['/usr/bin/sudo', '/bin/sudo', '/usr/local/bin/sudo', '/usr/sbin/sudo', '/sbin/sudo'];
  if (installed.some((path) => existsSync(path))) return t.skip('sudo is installed here');
  await assert.rejects(
    call(minion([]), 'cmd.run', ['true'], { group: 'nogroup' }),
    (error) =>
      error instanceof CommandExecutionError &&
      error.message === 'group argument requires sudo but not found',
  );
});
