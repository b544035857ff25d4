/** Server-sent events out of pieces of text (the event stream format of HTML). */

/** One event. */
export interface ServerSentEvent {
  readonly name: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Longer than this nothing is kept of one event; it is left out and counted. */
const EVENT_CHARS_MAX = 16 * 1024 * 1024;

/** Reads a stream piece by piece. */
export class SseParser {
  /** Events that were too long. */
  dropped = 0;
  #rest = '';
  #data: string[] = [];
  #chars = 0;
  #name = 'message';
  #id: string | undefined;

  /** @param piece text as it has come @returns the events that are complete with it */
  feed(piece: string): ServerSentEvent[] {
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > EVENT_CHARS_MAX) this.#overflow();
    const out: ServerSentEvent[] = [];
    for (const line of lines) {
      if (line === '') {
        const event = this.#complete();
        if (event !== undefined) out.push(event);
      } else this.#take(line);
    }
    return out;
  }

  #take(line: string): void {
    const at = line.indexOf(':');
    if (at === 0) return;
    const field = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? '' : line.slice(line.charAt(at + 1) === ' ' ? at + 2 : at + 1);
    if (field === 'event') this.#name = value;
    else if (field === 'id') this.#id = value;
    else if (field === 'data') {
      this.#chars += value.length;
      if (this.#chars <= EVENT_CHARS_MAX) this.#data.push(value);
    }
  }

  #complete(): ServerSentEvent | undefined {
    const isTooLong = this.#chars > EVENT_CHARS_MAX;
    const event = { name: this.#name, id: this.#id, data: this.#data.join('\n') };
    const isEmpty = this.#data.length === 0;
    this.#data = [];
    this.#chars = 0;
    this.#name = 'message';
    if (isTooLong) this.dropped++;
    return isTooLong || isEmpty ? undefined : event;
  }

  #overflow(): void {
    this.#rest = '';
    this.#data = [];
    this.#chars = EVENT_CHARS_MAX + 1;
  }
}
