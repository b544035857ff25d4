/** Holds the answers of both sides against each other, and prints what differs and how much is the same. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { comparableErrors } from '../compile-report.ts';
import type { Value } from '../../../src/python/values/value.ts';
import type { AppliedCase, StepAnswer } from './case.ts';
import type { Entry } from './snapshot.ts';

/** What is not the same on two runs of one Salt. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/\b20\d{18}\b/g, '<JID>'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?/g, '<TIME>'],
  [
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +(?:[A-Z][a-z]{2} +\d+|\d+ +[A-Z][a-z]{2}) [\d: ]+(?:[A-Z]+ )?(?:20\d\d)?/g,
    '<TIME>',
  ],
  [/\b\d\d:\d\d:\d\d\.\d{6}\b/g, '<TIME>'],
  [/\/tmp\/[\w.-]+/g, '/tmp/<NAME>'],
  [/ at 0x[0-9a-f]+/g, ' at 0x<ADDRESS>'],
  [/\b(pid|PID)\b\W{1,4}\d+/g, '$1 <PID>'],
  [/(Fetched [\d.,]+ \w?B in )\S+ \([^)]*\)/g, '$1<SECONDS>'],
  [/\(Reading database \.\.\..*?\n/g, ''],
  [/in \d+(?:\.\d+)? ?(?:ms|s|seconds)\b/g, 'in <SECONDS>'],
];

/**
 * Files whose content is another after each run of one Salt: serial numbers and times in databases, keys that packages
 * make.
 */
const RANDOM_FILES: readonly RegExp[] = [
  /^\/var\/lib\/postgresql\/[^/]+\/[^/]+\//,
  /^\/var\/lib\/mysql\//,
  /\/PG_\d+_\d+\//,
  /^\/run\/(?:postgresql|mysqld)\//,
  /^\/etc\/ssh\/ssh_host_\w+_key(?:\.pub)?$/,
  /^\/etc\/bind\/rndc\.key$/,
  /^\/etc\/nsd\/nsd_\w+\.(?:key|pem)$/,
  // Berkeley DB gives each file an identity
  /^\/etc\/(?:aliases|postfix\/[^/]+)\.db$/,
];

function settled(text: string): string {
  return CHANGING.reduce((all, [pattern, by]) => all.replace(pattern, by), text);
}

/** How many things were held against each other. */
class Count {
  same = 0;
  all = 0;
  add(isSame: boolean): boolean {
    this.all += 1;
    if (isSame) this.same += 1;
    return isSame;
  }
  text(): string {
    return `${this.same} of ${this.all}`;
  }
}

interface Counts {
  readonly cases: Count;
  readonly codes: Count;
  readonly results: Count;
  readonly files: Count;
  readonly repeats: Count;
}

type Answers = Record<string, Record<string, unknown>>;

function isAnswers(value: unknown): value is Answers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What of a state's return is compared. Ours has no tracebacks, only the exceptions that end them. */
function essence(tag: string, value: unknown): string {
  if (typeof value !== 'object' || value === null) return settled(JSON.stringify(value) ?? '');
  const { duration: _duration, start_time: _start, ...rest } = value as Record<string, unknown>;
  const comment = typeof rest['comment'] === 'string' ? settledComment(rest['comment']) : rest['comment'];
  const changes = tag.endsWith('-recurse') ? withoutParents(rest['changes']) : rest['changes'];
  return settled(JSON.stringify({ tag, ...rest, comment, changes }, sortedKeys, 1));
}

/**
 * Changes of `file.recurse` without the new folders above others: it takes folders in the order of a set, so that a
 * folder is at times made with one within it, and not named.
 */
function withoutParents(changes: unknown): unknown {
  if (typeof changes !== 'object' || changes === null) return changes;
  const paths = Object.keys(changes);
  const isParent = (path: string): boolean => paths.some((other) => other.startsWith(`${path}/`));
  return Object.fromEntries(
    Object.entries(changes).filter(
      ([path, what]) => !(JSON.stringify(what).includes('"directory":"new"') && isParent(path)),
    ),
  );
}

