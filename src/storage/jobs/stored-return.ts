/** A return as job caches keep it. */
import type { Dict, Value } from '../../python/values/value.ts';

/** One minion's return, as it is kept. */
export interface StoredReturn {
  readonly jid: string;
  readonly id: string;
  readonly fun: string;
  readonly return: Value;
  readonly retcode: number;
  readonly success: boolean;
  readonly out?: string;
  /** When the master took it, milliseconds since 1970; unknown for what earlier versions kept. */
  readonly atMs?: number;
  /** The other fields of the return as it came; given and kept only where returns are handed on to a database. */
  readonly more?: Dict;
}

/** How a minion returned. */
export type ReturnCode = Pick<StoredReturn, 'id' | 'retcode' | 'success' | 'atMs'>;

/**
 * The field of a return that names the returners that its job asked for and that its minion does not have; none of
 * Salt's.
 */
export const MISSING_RETURNERS = 'missing_returners';
