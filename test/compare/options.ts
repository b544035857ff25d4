/**
 * Takes the sample configurations of real Salts (`conf/master` and `conf/minion` of their sources: `BRINE_SALT_SOURCE`,
 * or 3006 to 3008 below `/opt/realsalt/src`), and the options that Salt 3008 has besides, starts the built salt-master
 * and salt-minion with every option in turn, as it is written there and with another value than the default, and says
 * what each start said of it: `npm run compare:options [-- master|minion] [OPTION...]`. Ends with 1 when an option was
 * silent: given a value that it does not have by default, not served, and not mentioned. A program is ended as soon as
 * it has said that it starts.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { furtherOption } from '../../src/config/further-options.ts';
import { masterOptions } from '../../src/config/master-options.ts';
import { minionOptions } from '../../src/config/minion-options.ts';
import type { OptionTable } from '../../src/config/option.ts';
import { parseJson } from '../../src/formats/json/parse.ts';
import { toJson } from '../../src/formats/json/text.ts';
import { systemClock } from '../../src/host/clock.ts';
import { pyStr } from '../../src/python/values/repr.ts';
import { dict, isDict, valuesEqual, type Dict, type Value } from '../../src/python/values/value.ts';
import { freePort, ours } from '../support/fleet.ts';
import { sampleOptions, unlikeDefault, type OptionCase } from './sample-options.ts';
import { WRONG_VALUES } from './wrong-options.ts';

const NAMED_SOURCE = process.env['BRINE_SALT_SOURCE'];
const SOURCES = (
  NAMED_SOURCE === undefined
    ? ['3006', '3007', '3008'].map((version) => `/opt/realsalt/src/${version}`)
    : [NAMED_SOURCE]
).filter((source) => existsSync(join(source, 'conf', 'master')));
/** Options of 3008 that no sample has, each with another value than the default. */
const LATER = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/config/options-3008.json');
const START_MAX_MS = 30_000;
const AT_ONCE = 2;
/** What is wrong with a value may be found by a part that is started later. */
const LATER_MS = 5000;

type Role = 'master' | 'minion';

interface Side {
  readonly role: Role;
  readonly table: OptionTable;
  readonly otherTable: OptionTable;
  /** What the program logs when it has read and prepared everything. */
  readonly started: string;
}

const SIDES: readonly Side[] = [
  {
    role: 'master',
    table: masterOptions,
    otherTable: minionOptions,
    started: 'salt-master is starting as user',
  },
  { role: 'minion', table: minionOptions, otherTable: masterOptions, started: 'Minion is starting as user' },
];

/**
 * `served`: in the tables as such. `default`: the value that it has anyway. `unnamed`: the start failed over something
 * else.
 */
type Verdict = 'served' | 'default' | 'warned' | 'refused' | 'unknown' | 'unnamed' | 'SILENT';

interface Start {
  readonly text: string;
  readonly hasStarted: boolean;
}

/** The configuration that every start has; files and ports are its own. */
async function baseOf({ role }: Side, folder: string): Promise<Dict> {
  const port = await freePort();
  const base = dict({
    pki_dir: join(folder, 'pki'),
  });
  if (role === 'minion')
    return new Map([...base, ['id', 'm1'], ['master', '127.0.0.1'], ['master_port', port]]);
  return new Map([
    ...base,
    ['interface', '127.0.0.1'],
    ['publish_port', port],
    ['ret_port', await freePort()],
  ]);
}

/** Starts a program and ends it when it has said that it starts. */
function start({ role, started }: Side, config: Dict, folder: string, stayMs: number): Promise<Start> {
  const place = mkdtempSync(join(folder, 'c-'));
  // with verify_env: False the folders have to be there
  for (const name of ['cachedir', 'sock_dir']) mkdirSync(join(place, name));
  // JSON is YAML
  writeFileSync(
    join(place, role),
    toJson(
      new Map([
        ...['pidfile', 'sock_dir', 'cachedir', 'log_file'].map((name): [string, string] => [
          name,
          join(place, name),
        ]),
        ...config,
      ]),
    ),
  );
  const program = join(ours.folder, `salt-${role}`);
  const child = spawn(program, ['-c', place, '-l', 'info'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let text = '';
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  let stay: { cancel(): void } | undefined;
  const late = systemClock.after(START_MAX_MS, end);
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes(started)) return;
      if (stayMs === 0) end();
      else stay ??= systemClock.after(stayMs, end);
    });
  return new Promise((resolve) =>
    child.on('close', () => {
      late.cancel();
      stay?.cancel();
      rmSync(place, { recursive: true, force: true });
      resolve({ text, hasStarted: text.includes(started) });
    }),
  );
}

function judge(
  { table, otherTable }: Side,
  { name, value }: OptionCase,
  { text, hasStarted }: Start,
): Verdict {
  // files lie in folders that are called after options as well
  const said = text.split('\n').filter((line) => !line.includes('[INFO    ]'));
  const isSaid = (word: string): boolean =>
    said.some((line) => new RegExp(`(?<![\\w./])${word.replaceAll('.', '\\.')}(?![\\w/])`).test(line));
  const isNamed = isSaid(name);
  if (!hasStarted) return isNamed || wordsOf(value).some(isSaid) ? 'refused' : 'unnamed';
  if (isNamed) return said.some((line) => line.includes('nobody knows')) ? 'unknown' : 'warned';
  const spec = Object.hasOwn(table, name) ? table[name] : undefined;
  const usual = (spec ?? (Object.hasOwn(otherTable, name) ? otherTable[name] : undefined))?.default;
  const isUsual = usual !== undefined && (valuesEqual(value, usual) || pyStr(value) === usual);
  if (value === null || isUsual) return 'default';
  const known = spec ?? furtherOption(name);
  return known !== undefined && known.unserved === undefined ? 'served' : 'SILENT';
}

