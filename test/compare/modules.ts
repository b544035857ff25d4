/**
 * Runs tables of function calls (`test/compare/module-calls`) on a real `salt-call --local` and on ours on this host,
 * and prints what differs: `npm run compare:modules -- [TABLE...] [--only REGEX] [--direct] [--changes KIND,...]
 * [--record]`.
 *
 * Tells on standard error how far it is, and at the end how each table came out. Commands answer in JSON, which has
 * only text as keys, so keys are compared as text; `--direct` compares them as they are.
 *
 * `--direct` calls our functions in this process instead of by the built command; `--changes` allows groups that change
 * the machine (accounts, packages…; for containers); `--record` writes the real answers of groups that do not depend on
 * the machine into `test/fixtures/modules/calls`, for the unit tests.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  callOf,
  callTables,
  callWords,
  comparable,
  readCallGroups,
  setUpGroup,
  treeOf,
  valueToJson,
  type CallAnswer,
  type CallGroup,
  type GroupAnswers,
  type Places,
} from '../support/module-calls.ts';
import { systemClock } from '../../src/host/clock.ts';
import { isDict, type Value } from '../../src/python/values/value.ts';
import { startEchoServer } from '../support/echo-server.ts';
import { useFakeCrontab } from './fake-crontab.ts';
import { commandCaller, directCaller } from './own-modules.ts';
import { realAnswers, type MinionOptions } from './real-modules.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const words = process.argv.slice(2);
const isDirect = words.includes('--direct');
const isRecording = words.includes('--record');
const only = new RegExp(optionOf('--only') ?? '');
const allowedChanges = new Set((optionOf('--changes') ?? '').split(','));
const tables = words.filter(
  (word, i) => !word.startsWith('--') && words[i - 1] !== '--only' && words[i - 1] !== '--changes',
);

function optionOf(name: string): string | undefined {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words[at + 1];
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Says how far a side is, but not more often than every ten seconds. */
function progressOf(side: string, total: number): () => void {
  let done = 0;
  let saidAtMs = systemClock.monotonicMs();
  return () => {
    done++;
    if (systemClock.monotonicMs() - saidAtMs < 10_000) return;
    saidAtMs = systemClock.monotonicMs();
    process.stderr.write(`${side}: ${done} of ${total} calls\n`);
  };
}

/** The same with the keys that it has in JSON. */
function withTextKeys(value: Value): Value {
  if (Array.isArray(value)) return value.map(withTextKeys);
  if (!isDict(value)) return value;
  return new Map(
    [...value].map(([key, item]) => [typeof key === 'number' ? String(key) : key, withTextKeys(item)]),
  );
}

/** A group of a table, with where it runs. */
interface Planned {
  readonly table: string;
  readonly group: CallGroup;
}

function planned(): Planned[] {
  const names = tables.length === 0 ? callTables() : tables;
  return names
    .flatMap((table) => readCallGroups(table).map((group) => ({ table, group })))
    .filter(({ group }) => group.changes === undefined || allowedChanges.has(group.changes))
    .filter(({ group }) => group.root !== true || process.getuid?.() === 0)
    .filter(({ table, group }) => only.test(`${table} ${group.group}`));
}

/**
 * The kinds of minions that groups ask for; each kind needs one of its own, and a group with a command before it too.
 */
function kindsOf(plan: readonly Planned[]): { readonly options: MinionOptions; readonly mine: Planned[] }[] {
  const kinds = new Map<string, { readonly options: MinionOptions; readonly mine: Planned[] }>();
  for (const [i, planned] of plan.entries()) {
    const { test = false, minion = [], before } = planned.group;
    const key = JSON.stringify([test, minion, before === undefined ? null : i]);
    const kind = kinds.get(key) ?? { options: { test, minion }, mine: [] };
    kind.mine.push(planned);
    kinds.set(key, kind);
  }
  return [...kinds.values()];
}

/** Runs all groups of one side. */
async function runSide(
  folder: string,
  plan: readonly Planned[],
  makeCalls: (
    minion: string,
    calls: readonly (readonly string[])[],
    options: MinionOptions,
  ) => Promise<CallAnswer[]>,
): Promise<Map<CallGroup, GroupAnswers>> {
  useFakeCrontab(folder);
  const out = new Map<CallGroup, GroupAnswers>();
  for (const [k, { options, mine }] of kindsOf(plan).entries()) {
    const minion = join(folder, `m${k}`);
    const places = mine.map((_, i) => ({
      dir: join(folder, `g${k}-${i}`),
      cache: join(minion, 'cache'),
      http: server.url,
    }));
    mine.forEach(({ group }, i) => setUpGroup(group, (places[i] as Places).dir));
    for (const { group } of mine)
      if (group.before !== undefined)
        execFileSync('bash', ['-c', group.before], { stdio: 'inherit', cwd: ROOT });
    const calls = mine.flatMap(({ group }, i) =>
      group.calls.map((call) => callWords(call, places[i] as Places)),
    );
    const answers = await makeCalls(minion, calls, options);
    let at = 0;
    for (const [i, { group }] of mine.entries()) {
      const { length } = group.calls;
      const place = places[i] as Places;
      const tree = group.noTree === true ? [] : treeOf(place.dir, place);
      out.set(group, { answers: answers.slice(at, at + length), tree });
      placesOf.set(`${folder} ${group.group}`, place);
      at += length;
    }
  }
  return out;
}

const server = await startEchoServer();
const placesOf = new Map<string, Places>();

/** As much of a text as one can read, beginning a little before the place where another one differs from it. */
function clip(text: string, other = ''): string {
  if (text.length <= 1500) return text;
  let at = 0;
  while (at < text.length && text[at] === other[at]) at++;
  const start = Math.max(0, at - 300);
  return `${start === 0 ? '' : '…'}${text.slice(start, start + 1500)}… (${text.length})`;
}