function settledComment(text: string): string {
  // what file.recurse says of each file follows the order of a folder's entries
  if (text.startsWith('#### '))
    return text
      .split(/\n*(?=#### )/)
      .sort()
      .join('\n');
  return (
    withoutFrames(text)
      // a set of Python's, whose order is another in each process
      .replace(/(One or more requisite failed: )(.*)/, (_all, head: string, names: string) =>
        head.concat(names.split(', ').sort().join(', ')),
      )
  );
}

/** A traceback without its frames and without the exceptions before the last: ours has neither. */
function withoutFrames(text: string): string {
  const head = 'Traceback (most recent call last):\n';
  if (!text.includes(head)) return text;
  const last = text.slice(text.lastIndexOf(head) + head.length).replace(/^(?: .*\n)+/, '');
  return `${text.slice(0, text.indexOf(head))}Traceback: ${last.trimEnd()}`;
}

/** Keys in their order, and what a state removed, which is a set of Python's, too. */
function sortedKeys(key: string, value: unknown): unknown {
  if (Array.isArray(value)) return key === 'removed' ? [...(value as unknown[])].sort() : (value as unknown);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Components of a repository are a set of Python's too; hashed host names have a random salt. */
function settledFile(text: string): string {
  return settled(text)
    .replace(/^\|1\|\S+/gm, '<HOST>')
    .replace(/^deb.*$/gm, (line) => line.split(' ').sort().join(' '));
}

function sameFile(path: string, one: Entry | undefined, other: Entry | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.about === other.about) return true;
  const [a, b] = [one, other].map(({ about }) => about.replace(/ [0-9a-f]{16}$/, ''));
  if (a === b && RANDOM_FILES.some((pattern) => pattern.test(path))) return true;
  if (a !== b || one.text === undefined || other.text === undefined) return false;
  return settledFile(one.text) === settledFile(other.text);
}

/** Lines that only one text has. */
function lineDifference(one: string, other: string): string {
  const [a, b] = [one.split('\n'), other.split('\n')];
  const only = (mine: string[], others: string[], mark: string): string[] =>
    mine.filter((line) => !others.includes(line)).map((line) => `    ${mark} ${line.slice(0, 600)}`);
  return [...only(a, b, 'real'), ...only(b, a, 'ours')].slice(0, 24).join('\n');
}

/** Compares and prints. `show` bounds the differences that are printed of each case. */
export function report(answers: string, cases: readonly AppliedCase[], show: number): void {
  const [whole, codes, results, files, repeats] = [
    new Count(),
    new Count(),
    new Count(),
    new Count(),
    new Count(),
  ];
  const counts: Counts = { cases: whole, codes, results, files, repeats };
  for (const one of cases) {
    const [real, ours] = ['real', 'ours'].map((side) => join(answers, side, `${one.name}.json`));
    if (real === undefined || ours === undefined || !existsSync(real) || !existsSync(ours)) continue;
    const differences = compareCase(readSteps(real), readSteps(ours), counts);
    whole.add(differences.length === 0);
    for (const line of differences.slice(0, show)) process.stdout.write(`== ${one.name} ${line}\n`);
  }
  process.stdout.write(
    `the same: ${whole.text()} cases, ${codes.text()} exit codes, ${results.text()} results, ${files.text()} files; ` +
      `second runs that change nothing where the real Salt's do not: ${repeats.text()}\n`,
  );
}

function readSteps(file: string): StepAnswer[] {
  // written by run.ts
  return JSON.parse(readFileSync(file, 'utf8')) as StepAnswer[];
}

function compareCase(real: readonly StepAnswer[], ours: readonly StepAnswer[], counts: Counts): string[] {
  const out: string[] = [];
  for (const [i, theirs] of real.entries()) {
    const mine = ours[i];
    if (mine === undefined) continue;
    const at = `[${theirs.step}]`;
    if (!counts.codes.add(theirs.code === mine.code))
      out.push(
        `${at} exit code ${theirs.code ?? 'none'}, ours ${mine.code ?? 'none'} ${mine.stderr.slice(0, 400)}`,
      );
    out.push(...compareAnswers(theirs, mine, counts.results).map((line) => `${at} ${line}`));
    out.push(...compareFiles(theirs, mine, counts.files).map((line) => `${at} ${line}`));
    if (theirs.step.endsWith('again') && changesOf(theirs) === 0) counts.repeats.add(changesOf(mine) === 0);
  }
  return out;
}

function changesOf({ answer }: StepAnswer): number {
  if (!isAnswers(answer)) return 0;
  return Object.values(answer).filter(({ changes }) => JSON.stringify(changes ?? {}) !== '{}').length;
}

function compareAnswers(real: StepAnswer, ours: StepAnswer, count: Count): string[] {
  if (!isAnswers(real.answer) || !isAnswers(ours.answer)) {
    // what was printed as JSON: texts, and lists of them
    const both = comparableErrors(real.answer as Value, ours.answer as Value);
    const [a, b] = both.map((one) => settled(JSON.stringify(one, null, 1) ?? ''));
    return count.add(a === b) ? [] : [`answer\n${lineDifference(a ?? '', b ?? '')}`];
  }
  const [theirs, mine] = [real.answer, ours.answer];
  return [...new Set([...Object.keys(theirs), ...Object.keys(mine)])].flatMap((tag) => {
    const [a, b] = [theirs[tag], mine[tag]].map((value) => essence(tag, value ?? null));
    return count.add(a === b) ? [] : [`${tag}\n${lineDifference(a ?? '', b ?? '')}`];
  });
}

function compareFiles(real: StepAnswer, ours: StepAnswer, count: Count): string[] {
  return [...new Set([...Object.keys(real.files), ...Object.keys(ours.files)])].flatMap((path) => {
    const [a, b] = [real.files[path], ours.files[path]];
    if (count.add(sameFile(path, a, b))) return [];
    const texts = a?.text !== undefined && b?.text !== undefined ? `\n${lineDifference(a.text, b.text)}` : '';
    return [`${path}: ${a?.about ?? 'as it was'}, ours ${b?.about ?? 'as it was'}${texts}`];
  });
}
