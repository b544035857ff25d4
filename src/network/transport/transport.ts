/**
 * What every transport offers: two servers and two clients, which carry bytes and know nothing of their meaning. There
 * is one implementation of each in `zmtp/`, `tcp/` and `ws/`; `transports.ts` chooses by name.
 */
import type { Clock } from '../../host/clock.ts';
import type { Random } from '../../host/random.ts';
import type { Address } from './address.ts';
import type { Missed } from './recent-messages.ts';
import type { SslSettings } from './ssl-settings.ts';

/** What a listening socket needs, whichever it is. */
export interface ServerOptions {
  readonly address: Address;
  readonly backlog: number;
  /** Connections that one address may have; default no limit. */
  readonly connectionsByAddressMax?: number;
  /** Speak TLS; a transport that cannot is not started with it. */
  readonly ssl?: SslSettings;
  /** Silence after which the system asks whether a peer is still there; 0 for never. */
  readonly keepAliveMs?: number;
  readonly clock: Clock;
}

/** The silence when nothing else is said. */
export const KEEP_ALIVE_MS = 300_000;

/** How a request server behaves. */
export interface RequestServerOptions extends ServerOptions {
  readonly messageBytesMax: number;
  /**
   * Bytes of half-received messages and unsent replies over all peers; beyond it the peer that holds most is cut off.
   */
  readonly bufferedBytesMax: number;
  /** Bytes of half-received messages of peers that have proved nothing; default `UNPROVEN_BYTES_MAX`. */
  readonly unprovenBytesMax?: number;
}

/** What a request server has seen, for metrics and log lines. */
export interface RequestServerCounters {
  connections: number;
  requests: number;
  /** Peers cut off because they broke the protocol or a limit. */
  refusedPeers: number;
  /** How often a peer was not read because it had its share of requests under way. */
  heldPeers: number;
  /** How often a peer that has proved nothing was not read because such peers held all they may. */
  waitedPeers: number;
  /** Such peers cut off because they did not come on with what they had begun while others waited. */
  standingPeers: number;
}

/** A request and the way back to its sender. */
export interface IncomingRequest {
  /** May be a slice of the receive buffer: copy what outlives the call. */
  readonly body: Buffer;
  /** Sends the reply; a sender that has gone is no error. */
  reply(body: Buffer): void;
  /** Says that the sender has proved who it is: from then on its half messages are nobody's whom we do not know. */
  proven(): void;
  /** The sender's address, for log lines. */
  readonly from: string;
}

/** Called for each request; it must lead to exactly one reply. */
export type OnRequest = (request: IncomingRequest) => void;

/** Called when a peer was cut off. @param from its address, as far as it is known */
export type OnRefused = (from: string, reason: Error) => void;

/** The request port. */
export interface RequestServer {
  readonly counters: RequestServerCounters;
  /** @returns the address, with the port the system chose when 0 was asked for. @throws ListenError */
  start(): Promise<Address>;
  /** Stops and starts reading from all peers: the back-pressure of a queue that is full. */
  setPaused(paused: boolean): void;
  close(): void;
}

/** One publication. */
export interface Publication {
  readonly envelope: Buffer;
  /**
   * The minions it is for; null sends it to everybody. A transport, or its settings, may send it to everybody all the
   * same.
   */
  readonly ids: readonly string[] | null;
  /** Grows with each publication: by it a peer says what it has missed. */
  readonly number?: number;
}

/** Who a peer has proved to be, and what it says that it has missed when it was here before. */
export interface PeerIdentity {
  readonly id: string;
  readonly missed?: Missed;
}

