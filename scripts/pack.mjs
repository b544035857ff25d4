// The pack: each module that no layer has, one behind the other in a file, which bin/launch.cjs reads piece by piece.
// Its first line says, in a comment, where each module lies.
import { writeFileSync } from 'node:fs';

/** Digits, in base 16, of the place of a module in the file, of its length, and of the line it begins in. */
const DIGITS = [8, 6, 6];
const COUNT_DIGITS = 8;

/**
 * @param path of the file; its map stands beside it
 * @param units text and map of each module, by its number
 * @param count how many numbers there are
 * @param stamp what the file begins with
 */
export function writePack(path, units, count, stamp) {
  const width = DIGITS.reduce((sum, digits) => sum + digits, 0);
  let offset = stamp.length + '//'.length + COUNT_DIGITS + count * width + '\n'.length;
  let line = 1;
  const index = [];
  const texts = [];
  const sections = [];
  for (let number = 0; number < count; number += 1) {
    const unit = units.get(number);
    const text = unit === undefined ? '' : deferred(unit.text).trimEnd();
    index.push(
      [offset, text.length, line].map((value, at) => value.toString(16).padStart(DIGITS[at], '0')).join(''),
    );
    if (unit === undefined) continue;
    texts.push(text);
    sections.push({ offset: { line, column: 0 }, map: JSON.parse(unit.map) });
    offset += text.length + '\n'.length;
    line += text.split('\n').length;
  }
  const head = `${stamp}//${(count * width).toString(16).padStart(COUNT_DIGITS, '0')}${index.join('')}`;
  writeFileSync(path, `${head}\n${texts.join('\n')}\n`);
  writeFileSync(`${path}.map`, JSON.stringify({ version: 3, sections }));
}

/** A text in which parts of Node are asked for when they are needed first; each place stays. */
export function deferred(text) {
  return text.replaceAll(/=require(?=\("node:(?:crypto|child_process|net|os)"\))/g, '=__defer');
}
