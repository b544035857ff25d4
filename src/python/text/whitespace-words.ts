/**
 * Words of a line for comparing without regard to white space (3006.16 salt/utils/stringutils.py
 * `build_whitespace_split_regex`).
 */
import { BrineError } from '../../errors/errors.ts';

const WORD = /[^ \t\r\n]+/y;
const QUOTED_OR_WORD = /"[^"]*"|[^ \t\r\n"][^ \t\r\n]*/y;

/**
 * The words of a line. Only a line that has quotes of both kinds keeps together what stands in double ones.
 * @throws BrineError `No closing quotation`
 */
export function whitespaceWords(line: string): string[] {
  const keepsQuoted = line.includes("'") && line.includes('"') && !line.includes(`'\\"`);
  const pattern = keepsQuoted ? QUOTED_OR_WORD : WORD;
  const words: string[] = [];
  for (let at = 0; at < line.length;) {
    if (' \t\r\n'.includes(line.charAt(at))) {
      at++;
      continue;
    }
    pattern.lastIndex = at;
    const word = pattern.exec(line)?.[0];
    if (word === undefined) throw new BrineError('No closing quotation');
    words.push(word);
    at += word.length;
  }
  return words;
}
