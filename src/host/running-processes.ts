/** The processes of this machine, as /proc shows them. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** A process that runs. */
export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  /** What it was started with; a program that has named itself anew has one word for all. */
  readonly words: readonly string[];
  /** The name of the file that it executes; empty where it cannot be seen. */
  readonly program: string;
}

/** What else is known of a process. */
export interface ProcessFacts {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
  readonly cwd: string;
  readonly env: ReadonlyMap<string, string>;
}

/** The processes of one machine, for tests too. */
export interface ProcessTable {
  list(): RunningProcess[];
  /** Undefined when it has ended, or is closed to us. */
  facts(pid: number): ProcessFacts | undefined;
}

/** Those of this machine, without those of containers, which are other machines. */
export const systemProcesses: ProcessTable = {
  list: () => {
    const own = linkAt('/proc/self/ns/pid');
    return readdirSync('/proc')
      .filter((name) => /^[1-9]\d*$/.test(name))
      .flatMap((name) => {
        const of = linkAt(`/proc/${name}/ns/pid`);
        // closed to us: of another account, and nothing that we could end
        return of === undefined || of !== own ? [] : (readProcess(Number(name)) ?? []);
      });
  },
  facts: readFacts,
};

/** Whether the process runs; one that is dead and not buried does not. */
export function isProcessAlive(pid: number): boolean {
  const fields = statFields(pid);
  return fields !== undefined && fields[0] !== 'Z' && fields[0] !== 'X';
}

function readProcess(pid: number): RunningProcess | undefined {
  const fields = statFields(pid);
  const text = textAt(`/proc/${pid}/cmdline`);
  if (fields === undefined || text === undefined || text === '' || fields[0] === 'Z') return undefined;
  const program = basename((linkAt(`/proc/${pid}/exe`) ?? '').replace(/ \(deleted\)$/, ''));
  return { pid, parent: Number(fields[1]), words: text.replace(/\0+$/, '').split('\0'), program };
}

/** The fields behind the name, which stands in brackets and may hold anything: state, parent … */
function statFields(pid: number): string[] | undefined {
  const text = textAt(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

function readFacts(pid: number): ProcessFacts | undefined {
  const status = textAt(`/proc/${pid}/status`);
  const environment = textAt(`/proc/${pid}/environ`);
  if (status === undefined || environment === undefined) return undefined;
  const numbers = (name: string): number[] =>
    (new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '')
      .split(/\s+/)
      .filter((word) => word !== '')
      .map(Number);
  const pairs = environment.split('\0').flatMap((entry): [string, string][] => {
    const at = entry.indexOf('=');
    return at < 1 ? [] : [[entry.slice(0, at), entry.slice(at + 1)]];
  });
  return {
    uid: numbers('Uid')[1] ?? -1,
    gid: numbers('Gid')[1] ?? -1,
    groups: numbers('Groups'),
    cwd: linkAt(`/proc/${pid}/cwd`) ?? '/',
    env: new Map(pairs),
  };
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // it has ended, or belongs to another account
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
