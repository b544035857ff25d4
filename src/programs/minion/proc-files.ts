/**
 * `<cachedir>/proc/<jid>`: one file for each running job, as Salt's programs on the same host look for them
 * (docs/internals/a-jobs-life.md#on-the-minion).
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory, safeJoin, writeFileAtomic } from '../../host/files.ts';
import { isSafeJid } from '../../storage/jobs/jid.ts';
import type { Dict } from '../../python/values/value.ts';
import { encode } from '../../formats/wire/msgpack.ts';

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

  /** Removes what a minion that died has left. */
  clear(): void {
    for (const name of readdirSync(this.#directory)) if (isSafeJid(name)) this.remove(name);
  }
}
