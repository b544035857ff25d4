/** Descriptions of functions, as far as they mark what is code. */

/** A piece of a description. */
export interface DocPiece {
  readonly text: string;
  /** Whether it stood between backticks. */
  readonly isCode: boolean;
}

/** What stands between one or two backticks in a line; Salt's own descriptions have two. */
const CODE = /(?<!`)(``?)(?!`)([^\n]*?[^`\n])\1(?!`)/g;

/** A description cut into its words and its code. A backtick without a second one in its line is left as it is. */
export function docPieces(doc: string): DocPiece[] {
  const pieces: DocPiece[] = [];
  let at = 0;
  for (const match of doc.matchAll(CODE)) {
    if (match.index > at) pieces.push({ text: doc.slice(at, match.index), isCode: false });
    pieces.push({ text: match[2] ?? '', isCode: true });
    at = match.index + match[0].length;
  }
  if (at < doc.length) pieces.push({ text: doc.slice(at), isCode: false });
  return pieces;
}
