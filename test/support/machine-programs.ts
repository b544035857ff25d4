/**
 * Programs of the machine without a process for each start: its scripts answer from their words and from a few files,
 * so that what one said once it says again. A view asks here before it starts anything.
 */
import { spawnSync, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A start of a program, as it reaches Node. */
export interface ProgramStart {
  /** Where the program lies on the host. */
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  readonly options: {
    readonly cwd?: string;
    readonly stdio?: unknown;
    readonly uid?: number;
    readonly gid?: number;
  };
}

/** What a program did. */
interface Answer {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly status: number;
  /** What it added to the notes of what programs were told, and of what has no answer. */
  readonly acts: string;
  readonly unanswered: string;
  /** The tables of `crontab` afterwards, where it changed them. */
  readonly tables: ReadonlyMap<string, string> | undefined;
}

/**
 * Tells how the machine stands: the same number for the same files.
 * @param anew also when nobody is known to have written since it was asked last
 */
export type MachineState = (anew: boolean) => number;

/** A pipe takes no more without a reader. */
const LARGEST_ANSWER_BYTES = 60_000;
/** More is no input of these programs. */
const LARGEST_INPUT_BYTES = 100_000;
/** Pipes that are made by one start of `mkfifo`. */
const PIPES_AT_ONCE = 500;
/** Ids that no process has. */
const FIRST_PID = 2 ** 23;
/** How the folders of pipes begin that `src/host/pipe.ts` makes. */
export const PIPE_PREFIX = '.brine-pipe-';

// taken before any view is open
const { appendFileSync, fstatSync, readSync, readdirSync, readFileSync, renameSync, statSync } = fs;
const { mkdirSync, writeFileSync, writeSync, truncateSync } = fs;
const start = spawnSync;

/** Answers for the scripts of one machine. */
export class MachinePrograms {
  readonly #root: string;
  readonly #scripts: ReadonlySet<string>;
  readonly #pool: string;
  readonly #pipes: string[] = [];
  readonly #answers = new Map<string, Answer>();
  readonly #state: MachineState | undefined;
  #pid = FIRST_PID;
  #made = 0;
  #done = 0;

  /**
   * @param root the folder that stands for `/`
   * @param names the programs that are scripts of the machine
   * @param pool a folder for pipes that are made beforehand
   * @param state how the machine stands, where its programs keep what they are told: then an answer holds whenever it
   *   stands so again, and only if it came from looking
   */
  constructor(root: string, names: Iterable<string>, pool: string, state?: MachineState) {
    this.#state = state;
    this.#root = root;
    this.#scripts = new Set([...names].map((name) => join(root, 'usr/bin', name)));
    this.#pool = pool;
    mkdirSync(pool, { recursive: true });
  }

  /** How often a program has done something. */
  get done(): number {
    return this.#done;
  }

  /** The named pipes that a program's streams are to be, when these are asked for. */
  pipes(program: string, args: readonly string[]): ChildProcess | undefined {
    const paths = args.slice(args.indexOf('--') + 1);
    const isOurs = paths.every((path) => basename(dirname(path)).startsWith(PIPE_PREFIX));
    if (program !== 'mkfifo' || paths.length === 0 || !isOurs) return undefined;
    for (const path of paths) renameSync(this.#nextPipe(), path);
    return this.#ended(0);
  }

  #nextPipe(): string {
    if (this.#pipes.length === 0) {
      const names = Array.from({ length: PIPES_AT_ONCE }, () => join(this.#pool, String(this.#made++)));
      start('/usr/bin/env', ['mkfifo', '-m', '600', '--', ...names], { env: { PATH: '/usr/bin:/bin' } });
      this.#pipes.push(...names);
    }
    return this.#pipes.pop() as string;
  }

  /** The program as if it had run; nothing where it must be started. */
  answered(given: ProgramStart): ChildProcess | undefined {
    const { stdio, cwd } = given.options;
    if (!this.#scripts.has(given.path) || !Array.isArray(stdio)) return undefined;
    const [input, out, err] = stdio as readonly unknown[];
    if (typeof out !== 'number' || typeof err !== 'number') return undefined;
    if (cwd !== undefined && statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
      return undefined;
    const stdin = typeof input === 'number' ? contentOf(input) : input === 'ignore' ? '' : undefined;
    if (stdin === undefined) return undefined;
    const answer = this.#answer(given, stdin, out === err);
    if (answer === undefined) return undefined;
    this.#note('acts', answer.acts);
    if (answer.acts !== '' && this.#state === undefined) this.#done++;
    this.#note('unanswered', answer.unanswered);
    for (const [name, text] of answer.tables ?? []) writeFileSync(join(this.#tables, name), text);
    writeSync(out, answer.stdout);
    if (out !== err) writeSync(err, answer.stderr);
    return this.#ended(answer.status);
  }

  #answer(given: ProgramStart, stdin: string, isMerged: boolean): Answer | undefined {
    const { cwd = '', uid, gid } = given.options;
    const before = this.#state?.(false);
    const files = before === undefined ? this.#filesFor(given) : given.args.map(namedText);
    const words = given.args.map((word) => (textAt(word) === null ? word : ''));
    const key = JSON.stringify([
      given.path,
      before === undefined && files.length > 0 ? words : given.args,
      stdin,
      isMerged,
      cwd,
      uid,
      gid,
      files,
      before === undefined ? undefined : [before, given.env],
    ]);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = this.#run(given, stdin, isMerged);
    const hasDone = before !== undefined && (this.#state?.(true) !== before || answer?.acts !== '');
    if (hasDone) this.#done++;
    else if (answer !== undefined) this.#answers.set(key, answer);
    return answer;
  }

  #run({ path, args, env, options }: ProgramStart, stdin: string, isMerged: boolean): Answer | undefined {
    const before = this.#tablesNow();
    const [acts, unanswered] = [this.#noted('acts').length, this.#noted('unanswered').length];
    const { cwd, uid, gid } = options;
    const [program = '', ...line] = isMerged
      ? ['/bin/sh', '-c', 'exec "$0" "$@" 2>&1', path, ...args]
      : [...(this.#state === undefined ? ['/bin/sh'] : []), path, ...args];
    const ran = start(program, line, {
      env,
      input: Buffer.from(stdin, 'latin1'),
      ...(cwd === undefined ? {} : { cwd }),
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
    });
    const added = {
      acts: this.#noted('acts').slice(acts),
      unanswered: this.#noted('unanswered').slice(unanswered),
    };
    truncateSync(join(this.#root, 'var/log/acts'), acts); // it is added again by who asks
    if (added.unanswered !== '') truncateSync(join(this.#root, 'var/log/unanswered'), unanswered);
    const after = this.#tablesNow();
    const isChanged = JSON.stringify([...before]) !== JSON.stringify([...after]);
    if (ran.status === null) return undefined;
    const { stdout, stderr, status } = ran;
    if (stdout.length > LARGEST_ANSWER_BYTES || stderr.length > LARGEST_ANSWER_BYTES) return undefined;
    return { stdout, stderr, status, ...added, tables: isChanged ? after : undefined };
  }

  /** The files that an answer may depend on: those that are named, tables of accounts and those of `crontab`. */
  #filesFor({ path, args }: ProgramStart): (string | null)[] {
    const name = basename(path);
    if (name === 'getent') return args.map((word) => textAt(join(this.#root, 'etc', word)));
    return name === 'crontab' ? [...args.map(textAt), ...[...this.#tablesNow()].flat(), ''] : [];
  }

  get #tables(): string {
    return join(this.#root, 'var/spool/tabs');
  }

  #tablesNow(): Map<string, string> {
    const names = readdirSync(this.#tables).sort();
    return new Map(names.map((name) => [name, textAt(join(this.#tables, name)) ?? '']));
  }

  #noted(log: 'acts' | 'unanswered'): string {
    return textAt(join(this.#root, 'var/log', log)) ?? '';
  }

  #note(log: 'acts' | 'unanswered', text: string): void {
    if (text !== '') appendFileSync(join(this.#root, 'var/log', log), text);
  }

  /** A process that starts and ends as soon as somebody listens. */
  #ended(status: number): ChildProcess {
    const child = Object.assign(new EventEmitter(), {
      pid: this.#pid++,
      stdin: null,
      stdout: null,
      stderr: null,
      kill: () => false,
      ref: () => undefined,
      unref: () => undefined,
    });
    setImmediate(() => {
      child.emit('spawn');
      setImmediate(() => child.emit('exit', status, null));
    });
    return child as unknown as ChildProcess;
  }
}

/** What is in the file that an argument names, by itself or behind `=`. */
function namedText(word: string): string | null {
  return textAt(word.startsWith('/') ? word : word.slice(word.indexOf('=') + 1));
}

function textAt(path: string): string | null {
  if (!path.startsWith('/')) return null;
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

/** All of an open file; nothing where it is a pipe or large. */
function contentOf(fd: number): string | undefined {
  const stat = fstatSync(fd);
  if (!stat.isFile() || stat.size > LARGEST_INPUT_BYTES) return undefined;
  const buffer = Buffer.alloc(stat.size);
  return buffer.toString('latin1', 0, readSync(fd, buffer, 0, stat.size, 0));
}
