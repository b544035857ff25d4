/**
 * `<cachedir>/proc/<jid>`: one file for each running job, as Salt's programs on the same host look for them
 * (docs/internals/a-jobs-life.md#on-the-minion).
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory, safeJoin, writeFileAtomic } from '../../host/files.ts';
import { isSafeJid } from '../../storage/jobs/jid.ts';
import { startTicks } from '../../host/process-identity.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';

/** The folder of proc files. */
export class ProcFiles {
  readonly #directory: string;

  constructor(cachedir: string) {
    this.#directory = join(cachedir, 'proc');
    makeDirectory(this.#directory, 0o700);
  }

  write(jid: string, data: Dict): void {
    if (isSafeJid(jid))
      writeFileAtomic(safeJoin(this.#directory, jid), encode(data, 'network'), { mode: 0o600 });
  }

  remove(jid: string): void {
    if (isSafeJid(jid)) rmSync(safeJoin(this.#directory, jid), { force: true });
  }

  /** Removes what a minion that died has left. @param kept job ids of which the files stay */
  clear(kept: ReadonlySet<string> = new Set()): void {
    for (const name of readdirSync(this.#directory))
      if (isSafeJid(name) && !kept.has(name)) this.remove(name);
  }

  /** The jobs that processes which live have files for. */
  alive(): string[] {
    return readdirSync(this.#directory).filter((name) => isSafeJid(name) && this.read(name) !== undefined);
  }

  /** The file of a job; undefined when it is gone, or the process of the job. */
  read(jid: string): Dict | undefined {
    try {
      const value = decode(readFileSync(safeJoin(this.#directory, jid)), 'network');
      const pid = isDict(value) ? value.get('pid') : undefined;
      return isDict(value) && typeof pid === 'number' && startTicks(pid) !== undefined ? value : undefined;
    } catch {
      return undefined;
    }
  }
}
