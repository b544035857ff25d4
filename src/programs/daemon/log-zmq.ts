/**
 * Messages over a PUB socket of ZeroMQ that connects to a SUB socket, which listens (3006.16
 * salt/log_handlers/logstash_mod.py `ZMQLogstashHander`).
 */
import { connect } from 'node:net';
import { systemClock, type Clock } from '../../host/clock.ts';
import type { LogChannel } from '../../host/log-network.ts';
import { lastingCopy } from '../../host/lasting-bytes.ts';
import { ZmtpConnection } from '../../network/transport/zmtp/connection.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';

/** Bytes of messages kept while nobody takes them. */
const KEPT_BYTES_MAX = 1024 * 1024;
const RETRY_MS = 3_000;
/** A peer sends subscriptions only. */
const PEER_MESSAGE_BYTES_MAX = 4096;
const SUBSCRIPTIONS_MAX = 100;

/** Where a SUB socket listens. */
export type ZmqAddress = { readonly host: string; readonly port: number } | { readonly path: string };

/** Reads `tcp://host:port` and `ipc:///path`. @returns what is wrong, where something is */
export function zmqAddress(value: Value): ZmqAddress | string {
  if (value === null) return 'address is missing';
  const text = pyStr(value);
  const [, host, port] = /^tcp:\/\/(?:\[(?=.*\]))?([^\s/\]]+)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (host !== undefined && Number(port) > 0 && Number(port) <= 65535) return { host, port: Number(port) };
  const path = /^ipc:\/\/(\/.+)$/.exec(text)?.[1];
  return path === undefined ? `address must be tcp://HOST:PORT or ipc:///PATH, not ${text}` : { path };
}

/**
 * Messages to those who have subscribed; what cannot be sent is kept up to a bound (`hwm` messages), then dropped and
 * counted.
 */
export class ZmqLogChannel implements LogChannel {
  dropped = 0;
  readonly #address: ZmqAddress;
  readonly #hwm: number;
  readonly #clock: Clock;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #connection: ZmtpConnection | undefined;
  /** What the peer wants: beginnings of messages. */
  readonly #wanted = new Set<string>();
  #notBeforeMs = -Infinity;

  constructor(address: ZmqAddress, hwm: number, clock: Clock = systemClock) {
    this.#address = address;
    this.#hwm = hwm;
    this.#clock = clock;
  }

  send(message: Buffer): void {
    if (this.#connection !== undefined && this.#wanted.size > 0) return this.#write(message);
    if (this.#kept.length >= this.#hwm || this.#keptBytes + message.length > KEPT_BYTES_MAX) this.dropped++;
    else {
      this.#kept.push(message);
      this.#keptBytes += message.length;
    }
    if (this.#connection === undefined && this.#clock.monotonicMs() >= this.#notBeforeMs) this.#connect();
  }

  close(): void {
    this.#connection?.socket.end();
  }

  #write(message: Buffer): void {
    const connection = this.#connection;
    const text = message.toString('latin1');
    if (connection === undefined || ![...this.#wanted].some((start) => text.startsWith(start))) return;
    if (connection.queuedBytes + message.length > KEPT_BYTES_MAX) this.dropped++;
    else connection.send([message]);
  }

  #connect(): void {
    const socket = connect(this.#address);
    socket.unref();
    const options = { type: 'PUB', messageBytesMax: PEER_MESSAGE_BYTES_MAX, clock: this.#clock } as const;
    this.#connection = new ZmtpConnection(socket, options, {
      ready: () => undefined,
      message: (_, [first]) => this.#subscribed(lastingCopy(first ?? Buffer.alloc(0))),
      closed: () => {
        this.#connection = undefined;
        this.#wanted.clear();
        this.#notBeforeMs = this.#clock.monotonicMs() + RETRY_MS;
      },
    });
  }

  /** A first byte of 1 subscribes, one of 0 takes it back. */
  #subscribed(order: Buffer): void {
    const start = order.subarray(1).toString('latin1');
    if (order[0] === 0) this.#wanted.delete(start);
    if (order[0] !== 1 || this.#wanted.size >= SUBSCRIPTIONS_MAX) return;
    this.#wanted.add(start);
    this.#keptBytes = 0;
    for (const message of this.#kept.splice(0)) this.#write(message);
  }
}
