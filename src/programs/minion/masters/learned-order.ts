/**
 * The masters of a cluster in the order in which one minion tries them. The highest hash of a master with the minion's
 * id comes first: another master more or less moves only the minions that it has.
 */
import { createHash } from 'node:crypto';
import type { Value } from '../../../python/values/value.ts';

/** More masters than any cluster has, with those that it had. */
const KNOWN_MAX = 64;

/** See the head of this file. */
export class LearnedOrder {
  /** The same array for as long as the minion runs, because others look into it; empty while it knows of no cluster. */
  readonly entries: Value[] = [];
  readonly #id: string;
  readonly #configured: Value;
  /** `host:port` of an entry. */
  readonly nameOf: (entry: Value) => string;

  /** @param id the minion's @param configured its one master, the last resort @param nameOf `host:port` of an entry */
  constructor(id: string, configured: Value, nameOf: (entry: Value) => string) {
    this.#id = id;
    this.#configured = configured;
    this.nameOf = nameOf;
  }

  /**
   * A master has said which ones its cluster has. One that names none is in no cluster: if it is the configured one,
   * the minion knows of no cluster any more; another one has left, and those that remain are tried.
   * @param masters what it has said @param by its `host:port` @returns whether the order has changed
   */
  heard(masters: readonly string[], by: string): boolean {
    const before = this.entries.join(' ');
    if (masters.length > 0) this.set(masters);
    else this.#leaves(by);
    return this.entries.join(' ') !== before;
  }

  /** Those that were known before and are not named now may only be away; with the configured one they come last. */
  set(masters: readonly string[]): void {
    const order: Value[] = this.#byHash(masters);
    const names = new Set(order.map(this.nameOf));
    const more = order.length === 0 ? [] : [...this.entries, this.#configured];
    this.entries.length = 0;
    for (const master of more) {
      if (names.has(this.nameOf(master)) || order.length >= KNOWN_MAX) continue;
      names.add(this.nameOf(master));
      order.push(master);
    }
    if (order.length > 1) this.entries.push(...order);
  }

  #leaves(name: string): void {
    const isConfigured = name === this.nameOf(this.#configured);
    const rest = isConfigured ? [] : this.entries.filter((entry) => this.nameOf(entry) !== name);
    this.entries.length = 0;
    if (rest.length > 1) this.entries.push(...rest);
  }

  #byHash(masters: readonly string[]): string[] {
    const weight = (master: string): string =>
      createHash('sha256').update(`${this.#id} ${master}`).digest('hex');
    const weights = new Map(masters.map((master) => [master, weight(master)]));
    return [...weights].sort(([, a], [, b]) => (a > b ? -1 : 1)).map(([master]) => master);
  }
}
