/** Whether salt-api and its master can be reached, as far as the console has noticed. */
import { computed, signal } from '@preact/signals';

/** What cannot be reached. */
export type LinkState = 'ok' | 'api-away' | 'master-away';

/** Follows it. */
export class Link {
  readonly #api = signal(true);
  readonly #master = signal(true);
  readonly state = computed<LinkState>(() =>
    !this.#api.value ? 'api-away' : !this.#master.value ? 'master-away' : 'ok',
  );
  /** Goes up each time that something has come back: whoever shows data loads them anew. */
  readonly returns = signal(0);

  answered(): void {
    if (!this.#api.peek()) this.returns.value++;
    this.#api.value = true;
  }

  lost(): void {
    this.#api.value = false;
  }

  masterLost(): void {
    this.#master.value = false;
  }

  masterBack(): void {
    if (!this.#master.peek()) this.returns.value++;
    this.#master.value = true;
  }
}
