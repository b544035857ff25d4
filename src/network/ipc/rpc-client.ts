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

/** Calls that are repeated when the process at the other end died under them: the other end must tell doubles apart. */
export class RpcClient {
  readonly #options: RpcClientOptions;
  #peer: Promise<RpcPeer> | undefined;
  #closed = false;

  constructor(options: RpcClientOptions) {
    this.#options = options;
  }

  /** Connects before there is a call; when the other process is not there yet, the first call connects. */
  open(): void {
    const peer = (this.#peer ??= connectRpc(this.#options.path, {}));
    peer.catch(() => {
      if (this.#peer === peer) this.#peer = undefined;
    });
  }

  /** @throws UnreachableError when the other process stays away; an Error with its message when it refuses */
  async call(...body: readonly Uint8Array[]): Promise<Buffer> {
    const { clock, giveUpMs, purpose } = this.#options;
    const giveUpAt = clock.monotonicMs() + giveUpMs;
    for (;;) {
      let peer: RpcPeer | undefined;
      try {
        peer = await (this.#peer ??= connectRpc(this.#options.path, {}));
        return await peer.call(...body);
      } catch (cause) {
        if (peer !== undefined && !peer.isClosed) throw cause;
        this.#peer = undefined;
        if (this.#closed || clock.monotonicMs() > giveUpAt) {
          throw new UnreachableError(`The ${purpose} cannot be reached.`, { cause });
        }
        await clock.sleep(RECONNECT_MS);
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    (await this.#peer?.catch(() => undefined))?.close();
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
