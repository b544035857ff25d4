/**
 * What a text of SQLite's SQL consists of, as far as one must know before it is run: the drivers do not look, and one
 * of them ends the process.
 */

/** A text, token by token: quoted ones, comments, what is bound, the ends of statements, the rest. */
const PIECE =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?(?:\*\/|$)|\?\d*|[:@$][A-Za-z_]\w*|;|\S/g;
/** A statement with statements in it. */
const TRIGGER = /^\s*create\s+(?:temp\s+|temporary\s+)?trigger\b/i;

/** What is in a text. */
export interface SqlPieces {
  readonly isEmpty: boolean;
  readonly isOne: boolean;
  /** Values that are bound by their place (`?`, `?3`). */
  readonly positions: number;
  /** Those that are bound by a name (`:key`), without the colon. */
  readonly names: readonly string[];
}

/** Looks through a text of SQL. */
export function piecesOf(sql: string): SqlPieces {
  const names = new Set<string>();
  let [positions, isEmpty, isEnded, isOne] = [0, true, false, true];
  for (const [piece] of sql.matchAll(PIECE)) {
    if (piece.startsWith('--') || piece.startsWith('/*')) continue;
    if (piece === ';') isEnded = true;
    else if (isEnded) isOne = false;
    else isEmpty = false;
    if (/^\?\d*$/.test(piece))
      positions = piece === '?' ? positions + 1 : Math.max(positions, Number(piece.slice(1)));
    else if (/^[:@$]./.test(piece)) names.add(piece.slice(1));
  }
  return { isEmpty, isOne: isOne || TRIGGER.test(sql), positions, names: [...names] };
}
