/** A tcp connection that one message after the other is written to, and that is made anew when it breaks. */
import { connect, type Socket } from 'node:net';
import { messageOf } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';

const CONNECT_MS = 10_000;
const PAUSE_MIN_MS = 500;
const PAUSE_MAX_MS = 30_000;

/** Where to. */
export interface SenderDeps {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Sends messages in their order. */
export class TcpSender {
  readonly #deps: SenderDeps;
  #socket: Socket | undefined;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  /** Resolves when the system has taken the message; waits, and tries again, while nobody listens. */
  async send(message: Uint8Array): Promise<void> {
    const { name, host, port, clock, log, signal } = this.#deps;
    for (let pauseMs = PAUSE_MIN_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
      try {
        const socket = (this.#socket ??= await this.#connect());
        await new Promise<void>((resolve, reject) =>
          socket.write(message, (error) => (error ? reject(error) : resolve())),
        );
        return;
      } catch (error) {
        this.#socket = undefined;
        log.warning(
          `${name}: ${host}:${port} takes nothing (${messageOf(error)}); trying again in ${pauseMs / 1000} s.`,
        );
        await clock.sleep(pauseMs, signal);
      }
    }
  }

  close(): void {
    this.#socket?.end();
  }

  #connect(): Promise<Socket> {
    const { host, port, clock } = this.#deps;
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port });
      const timer = clock.after(CONNECT_MS, () => socket.destroy(new Error('no connection in time')));
      socket.once('connect', () => {
        timer.cancel();
        socket.on('close', () => {
          if (this.#socket === socket) this.#socket = undefined;
        });
        resolve(socket);
      });
      socket.on('error', (error) => {
        timer.cancel();
        reject(error);
      });
      socket.resume();
    });
  }
}