/** How a publisher behaves. */
export interface PublishServerOptions extends ServerOptions {
  /** Bytes waiting for one peer; at more it is cut off and may come back. */
  readonly peerQueueBytesMax: number;
  /** A peer that is silently gone is noticed within twice this time. */
  readonly heartbeatMs?: number;
  /** Who a peer proves to be, from what it says of itself when it connects; undefined when it does not say. */
  readonly identify?: (properties: ReadonlyMap<string, Buffer>) => PeerIdentity | undefined;
  /** Who a peer proves to be, from a message that it sends; undefined when the proof is not good. */
  readonly identifyByMessage?: (body: Buffer) => PeerIdentity | undefined;
  /** An identified peer has come, or its last connection has gone. */
  readonly presence?: (id: string, isConnected: boolean) => void;
  /** A peer was cut off because it does not speak the protocol. */
  readonly refused?: OnRefused;
}

/** What a publisher has seen. */
export interface PublishServerCounters {
  published: number;
  delivered: number;
  /** Publications sent once more to peers that had missed them. */
  resent: number;
  /** Peers cut off because they did not keep up. */
  slowPeersCut: number;
  refusedPeers: number;
}

/** The publish port. */
export interface PublishServer {
  readonly counters: PublishServerCounters;
  /** Peers that publications are sent to. */
  readonly subscribers: number;
  /** The addresses they come from. */
  readonly remoteAddresses: string[];
  /** @throws ListenError */
  start(): Promise<Address>;
  /** @returns how many peers it went to */
  send(publication: Publication): number;
  close(): void;
}

/** What a client needs, whichever it is. */
export interface ClientOptions {
  /** Asked anew at each attempt, because names change. */
  readonly address: () => Address | Promise<Address>;
  readonly messageBytesMax: number;
  /** Silence after which the system asks whether the server is still there; 0 for never. */
  readonly keepAliveMs?: number;
  /** Notice a peer that is silently gone within twice this time. */
  readonly heartbeatMs?: number;
  readonly ssl?: SslSettings;
  readonly clock: Clock;
  readonly random: Random;
}

/** How a request client behaves. */
export interface RequestClientOptions extends ClientOptions {
  /** Requests waiting or under way; one more is refused. */
  readonly pendingMax: number;
  /** Shortest and longest wait before connecting again; the wait is random below a limit that doubles. */
  readonly reconnectMs: { readonly min: number; readonly max: number };
}

/** A client of a request server: many requests may be under way at once. */
export interface RequestClient {
  /** True while a connection is established. */
  readonly isConnected: boolean;
  /** Connects before there is a request, so that the first one finds the connection made. */
  open(): void;
  /**
   * Sends one request and waits for its reply.
   * @param timeoutMs from now until the reply
   * @throws UnreachableError when there is no reply in time, or the connection is lost after the request was sent
   */
  request(body: Buffer, timeoutMs: number): Promise<Buffer>;
  /** Ends the connection; requests under way fail. */
  close(): void;
}

/** How a subscriber behaves. */
export interface PublishClientOptions extends ClientOptions {
  /** Topic prefixes; one empty prefix is everything. Only ZeroMQ's subscribers choose. */
  readonly topics: readonly string[];
  /** What we say of ourselves when we connect, asked for at each attempt. */
  readonly properties?: () => ReadonlyMap<string, Buffer>;
  /**
   * The message that says who we are, on transports that have one; asked for at each connection. When it cannot be had,
   * the connection is given up and another one made.
   */
  readonly identification?: (isFirst: boolean) => Promise<Buffer>;
  /** Salt's `recon_default`, `recon_max`, `recon_randomize`. */
  readonly reconnect: { readonly defaultMs: number; readonly maxMs: number; readonly randomize: boolean };
}

/** What a subscriber tells its owner. */
export interface PublishClientEvents {
  connected(): void;
  /** The connection is gone (or could not be made); another attempt follows by itself. */
  disconnected(error: Error | undefined): void;
  /** The parts of a publication, the envelope last. Slices of the receive buffer: copy what outlives the call. */
  message(parts: Buffer[]): void;
}

/** A client of a publisher: stays subscribed through restarts, lost networks and half-open connections. */
export interface PublishClient {
  /** Begins connecting, and never stops trying until closed. */
  start(): void;
  close(): void;
}
