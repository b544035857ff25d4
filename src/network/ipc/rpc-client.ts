/** A client of one of our own processes that survives the process's restart. */
import { connect } from 'node:net';
import { UnreachableError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { RpcPeer, type RpcHandlers } from './rpc.ts';

const RECONNECT_MS = 20;

/** How the client behaves. */
export interface RpcClientOptions {
  readonly path: string;
  /** What is at the other end, for error messages. */
  readonly purpose: string;
  readonly clock: Clock;
  /** Time for the other process to come back before a call is given up. */
  readonly giveUpMs: number;
}

/** A call that has no answer yet. */
interface Unanswered {
  readonly body: readonly Uint8Array[];
  readonly giveUpAtMs: number;
  readonly resolve: (answer: Buffer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Calls that are repeated when the process at the other end died under them: the other end must tell doubles apart.
 * They reach it in the order in which they were made, also those that are repeated: a newer one never overtakes.
 */
export class RpcClient {
  readonly #options: RpcClientOptions;
  /** In their order. */
  readonly #unanswered = new Set<Unanswered>();
  #peer: RpcPeer | undefined;
  #connecting: Promise<void> | undefined;
  #closed = false;

  constructor(options: RpcClientOptions) {
    this.#options = options;
  }

  /**
   * Connects before there is a call; when the other process is not there yet, it is tried again as soon as there is
   * one.
   */
  open(): void {
    if (this.#peer === undefined) this.#connecting ??= this.#connect();
  }

  /** @throws UnreachableError when the other process stays away; an Error with its message when it refuses */
  call(...body: readonly Uint8Array[]): Promise<Buffer> {
    const { clock, giveUpMs } = this.#options;
    return new Promise((resolve, reject) => {
      const call = { body, giveUpAtMs: clock.monotonicMs() + giveUpMs, resolve, reject };
      this.#unanswered.add(call);
      if (this.#peer === undefined) this.open();
      else this.#send(this.#peer, call);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#connecting;
    this.#peer?.close();
  }

  #send(peer: RpcPeer, call: Unanswered): void {
    peer.call(...call.body).then(
      (answer) => {
        this.#unanswered.delete(call);
        call.resolve(answer);
      },
      (error: unknown) => {
        if (peer.isClosed) return this.#lost(peer, error);
        this.#unanswered.delete(call);
        call.reject(error);
      },
    );
  }

  /** All that has no answer is sent again to the successor. */
  #lost(peer: RpcPeer, cause: unknown): void {
    if (this.#peer === peer) this.#peer = undefined;
    this.#giveUp(cause, this.#closed ? Infinity : this.#options.clock.monotonicMs());
    if (this.#peer === undefined && this.#unanswered.size > 0) this.open();
  }

  async #connect(): Promise<void> {
    const { path, clock } = this.#options;
    do {
      try {
        const peer = await connectRpc(path, {});
        this.#connecting = undefined;
        this.#peer = peer;
        for (const call of this.#unanswered) this.#send(peer, call);
        return;
      } catch (cause) {
        this.#giveUp(cause, this.#closed ? Infinity : clock.monotonicMs());
      }
      if (this.#unanswered.size > 0) await clock.sleep(RECONNECT_MS);
    } while (this.#unanswered.size > 0);
    this.#connecting = undefined;
  }

  /** Fails those whose time is over. */
  #giveUp(cause: unknown, nowMs: number): void {
    for (const call of this.#unanswered) {
      if (call.giveUpAtMs >= nowMs) continue;
      this.#unanswered.delete(call);
      call.reject(new UnreachableError(`The ${this.#options.purpose} cannot be reached.`, { cause }));
    }
  }
}

/** Connects once. */
export function connectRpc(path: string, handlers: RpcHandlers): Promise<RpcPeer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(new RpcPeer(socket, handlers));
    });
  });
}
