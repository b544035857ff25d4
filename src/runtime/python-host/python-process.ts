/**
 * The Python process in which a site's own Python runs: started when it is first asked, replaced when it ends. What
 * hangs, exits or raises there harms nobody else.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError, messageOf, UnreachableError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { clientOf, handlersOf } from '../../network/ipc/contract.ts';
import {
  pythonHost,
  pythonServices,
  type PythonClient,
  type ServePython,
} from '../../network/ipc/contracts/python-host.ts';
import { MessageError } from '../../network/ipc/fields.ts';
import type { RpcPeer } from '../../network/ipc/rpc.ts';
import { toNumber, type Dict } from '../../python/values/value.ts';
import { guardedPeer } from './guarded-peer.ts';
import { interpreterOfSalt } from './installed-salt.ts';
import { endSentence, LastWords, placeIn, type ProcessEnd } from './python-end.ts';
import { programPath } from './program-path.ts';
import { TimeLimit } from './time-limit.ts';

const PROGRAM = 'brine_host.py';
/** The interpreter when `python_executable` names none. */
const DEFAULT_INTERPRETER = 'python3';

/** Python cannot be started, or its process ended. The message goes behind the name of a file. */
export class PythonProcessError extends BrineError {
  static override readonly errorCode: ErrorCode = 'python-unavailable';
  override readonly name = 'PythonProcessError';
  readonly #words: string;
  /** @param words what {@link LastWords} has of it */
  constructor(message: string, words = '', options?: ErrorOptions) {
    super(message, options);
    this.#words = words;
  }

  /** The message with the line in which it happened, where that is known. @param path of the file whose code ran */
  sentence(path: string): string {
    return `${this.message}${placeIn(this.#words, path)}`;
  }
}

/**
 * The interpreter by the options: the named one; with `salt_python` that of an installed Salt; else Python's usual
 * name.
 */
export function interpreterOf(opts: Dict): string {
  const named = opts.get('python_executable');
  if (typeof named === 'string' && named !== '') return named;
  const ofSalt = opts.get('salt_python') === true ? interpreterOfSalt() : undefined;
  return ofSalt ?? DEFAULT_INTERPRETER;
}

/** Most memory of a process by `python_memory_bytes_max`, 0 for no limit. */
function memoryLimitOf(opts: Dict): number {
  const given = toNumber(opts.get('python_memory_bytes_max') ?? null) ?? -1;
  if (given >= 0) return given;
  const ofGroup = process.constrainedMemory(); // 0 or beyond all memory where there is no limit
  return Math.floor(Math.min(ofGroup > 0 ? ofGroup : Infinity, totalmem()) / 2);
}

/** What a process is made of. */
export interface PythonProcessOptions {
  readonly interpreter: string;
  /** Most memory that it writes to; 0 for no limit. */
  readonly memoryBytes: number;
  /** Where compiled files of the Python program are kept; empty for nowhere. */
  readonly compiledFolder: string;
  /** Its standard output is that of this program. */
  readonly prints: boolean;
  readonly clock: Clock;
  readonly serve: Omit<ServePython, 'spent'>;
  /** Told when the process is another one: what the last one knew has to be said again. */
  readonly started: () => void;
}

/** What of that the options say. */
export function settingsOf(
  opts: Dict,
): Pick<PythonProcessOptions, 'interpreter' | 'memoryBytes' | 'compiledFolder'> {
  const cachedir = opts.get('cachedir');
  return {
    interpreter: interpreterOf(opts),
    memoryBytes: memoryLimitOf(opts),
    compiledFolder: typeof cachedir === 'string' && cachedir !== '' ? join(cachedir, 'python') : '',
  };
}

/** Time for Python to start. */
const START_MS = 15_000;
/** Time for Python to say where it is, before it is ended. */
const WORDS_MS = 100;
/** After this time nothing more comes of a process that has ended, whoever else may have its connection open. */
const CLOSE_MS = 1_000;
/** The signal upon which the process writes where it is (`brine_guest/last_words.py`). */
const WHERE_SIGNAL = 50;

interface Running {
  readonly child: ChildProcess;
  readonly rpc: RpcPeer;
  readonly words: LastWords;
  /** What those were when it had ended. */
  lastWords: string;
  /** How it ended, or why it could not be started. */
  readonly ended: Promise<Pick<ProcessEnd, 'code' | 'signal'> | Error>;
  /** Its answer to the first question. */
  awake?: Promise<unknown>;
  wasAwake: boolean;
  /** Another one answers what is asked from now on; it ends when it has answered what it was asked. */
  isSpent: boolean;
  /** Why this program ended it. */
  endedFor?: string;
}

/** Starts the process when it is asked something, and again when it has ended. */
export class PythonProcess {
  /** Asks the process. Throws {@link PythonProcessError}. */
  readonly asks: PythonClient;
  readonly #options: PythonProcessOptions;
  #running: Running | undefined;

