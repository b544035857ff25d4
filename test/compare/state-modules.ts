/**
 * Runs the tables of state cases (`test/compare/state-cases`) on a real Salt and on ours, each side in a sandbox of its
 * own, and prints what differs: `node scripts/run-ts.mjs test/compare/state-modules.ts [TABLE...] [--only REGEX]
 * [--record] [--quiet]`. Needs root.
 *
 * `--record` writes the real results of cases that do not depend on the machine into `test/fixtures/states/cases`, for
 * the unit tests. The kernel is shared with the host: cases must not change its parameters, its time or its modules.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pyStr } from '../../src/python/values/repr.ts';
import { startEchoServer } from '../support/echo-server.ts';
import { runProgram } from '../support/fleet.ts';
import { treeOf, valueFromJson, valueToJson } from '../support/module-calls.ts';
import {
  caseFolder,
  orderedResults,
  facetsOf,
  readStateCases,
  setUpCase,
  stateTables,
  type PlacedCase,
  type CaseOutcome,
} from '../support/state-cases.ts';
import { useFakeCrontab } from './fake-crontab.ts';
import { ownOutcomes } from './own-states.ts';
import { realOutcomes } from './real-states.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
/** The same on both sides, each of which has a /tmp of its own. */
const FOLDER = '/tmp/compared';
const MARK = '\n=== outcomes: ';
const words = process.argv.slice(2);
const side = optionOf('--side');
const only = new RegExp(optionOf('--only') ?? '');

function optionOf(name: string): string | undefined {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words[at + 1];
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** The cases that were asked for, each with a folder of its own. */
function chosenCases(http: string): PlacedCase[] {
  const named = words.filter(
    (word, i) => !word.startsWith('--') && !/^--(?:only|side)$/.test(words[i - 1] ?? ''),
  );
  return (named.length === 0 ? stateTables() : named)
    .flatMap((table) => readStateCases(table).map((given) => ({ table, given })))
    .filter(({ table, given }) => only.test(`${table} ${given.case}`))
    .map((chosen, i) => ({ ...chosen, root: `${FOLDER}/srv`, name: `c${i}x`, http }));
}

/** Runs all cases of one side, within its sandbox, and prints what they gave. */
async function runSide(): Promise<number> {
  process.umask(0o022);
  const server = await startEchoServer();
  const cases = chosenCases(server.url);
  cases.forEach(setUpCase);
  useFakeCrontab(FOLDER);
  const outcomes = await (side === 'real' ? realOutcomes : ownOutcomes)(FOLDER, cases);
  const rows = outcomes.map(({ runs, after }, i) => {
    const at = cases[i] as PlacedCase;
    const places = { dir: caseFolder(at), cache: `${FOLDER}/cache`, http: server.url };
    const tree = at.given.noTree === true ? [] : treeOf(places.dir, places);
    return { runs: runs.map((run) => valueToJson(orderedResults(run))), after, tree, http: server.url };
  });
  await new Promise((written) => process.stdout.write(`${MARK}${JSON.stringify(rows)}`, written));
  return 0;
}

/** The outcomes of one side. */
async function sideOutcomes(name: 'real' | 'own'): Promise<CaseOutcome[]> {
  const { stdout, stderr, code } = await runProgram('bash', [
    join(ROOT, 'test/compare/sandbox.sh'),
    ...[process.execPath, '--enable-source-maps', process.argv[1] ?? '', ...words, '--side', name],
  ]);
  const at = stdout.indexOf(MARK);
  if (at < 0) throw new Error(`the ${name} side ended with ${code}: ${stdout}${stderr}`);
  const rows = JSON.parse(stdout.slice(at + MARK.length)) as (Omit<CaseOutcome, 'runs'> & {
    runs: unknown[];
  })[];
  return rows.map((row) => ({ ...row, runs: row.runs.map(valueFromJson) }));
}

const SHOWN_CHARS = 700;
const SHOWN_BEFORE_CHARS = 90;

/** What follows where two texts begin to differ. */
function shown(text: string, from: number): string {
  const start = Math.max(0, from - SHOWN_BEFORE_CHARS);
  const part = text.slice(start, from + SHOWN_CHARS);
  return `${start > 0 ? '…' : ''}${part}${part.length + start < text.length ? `… (${text.length})` : ''}`;
}

function sayDifference(title: string, theirs: string, mine: string): void {
  let from = 0;
  while (from < theirs.length && theirs[from] === mine[from]) from++;
  say(`\n=== ${title}\nSalt: ${shown(theirs, from)}\nours: ${shown(mine, from)}`);
}

async function compare(): Promise<number> {
  const cases = chosenCases('');
  const real = await sideOutcomes('real');
  if (words.includes('--record')) record(cases, real);
  const own = await sideOutcomes('own');
  const counts = { same: 0, meant: 0, different: 0 };
  cases.forEach((at, i) => {
    const [theirs, mine] = [real[i], own[i]].map((side) => facetsOf(side as CaseOutcome, at)) as [
      Map<string, string>,
      Map<string, string>,
    ];
    const whats = [...new Set([...theirs.keys(), ...mine.keys()])];
    const differing = whats.filter((what) => mine.get(what) !== theirs.get(what));
    const title = `[${at.table}: ${at.given.case}]`;
    counts.same += whats.length - differing.length;
    if (at.given.differs !== undefined) {
      counts.meant += differing.length;
      say(
        differing.length === 0
          ? `no difference any more: ${title}`
          : `on purpose ${title} ${at.given.differs}`,
      );
      return;
    }
    for (const what of at.given.meant?.keys() ?? [])
      if (!differing.includes(pyStr(what))) say(`no difference any more: ${title} ${pyStr(what)}`);
    for (const what of differing) {
      const reason = at.given.meant?.get(what);
      counts[reason === undefined ? 'different' : 'meant']++;
      if (reason === undefined)
        sayDifference(`${title} ${what}`, theirs.get(what) ?? '', mine.get(what) ?? '');
      else say(`on purpose ${title} ${what}: ${pyStr(reason)}`);
    }
  });
  say(
    `\n${cases.length} cases: ${counts.same} same, ${counts.meant} different on purpose, ${counts.different} different`,
  );
  return counts.different === 0 ? 0 : 1;
}

/** Writes the real results down for the unit tests, with the cases beside them. */
function record(cases: readonly PlacedCase[], real: readonly CaseOutcome[]): void {
  const byTable = new Map<string, unknown[]>();
  cases.forEach((at, i) => {
    if (at.given.record !== true) return;
    const outcome = real[i] as CaseOutcome;
    const list = byTable.get(at.table) ?? [];
    const results = Object.fromEntries(facetsOf(outcome, at));
    list.push({ case: at.given.case, results });
    byTable.set(at.table, list);
  });
  const target = join(ROOT, 'test/fixtures/states/cases');
  mkdirSync(target, { recursive: true });
  for (const [table, list] of byTable)
    writeFileSync(join(target, `${table}.json`), `${JSON.stringify(list, null, 1)}\n`);
}

(side === undefined ? compare() : runSide()).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(2);
  },
);
