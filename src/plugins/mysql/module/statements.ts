/** The statements of a script of SQL. */

/** A quoted text, a comment, the end of a statement, or what stands between these. */
const PIECE =
  /'(?:[^'\\]|\\.|'')*'?|"(?:[^"\\]|\\.|"")*"?|`(?:[^`]|``)*`?|\/\*(?!!)(?:[^*]|\*(?!\/))*(?:\*\/)?|#[^\n]*|--(?=\s|$)[^\n]*|;|[^'"`/#;-]+|[/-]/gs;

/**
 * Splits a script into its statements, without comments and without the semicolons between them. What begins with `/*!`
 * is no comment, since the server runs what is in it.
 */
export function statementsOf(script: string): string[] {
  const statements: string[] = [];
  let current = '';
  for (const [piece] of script.matchAll(PIECE)) {
    if (piece === ';') {
      statements.push(current.trim());
      current = '';
    } else if (/^(?:#|--(?=\s|$))/.test(piece)) continue;
    else current += /^\/\*(?!!)/.test(piece) ? ' ' : piece;
  }
  statements.push(current.trim());
  return statements.filter((statement) => statement !== '');
}
