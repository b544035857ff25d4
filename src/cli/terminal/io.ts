/** What a command sees of the world, so that it can be run in a test as well as in a process. */

import { visible } from '../../python/values/visible.ts';

/** Somewhere to write text. On a terminal, what would steer it is made visible. */
export interface TextSink {
  write(text: string): unknown;
  /** Writes text whose control characters are ours; without it {@link write} does. Use {@link writeStyled}. */
  styled?(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** The streams and the environment of a command. */
export interface CommandIo {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly env: NodeJS.ProcessEnv;
  /** Failures are told with their codes too, as lines of JSON on standard error (`failure-line.ts`). */
  readonly tellsCodes?: boolean;
}

/** The process's own. */
export const processIo: CommandIo = {
  // looked at only by who reads it: Node takes six milliseconds to make it
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
};

/** Writes text with colours or a carriage return of our own, in which nothing else steers the terminal. */
export function writeStyled(sink: TextSink, text: string): void {
  if (sink.styled === undefined) sink.write(text);
  else sink.styled(text);
}

/** The same streams, so that what is written to a terminal cannot steer it. Files and pipes get what they always got. */
export function guardTerminals(io: CommandIo, tellsCodes = false): CommandIo {
  return {
    tellsCodes,
    get stdin() {
      return io.stdin;
    },
    stdout: guarded(io.stdout),
    stderr: guarded(io.stderr),
    env: io.env,
  };
}

function guarded(sink: TextSink): TextSink {
  if (sink.isTTY !== true) return sink;
  return {
    write: (text) => sink.write(visible(text)),
    styled: (text) => sink.write(text),
    isTTY: true,
    get columns() {
      return sink.columns;
    },
  };
}
