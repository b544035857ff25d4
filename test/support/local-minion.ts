/**
 * A minion without a master, in a folder of its own: files of its environments, and calls as `salt-call --local` makes
 * them.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { runSaltCall } from '../../src/cli/call/salt-call.ts';
import { recordedIo } from './command-io.ts';

/** See {@link localMinion}. */
export interface LocalMinion {
  /** A path below the minion's folder; SLS and pillar are in `srv` and `pillar`. */
  path(...parts: string[]): string;
  /** Writes a file, with the folders above. */
  write(path: string, text: string): void;
  /** What `salt-call --local --out=json` says: the return, or what it writes to standard error. */
  call(...argv: string[]): Promise<unknown>;
  /** The same with its exit code, and with standard error beside the return. */
  run(...argv: string[]): Promise<{ readonly code: number; readonly ret: unknown; readonly stderr: string }>;
}

/** @param options further options of the minion */
export function localMinion(t: TestContext, options: Readonly<Record<string, unknown>> = {}): LocalMinion {
  const folder = mkdtempSync(join(tmpdir(), 'brine-local-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = (...parts: string[]): string => join(folder, ...parts);
  mkdirSync(path('srv'));
  mkdirSync(path('pillar'));
  const config = {
    id: 'minion',
    root_dir: folder,
    file_client: 'local',
    enable_fqdns_grains: false,
    file_roots: { base: [path('srv')] },
    pillar_roots: { base: [path('pillar')] },
    ...options,
  };
  writeFileSync(path('minion'), JSON.stringify(config));
  const run: LocalMinion['run'] = async (...argv) => {
    const io = recordedIo('');
    const code = await runSaltCall(['-c', folder, '--local', '--out=json', ...argv], io, {
      grainsScript: '/nonexistent',
    });
    const { stdout, stderr } = io.written;
    const ret = stdout.startsWith('{') ? (JSON.parse(stdout) as { local: unknown }).local : stdout;
    return { code, ret, stderr };
  };
  return {
    path,
    write: (name, text) => {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), text);
    },
    run,
    call: async (...argv) => {
      const { ret, stderr } = await run(...argv);
      return typeof ret === 'string' || stderr !== '' ? stderr || ret : ret;
    },
  };
}
