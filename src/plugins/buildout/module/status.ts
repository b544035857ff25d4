/**
 * What functions of `buildout` return: how it ended, and what was noted on the way (3006.16
 * salt/modules/zcbuildout.py).
 */
import { dict, type Dict, type Value } from '../../../python/values/value.ts';

const RULE = `${'-'.repeat(80)}\n`;
const REFUSED = 'Unexpected response from buildout';
const LEVELS = ['error', 'warn', 'info', 'debug'] as const;
type Level = (typeof LEVELS)[number];

/** How one function has ended. */
export interface Ended {
  readonly status: boolean;
  readonly comment: string;
  readonly out: string | undefined;
  readonly notes: readonly (readonly [Level, string])[];
}

/** What is noted while a function runs. */
export class Notes {
  readonly #notes: (readonly [Level, string])[] = [];
  add(level: Level, text: string): void {
    this.#notes.push([level, text]);
  }
  /** It has ended well. */
  done(comment: string, out?: string): Ended {
    return { status: true, comment, out, notes: this.#notes };
  }
  /** It has failed. */
  failed(why: string): Ended {
    this.add('error', why);
    return { status: false, comment: REFUSED, out: undefined, notes: this.#notes };
  }
}

const withoutEmpty = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .join('\n');

function summary({ out, notes }: Ended): string {
  const output = out === undefined || out === '' ? '' : `${RULE}OUTPUT:\n${out}\n${RULE}`;
  if (notes.length === 0) return output;
  const lines = notes.map(([level, text]) => `\n${level.toUpperCase()}: ${text}\n`).join('');
  return `${output}${RULE}Log summary:\n${RULE}${lines}${RULE}`;
}

function byLevel(notes: Ended['notes']): ReadonlyMap<Level, string[]> {
  const found = new Map<Level, string[]>();
  for (const [level, text] of notes) found.set(level, [...(found.get(level) ?? []), text]);
  return found;
}

function summaryByLevel({ notes }: Ended): string {
  if (notes.length === 0) return '';
  const found = byLevel(notes);
  const groups = LEVELS.flatMap((level) => {
    const texts = found.get(level);
    return texts === undefined ? [] : [`\n${level.toUpperCase()}:\n${texts.join('\n')}\n`];
  });
  return `${RULE}Log summary by level:\n${RULE}${groups.join('')}`;
}

const notesValue = (notes: Ended['notes']): Value => notes.map(([level, text]) => [level, text]);
const levelsValue = (notes: Ended['notes']): Dict => new Map<Value, Value>(byLevel(notes));

/** The answer of one function. */
export function answerOf(ended: Ended): Dict {
  const { status, comment, out, notes } = ended;
  return dict({
    status,
    logs: notesValue(notes),
    comment: withoutEmpty(comment),
    out: out === undefined ? null : withoutEmpty(out),
    logs_by_level: levelsValue(notes),
    outlog: withoutEmpty(summary(ended)),
    outlog_by_level: summaryByLevel(ended),
  });
}

/** The answer of several functions, one after the other. */
export function answerOfAll(all: readonly Ended[]): Dict {
  const joined = (text: (one: Ended) => string, made: (text: string) => string): string =>
    all
      .map(text)
      .filter((one) => one !== '')
      .map(made)
      .join('');
  const notes = all.flatMap((one) => one.notes);
  return dict({
    status: all.every((one) => one.status),
    logs: notesValue(notes),
    comment: withoutEmpty(
      joined(
        ({ comment }) => withoutEmpty(comment),
        (text) => `\n${text}\n`,
      ),
    ),
    out: withoutEmpty(
      joined(
        ({ out = '' }) => withoutEmpty(out),
        (text) => `\n${RULE}${text}\n${RULE}`,
      ),
    ),
    logs_by_level: levelsValue(notes),
    outlog: withoutEmpty(
      joined(
        (one) => withoutEmpty(summary(one)),
        (text) => `\n${RULE}${text}`,
      ),
    ),
    outlog_by_level: joined(summaryByLevel, (text) => `\n${RULE}${text}`),
    merged_statuses: true,
  });
}
