/** `txt`: every line with its minion's name before it (3006.16 salt/output/txt.py). */
import { pformat } from '../../python/values/pprint.ts';
import { bytesRepr, pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { isBytes, type Value } from '../../python/values/value.ts';
import type { Outputter } from './outputter.ts';

/** The `txt` outputter; `text` is the same. */
export const outputter: Outputter = { name: 'txt', render: renderTxt };

function renderTxt(data: Value): string {
  if (typeof data === 'string') return `${data}\n`;
  if (!(data instanceof Map)) return `${pformat(data)}\n`;
  const lines = [...data].flatMap(([key, value]) => linesOf(value).map((line) => `${pyStr(key)}: ${line}\n`));
  return lines.join('');
}

function linesOf(value: Value): string[] {
  if (typeof value === 'string') return splitLines(value);
  return isBytes(value) ? byteLines(value).map(bytesRepr) : [pyStr(value)];
}

/** Python's `bytes.splitlines()`: only CR and LF end lines. */
function byteLines(bytes: Uint8Array): Uint8Array[] {
  const text = Buffer.from(bytes).toString('latin1');
  const lines = text.split(/\r\n|\n|\r/);
  if (lines[lines.length - 1] === '') lines.pop();
  return lines.map((line) => Buffer.from(line, 'latin1'));
}