  constructor(options: PythonProcessOptions) {
    this.#options = options;
    const asks = clientOf(pythonHost, {
      call: (...pieces) => this.#call(pieces),
      notify: (...pieces) => this.#start().rpc.notify(...pieces),
    });
    this.asks = { ...asks, ...this.#readable(asks) };
  }

  /** Questions whose answers, where they cannot be read, end the process: code there has answered in its place. */
  #readable({
    awake,
    tryModule,
    run,
    render,
    grains,
    object,
  }: PythonClient): Omit<PythonClient, 'surroundings'> {
    const read = async <T>(answer: Promise<T>): Promise<T> => {
      try {
        return await answer;
      } catch (error) {
        if (!(error instanceof MessageError)) throw error;
        this.close('its Python process was ended, because other code there had answered in its place');
        throw new PythonProcessError('it answered in place of its Python process', '', { cause: error });
      }
    };
    return {
      awake: (asked) => read(awake(asked)),
      tryModule: (asked) => read(tryModule(asked)),
      run: (asked) => read(run(asked)),
      render: (asked) => read(render(asked)),
      grains: (asked) => read(grains(asked)),
      object: (asked) => read(object(asked)),
    };
  }

  /** Makes sure that there is a process. */
  start(): void {
    this.#start();
  }

  /** Ends the process; what is under way fails. @param reason for what is under way; default: none is needed */
  close(reason?: string): void {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined) return;
    if (reason !== undefined) running.endedFor ??= reason;
    running.child.kill('SIGKILL');
  }

  /**
   * Ends the process when it does not answer in time; its own start does not count. @param option names what the limit
   * comes from
   * @param ask is handed the limit, which it stops while the process waits for this program
   */
  async within<T>(
    asking: { readonly limitMs: number; readonly option?: string },
    ask: (limit: TimeLimit) => Promise<T>,
  ): Promise<T> {
    const running = this.#start();
    running.awake ??= this.#limited({ limitMs: START_MS }, () => this.asks.awake({}));
    await running.awake;
    return this.#limited(asking, ask);
  }

  async #limited<T>(
    { limitMs, option }: { readonly limitMs: number; readonly option?: string },
    ask: (limit: TimeLimit) => Promise<T>,
  ): Promise<T> {
    const { clock } = this.#options;
    const named = option === undefined ? '' : ` (option ${option})`;
    const tooLong = `within ${limitMs / 1000} seconds${named}`;
    let late: Running | undefined;
    let words = '';
    let kill: { cancel(): void } | undefined;
    const limit = new TimeLimit(clock, limitMs, () => {
      late = this.#running;
      signalOf(late?.child, WHERE_SIGNAL);
      kill = clock.after(WORDS_MS, () => {
        words = late?.words.read() ?? '';
        if (late === this.#running)
          this.close(`its Python process was ended, because other code there did not come back ${tooLong}`);
      });
    });
    try {
      return await ask(limit);
    } catch (error) {
      if (late === undefined) throw error;
      throw new PythonProcessError(`it does not come back ${tooLong}`, words, { cause: error });
    } finally {
      limit.end();
      kill?.cancel();
    }
  }

  async #call(pieces: readonly Uint8Array[]): Promise<Buffer> {
    const running = this.#start();
    const { rpc } = running;
    rpc.socket.ref();
    try {
      const answer = await rpc.call(...pieces);
      running.wasAwake = true;
      return answer;
    } catch (cause) {
      if (!(cause instanceof UnreachableError)) throw new PythonProcessError(messageOf(cause), '', { cause });
      const reason = await this.#reasonOf(running);
      throw new PythonProcessError(reason, running.lastWords, { cause });
    } finally {
      if (rpc.pending === 0) rpc.socket.unref(); // a program that has nothing else to do may end
      if (rpc.pending === 0 && running.isSpent) running.child.kill('SIGKILL');
    }
  }

  /** A process that code has left unfit for further calls answers those that are under way, and no others. */
  #replace(running: Running): void {
    running.isSpent = true;
    if (this.#running === running) this.#running = undefined;
  }

  async #reasonOf(running: Running): Promise<string> {
    const { interpreter } = this.#options;
    const { child, wasAwake } = running;
    child.ref();
    const ended = await running.ended;
    if (ended instanceof Error)
      return `Python 3.8 or newer is needed, and ${interpreter} cannot be started (${messageOf(ended)}): install it, or name it with python_executable`;
    return running.endedFor ?? endSentence({ ...ended, interpreter, wasAwake, words: running.lastWords });
  }

  #start(): Running {
    if (this.#running !== undefined) return this.#running;
    const { interpreter, memoryBytes, compiledFolder, prints, serve, started, clock } = this.#options;
    const words = new LastWords();
    const given = [String(memoryBytes), compiledFolder, ...(prints ? ['prints'] : [])];
    const argv = ['-u', programPath(PROGRAM), ...given];
    const child = spawn(interpreter, argv, {
      stdio: ['ignore', prints ? 'inherit' : 'ignore', 'inherit', 'pipe', words.descriptor ?? 'ignore'],
    });
    const endWithUs = (): void => void child.kill('SIGKILL');
    process.once('exit', endWithUs);
    const ended = new Promise<Pick<ProcessEnd, 'code' | 'signal'> | Error>((resolve) => {
      child.once('error', resolve);
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    child.unref();
    const rpc = guardedPeer(child.stdio[3] as unknown as Socket, {
      clock,
      handlers: {
        ...handlersOf(pythonServices, { ...serve, spent: () => this.#replace(running) }),
        closed: () => {
          if (this.#running?.child === child) this.#running = undefined;
          child.kill('SIGKILL'); // it cannot be reached any more
        },
      },
      spoilt: (reason) => {
        running.endedFor ??= reason;
        if (this.#running === running) this.#running = undefined;
        child.kill('SIGKILL');
      },
    });
    const running: Running = { child, rpc, words, lastWords: '', ended, wasAwake: false, isSpent: false };
    void ended.then(() => {
      running.lastWords = words.read();
      words.close();
      process.off('exit', endWithUs);
      if (this.#running === running) this.#running = undefined;
      // what has its connection open besides would keep everything waiting
      clock.after(CLOSE_MS, () => rpc.socket.destroy(), { background: true });
    });
    this.#running = running;
    started();
    return running;
  }
}

function signalOf(child: ChildProcess | undefined, signal: number): void {
  try {
    if (child?.pid !== undefined && child.exitCode === null) process.kill(child.pid, signal);
  } catch {
    // it has just ended
  }
}
