/** What a command sees of the world, so that it can be run in a test as well as in a process. */

import type { FailureNotes } from './failure-notes.ts';
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
  /** Keeps failures for a document in place of the one that did not come. */
  readonly failures?: FailureNotes;
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

/** How failures are told. */
export type FailureForms = Pick<CommandIo, 'tellsCodes' | 'failures'>;

/**
 * The same streams, so that what is written to a terminal cannot steer it. Files and pipes get what they always got.
 */
export function guardTerminals(
  io: CommandIo,
  { tellsCodes = false, failures }: FailureForms = {},
): CommandIo {
  return {
    tellsCodes,
    ...(failures === undefined ? {} : { failures }),
    get stdin() {
      return io.stdin;
    },
    stdout: failures === undefined ? guarded(io.stdout) : noticed(guarded(io.stdout), failures),
    stderr: guarded(io.stderr),
    env: io.env,
  };
}

/** A sink whose use is noted. */
function noticed(sink: TextSink, failures: FailureNotes): TextSink {
  const { styled } = sink;
  const noting = (write: (text: string) => unknown) => (text: string) => {
    if (text !== '') failures.sawOutput();
    return write(text);
  };
  return {
    write: noting((text) => sink.write(text)),
    ...(styled === undefined ? {} : { styled: noting((text) => styled.call(sink, text)) }),
    get isTTY() {
      return sink.isTTY;
    },
    get columns() {
      return sink.columns;
    },
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
