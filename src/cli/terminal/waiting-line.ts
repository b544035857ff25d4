/**
 * A line on a terminal that says, from the first second on, what a command waits for. It goes away before anything else
 * is written there.
 */
import type { Clock, Timer } from '../../host/clock.ts';
import type { Wait, Waits } from '../../runtime/client/waits.ts';
import { withStatusLine, type StatusLine } from './status-line.ts';
import type { CommandIo } from './io.ts';

/** So long nothing is said: most commands have ended by then. */
const FIRST_MS = 1_000;

/** Where the line is shown. */
export type LinePlace = Pick<StatusLine, 'show' | 'clear'>;

/** The waits of one command. */
export class WaitingLine implements Waits {
  readonly #clock: Clock;
  readonly #waits = new Map<Wait, number>();
  #place: LinePlace | undefined;
  #timer: Timer | undefined;

  /** @param place undefined where nothing is to be shown */
  constructor(place: LinePlace | undefined, clock: Clock) {
    this.#place = place;
    this.#clock = clock;
  }

  /** Shows the waits somewhere else from now on. */
  moveTo(place: LinePlace): void {
    if (this.#place !== undefined) this.#place = place;
  }

  begins(wait: Wait): () => void {
    this.#waits.set(wait, this.#clock.monotonicMs());
    this.#plan();
    return () => {
      if (!this.#waits.delete(wait) || this.#waits.size > 0) return;
      this.#timer?.cancel();
      this.#timer = undefined;
      this.#place?.clear();
    };
  }

  #plan(): void {
    if (this.#place === undefined || this.#timer !== undefined) return;
    this.#timer = this.#clock.after(FIRST_MS, () => this.#show(), { background: true });
  }

  #show(): void {
    this.#timer = undefined;
    const [last] = [...this.#waits].slice(-1);
    if (last === undefined) return;
    const [wait, beganMs] = last;
    const seconds = Math.floor((this.#clock.monotonicMs() - beganMs) / 1000);
    // a wait that took the place of another just now waits for its own first second
    if (seconds > 0) this.#place?.show(`${seconds} s: ${wait.text()}`);
    this.#plan();
  }
}

/**
 * A command's waits, and its streams, before whose next text the line goes away. Nothing is shown where standard error
 * is no terminal, is one that knows no way to clear a line, or carries lines of JSON.
 */
export function withWaitingLine(
  io: CommandIo,
  clock: Clock,
): { readonly waits: WaitingLine; readonly status: StatusLine; readonly io: CommandIo } {
  const { status, io: guarded } = withStatusLine(io);
  const isShown = io.stderr.isTTY === true && io.tellsCodes !== true && io.env['TERM'] !== 'dumb';
  return { waits: new WaitingLine(isShown ? status : undefined, clock), status, io: guarded };
}