/** The names in a value, by which a program may speak of it instead. */
function wordsOf(value: Value): string[] {
  if (typeof value === 'string') return value.length < 4 || value.includes('/') ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(wordsOf);
  return isDict(value) ? [...value].flat().flatMap(wordsOf) : [];
}

interface Row extends OptionCase {
  readonly verdict: Verdict;
  readonly text: string;
}

async function judgeAll(
  side: Side,
  cases: readonly OptionCase[],
  folder: string,
  stayMs = 0,
): Promise<Row[]> {
  const rows: Row[] = [];
  const waiting = [...cases.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, one] = next;
      const begun = await start(
        side,
        new Map([...(await baseOf(side, folder)), [one.name, one.value]]),
        folder,
        stayMs,
      );
      rows[at] = { ...one, verdict: judge(side, one, begun), text: begun.text };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return rows;
}

/** Each option as written, and again with another value where that is the default. */
async function casesOf(side: Side, folder: string): Promise<OptionCase[]> {
  const sample = SOURCES.flatMap((source) =>
    sampleOptions(readFileSync(join(source, 'conf', side.role), 'utf8')),
  );
  const port = await freePort();
  const all = sample.flatMap((one) => [
    { ...one, value: unlikeDefault(one, {}, folder, port).value },
    unlikeDefault(one, side.table, folder, port),
  ]);
  all.push(...laterOptions(side));
  return all.filter((one, at) => all.findIndex((other) => isSame(one, other)) === at);
}

function laterOptions({ role }: Side): OptionCase[] {
  const recorded = parseJson(readFileSync(LATER, 'utf8'));
  const parts = isDict(recorded) ? ['tables', 'later', 'read'].map((part) => recorded.get(part)) : [];
  return parts.filter(isDict).flatMap((part) =>
    [...part].flatMap(([name, facts]): OptionCase[] => {
      const roles = isDict(facts) ? facts.get('roles') : undefined;
      if (!isDict(facts) || !Array.isArray(roles) || !roles.includes(role)) return [];
      return [{ name: pyStr(name), value: facts.get('other') ?? null }];
    }),
  );
}

function isSame(one: OptionCase, other: OptionCase): boolean {
  return one.name === other.name && valuesEqual(one.value, other.value);
}

/** Whether a line that is more than information speaks of the value. */
function isValueSaid({ value, text }: Row): boolean {
  const lines = text.split('\n').filter((line) => !line.includes('[INFO    ]'));
  return wordsOf(value).some((word) => lines.some((line) => line.includes(word)));
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function report({ role }: Side, what: string, rows: readonly Row[], isVerbose: boolean): Row[] {
  const count = (verdict: Verdict): string =>
    `${rows.filter((row) => row.verdict === verdict).length} ${verdict}`;
  const verdicts = [...new Set(rows.map(({ verdict }) => verdict))].sort();
  say(`salt-${role}, ${what}: ${rows.length} starts: ${verdicts.map(count).join(', ')}`);
  const bad = rows.filter(({ verdict }) => verdict === 'SILENT' || verdict === 'unnamed');
  for (const { name, value, verdict, text } of isVerbose ? rows : bad)
    say(
      `  ${verdict.padEnd(8)} ${name}: ${toJson(value)}${verdict === 'unnamed' || isVerbose ? `\n${text}` : ''}`,
    );
  return bad;
}

async function main(): Promise<number> {
  const words = process.argv.slice(2);
  if (SOURCES.length === 0) {
    say(
      `No sample configuration: ${NAMED_SOURCE ?? '/opt/realsalt/src/3008'}/conf/master is not there. Name the sources of a Salt in BRINE_SALT_SOURCE.`,
    );
    return 1;
  }
  const names = words.filter((word) => word !== 'master' && word !== 'minion');
  const wanted = ({ name }: OptionCase): boolean => names.length === 0 || names.includes(name);
  const folder = mkdtempSync(join(tmpdir(), 'brine-opt-'));
  const bad: Row[] = [];
  try {
    for (const side of SIDES.filter(({ role }) => words.length === names.length || words.includes(role))) {
      const place = join(folder, side.role);
      mkdirSync(place);
      const sample = (await casesOf(side, place)).filter(wanted);
      bad.push(
        ...report(side, 'options of the sample', await judgeAll(side, sample, place), names.length > 0),
      );
      const wrong = WRONG_VALUES[side.role].filter(wanted);
      const rows = (await judgeAll(side, wrong, place, LATER_MS)).map((row): Row =>
        row.verdict === 'served' ? { ...row, verdict: isValueSaid(row) ? 'warned' : 'SILENT' } : row,
      );
      bad.push(...report(side, 'values that it does not take', rows, names.length > 0));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return bad.length === 0 ? 0 : 1;
}

process.exitCode = await main();
