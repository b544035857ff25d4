/**
 * Where log messages go that leave this program: datagrams, a stream, and the socket of the system's log, which Node
 * cannot write to itself, so that the system's program `logger` does. Nothing here waits for anybody: what cannot be
 * sent is kept up to a bound, then dropped and counted, and the program ends without waiting for what was not sent.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { connect, isIPv6, type Socket } from 'node:net';
import { systemClock, type Clock } from './clock.ts';

/** Messages kept while nobody takes them. */
const KEPT_BYTES_MAX = 1024 * 1024;
/** Datagrams beyond it are cut: no network takes more. */
const DATAGRAM_BYTES_MAX = 60_000;
/** After a server could not be reached. */
const RETRY_MS = 3_000;

/** Takes messages. */
export interface LogChannel {
  /** How many were dropped. */
  readonly dropped: number;
  send(message: Buffer): void;
  close(): void;
}

/** One datagram for each message. */
export class DatagramChannel implements LogChannel {
  dropped = 0;
  readonly #socket: DatagramSocket;
  #isClosed = false;

  /** @param host a name or an address */
  constructor(host: string, port: number) {
    this.#socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', sendBufferSize: 0 });
    this.#socket.on('error', () => this.dropped++);
    this.#socket.unref();
    this.#socket.connect(port, host);
  }

  send(message: Buffer): void {
    if (this.#isClosed) return;
    const done = (error: Error | null): void => {
      if (error !== null) this.dropped++;
    };
    try {
      this.#socket.send(message.subarray(0, DATAGRAM_BYTES_MAX), done);
    } catch {
      // not connected yet: the name is being looked up
      this.#socket.once('connect', () => this.#socket.send(message.subarray(0, DATAGRAM_BYTES_MAX), done));
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.close();
  }
}

/** Messages one behind the other over a connection that is made anew when it breaks. */
export class StreamChannel implements LogChannel {
  dropped = 0;
  readonly #address: { readonly host: string; readonly port: number } | { readonly path: string };
  readonly #clock: Clock;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #socket: Socket | undefined;
  #isOpen = false;
  #notBeforeMs = -Infinity;

  constructor(
    address: { readonly host: string; readonly port: number } | { readonly path: string },
    clock: Clock = systemClock,
  ) {
    this.#address = address;
    this.#clock = clock;
  }

  send(message: Buffer): void {
    const waitingBytes = this.#keptBytes + (this.#socket?.writableLength ?? 0);
    if (waitingBytes + message.length > KEPT_BYTES_MAX) this.dropped++;
    else if (this.#isOpen) return void this.#socket?.write(message);
    else {
      this.#kept.push(message);
      this.#keptBytes += message.length;
    }
    // also when nothing more can be kept: the server may be back
    if (this.#socket === undefined && this.#clock.monotonicMs() >= this.#notBeforeMs) this.#connect();
  }

  #connect(): void {
    const socket = connect(this.#address);
    socket.unref();
    const limit = this.#clock.after(RETRY_MS, () => socket.destroy(), { background: true });
    this.#socket = socket;
    socket.on('error', () => undefined); // told by the counter
    socket.once('connect', () => {
      this.#isOpen = true;
      limit.cancel();
      for (const message of this.#kept.splice(0)) socket.write(message);
      this.#keptBytes = 0;
    });
    // what a server sends back is nobody's
    socket.resume();
    socket.once('close', () => {
      limit.cancel();
      this.#isOpen = false;
      this.#socket = undefined;
      this.#notBeforeMs = this.#clock.monotonicMs() + RETRY_MS;
    });
  }

  close(): void {
    this.#socket?.end();
    this.#socket?.unref();
  }
}

/** The program `logger`, which is started with the first message and takes one line each. */
export class LoggerChannel implements LogChannel {
  dropped = 0;
  readonly #program: string;
  readonly #words: readonly string[];
  readonly #clock: Clock;
  #child: ChildProcess | undefined;
  #notBeforeMs = -Infinity;

  /** @param socket of the system's log @param tag what the log calls the program */
  constructor(program: string, socket: string, tag: string, clock: Clock = systemClock) {
    this.#program = program;
    this.#words = ['--prio-prefix', '--socket', socket, `--tag=${tag}`, `--id=${process.pid}`];
    this.#clock = clock;
  }

  send(message: Buffer): void {
    const child = this.#child ?? this.#start();
    if (child?.stdin?.writable !== true || child.stdin.writableLength + message.length > KEPT_BYTES_MAX) {
      this.dropped++;
      return;
    }
    child.stdin.write(message);
  }

  #start(): ChildProcess | undefined {
    if (this.#clock.monotonicMs() < this.#notBeforeMs) return undefined;
    const child = spawn(this.#program, this.#words, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    child.unref();
    const gone = (): void => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#notBeforeMs = this.#clock.monotonicMs() + RETRY_MS;
    };
    child.once('exit', gone);
    child.once('error', gone);
    child.stdin?.on('error', () => this.dropped++);
    (child.stdin as unknown as { unref?: () => void }).unref?.();
    this.#child = child;
    return child;
  }

  close(): void {
    this.#child?.stdin?.end();
    this.#child = undefined;
  }
}
