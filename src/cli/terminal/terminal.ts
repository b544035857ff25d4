/** What the programs know about the terminal: its width, and whether colours are wanted. */
import type { Value } from '../../python/values/value.ts';

/** Width when neither the terminal nor `COLUMNS` says it, as optparse and most terminals have it. */
const COLUMNS_DEFAULT = 80;

/** The part of an output stream that tells about a terminal. */
export interface TerminalStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Columns of the terminal: `COLUMNS` when it is a number, else the terminal's own width, else 80. */
export function terminalColumns(stream: TerminalStream, env: Env): number {
  const named = /^\s*[0-9]+\s*$/.test(env['COLUMNS'] ?? '') ? Number(env['COLUMNS']) : 0;
  if (named > 0) return named;
  return stream.isTTY && stream.columns ? stream.columns : COLUMNS_DEFAULT;
}

/** What decides about colours. */
export interface ColorWish {
  /** `--force-color` */
  readonly force: boolean;
  /** `--no-color` */
  readonly none: boolean;
  /** The configuration key `color`; undefined or null when it is not set. */
  readonly configured?: Value | undefined;
}

/**
 * Whether to write colours. `--force-color` beats `--no-color`, both beat everything else (salt/output/__init__.py,
 * get_printout: giving both is no error). Then `NO_COLOR` (ours), the configuration key `color`, and last whether the
 * output is a terminal.
 */
export function wantsColor(wish: ColorWish, stream: TerminalStream, env: Env): boolean {
  if (wish.force) return true;
  if (wish.none || env['NO_COLOR']) return false;
  if (typeof wish.configured === 'boolean') return wish.configured;
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}