async function main(): Promise<number> {
  process.umask(0o022);
  const folder = mkdtempSync(join(tmpdir(), 'bm-'));
  try {
    return await compare(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * What changes the machine comes last and group by group, so that neither side's changes are in the way of the other's
 * answers.
 */
function passesOf(plan: readonly Planned[]): Planned[][] {
  const looking = plan.filter(({ group }) => group.changes === undefined);
  const changing = plan.filter(({ group }) => group.changes !== undefined);
  return [looking, ...changing.map((each) => [each])].filter((pass) => pass.length > 0);
}

async function compare(folder: string): Promise<number> {
  const plan = planned();
  const total = plan.reduce((sum, { group }) => sum + group.calls.length, 0);
  process.stderr.write(`${total} calls in ${plan.length} groups\n`);
  const answered = progressOf('ours', total);
  const summary = new Map<string, Counts>();
  for (const [i, pass] of passesOf(plan).entries())
    await comparePass(pass, join(folder, String(i)), summary, answered);
  if (isRecording) writeRecords();
  return summarise(summary);
}

async function comparePass(
  plan: readonly Planned[],
  folder: string,
  summary: Map<string, Counts>,
  answered: () => void,
): Promise<void> {
  const [realFolder, ownFolder] = [join(folder, 'r'), join(folder, 'o')];
  const real = await runSide(realFolder, plan, (minion, calls, options) =>
    realAnswers(minion, calls, options),
  );
  if (isRecording) record(plan, real, realFolder);
  const own = await runSide(ownFolder, plan, async (minion, calls, options) => {
    const call = isDirect ? await directCaller(minion, options) : commandCaller(minion, options);
    const answers: CallAnswer[] = [];
    for (const line of calls) {
      answers.push(await call(line));
      answered();
    }
    return answers;
  });
  for (const { table, group } of plan) {
    const counts = summary.get(table) ?? { same: 0, meant: 0, different: 0 };
    summary.set(table, counts);
    const sides = [
      [real.get(group), placesOf.get(`${realFolder} ${group.group}`)],
      [own.get(group), placesOf.get(`${ownFolder} ${group.group}`)],
    ] as [GroupAnswers, Places][];
    group.calls.forEach((given, i) => {
      const call = callOf(given);
      const [theirs, mine] = sides.map(([{ answers }, places]) => {
        const answer = answers[i] as CallAnswer;
        const carried = isDirect || 'error' in answer ? answer : { value: withTextKeys(answer.value) };
        return comparable(carried, call, places);
      }) as [string, string];
      if (theirs === mine) {
        counts.same++;
        if (call.differs !== undefined) say(`no difference any more: ${call.call}`);
        return;
      }
      if (call.differs !== undefined) {
        counts.meant++;
        say(`on purpose [${table}: ${group.group}] ${call.call}\n    ${call.differs}`);
        return;
      }
      counts.different++;
      say(
        `\n=== [${table}: ${group.group}] ${call.call}\nSalt: ${clip(theirs, mine)}\nours: ${clip(mine, theirs)}`,
      );
    });
    const [theirTree, myTree] = sides.map(([{ tree }]) => tree) as [readonly string[], readonly string[]];
    const missing = theirTree.filter((line) => !myTree.includes(line));
    const extra = myTree.filter((line) => !theirTree.includes(line));
    if (missing.length + extra.length > 0) {
      counts.different++;
      say(`\n=== [${table}: ${group.group}] the folder afterwards`);
      for (const line of missing) say(`Salt: ${clip(line)}`);
      for (const line of extra) say(`ours: ${clip(line)}`);
    }
  }
}

interface Counts {
  same: number;
  meant: number;
  different: number;
}

/** Prints a line for each table and one for all. @returns the exit code */
function summarise(summary: ReadonlyMap<string, Counts>): number {
  const sum: Counts = { same: 0, meant: 0, different: 0 };
  const line = (name: string, { same, meant, different }: Counts): void =>
    say(`${name.padEnd(12)} ${same} same, ${meant} different on purpose, ${different} different`);
  say('');
  for (const [table, counts] of summary) {
    line(table, counts);
    sum.same += counts.same;
    sum.meant += counts.meant;
    sum.different += counts.different;
  }
  line('all', sum);
  return sum.different === 0 ? 0 : 1;
}

const records = new Map<string, unknown[]>();

/** Notes the answers for the unit tests, with the group's own calls beside them. */
function record(plan: readonly Planned[], real: Map<CallGroup, GroupAnswers>, folder: string): void {
  for (const { table, group } of plan) {
    if (group.record !== true) continue;
    const { answers, tree } = real.get(group) as GroupAnswers;
    const places = placesOf.get(`${folder} ${group.group}`) as Places;
    const neutral = (text: string): string =>
      text
        .replaceAll(places.dir, '<DIR>')
        .replaceAll(places.cache, '<CACHE>')
        .replaceAll(server.url, '<HTTP>');
    const rows = answers.map((answer) =>
      'error' in answer ? { error: answer.error } : { value: valueToJson(answer.value) },
    );
    const list = records.get(table) ?? [];
    list.push(JSON.parse(neutral(JSON.stringify({ ...group, answers: rows, tree }))));
    records.set(table, list);
  }
}

function writeRecords(): void {
  const target = join(ROOT, 'test/fixtures/modules/calls');
  mkdirSync(target, { recursive: true });
  for (const [table, groups] of records)
    writeFileSync(join(target, `${table}.json`), `${JSON.stringify(groups, null, 1)}\n`);
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(2);
  },
);
