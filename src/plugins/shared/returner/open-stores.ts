/** The stores that are open: one for each database and set of options, closed when nobody has needed it for a while. */
import type { Clock, Timer } from '../../../host/clock.ts';
import { pyRepr } from '../../../python/values/repr.ts';
import type { Value } from '../../../python/values/value.ts';
import type { ReturnStore, StoreKind } from './return-store.ts';

/** How stores are opened and kept. */
export interface OpenStoresOptions {
  readonly clock: Clock;
  /** How many stay open while nobody uses them. */
  readonly idleMax?: number;
  /** After how long without use one is closed. */
  readonly idleMs?: number;
  /** How long a statement may take. */
  readonly timeoutMs?: number;
  readonly connectionsMax?: number;
  readonly keepJobsSeconds?: number;
  /** See {@link StoreSettings.warn}. */
  readonly warn?: (text: string) => void;
}

interface Entry {
  readonly store: ReturnStore;
  users: number;
  closing: Timer | undefined;
}

/** Opens stores when they are needed and closes them afterwards. */
export class OpenStores {
  readonly #options: Required<Omit<OpenStoresOptions, 'keepJobsSeconds' | 'warn'>> &
    Pick<OpenStoresOptions, 'keepJobsSeconds' | 'warn'>;
  readonly #entries = new Map<string, Entry>();

  constructor(options: OpenStoresOptions) {
    this.#options = { idleMax: 4, idleMs: 60_000, timeoutMs: 10_000, connectionsMax: 4, ...options };
  }

  /** Stores that are open now. */
  get size(): number {
    return this.#entries.size;
  }

  /** Runs something with the store of these options. */
  async use<T>(
    kind: StoreKind,
    options: ReadonlyMap<string, Value>,
    run: (store: ReturnStore) => Promise<T>,
  ): Promise<T> {
    const key = `${kind.name} ${pyRepr(new Map([...options].sort(([a], [b]) => (a < b ? -1 : 1))))}`;
    const entry = this.#entry(key, kind, options);
    entry.users++;
    entry.closing?.cancel();
    try {
      return await run(entry.store);
    } finally {
      entry.users--;
      if (entry.users === 0) this.#rest(key, entry);
    }
  }

  /** Closes every store; what is under way may fail. */
  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const { closing } of entries) closing?.cancel();
    await Promise.allSettled(entries.map(({ store }) => store.close()));
  }

  #entry(key: string, kind: StoreKind, options: ReadonlyMap<string, Value>): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const { timeoutMs, connectionsMax, keepJobsSeconds, clock, warn } = this.#options;
    const kept = {
      ...(keepJobsSeconds === undefined ? {} : { keepJobsSeconds }),
      ...(warn === undefined ? {} : { warn }),
    };
    const store = kind.open({ options, timeoutMs, connectionsMax, clock, ...kept });
    const entry: Entry = { store, users: 0, closing: undefined };
    this.#entries.set(key, entry);
    return entry;
  }

  /** Nobody uses it any more: it is closed later, or now when too many others are open. */
  #rest(key: string, entry: Entry): void {
    const { clock, idleMs, idleMax } = this.#options;
    if (this.#entries.get(key) !== entry) return; // the table is closed
    if (this.#entries.size > idleMax) return this.#drop(key, entry);
    entry.closing = clock.after(idleMs, () => this.#drop(key, entry), { background: true });
  }

  #drop(key: string, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    // nothing waits for what it still had to say
    void entry.store.close().catch(() => undefined);
  }
}
