/**
 * Letting this process see another machine: while a view is open, every path is led into the folder that stands for
 * `/`, and programs are those of that folder. Functions are run unchanged; what Node's own modules hand out is what
 * changes.
 *
 * Not led away are the temporary folder, this repository, devices, and what the machine does not have of `/proc` and
 * `/sys`.
 */
import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { searchPath } from '../../src/host/which.ts';
import { MachinePrograms, PIPE_PREFIX } from './machine-programs.ts';

type AnyFunction = (...args: unknown[]) => unknown;
type Table = Record<string, AnyFunction>;

/** What of a machine a view needs. */
export interface ViewOptions {
  /** The folder that stands for `/`. */
  readonly root: string;
  /** Where relative paths begin: a folder below `root`, as the host calls it. */
  readonly folder: string;
  /** Programs of the host that are run as they are. */
  readonly base: readonly string[];
  /** The programs that are the machine's own scripts. */
  readonly scripts: Iterable<string>;
  /** How the machine stands, when what its scripts answer depends on what they were told before. */
  readonly state?: () => number;
  readonly environment: Readonly<Record<string, string>>;
}

/** Functions of `fs` whose first argument is a path, of which the last link is followed. */
const FOLLOWED =
  'stat readFile exists access open readdir opendir chmod chown truncate utimes statfs writeFile appendFile watch createReadStream cp';
/** The same where the path itself is meant. */
const UNFOLLOWED = 'lstat readlink unlink rm rmdir lchown lutimes mkdir mkdtemp';
/** Functions that only look; `open` does when its flags say so. */
const LOOKING = new Set(
  'stat readFile exists access readdir opendir statfs watch createReadStream lstat readlink'.split(' '),
);
/** Programs of the host that make what their words name; other words may be patterns. */
const MAKERS = new Set(['touch', 'mkdir', 'cp', 'mv', 'ln', 'tee', 'mknod', 'mkfifo']);
const MOST_LINKS = 40;
const TEMPORARY = tmpdir();

/** Disks, of which the host's are none of the machine's. */
const OWN_DISK = /^\/dev\/sd[a-z]/;

/** Opens views, one at a time. */
export class MachineView {
  readonly #options: ViewOptions;
  readonly #passed: readonly string[];
  readonly #programs: MachinePrograms;
  readonly #pipes: string;
  #writes = 0;
  /** How the machine stood after so many writes. */
  #state: { readonly writes: number; readonly number: number } | undefined;
  readonly #lstat = fs.lstatSync;
  readonly #su = searchPath('su', process.env['PATH']);
  readonly #readlink = fs.readlinkSync;

  constructor(options: ViewOptions) {
    this.#options = options;
    this.#passed = [TEMPORARY, '/tmp', process.env['BRINE_ROOT'] ?? process.cwd(), '/dev', process.execPath];
    this.#pipes = join(dirname(options.root), 'pipes');
    const state = options.state === undefined ? undefined : (anew: boolean) => this.#stateNow(anew);
    this.#programs = new MachinePrograms(options.root, options.scripts, this.#pipes, state);
  }

  /** How often something was written, or may have been, since the view was made. */
  get writes(): number {
    return this.#writes;
  }

  #stateNow(anew: boolean): number {
    if (anew || this.#state?.writes !== this.#writes)
      this.#state = { writes: this.#writes, number: this.#options.state?.() ?? 0 };
    return this.#state.number;
  }

  /** A script has written, and how the machine stands was looked at when it ended. */
  #hasActed(): void {
    const isLooked = this.#state?.writes === this.#writes;
    this.#writes++;
    if (this.#state !== undefined && isLooked) this.#state = { ...this.#state, writes: this.#writes };
  }

