/**
 * The places of a stack in the source. What a checkout builds has maps in `build/maps` (scripts/build.mjs), which are
 * read when a stack is shown, so that no start pays for them; an installed package has none.
 */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** A place in a built file, as it stands in a line of a stack. */
const PLACE = /(\/[^\s():]+\.cjs):(\d+):(\d+)/g;

/** Reads the maps, and remembers them: one for each log or command. */
export class SourcePlaces {
  readonly #maps = new Map<string, SourceMap | undefined>();
  readonly #dist: string;

  /** @param dist the folder of what is built */
  constructor(dist = import.meta.dirname) {
    this.#dist = dist;
  }

  /** A stack with the files and lines of the source, as far as they are known. */
  of(stack: string): string {
    return stack.replaceAll(PLACE, (place, path: string, line: string, column: string) => {
      const map = dirname(path) === this.#dist ? this.#mapOf(basename(path)) : undefined;
      const entry = map?.findEntry(Number(line) - 1, Number(column) - 1);
      if (entry === undefined || !('originalSource' in entry)) return place;
      const { originalSource, originalLine, originalColumn } = entry;
      return `${join(this.#dist, originalSource)}:${originalLine + 1}:${originalColumn + 1}`;
    });
  }

  /** There are as many as there are built files. */
  #mapOf(name: string): SourceMap | undefined {
    if (!this.#maps.has(name))
      this.#maps.set(name, readMap(join(this.#dist, '../build/maps', `${name}.map`)));
    return this.#maps.get(name);
  }
}

function readMap(path: string): SourceMap | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return new SourceMap(
      JSON.parse(readFileSync(path, 'utf8')) as ConstructorParameters<typeof SourceMap>[0],
    );
  } catch {
    // a build that runs at this moment writes it anew; the stack is of use without it
    return undefined;
  }
}
