/** The daemons of Salt and of Brine that run here on one folder of configuration. */
import { basename, resolve } from 'node:path';
import type { ProcessTable, RunningProcess } from '../../host/running-processes.ts';

/** The daemons of a site, in the order in which they are started; they are stopped in the other one. */
export const ROLES = ['master', 'syndic', 'api', 'minion'] as const;

/** What a daemon is. */
export type Role = (typeof ROLES)[number];

/** Whose program it is. */
export type Maker = 'salt' | 'brine';

/** A daemon that runs. */
export interface RunningDaemon {
  readonly role: Role;
  readonly maker: Maker;
  /** Its first process. */
  readonly pid: number;
  /** All processes of it, without those of jobs. */
  readonly pids: readonly number[];
  /** The whole command line of its first process, as it was typed. */
  readonly command: readonly string[];
  /** Options but for the folder of configuration, and whether it is in the background. */
  readonly options: readonly string[];
  readonly isInBackground: boolean;
}

const CONFIG_DIR_DEFAULT = '/etc/salt';
/** Options of Salt's daemons with a text behind them. */
const WITH_TEXT: ReadonlySet<string> = new Set([
  ...['-u', '--user', '-l', '--log-level', '--log-file', '--log-file-level', '--pid-file', '--saltfile'],
]);

/** Finds them. @param configDir an absolute path */
export function daemonsOn(configDir: string, table: ProcessTable): RunningDaemon[] {
  const known = table.list().flatMap((process) => {
    const seen = daemonOf(process);
    if (seen === undefined) return [];
    const facts = seen.configDir === undefined ? table.facts(process.pid) : undefined;
    const folder = seen.configDir ?? facts?.env.get('SALT_CONFIG_DIR') ?? CONFIG_DIR_DEFAULT;
    return resolve(folder) === configDir ? [{ ...process, ...seen }] : [];
  });
  const all = table.list();
  const isFirst = (one: (typeof known)[number]): boolean =>
    !known.some(({ pid, role }) => pid === one.parent && role === one.role);
  return known.filter(isFirst).map((first) => {
    const { role, maker, pid, command, options, isInBackground } = first;
    const further = known.filter((one) => one.role === role && one.maker === maker).map((one) => one.pid);
    const titled = descendantsOf(pid, all)
      .filter(({ words }) => words[0]?.startsWith(`salt-${role}`))
      .map((one) => one.pid);
    const pids = [...new Set([pid, ...further.filter((one) => isBelow(one, pid, all)), ...titled])];
    return { role, maker, pid, pids, command, options, isInBackground };
  });
}

/** What a process says of itself. */
interface Seen {
  readonly role: Role;
  readonly maker: Maker;
  readonly configDir: string | undefined;
  readonly command: readonly string[];
  readonly options: readonly string[];
  readonly isInBackground: boolean;
}

/** Reads the command line of a process; undefined when it is no daemon of ours or of Salt's. */
export function daemonOf({ words, program }: Pick<RunningProcess, 'words' | 'program'>): Seen | undefined {
  const [only = ''] = words;
  // Salt's processes name themselves anew, with their command line in one text
  const typed = words.length === 1 && only.includes(' ') ? only.split(' ') : words;
  const runs = program === '' ? basename(typed[0] ?? '') : program;
  const maker = makerOf(runs);
  if (maker === undefined) return undefined;
  const at = [0, typed.findIndex((word, index) => index > 0 && !word.startsWith('-'))].find(
    (index) => index >= 0 && roleOf(typed[index]) !== undefined,
  );
  const role = at === undefined ? undefined : roleOf(typed[at]);
  if (at === undefined || role === undefined) return undefined;
  const { configDir, options, isInBackground } = readOptions(typed.slice(at + 1));
  return {
    ...{ role, maker, configDir, options, isInBackground },
    command: [...typed.slice(0, at + 1), ...options],
  };
}

function makerOf(program: string): Maker | undefined {
  if (program === 'node') return 'brine';
  return /^(python|pypy|salt)/.test(program) ? 'salt' : undefined;
}

function roleOf(path: string | undefined): Role | undefined {
  const name = basename(path ?? '');
  return ROLES.find((role) => name === `salt-${role}`);
}

/** The words behind the program: a daemon takes none but options, so that others are names that it gave itself. */
function readOptions(words: readonly string[]): Pick<Seen, 'configDir' | 'options' | 'isInBackground'> {
  const options: string[] = [];
  let configDir: string | undefined;
  let isInBackground = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const [, short, long] = /^(?:-c(.+)|--config-dir=(.*))$/.exec(word) ?? [];
    if (word === '-c' || word === '--config-dir') configDir = words[++at];
    else if (short !== undefined || long !== undefined) configDir = short ?? long;
    else if (word === '-d' || word === '--daemon') isInBackground = true;
    else if (WITH_TEXT.has(word)) options.push(word, words[++at] ?? '');
    else if (word.startsWith('-')) options.push(word);
  }
  return { configDir, options, isInBackground };
}

function descendantsOf(pid: number, all: readonly RunningProcess[]): RunningProcess[] {
  const own = all.filter(({ parent }) => parent === pid);
  return own.flatMap((child) => [child, ...descendantsOf(child.pid, all)]);
}

function isBelow(pid: number, above: number, all: readonly RunningProcess[]): boolean {
  return pid === above || descendantsOf(above, all).some((one) => one.pid === pid);
}
