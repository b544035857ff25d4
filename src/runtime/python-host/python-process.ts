/**
 * The Python process in which a site's own Python runs: started when it is first asked, replaced when it ends. What hangs, exits or
 * raises there harms nobody else.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
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
import { RpcPeer } from '../../network/ipc/rpc.ts';
import type { Dict } from '../../python/values/value.ts';
import { interpreterOfSalt } from './installed-salt.ts';
import { programPath } from './program-path.ts';
import { TimeLimit } from './time-limit.ts';

const PROGRAM = 'brine_host.py';
/** The interpreter when `python_executable` names none. */
const DEFAULT_INTERPRETER = 'python3';

/** Python cannot be started, or its process ended. The message goes behind the name of a file. */
export class PythonProcessError extends BrineError {
  static override readonly errorCode: ErrorCode = 'python-unavailable';
  override readonly name = 'PythonProcessError';
}

/** The interpreter by the options: the named one; with `salt_python` that of an installed Salt; else Python's usual name. */
export function interpreterOf(opts: Dict): string {
  const named = opts.get('python_executable');
  if (typeof named === 'string' && named !== '') return named;
  const ofSalt = opts.get('salt_python') === true ? interpreterOfSalt() : undefined;
  return ofSalt ?? DEFAULT_INTERPRETER;
}

/** What a process is made of. */
export interface PythonProcessOptions {
  readonly interpreter: string;
  /** Most address space; 0 for no limit. */
  readonly memoryBytes: number;
  readonly clock: Clock;
  readonly serve: ServePython;
  /** Told when the process is another one: what the last one knew has to be said again. */
  readonly started: () => void;
}

/** Time for Python to start. */
const START_MS = 15_000;

interface Running {
  readonly child: ChildProcess;
  readonly rpc: RpcPeer;
  /** Its answer to the first question. */
  awake?: Promise<unknown>;
}

/** Starts the process when it is asked something, and again when it has ended. */
export class PythonProcess {
  /** Asks the process. Throws {@link PythonProcessError}. */
  readonly asks: PythonClient;
  readonly #options: PythonProcessOptions;
  #running: Running | undefined;
  #spawnError: Error | undefined;

  constructor(options: PythonProcessOptions) {
    this.#options = options;
    this.asks = clientOf(pythonHost, {
      call: (...pieces) => this.#call(pieces),
      notify: (...pieces) => this.#start().rpc.notify(...pieces),
    });
  }

  /** Makes sure that there is a process. */
  start(): void {
    this.#start();
  }

  /** Ends the process; what is under way fails. */
  close(): void {
    this.#running?.child.kill('SIGKILL');
    this.#running = undefined;
  }

  /**
   * Ends the process when it does not answer in time; its own start does not count. @param option names what the limit comes from
   * @param ask is handed the limit, which it stops while the process waits for this program
   */
  async within<T>(
    { limitMs, option }: { readonly limitMs: number; readonly option?: string },
    ask: (limit: TimeLimit) => Promise<T>,
  ): Promise<T> {
    const running = this.#start();
    running.awake ??= this.#limited({ limitMs: START_MS }, () => this.asks.awake({}));
    await running.awake;
    return this.#limited({ limitMs, ...(option === undefined ? {} : { option }) }, ask);
  }

  async #limited<T>(
    { limitMs, option }: { readonly limitMs: number; readonly option?: string },
    ask: (limit: TimeLimit) => Promise<T>,
  ): Promise<T> {
    let isLate = false;
    const limit = new TimeLimit(this.#options.clock, limitMs, () => {
      isLate = true;
      this.close();
    });
    try {
      return await ask(limit);
    } catch (error) {
      if (!isLate) throw error;
      const named = option === undefined ? '' : ` (option ${option})`;
      throw new PythonProcessError(`it does not come back within ${limitMs / 1000} seconds${named}`, {
        cause: error,
      });
    } finally {
      limit.end();
    }
  }

  async #call(pieces: readonly Uint8Array[]): Promise<Buffer> {
    const { rpc } = this.#start();
    rpc.socket.ref();
    try {
      return await rpc.call(...pieces);
    } catch (cause) {
      throw new PythonProcessError(this.#reason(cause), { cause });
    } finally {
      if (rpc.pending === 0) rpc.socket.unref(); // a program that has nothing else to do may end
    }
  }

  #reason(cause: unknown): string {
    const { interpreter } = this.#options;
    if (this.#spawnError !== undefined)
      return `Python 3.8 or newer is needed, and ${interpreter} cannot be started (${messageOf(this.#spawnError)}): install it, or name it with python_executable`;
    return cause instanceof UnreachableError
      ? `it ended the Python process (os._exit, a crash, or too much memory), or ${interpreter} is older than Python 3.8`
      : messageOf(cause);
  }

  #start(): Running {
    if (this.#running !== undefined) return this.#running;
    const { interpreter, memoryBytes, serve, started } = this.#options;
    this.#spawnError = undefined;
    const child = spawn(interpreter, ['-u', programPath(PROGRAM), String(memoryBytes)], {
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    });
    child.on('error', (error) => (this.#spawnError = error));
    child.unref();
    const rpc = new RpcPeer(child.stdio[3] as unknown as Socket, {
      ...handlersOf(pythonServices, serve),
      closed: () => {
        if (this.#running?.child === child) this.close();
      },
    });
    const running = { child, rpc };
    this.#running = running;
    started();
    return running;
  }
}
