/** Processes as the kernel tells of them in /proc, and as psutil 5.9 does, which Salt has ask. */
import { readlinkSync, readdirSync } from 'node:fs';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { readTextIfExists } from '../../../host/files.ts';
import { listUsers } from '../../../host/users.ts';
import { roundTo } from '../../../python/values/number-format.ts';
import { dict, float, type Dict, type Value } from '../../../python/values/value.ts';

/** Ticks of a second, and bytes of a page of memory, on every Linux that Node.js runs on but some with larger pages. */
const TICKS = 100;
const PAGE_BYTES = 4096;
/** What the kernel cuts names of processes to. */
const NAME_MAX = 15;

const STATUSES: Readonly<Record<string, string>> = {
  R: 'running',
  S: 'sleeping',
  D: 'disk-sleep',
  T: 'stopped',
  t: 'tracing-stop',
  Z: 'zombie',
  X: 'dead',
  x: 'dead',
  K: 'wake-kill',
  W: 'waking',
  I: 'idle',
  P: 'parked',
};

/** Fields of /proc/PID/stat behind the name, by their places in it. */
const FIELD = {
  state: 0,
  ppid: 1,
  tty: 4,
  utime: 11,
  stime: 12,
  cutime: 13,
  cstime: 14,
  nice: 16,
  threads: 17,
  start: 19,
  cpu: 36,
  iowait: 39,
} as const;

/** When the machine was started, in seconds since 1970. */
export function bootSeconds(): number {
  return Number(/^btime (\d+)$/m.exec(readTextIfExists('/proc/stat') ?? '')?.[1] ?? 0);
}

/** Names of users by their numbers. */
export type UserNames = ReadonlyMap<number, string>;

/** The names of all users. */
export async function userNames(): Promise<UserNames> {
  // of several with one number the first counts
  return new Map((await listUsers()).reverse().map(({ uid, name }) => [uid, name]));
}

/** One process, as it was when it was looked at. */
export class Process {
  readonly pid: number;
  readonly #name: string;
  readonly #fields: readonly string[];

  private constructor(pid: number, name: string, fields: readonly string[]) {
    this.pid = pid;
    this.#name = name;
    this.#fields = fields;
  }

  /** @returns undefined for a process that is not there */
  static at(pid: number): Process | undefined {
    const stat = readTextIfExists(`/proc/${pid}/stat`);
    const end = stat?.lastIndexOf(')') ?? -1;
    if (stat === undefined || end < 0) return undefined;
    const fields = stat
      .slice(end + 2)
      .trim()
      .split(' ');
    return new Process(pid, stat.slice(stat.indexOf('(') + 1, end), fields);
  }

  /** All processes, by their numbers. */
  static all(): Process[] {
    return pids().flatMap((pid) => Process.at(pid) ?? []);
  }

