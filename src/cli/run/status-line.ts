/** One line on a terminal that says what is going on, and goes away before anything else is written there. */
import { visible } from '../../python/values/visible.ts';
import { writeStyled, type TextSink } from '../terminal/io.ts';

const CLEAR = '\r\u001b[K';
const COLUMNS = 80;

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
    const columns = this.#stream.columns ?? COLUMNS;
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
