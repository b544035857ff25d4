/** Connections to a database, whichever it is. */
import type { Value } from '../../python/values/value.ts';

/** What connections are opened with: options by their names, and how long a statement may take. */
export interface DatabaseSettings {
  readonly options: ReadonlyMap<string, Value>;
  readonly timeoutMs: number;
  /** How many connections at most. */
  readonly connectionsMax: number;
  /** Told what the operator should know of a connection that works. */
  readonly warn?: (text: string) => void;
}
