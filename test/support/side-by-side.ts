/** Versions side by side for tests: copies of the built programs, some broken on purpose, and their releases. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ours, runProgram, type Finished } from './fleet.ts';

const ROOT = dirname(ours.folder);

/** What is done to a file of a version: `bin/salt-minion` or `bin/worker.cjs`. */
export interface Breakage {
  readonly file: string;
  /** Put before what the file does; there is no `--prove` where it counts. */
  readonly code: string;
}

const PROVES = `const proves = process.argv.includes('--prove') || require('node:fs').readFileSync('/proc/' + process.ppid + '/cmdline', 'latin1').includes('--prove');`;

/** The five ways, and more: each proves that it works, and does not. */
export const BROKEN: ReadonlyMap<string, Breakage> = new Map([
  ['does not start', { file: 'bin/salt-minion', code: 'process.exit(3);' }],
  ['does not answer', { file: 'bin/salt-minion', code: 'setInterval(() => 0, 1e6); return;' }],
  ['runs no jobs', { file: 'bin/worker.cjs', code: 'process.exit(1);' }],
  ['crashes later', { file: 'bin/salt-minion', code: 'setTimeout(() => process.abort(), 6_000);' }],
  [
    'eats memory',
    {
      file: 'bin/salt-minion',
      code: 'const held = []; setInterval(() => held.push(Buffer.alloc(60_000_000, 1)), 1_000);',
    },
  ],
]);

/** A folder of versions. */
export class SideBySide {
  readonly base: string;

  constructor(base: string) {
    this.base = base;
    mkdirSync(base, { recursive: true });
  }

  /** Puts a version there. */
  lay(version: string, breakage?: Breakage): void {
    const home = join(this.base, version);
    rmSync(home, { recursive: true, force: true });
    mkdirSync(join(home, 'node/bin'), { recursive: true });
    mkdirSync(join(home, 'dist'));
    cpSync(join(ROOT, 'bin'), join(home, 'bin'), { recursive: true });
    for (const entry of readdirSync(join(ROOT, 'dist'), { withFileTypes: true }))
      if (entry.isFile() && !/\.(map|cache)$/.test(entry.name))
        linkSync(join(ROOT, 'dist', entry.name), join(home, 'dist', entry.name));
      else if (entry.isDirectory())
        cpSync(join(ROOT, 'dist', entry.name), join(home, 'dist', entry.name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'));
    symlinkSync(process.execPath, join(home, 'node/bin/node'));
    writeFileSync(join(home, 'package.json'), JSON.stringify({ version, type: 'module' }));
    if (breakage !== undefined) this.#break(join(home, breakage.file), breakage.code);
  }

  #break(path: string, code: string): void {
    const text = readFileSync(path, 'utf8');
    const at = text.lastIndexOf("require('./launch.cjs')");
    writeFileSync(path, `${text.slice(0, at)}${PROVES}\nif (!proves) { ${code} }\n${text.slice(at)}`);
  }

  /** Programs are started from this version. */
  point(version: string): void {
    symlinkSync(version, join(this.base, '.new'));
    renameSync(join(this.base, '.new'), join(this.base, 'current'));
  }

  get current(): string {
    return readlinkSync(join(this.base, 'current'));
  }

  /** Where programs are started from. */
  get programs(): { readonly name: string; readonly folder: string } {
    return { name: 'side by side', folder: join(this.base, 'current/bin') };
  }

  /** Makes the archive of a version. @returns its path */
  pack(version: string, folder: string): string {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `brine-${version}-linux-${process.arch}.tar.gz`);
    const { status, stderr } = spawnSync('tar', ['-C', this.base, '-czf', path, version], {
      env: { ...process.env, GZIP: '-1' },
    });
    if (status !== 0) throw new Error(stderr.toString());
    return path;
  }
}

/** `brine release …` */
export function release(...words: readonly string[]): Promise<Finished> {
  return runProgram(join(ours.folder, 'brine'), ['release', ...words]);
}

/** The processes that have a text in their command lines. */
export function processesOf(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}
