/** `--progress`: how many minions have returned, redrawn in one line of standard error. */
import type { Clock } from '../../host/clock.ts';
import { progressLine } from '../../plugins/outputters/progress.ts';
import { type CommandIo, writeStyled } from '../terminal/io.ts';
import { visible } from '../../python/values/visible.ts';
import { terminalColumns } from '../terminal/terminal.ts';

/** The bar. Where standard error is no terminal, only its last state is written. */
export class ProgressBar {
  readonly #io: CommandIo;
  readonly #clock: Clock;
  readonly #beganMs: number;
  readonly #expected: number;
  #returned = 0;
  #note = '';

  constructor(io: CommandIo, clock: Clock, expected: number) {
    this.#io = io;
    this.#clock = clock;
    this.#beganMs = clock.monotonicMs();
    this.#expected = expected;
    this.#draw();
  }

  update(returned: number): void {
    this.#returned = returned;
    this.#draw();
  }

  /** Says behind the bar what is waited for. */
  show(text: string): void {
    this.#note = text;
    this.#draw();
  }

  clear(): void {
    this.#note = '';
    this.#draw();
  }

  end(): void {
    const { stderr } = this.#io;
    stderr.write(stderr.isTTY ? '\n' : `${this.#line()}\n`);
  }

  #draw(): void {
    const { stderr } = this.#io;
    if (stderr.isTTY) writeStyled(stderr, `\r${this.#line()}${this.#note === '' ? '' : '\u001b[K'}`);
  }

  #line(): string {
    const elapsedMs = this.#clock.monotonicMs() - this.#beganMs;
    // one column less, so that no terminal wraps the line
    const width = terminalColumns(this.#io.stderr, this.#io.env) - 1;
    const note = this.#note.slice(0, Math.floor(width / 2));
    const room = note === '' ? width : width - note.length - 1;
    const bar = progressLine({ returned: this.#returned, expected: this.#expected, elapsedMs }, room);
    return note === '' ? bar : `${bar} ${visible(note)}`;
  }
}
