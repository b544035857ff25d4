/** Says what is going on: one line that is rewritten on a terminal, lines of their own elsewhere. */
import type { WriteStream } from 'node:tty';

/** Shows progress on standard error. */
export class Progress {
  readonly #stream: NodeJS.WriteStream | WriteStream;
  #shown = 0;

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
  }

  /** A new step. */
  step(text: string): void {
    if (!this.#stream.isTTY) {
      this.#stream.write(`${text}\n`);
      return;
    }
    this.#stream.write(`\r${text.padEnd(this.#shown)}`);
    this.#shown = text.length;
  }

  /** Clears the line, before something else is printed. */
  end(): void {
    if (this.#stream.isTTY) this.#stream.write(`\r${' '.repeat(this.#shown)}\r`);
    this.#shown = 0;
  }
}
