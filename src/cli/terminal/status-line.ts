/** One line on a terminal that says what is going on, and goes away before anything else is written there. */
import { visible } from '../../python/values/visible.ts';
import { writeStyled, type CommandIo, type TextSink } from './io.ts';

const CLEAR = '\r\u001b[K';
const COLUMNS = 80;

/**
 * A status line, and the streams before whose next text it goes away: a warning in the log does not stand behind it.
 */
export function withStatusLine(io: CommandIo): { readonly status: StatusLine; readonly io: CommandIo } {
  const status = new StatusLine(io.stderr);
  if (io.stderr.isTTY !== true) return { status, io };
  const after = (sink: TextSink): TextSink => ({
    write: (text) => {
      status.clear();
      return sink.write(text);
    },
    styled: (text) => {
      status.clear();
      writeStyled(sink, text);
    },
    isTTY: sink.isTTY,
    get columns() {
      return sink.columns;
    },
  });
  const { tellsCodes = false, failures, env } = io;
  return {
    status,
    io: {
      tellsCodes,
      ...(failures === undefined ? {} : { failures }),
      get stdin() {
        return io.stdin;
      },
      stdout: after(io.stdout),
      stderr: after(io.stderr),
      env,
    },
  };
}

/** Writes on standard error, where that is a terminal. */
export class StatusLine {
  readonly #stream: TextSink;
  #isShown = false;

  constructor(stream: TextSink) {
    this.#stream = stream;
  }

  /** Shows a text in place of the last one, cut to one line. */
  show(text: string): void {
    if (this.#stream.isTTY !== true) return;
    const columns = this.#stream.columns || COLUMNS; // a terminal that does not know says 0
    const line = visible(text)
      .replaceAll('\n', ' ')
      .slice(0, columns - 1);
    writeStyled(this.#stream, `${CLEAR}${line}`);
    this.#isShown = true;
  }

  clear(): void {
    if (this.#isShown) writeStyled(this.#stream, CLEAR);
    this.#isShown = false;
  }
}