  #read(file: string): string {
    return readTextIfExists(`/proc/${this.pid}/${file}`) ?? '';
  }
  #number(field: keyof typeof FIELD): number {
    return Number(this.#fields[FIELD[field]] ?? 0);
  }
  /** A line of /proc/PID/status. */
  #line(name: string): string[] {
    const line = new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(this.#read('status'))?.[1];
    return line === undefined ? [] : line.split(/\s+/);
  }

  /** The words that it was started with. */
  get words(): string[] {
    const line = this.#read('cmdline');
    if (line === '') return [];
    const separator = line.endsWith('\0') ? '\0' : ' ';
    return (line.endsWith(separator) ? line.slice(0, -1) : line).split(separator);
  }

  /** Its name; where the kernel has cut it, that of the program that it was started with. */
  get name(): string {
    if (this.#name.length < NAME_MAX) return this.#name;
    const program = this.words[0]?.split('/').at(-1) ?? '';
    return program.startsWith(this.#name) ? program : this.#name;
  }

  get status(): string {
    return STATUSES[this.#fields[FIELD.state] ?? ''] ?? '?';
  }
  /** Whose it is: a name, or a number that nobody has. */
  user(names: UserNames): string {
    const uid = this.#line('Uid')[0] ?? '';
    return names.get(Number(uid)) ?? uid;
  }
  /** When it was started, in seconds since 1970. */
  get startedSeconds(): number {
    return bootSeconds() + this.#number('start') / TICKS;
  }
  /** How long it has computed, in seconds. */
  get seconds(): number {
    return (this.#number('utime') + this.#number('stime')) / TICKS;
  }
  /** The same by kind: user, system, those of its children, waiting. */
  get times(): Readonly<Record<string, Value>> {
    const seconds = (field: keyof typeof FIELD): Value => float(this.#number(field) / TICKS);
    return {
      user: seconds('utime'),
      system: seconds('stime'),
      children_user: seconds('cutime'),
      children_system: seconds('cstime'),
      iowait: seconds('iowait'),
    };
  }
  /** Its memory, in bytes. */
  get memory(): Readonly<Record<string, number>> {
    const [vms, rss, shared, text, lib, data, dirty] = this.#read('statm')
      .trim()
      .split(' ')
      .map((pages) => Number(pages) * PAGE_BYTES);
    return {
      rss: rss ?? 0,
      vms: vms ?? 0,
      shared: shared ?? 0,
      text: text ?? 0,
      lib: lib ?? 0,
      data: data ?? 0,
      dirty: dirty ?? 0,
    };
  }

  #link(file: string): Value {
    try {
      return readlinkSync(`/proc/${this.pid}/${file}`);
    } catch {
      return null;
    }
  }
  #ids(name: string): Value {
    return this.#line(name).slice(0, 3).map(Number);
  }
  #variables(): Dict {
    const pairs = this.#read('environ')
      .split('\0')
      .filter((pair) => pair.includes('='));
    return new Map(
      pairs.map((pair): [Value, Value] => [
        pair.slice(0, pair.indexOf('=')),
        pair.slice(pair.indexOf('=') + 1),
      ]),
    );
  }
  #memoryPercent(): Value {
    const total =
      Number(/^MemTotal:\s*(\d+)/m.exec(readTextIfExists('/proc/meminfo') ?? '')?.[1] ?? 0) * 1024;
    return total === 0 ? float(0) : float(((this.memory['rss'] ?? 0) / total) * 100);
  }
  #openFiles(): Value {
    try {
      return readdirSync(`/proc/${this.pid}/fd`).length;
    } catch {
      return null;
    }
  }

  /** What can be asked about it. */
  readonly #facts: Readonly<Record<string, (names: UserNames) => Value>> = {
    cmdline: () => this.words,
    cpu_num: () => this.#number('cpu'),
    cpu_times: () => Object.values(this.times),
    create_time: () => float(this.startedSeconds),
    cwd: () => this.#link('cwd'),
    environ: () => this.#variables(),
    exe: () => this.#link('exe') ?? '',
    gids: () => this.#ids('Gid'),
    memory_info: () => Object.values(this.memory),
    memory_percent: () => this.#memoryPercent(),
    name: () => this.name,
    nice: () => this.#number('nice'),
    num_ctx_switches: () => [
      Number(this.#line('voluntary_ctxt_switches')[0] ?? 0),
      Number(this.#line('nonvoluntary_ctxt_switches')[0] ?? 0),
    ],
    num_fds: () => this.#openFiles(),
    num_threads: () => this.#number('threads'),
    pid: () => this.pid,
    ppid: () => this.#number('ppid'),
    status: () => this.status,
    uids: () => this.#ids('Uid'),
    username: (names) => this.user(names),
  };

  /** Facts by their names. @throws CommandExecutionError for a name that nothing is known of */
  facts(users: UserNames, names: readonly string[] = Object.keys(this.#facts)): Dict {
    const found = dict();
    for (const name of names) {
      const ask = this.#facts[name];
      if (ask === undefined)
        throw new CommandExecutionError(
          `'${name}' of a process cannot be told here; these can: ${Object.keys(this.#facts).join(', ')}`,
        );
      found.set(name, ask(users));
    }
    return found;
  }
}

/** The numbers of all processes. */
export function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** A share in hundredths, with one digit behind the point. */
export function percentOf(part: number, whole: number): Value {
  return float(whole === 0 ? 0 : roundTo((part / whole) * 100, 1));
}
