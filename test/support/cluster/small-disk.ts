/** A disk of its own for a server, which a test fills: a file system in memory, made as large as what lies on it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';
import type { TestContext } from 'node:test';

const SIZE = '1g';

/** A mounted folder. */
export class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @returns undefined where this process may not mount anything */
  static mount(t: TestContext, folder: string): SmallDisk | undefined {
    mkdirSync(folder, { recursive: true });
    if (!run('mount', '-t', 'tmpfs', '-o', `size=${SIZE}`, 'brine-test', folder)) return undefined;
    t.after(() => void run('umount', '--lazy', folder));
    return new SmallDisk(folder);
  }

  /** Leaves no room. */
  fill(): void {
    const { blocks, bfree, bsize } = statfsSync(this.folder);
    this.#resize(String((blocks - bfree) * bsize));
  }

  /** Gives the room back. */
  empty(): void {
    this.#resize(SIZE);
  }

  #resize(size: string): void {
    if (!run('mount', '-o', `remount,size=${size}`, this.folder))
      throw new Error(`${this.folder} cannot be made ${size} large`);
  }
}

function run(program: string, ...words: string[]): boolean {
  return spawnSync(program, words, { stdio: 'ignore' }).status === 0;
}
