/** What `augtool` prints: nodes with their values. */
import type { Value } from '../../../python/values/value.ts';

/** A node: its path, and its value if it has one. */
export type AugeasNode = readonly [path: string, value: Value];

const MATCHED = /^(\/.*?) = (.*)$/;
const NOTHING = '(none)';

/** The nodes that `match` printed. A value goes on over lines that are no other node. */
export function matchedNodes(text: string): AugeasNode[] {
  const nodes: [string, string][] = [];
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const found = MATCHED.exec(line);
    const last = nodes.at(-1);
    if (found !== null) nodes.push([found[1] ?? '', found[2] ?? '']);
    else if (last !== undefined && !line.startsWith('  (no match')) last[1] += `\n${line}`;
  }
  return nodes.map(([path, value]) => [path, value === NOTHING ? null : value]);
}

const LETTERS: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** A text as `print` escapes it: octal numbers are bytes. */
function unescaped(text: string): string {
  const bytes: number[] = [];
  for (const [piece, octal, letter] of text.matchAll(/\\([0-7]{3})|\\([^])|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (letter !== undefined && Object.hasOwn(LETTERS, letter)) bytes.push(LETTERS[letter] ?? 0);
    else bytes.push(...Buffer.from(letter ?? piece));
  }
  return Buffer.from(bytes).toString('utf8');
}

/** The nodes that `print` printed. */
export function printedNodes(text: string): AugeasNode[] {
  return text.split('\n').flatMap((line): AugeasNode[] => {
    if (!line.startsWith('/')) return [];
    const found = /^(.*?) = "(.*)"$/.exec(line);
    return [found === null ? [line, null] : [found[1] ?? '', unescaped(found[2] ?? '')]];
  });
}
