/**
 * The places of a stack in the source. What a checkout builds has maps in `build/maps` (scripts/build.mjs), which are
 * read when a stack is shown, so that no start pays for them; an installed package has none.
 */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** A place in a built file, as it stands in a line of a stack. */
const PLACE = /(\/[^\s():]+\.cjs):(\d+):(\d+)/;
/** A line of a stack with a name that the build made shorter; names of members stay as they are. */
const SHORT_NAME = /^(\s+at (?:async )?(?:new )?)#?[\w$]{1,5} \((.*)\)$/;
/** An asynchronous caller is told at its `await`, and what it called stands behind it; a member's name does not. */
const AWAITED_CALL = /^await [\w$]+\(/;
/** In built files names are short. */
const LONGEST_CALL = 80;
const AWAIT_LENGTH = 'await '.length;

/** Where something comes from; `name` is that of the identifier there. */
interface Mapping {
  readonly originalSource: string;
  readonly originalLine: number;
  readonly originalColumn: number;
  readonly name?: string;
}

/** Reads the maps, and remembers them: one for each log or command. */
export class SourcePlaces {
  readonly #maps = new Map<string, SourceMap | undefined>();
  readonly #dist: string;

  /** @param dist the folder of what is built */
  constructor(dist = import.meta.dirname) {
    this.#dist = dist;
  }

  /** A stack with the files, lines and functions of the source, as far as they are known. */
  of(stack: string): string {
    const lines = stack.split('\n');
    // Node's own queue of tasks may stand between
    const callerOf = (at: number): string | undefined =>
      lines.slice(at + 1).find((line) => !line.includes('(node:internal/process/'));
    return lines.map((line, at) => this.#line(line, callerOf(at))).join('\n');
  }

  /** @param caller the line below, whose place is where this one's function is called */
  #line(line: string, caller: string | undefined): string {
    const entry = this.#entryAt(line);
    if (entry === undefined) return line;
    const { originalSource, originalLine, originalColumn } = entry;
    const place = `${join(this.#dist, originalSource)}:${originalLine + 1}:${originalColumn + 1}`;
    const [, head, built] = SHORT_NAME.exec(line) ?? [];
    if (head === undefined || built === undefined) return line.replace(PLACE, () => place);
    const name = caller === undefined ? undefined : this.#calledAt(caller);
    return name === undefined ? `${head}${place}` : `${head}${name} (${place})`;
  }

  /** The name of the function that is called at the place of a line. */
  #calledAt(line: string): string | undefined {
    const isAwaiting = /^\s+at async /.test(line);
    if (isAwaiting && !AWAITED_CALL.test(textAt(line))) return undefined;
    const name = this.#entryAt(line, isAwaiting ? AWAIT_LENGTH : 0)?.name;
    return name === '' ? undefined : name;
  }

  /** What the map says of the place of a line. @param further columns behind it */
  #entryAt(line: string, further = 0): Mapping | undefined {
    const [, path, row, column] = PLACE.exec(line) ?? [];
    if (path === undefined || dirname(path) !== this.#dist) return undefined;
    const entry = this.#mapOf(basename(path))?.findEntry(Number(row) - 1, Number(column) - 1 + further);
    return entry !== undefined && 'originalSource' in entry ? entry : undefined;
  }

  /** There are as many as there are built files. */
  #mapOf(name: string): SourceMap | undefined {
    if (!this.#maps.has(name))
      this.#maps.set(name, readMap(join(this.#dist, '../build/maps', `${name}.map`)));
    return this.#maps.get(name);
  }
}

/** What stands at the place of a line of a stack. */
function textAt(stackLine: string): string {
  const [, path = '', row, column] = PLACE.exec(stackLine) ?? [];
  try {
    const line = readFileSync(path, 'latin1').split('\n', Number(row)).at(-1) ?? '';
    return line.slice(Number(column) - 1, Number(column) - 1 + LONGEST_CALL);
  } catch {
    // gone since, by a build that runs at this moment
    return '';
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
