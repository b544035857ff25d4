/** A disk of its own for a server, which a test fills: a file system in memory, made as large as what lies on it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { DatabaseServer } from '../database-servers.ts';
import { untilComplete } from './stage.ts';

const SIZE = '1g';
const INODES = 100_000;
const TRIES = 50;

/** A mounted folder. */
export class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @returns undefined where this process may not mount anything */
  static mount(t: TestContext, folder: string): SmallDisk | undefined {
    mkdirSync(folder, { recursive: true });
    if (!run('mount', '-t', 'tmpfs', '-o', `size=${SIZE},mode=0755`, 'brine-test', folder)) return undefined;
    const disk = new SmallDisk(folder);
    t.after(() => disk.release());
    return disk;
  }

  /** Leaves no room. */
  fill(): void {
    // somebody writes meanwhile, and it cannot be smaller than what lies on it
    for (let tries = 0; tries < TRIES; tries++) {
      const { blocks, bfree, bsize } = statfsSync(this.folder);
      if (this.#isResized(String((blocks - bfree) * bsize))) return;
    }
    throw new Error(`${this.folder} could not be made full`);
  }

  /** Gives the room back, and the inodes. */
  empty(): void {
    if (!this.#isResized(`${SIZE},nr_inodes=${INODES}`))
      throw new Error(`${this.folder} cannot be made ${SIZE} large`);
  }

  /** Lets it go, also while files on it are open. */
  release(): void {
    run('umount', '--lazy', this.folder);
  }

  /** Leaves room, and no inode. */
  useUpInodes(): void {
    const { files, ffree } = statfsSync(this.folder);
    if (!run('mount', '-o', `remount,nr_inodes=${files - ffree}`, this.folder))
      throw new Error(`${this.folder} cannot be left without inodes`);
  }

  /** Removes all that lies on it, as the guide says for a server that does not catch up. */
  clear(): void {
    for (const name of readdirSync(this.folder)) rmSync(join(this.folder, name), { recursive: true });
  }

  #isResized(size: string): boolean {
    return run('mount', '-o', `remount,size=${size}`, this.folder);
  }
}

/**
 * Waits until a server whose disk was full has all that the others have. What was written when there was no room may
 * keep nats-server 2.9.10 from it; then it begins anew on an empty disk, as the guide says.
 * @returns whether it has caught up by itself
 */
export async function caughtUp(
  servers: readonly DatabaseServer[],
  server: DatabaseServer,
  disk: SmallDisk,
  atMostMs: number,
): Promise<boolean> {
  try {
    await untilComplete(servers, atMostMs);
    return true;
  } catch {
    await server.kill();
    disk.clear();
    await server.start();
    await untilComplete(servers);
    return false;
  }
}

function run(program: string, ...words: string[]): boolean {
  return spawnSync(program, words, { stdio: 'ignore' }).status === 0;
}
