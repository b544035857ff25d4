/**
 * The line that shows whoever looks on where an orchestration is: its step, how many minions have returned, and the
 * step of one within it.
 */

/** Makes the line. Steps may run side by side; the one that something was last heard of is shown. */
export class StepDisplay {
  readonly #show: (text: string) => void;
  readonly #titles = new Map<string, string>();

  /** @param show shows a text in place of the last one */
  constructor(show: (text: string) => void) {
    this.#show = show;
  }

  begin(step: string, title: string): void {
    this.#titles.set(step, title);
    this.#show(title);
  }

  /** So many of the minions of a step have returned. */
  returned(step: string, done: number, of: number): void {
    this.#tell(step, `${done} of ${of} minions`);
  }

  /** What shows the line of an orchestration within a step. */
  within(step: string): (text: string) => void {
    return (text) => this.#tell(step, text);
  }

  end(step: string): void {
    this.#titles.delete(step);
  }

  #tell(step: string, text: string): void {
    const title = this.#titles.get(step);
    this.#show(title === undefined ? text : `${title} > ${text}`);
  }
}
