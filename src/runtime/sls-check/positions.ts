/** Where the parts of a YAML text stand: for telling of a value where it was written. */
import { parseDocument } from '../../formats/yaml/parser.ts';
import type { YamlNode } from '../../formats/yaml/node.ts';
import type { SourcePlace } from './rules.ts';

/** A key of a mapping, or the number of an item. */
export type Step = string | number;

/** Finds places in one file. */
export interface Positions {
  /** Where a part stands; the nearest one around it when it cannot be found. @param path the way to it from the top */
  at(...path: readonly Step[]): SourcePlace;
  /** Where a text stands first in the source; its start when it does not. */
  ofText(text: string): SourcePlace;
  /** A place of the rendered text, in the source. */
  inSource(place: SourcePlace): SourcePlace;
}

/**
 * @param source the file
 * @param rendered what it rendered to, which is YAML
 * @param lines for each line of `rendered` the line of the source it came from; undefined when they are the same
 */
export function positionsOf(
  source: string,
  rendered: string,
  lines: readonly number[] | undefined,
): Positions {
  let root: YamlNode | undefined | null = null;
  const sourceLines = source.split('\n');
  const renderedLines = rendered.split('\n');
  const inSource = ({ line, column }: SourcePlace): SourcePlace => {
    if (lines === undefined) return { line, column };
    const from = lines[line - 1] ?? 1;
    return {
      line: from,
      column: columnIn(sourceLines[from - 1] ?? '', renderedLines[line - 1] ?? '', column),
    };
  };
  return {
    inSource,
    ofText: (text) => {
      const line = sourceLines.findIndex((one) => one.includes(text));
      return line < 0
        ? { line: 1, column: 1 }
        : { line: line + 1, column: (sourceLines[line] ?? '').indexOf(text) + 1 };
    },
    at: (...path) => {
      root ??= nodeOf(rendered);
      const mark = root === undefined ? undefined : nearest(root, path);
      return inSource(
        mark === undefined ? { line: 1, column: 1 } : { line: mark.line + 1, column: mark.column + 1 },
      );
    },
  };
}

/**
 * The column in a line of the source: the same where both lines begin alike, else where the same word stands, else
 * where they part.
 */
function columnIn(source: string, rendered: string, column: number): number {
  let common = 0;
  while (common < column && source[common] === rendered[common]) common++;
  if (common === column) return column;
  const word = /^[\w./-]+/.exec(rendered.slice(column - 1))?.[0] ?? '';
  const found = word === '' ? -1 : source.indexOf(word);
  return found >= 0 ? found + 1 : Math.max(common + 1, source.search(/\S|$/) + 1);
}

function nodeOf(text: string): YamlNode | undefined {
  try {
    return parseDocument({ text: text.replace(/^\ufeff/, ''), name: '' });
  } catch {
    return undefined;
  }
}

/** The start of the last node on the way that is there: of its key in a mapping. */
function nearest(root: YamlNode, path: readonly Step[]): YamlNode['start'] {
  let node: YamlNode | undefined = root;
  let { start } = root;
  for (const step of path) {
    const next: readonly [YamlNode, YamlNode] | undefined = part(node, step);
    if (next === undefined) break;
    start = next[0].start;
    node = next[1];
  }
  return start;
}

function part(node: YamlNode | undefined, step: Step): readonly [YamlNode, YamlNode] | undefined {
  if (node?.kind === 'sequence' && typeof step === 'number') {
    const item = node.items[step];
    return item === undefined ? undefined : [item, item];
  }
  if (node?.kind !== 'mapping') return undefined;
  return node.pairs.find(([key]) => key.kind === 'scalar' && key.text === String(step));
}
