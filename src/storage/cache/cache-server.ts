/** A server that keeps named values in banks, as Salt's cache drivers do (salt/cache/__init__.py, 3006.16). */
import type { Value } from '../../python/values/value.ts';

/** Where one value is. */
export interface CachePlace {
  /** Names with slashes between them: `minions/web1`. */
  readonly bank: string;
  readonly key: string;
}

/**
 * What a driver does. Every method throws UnreachableError when the server is away, and another BrineError when it
 * answers and refuses this one thing.
 */
export interface CacheServer {
  /** The server and where it is, as a sentence begins with it; without a secret. */
  readonly place: string;
  /** Keeps a value. @returns the time that the server has for it, whole seconds since 1970 */
  store(at: CachePlace, bytes: Buffer): Promise<number>;
  /** The value as it was stored; undefined when there is none. */
  fetch(at: CachePlace): Promise<Buffer | undefined>;
  /** Removes one key; without one all keys of the bank. @returns what Salt's driver returns */
  flush(bank: string, key?: string): Promise<Value>;
  /** The keys of a bank. */
  list(bank: string): Promise<string[]>;
  /**
   * When values were stored, whole seconds since 1970; undefined for those that are not there. In the order of
   * `places`.
   */
  stamps(places: readonly CachePlace[]): Promise<(number | undefined)[]>;
  /**
   * A text that is another one after every change of a value below `bank`; left out, or undefined, where the server has
   * nothing of the kind.
   */
  mark?(bank: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Named values in banks, wherever they are. */
export interface Banks {
  store(bank: string, key: string, value: Value): void | Promise<void>;
  /** An empty mapping when there is none. */
  fetch(bank: string, key: string): Value | Promise<Value>;
  list(bank: string): string[] | Promise<string[]>;
  flush(bank: string, key?: string): Value | Promise<Value>;
}
