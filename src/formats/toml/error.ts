/** What is wrong with a TOML text, and where. */

/** A text is not TOML. */
export class TomlSyntaxError extends SyntaxError {
  override readonly name = 'TomlSyntaxError';
  readonly line: number;
  readonly column: number;

  /** @param offset in UTF-16 units from the start of the text */
  constructor(what: string, text: string, offset: number) {
    const before = text.slice(0, offset);
    const line = before.split('\n').length;
    const column = offset - before.lastIndexOf('\n');
    super(`${what} (line ${line} column ${column} char ${offset})`);
    this.line = line;
    this.column = column;
  }
}
