/**
 * Real pipes between us and the programs we start. Node's own stdio "pipes" are sockets, and a program that opens
 * `/dev/stdout`, `/dev/stderr` or `/dev/stdin` by name fails on a socket (ENXIO); on a pipe it works. Node offers no
 * `pipe(2)`, but it can open a named pipe whose name is taken away at once, which is the same thing to both ends.
 */
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Who reads: the program (`stdin`) or we (`stdout`, `stderr`). */
export type PipeDirection = 'toProgram' | 'fromProgram';

/** The two ends as file descriptors; whoever gets them closes them. */
export interface Pipe {
  /** Our end, non-blocking, so that the event loop can wait for it. */
  readonly ours: number;
  /** The program's end, blocking, as programs expect. */
  readonly theirs: number;
}

/**
 * Opens pipes.
 * @param directions one entry per pipe
 * @param makeFifos creates named pipes with mode 0600 at these paths, all or none; false when it cannot
 * @returns the pipes in the order asked for, or undefined when this system has no room or program for them
 */
async function openPipes(
  directions: readonly PipeDirection[],
  makeFifos: (paths: readonly string[]) => Promise<boolean>,
): Promise<Pipe[] | undefined> {
  let folder: string;
  try {
    folder = mkdtempSync(join(tmpdir(), '.brine-pipe-'));
  } catch {
    return undefined; // a read-only or full temporary folder; the caller has another way
  }
  try {
    const paths = directions.map((_, i) => join(folder, String(i)));
    if (!(await makeFifos(paths))) return undefined;
    return openAll(paths, directions);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function openAll(paths: readonly string[], directions: readonly PipeDirection[]): Pipe[] {
  const pipes: Pipe[] = [];
  try {
    for (const [i, path] of paths.entries()) pipes.push(openEnds(path, directions[i] as PipeDirection));
    return pipes;
  } catch (error) {
    for (const pipe of pipes) closePipe(pipe);
    throw error;
  }
}

// The reading end opens at once only without blocking, the writing end only when a reader is there: so a helper
// reader comes first where the final reader must be a blocking one.
function openEnds(path: string, direction: PipeDirection): Pipe {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (direction === 'fromProgram') return { ours: reader, theirs: openSync(path, constants.O_WRONLY) };
    const ours = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    const theirs = openSync(path, constants.O_RDONLY);
    closeSync(reader);
    return { ours, theirs };
  } catch (error) {
    closeSync(reader);
    throw error;
  }
}

/** Pipes that are kept at most. */
const STOCK = 8;

/**
 * Pipes from programs, made several at a time: making them takes a program, which costs as much as the one that they
 * are for. They have no names any more, and programs that are started meanwhile do not inherit them.
 */
export class PipeStock {
  readonly #makeFifos: (paths: readonly string[]) => Promise<boolean>;
  readonly #kept: Pipe[] = [];

  /** @param makeFifos creates named pipes with mode 0600 at these paths, all or none; false when it cannot */
  constructor(makeFifos: (paths: readonly string[]) => Promise<boolean>) {
    this.#makeFifos = makeFifos;
  }

  /**
   * Opens pipes.
   * @param directions one entry per pipe
   * @returns the pipes in the order asked for, or undefined when this system has no room or program for them
   */
  async open(directions: readonly PipeDirection[]): Promise<Pipe[] | undefined> {
    if (directions.includes('toProgram') || directions.length > STOCK)
      return openPipes(directions, this.#makeFifos);
    if (this.#kept.length < directions.length) {
      const made = await openPipes(Array<PipeDirection>(STOCK).fill('fromProgram'), this.#makeFifos);
      if (made === undefined) return undefined;
      this.#kept.push(...made);
      for (const pipe of this.#kept.splice(STOCK + directions.length)) closePipe(pipe);
    }
    return this.#kept.splice(0, directions.length);
  }
}

/** Closes both ends. */
export function closePipe(pipe: Pipe): void {
  closeSync(pipe.ours);
  closeSync(pipe.theirs);
}
