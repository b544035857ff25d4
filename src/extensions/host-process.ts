/**
 * The process in which code of one's own is tried: what hangs, exits or throws there harms nobody else. It lives only as long as it
 * is needed.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { messageOf, UnreachableError } from '../errors/errors.ts';
import type { Clock } from '../host/clock.ts';
import { RpcPeer } from '../transport/ipc/rpc.ts';
import type { Value } from '../values/value.ts';
import { decode, encode } from '../wire/msgpack.ts';

/** Time for one file to be loaded, or one grain to be found. */
const ANSWER_MS = 15_000;

const LATE = `it does not come back within ${ANSWER_MS / 1000} seconds`;
const ENDED = 'it ends the process that loads it (process.exit, or an error outside of its functions)';

/** What went wrong with the process, in words that go behind the name of a file. */
export class HostError extends Error {
  override readonly name = 'HostError';
}

/** See the file's comment. */
export class ExtensionHost {
  readonly #clock: Clock;
  readonly #script: string;
  #running: { readonly child: ChildProcess; readonly rpc: RpcPeer } | undefined;

  /** @param script the program of the process, which lies beside this one */
  constructor(clock: Clock, script = join(import.meta.dirname, 'extension-host.cjs')) {
    this.#clock = clock;
    this.#script = script;
  }

  /** Asks the process, which is started when there is none. @throws HostError, after which the next question starts a new one */
  async ask(question: Value): Promise<Value> {
    const { rpc, child } = (this.#running ??= this.#start());
    let isLate = false;
    const timer = this.#clock.after(ANSWER_MS, () => {
      isLate = true;
      child.kill('SIGKILL');
    });
    try {
      return decode(await rpc.call(encode(question, 'local')), 'local');
    } catch (cause) {
      this.close();
      throw new HostError(isLate ? LATE : cause instanceof UnreachableError ? ENDED : messageOf(cause), {
        cause,
      });
    } finally {
      timer.cancel();
    }
  }

  /** Ends the process. */
  close(): void {
    this.#running?.child.kill('SIGKILL');
    this.#running = undefined;
  }

  #start(): { child: ChildProcess; rpc: RpcPeer } {
    const child = spawn(process.execPath, [this.#script, 'salt modules'.padEnd(48)], {
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    });
    child.on('error', () => undefined);
    const rpc = new RpcPeer(child.stdio[3] as unknown as Socket, {
      call: () => Promise.reject(new Error('nothing is asked here')),
    });
    return { child, rpc };
  }
}
