/**
 * Replacing a file by content that arrives in pieces: it is collected in a fresh file beside, which takes the old one's
 * place in one step, with its mode and owner. Nobody ever sees half of it, and what fails leaves nothing behind.
 */
import { chmodSync, chownSync, existsSync, realpathSync, statSync } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { diskRefusal } from './disk-refusal.ts';
import { systemRandom } from './random.ts';

/** Collects the new content of one file and puts it in place in one step. */
export class FileReplacement {
  readonly #target: string;
  readonly #temporary: string;
  readonly #file: FileHandle;
  #at = 0;

  private constructor(target: string, temporary: string, file: FileHandle) {
    this.#target = target;
    this.#temporary = temporary;
    this.#file = file;
  }

  /**
   * Begins; the folder must exist. A link is followed, so that it stays one.
   * @throws DiskRefusesError, or another error of the system
   */
  static async begin(path: string): Promise<FileReplacement> {
    const target = existsSync(path) ? realpathSync(path) : path;
    const name = `.${basename(target).slice(0, 100)}.${systemRandom.bytes(6).toString('hex')}`;
    const temporary = join(dirname(target), name);
    const file = await naming(target, () => open(temporary, 'wx+', 0o600));
    return new FileReplacement(target, temporary, file);
  }

  /** Where the content is until it is {@link commit}ted. */
  get temporaryPath(): string {
    return this.#temporary;
  }

  /** Appends. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await naming(this.#target, () =>
        this.#file.write(bytes, done, bytes.length - done, this.#at),
      );
      done += bytesWritten;
      this.#at += bytesWritten;
    }
  }

  /** Throws away what was written so far. */
  async restart(): Promise<void> {
    await this.#file.truncate(0);
    this.#at = 0;
  }

  /** Puts the content in place. @param mode of a file that is new; the umask is taken off it */
  async commit(mode = 0o666): Promise<void> {
    await this.#file.close();
    const old = statSync(this.#target, { throwIfNoEntry: false });
    if (old === undefined) chmodSync(this.#temporary, mode & ~currentUmask());
    else {
      const own = statSync(this.#temporary);
      if (own.uid !== old.uid || own.gid !== old.gid) chownSync(this.#temporary, old.uid, old.gid);
      chmodSync(this.#temporary, old.mode & 0o7777);
    }
    await rename(this.#temporary, this.#target);
  }

  /** Puts the new file there as what it is, a file of ours with mode 0600, whatever the old one was. */
  async commitAsNew(): Promise<void> {
    await this.#file.close();
    await rename(this.#temporary, this.#target);
  }

  /** Gives up; the old file stays. Never throws. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => undefined);
    await rm(this.#temporary, { force: true }).catch(() => undefined);
  }
}

/** An error of the disk names the file that is replaced, and not the one beside it. */
async function naming<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw diskRefusal(error, path) ?? error;
  }
}

/** The process's file mode creation mask. */
export function currentUmask(): number {
  const umask = process.umask(0);
  process.umask(umask);
  return umask;
}
