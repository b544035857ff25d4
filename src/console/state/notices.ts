/** Short news for whoever looks at the page, or hears it. */
import { signal } from '@preact/signals';
import { after } from '../model/clock.ts';

/** One of them. */
export interface Notice {
  readonly nth: number;
  readonly kind: 'done' | 'error';
  readonly text: string;
}

const SHOWN_MS = 7000;
const NOTICES_MAX = 4;

/** Keeps them for a while. */
export class Notices {
  readonly list = signal<readonly Notice[]>([]);
  #nth = 0;

  done(text: string): void {
    this.#add('done', text);
  }

  /** Errors stay until they are closed. */
  error(error: unknown): void {
    this.#add('error', error instanceof Error ? error.message : String(error));
  }

  close(nth: number): void {
    this.list.value = this.list.peek().filter((notice) => notice.nth !== nth);
  }

  #add(kind: Notice['kind'], text: string): void {
    const notice = { nth: ++this.#nth, kind, text };
    this.list.value = [...this.list.peek(), notice].slice(-NOTICES_MAX);
    if (kind === 'done') after(SHOWN_MS, () => this.close(notice.nth));
  }
}
