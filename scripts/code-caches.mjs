// Runs the commands and a worker once, so that their next start finds the code compiled (bin/launch.cjs): at the end of
// a build, and where a package is installed. V8 takes no caches of another version, so they are in no package.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The programs that people start and wait for, and runs of each that compile what most of its runs need. */
export const COMMANDS = new Map([
  ['salt', [['x', 'test.ping']]],
  [
    'salt-call',
    [
      ['--local', 'test.ping'],
      ['--local', 'state.single', 'test.nop', 'name=x'],
    ],
  ],
  ['salt-cp', [['x', '/dev/null', '/tmp/x']]],
  ['salt-key', [['-L']]],
  ['salt-run', [['jobs.list_jobs'], ['state.orchestrate', 'x']]],
  ['sls', [['schema']]],
]);
const RUN_MAX_MS = 60_000;

/**
 * Daemons start seldom and go without; a minion's job begins with the start of its process.
 * @param folder that has `bin` and `dist`
 * @param train the words behind `node` that have a worker do what usual jobs do; its program follows
 */
export function writeCodeCaches(folder, train) {
  const site = mkdtempSync(join(tmpdir(), 'brine-build-'));
  const places = ['cachedir: cache', 'pki_dir: pki', 'sock_dir: run', 'log_file: log', 'key_logfile: log'];
  for (const role of ['master', 'minion'])
    writeFileSync(join(site, role), [`root_dir: ${site}`, 'id: build', ...places, ''].join('\n'));
  const settings = {
    cwd: folder,
    env: { ...process.env, BRINE_WRITE_CODE_CACHE: '1' },
    timeout: RUN_MAX_MS,
  };
  for (const [name, calls] of COMMANDS)
    for (const args of existsSync(join(folder, `dist/${name}.cjs`)) ? calls : [])
      spawnSync(process.execPath, [join(folder, 'bin', name), '-c', site, ...args], {
        ...settings,
        stdio: 'ignore',
      });
  rmSync(site, { recursive: true, force: true });
  spawnSync(process.execPath, [...train, join(folder, 'bin/worker.cjs')], {
    ...settings,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

// in a package this lies in `bin`, beside the bundled scripts/train-worker.ts
const trainer = join(import.meta.dirname, 'train-worker.mjs');
if (existsSync(trainer)) writeCodeCaches(dirname(import.meta.dirname), [trainer]);