  /** Runs something that sees the machine. */
  async within<T>(run: () => Promise<T>): Promise<T> {
    const folder = process.cwd();
    const undo = [this.#replaceEnvironment(), ...this.#replaceFunctions(), () => process.chdir(folder)];
    syncBuiltinESMExports();
    try {
      process.chdir(this.#options.folder); // relative paths must not end up among the tests' own files
      return await run();
    } finally {
      for (const each of undo) each();
      syncBuiltinESMExports();
    }
  }

  /** Gives the process the machine's variables anew. */
  resetEnvironment(): void {
    assignEnvironment(this.#options.environment);
  }

  #replaceEnvironment(): () => void {
    const before = { ...process.env };
    this.resetEnvironment();
    return () => assignEnvironment(before);
  }

  #replaceFunctions(): (() => void)[] {
    const sync = fs as unknown as Table;
    const asynchronous = fsPromises as unknown as Table;
    const undo: (() => void)[] = [];
    const replace = (table: Table, name: string, make: (original: AnyFunction) => AnyFunction): void => {
      const original = table[name];
      if (typeof original !== 'function') return;
      table[name] = make(original);
      undo.push(() => void (table[name] = original));
    };
    for (const [names, follow] of [
      [FOLLOWED, true],
      [UNFOLLOWED, false],
    ] as const)
      for (const name of names.split(' ')) {
        const isLooking = LOOKING.has(name);
        const one = (original: AnyFunction): AnyFunction => {
          const led = this.#withPaths(original, [follow]);
          return isLooking ? led : this.#counted(led, name === 'open');
        };
        replace(sync, `${name}Sync`, one);
        replace(sync, name, one);
        replace(asynchronous, name, one);
      }
    for (const name of ['rename', 'link', 'copyFile', 'cp'])
      for (const [table, full] of [[sync, `${name}Sync`] as const, [asynchronous, name] as const])
        replace(table, full, (original) =>
          this.#counted(this.#withPaths(original, [name === 'copyFile', name === 'copyFile'])),
        );
    replace(sync, 'symlinkSync', (original) => this.#counted(this.#withPaths(original, [undefined, false])));
    for (const [table, full] of [[sync, 'realpathSync'] as const, [asynchronous, 'realpath'] as const])
      replace(table, full, (original) => this.#realPath(original));
    replace(childProcess as unknown as Table, 'spawn', (original) => this.#spawned(original));
    replace(childProcess as unknown as Table, 'spawnSync', (original) => this.#spawned(original));
    return undo;
  }

  /** @param follow by argument: whether its last link is followed; nothing where it is no path */
  #withPaths(original: AnyFunction, follow: readonly (boolean | undefined)[]): AnyFunction {
    return (...args) => {
      follow.forEach((each, i) => {
        if (each !== undefined) args[i] = this.#led(args[i], each);
      });
      try {
        const result = original(...args);
        return result instanceof Promise
          ? result.catch((error: unknown) => {
              throw this.#restored(error);
            })
          : result;
      } catch (error) {
        throw this.#restored(error);
      }
    };
  }

  /** @param mayLook whether the second argument says that it only looks */
  #counted(original: AnyFunction, mayLook = false): AnyFunction {
    const writing = fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_TRUNC;
    return (...args) => {
      const flags = mayLook ? (args[1] ?? 'r') : 'w';
      const isLooking = typeof flags === 'number' ? (flags & writing) === 0 : flags === 'r';
      const isPipe = typeof args[0] === 'string' && args[0].includes(PIPE_PREFIX);
      if (!isLooking && !isPipe) this.#writes++;
      return original(...args);
    };
  }

  #realPath(original: AnyFunction): AnyFunction {
    const restore = (path: unknown): unknown => (typeof path === 'string' ? this.#seen(path) : path);
    const led = this.#withPaths(original, [true]);
    return (...args) => {
      const result = led(...args);
      return result instanceof Promise ? result.then(restore) : restore(result);
    };
  }

  /** A path as the machine calls it. */
  #seen(path: string): string {
    const { root } = this.#options;
    return path.startsWith(`${root}/`) ? path.slice(root.length) : path;
  }

  /** An error that names paths as the machine does. */
  #restored(error: unknown): unknown {
    if (error instanceof Error) {
      const fields = error as NodeJS.ErrnoException & { dest?: string };
      if (typeof fields.path === 'string') fields.path = this.#seen(fields.path);
      if (typeof fields.dest === 'string') fields.dest = this.#seen(fields.dest);
      error.message = error.message.replaceAll(this.#options.root, '');
    }
    return error;
  }

  #led(path: unknown, follow: boolean): unknown {
    if (path instanceof Uint8Array)
      return Buffer.from(this.#resolve(Buffer.from(path).toString('latin1'), follow), 'latin1');
    return typeof path === 'string' ? this.#resolve(path, follow) : path;
  }

  #place(path: string): string {
    const { root } = this.#options;
    if (
      !OWN_DISK.test(path) &&
      this.#passed.some((folder) => path === folder || path.startsWith(`${folder}/`))
    )
      return path;
    if (!/^\/(?:proc|sys)(?:\/|$)/.test(path)) return root + path;
    return this.#lstat(root + path, { throwIfNoEntry: false }) === undefined ? path : root + path;
  }

  /** Where a path lies; links are followed here, since the system would follow them out of the folder. */
  #resolve(path: string, follow: boolean): string {
    const { root } = this.#options;
    if (!path.startsWith('/') || path.includes('\0') || path.startsWith(`${root}/`)) return path;
    if (path.startsWith(`${TEMPORARY}/${PIPE_PREFIX}`))
      return join(this.#pipes, path.slice(TEMPORARY.length));
    const known = dirname(root); // no links lead there
    const isKnown = path.startsWith(`${known}/`);
    const parts = (isKnown ? path.slice(known.length) : path).split('/');
    const isFolder = /\/$/.test(path) && path !== '/';
    let at = isKnown ? known : '';
    let links = 0;
    while (parts.length > 0) {
      const part = parts.shift() as string;
      if (part === '' || part === '.') continue;
      if (part === '..') {
        at = at.replace(/\/[^/]*$/, '');
        continue;
      }
      const next = `${at}/${part}`;
      const isLast = parts.every((rest) => rest === '');
      const stat = isLast && !follow ? undefined : this.#lstatQuietly(this.#place(next));
      if (stat?.isSymbolicLink() === true && !next.startsWith('/proc/') && ++links < MOST_LINKS) {
        const target = this.#readlink(this.#place(next));
        if (target.startsWith('/')) at = '';
        parts.unshift(...target.split('/'));
      } else at = next;
    }
    return `${this.#place(at === '' ? '/' : at)}${isFolder ? '/' : ''}`;
  }

  #lstatQuietly(path: string): fs.Stats | undefined {
    try {
      return this.#lstat(path, { throwIfNoEntry: false });
    } catch {
      return undefined; // it lies below a file, say
    }
  }

