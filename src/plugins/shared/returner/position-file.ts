/** How far something has been handed on, in a small file, so that a restart goes on from there. */
import { messageOf } from '../../../errors/errors.ts';
import { readTextIfExists, writeFileAtomic } from '../../../host/files.ts';
import type { Logger } from '../../../host/log.ts';
import { parseJson, toJson } from '../../../formats/json/text.ts';
import { isDict } from '../../../python/values/value.ts';

/**
 * Positions by name. A file that is lost or old costs only that things are written again, which databases do not mind.
 */
export class PositionFile {
  readonly #path: string;
  readonly #log: Logger;
  readonly #positions = new Map<string, number>();

  constructor(path: string, log: Logger) {
    this.#path = path;
    this.#log = log;
    for (const [name, at] of readPositions(path, log)) this.#positions.set(name, at);
  }

  names(): string[] {
    return [...this.#positions.keys()];
  }

  /** 0 for what is not known. */
  get(name: string): number {
    return this.#positions.get(name) ?? 0;
  }

  /** @param at undefined forgets the name */
  set(name: string, at: number | undefined): void {
    if (at === undefined) this.#positions.delete(name);
    else this.#positions.set(name, at);
    try {
      writeFileAtomic(this.#path, `${toJson(new Map(this.#positions))}\n`, { mode: 0o600 });
    } catch (error) {
      this.#log.warning(
        `${this.#path} cannot be written: ${messageOf(error)}; after a restart some will be written again.`,
        error,
      );
    }
  }
}

/** The positions in a file; none when there is no such file or it is damaged. */
export function readPositions(path: string, log: Logger): ReadonlyMap<string, number> {
  const out = new Map<string, number>();
  const text = readTextIfExists(path);
  if (text === undefined) return out;
  try {
    const value = parseJson(text);
    if (isDict(value)) for (const [name, at] of value) if (typeof at === 'number') out.set(String(name), at);
  } catch (error) {
    log.warning(`${path} is damaged and is begun anew: ${messageOf(error)}`, error);
  }
  return out;
}
