/**
 * The process in which custom code is tried: what hangs, exits or throws there harms nobody else. It lives only as long
 * as it is needed.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { messageOf, UnreachableError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { clientOf, handlersOf } from '../../network/ipc/contract.ts';
import {
  extensionHost,
  extensionServices,
  type HostClient,
  type ServeHost,
} from '../../network/ipc/contracts/extension-host.ts';
import { withAllocatorSettings } from '../../host/allocator.ts';
import { RpcPeer } from '../../network/ipc/rpc.ts';

/** Time for one file to be loaded, or one grain to be found; for a beacon to look, a renderer to render. */
const ANSWER_MS = 15_000;

const late = (ms: number): string => `it does not come back within ${ms / 1000} seconds`;
const ENDED = 'it ends the process that loads it (process.exit, or an error outside of its functions)';

/** What went wrong with the process, in words that go behind the name of a file. */
export class HostError extends Error {
  override readonly name = 'HostError';
}

/** What a host may have besides. */
export interface HostOptions {
  /** The program of the process, when it does not lie beside this one. */
  readonly script?: string | undefined;
  /** Answers what the code in the process asks for. */
  readonly serve?: ServeHost | undefined;
  /** Time for one answer, in milliseconds. */
  readonly answerMs?: number | undefined;
}

/** A process in which custom code is tried out; it can hang or end without harm. */
export class ExtensionHost {
  /**
   * Asks the process, which is started when there is none. Throws HostError, after which the next question starts a new
   * one.
   */
  readonly asks: HostClient = clientOf(extensionHost, { call: (...pieces) => this.#call(pieces) });
  readonly #clock: Clock;
  readonly #options: HostOptions;
  #running: { readonly child: ChildProcess; readonly rpc: RpcPeer } | undefined;

  constructor(clock: Clock, options: HostOptions = {}) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Whether the process runs. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  async #call(pieces: readonly Uint8Array[]): Promise<Buffer> {
    const { rpc, child } = (this.#running ??= this.#start());
    rpc.socket.ref();
    let isLate = false;
    const answerMs = this.#options.answerMs ?? ANSWER_MS;
    const timer = this.#clock.after(answerMs, () => {
      isLate = true;
      child.kill('SIGKILL');
    });
    try {
      return await rpc.call(...pieces);
    } catch (cause) {
      this.close();
      throw new HostError(
        isLate ? late(answerMs) : cause instanceof UnreachableError ? ENDED : messageOf(cause),
        {
          cause,
        },
      );
    } finally {
      timer.cancel();
      if (rpc.pending === 0) rpc.socket.unref(); // a program that has nothing else to do may end
    }
  }

  /** Ends the process. */
  close(): void {
    this.#running?.child.kill('SIGKILL');
    this.#running = undefined;
  }

  #start(): { child: ChildProcess; rpc: RpcPeer } {
    const { script = join(import.meta.dirname, 'extension-host.cjs'), serve } = this.#options;
    const child = spawn(process.execPath, ['--max-semi-space-size=2', script, 'salt modules'.padEnd(48)], {
      env: withAllocatorSettings(process.env),
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    });
    child.on('error', () => undefined);
    child.unref();
    const rpc = new RpcPeer(child.stdio[3] as unknown as Socket, {
      ...(serve === undefined ? {} : handlersOf(extensionServices, serve)),
      closed: () => {
        if (this.#running?.child === child) this.close();
      },
    });
    return { child, rpc };
  }
}