  /** Programs are started from the machine, with what they are given led there too. */
  #spawned(original: AnyFunction): AnyFunction {
    const { root, base } = this.#options;
    return (program, args, options) => {
      const words = Array.isArray(args) ? (args as string[]) : [];
      const given = ((Array.isArray(args) ? options : args) ?? {}) as {
        env?: Record<string, string>;
        cwd?: string;
      };
      const env = { ...(given.env ?? process.env) } as Record<string, string>;
      const path = (env['PATH'] ?? '/usr/bin:/bin').split(':').map((folder) => this.#resolve(folder, true));
      const name = String(program);
      if (name === process.execPath) return original(program, args, options);
      const made = this.#programs.pipes(name, words);
      if (made !== undefined) return made;
      const isBase = /^(?:[\w.+-]+|\/(?:usr\/)?s?bin\/[\w.+-]+)$/.test(name) && base.includes(basename(name));
      const found = name.startsWith('/')
        ? this.#resolve(name, true)
        : path
            .map((folder) => `${folder}/${name}`)
            .find((each) => this.#lstatQuietly(each)?.isFile() === true);
      const led = isBase ? words.map((word) => this.#ledWord(word, name)) : words;
      const cwd = given.cwd === undefined ? undefined : this.#resolve(given.cwd, true);
      const started = {
        ...given,
        ...(cwd === undefined ? {} : { cwd }),
        env: { ...env, PATH: path.join(':'), MACHINE: root },
      };
      const place = isBase ? this.#hostProgram(name) : (found ?? `${root}/usr/bin/${name}`);
      const { done } = this.#programs;
      const answered = this.#programs.answered({
        path: place,
        args: led,
        env: started.env,
        options: started,
      });
      if (answered !== undefined) {
        if (basename(place) === 'crontab') this.#writes++;
        else if (this.#programs.done !== done) this.#hasActed();
        return answered;
      }
      this.#writes++;
      const child = original(place, led, started);
      // it may write until its end
      if (child instanceof EventEmitter) child.once('exit', () => this.#writes++);
      return child;
    };
  }

  #hostProgram(name: string): string {
    // the tests' own one reads no start-up files of root
    if (basename(name) === 'su' && this.#su !== undefined) return this.#su;
    if (name.startsWith('/') && this.#lstatQuietly(name) !== undefined) return name;
    const places = ['/usr/bin', '/bin', '/usr/local/bin'].map((folder) => `${folder}/${basename(name)}`);
    return places.find((path) => this.#lstatQuietly(path) !== undefined) ?? name;
  }

  /**
   * A word for a program of the host: paths of the machine are led there, in a shell's text the programs that the
   * machine has, and those that only the host has, which must not be found.
   */
  #ledWord(word: string, program: string): string {
    if (/sh$/.test(program) && /\s|;/.test(word))
      return word.replace(
        /(^|[\s;&|("'`])(\/(?:usr\/)?s?bin\/[\w.+-]+)/g,
        (all: string, before: string, path: string) => {
          const led = this.#resolve(path, true);
          const isProgram = [led, path].some((each) => this.#lstatQuietly(each) !== undefined);
          return isProgram ? `${before}${led}` : all;
        },
      );
    if (!word.startsWith('/')) return word;
    const led = this.#resolve(word, true);
    const isThere = (path: string): boolean => this.#lstatQuietly(path) !== undefined;
    return isThere(led) || (MAKERS.has(basename(program)) && isThere(dirname(led))) ? led : word;
  }
}

function assignEnvironment(wanted: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name]; // their order is seen too
  Object.assign(process.env, wanted);
}
