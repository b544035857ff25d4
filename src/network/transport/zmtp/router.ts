/**
 * The request server's socket: takes one request at a time from each of many peers and sends each its reply. Whatever
 * stands before a request's last part (a REQ's empty delimiter, a correlating REQ's id) is echoed before the reply.
 */
import type { Socket } from 'node:net';
import { StreamRequestServer } from '../stream-request-server.ts';
import type { IncomingRequest, OnRefused, OnRequest, RequestServerOptions } from '../transport.ts';
import { UNFINISHED, ZmtpConnection } from './connection.ts';

/** A request, under the name that it has on this transport. */
export type RouterRequest = IncomingRequest;

/** A listening ROUTER socket. */
export class Router extends StreamRequestServer<ZmtpConnection> {
  constructor(options: RequestServerOptions, onRequest: OnRequest, onRefused: OnRefused) {
    super(options, onRequest, onRefused, UNFINISHED);
  }

  protected override connect(socket: Socket, from: string): ZmtpConnection {
    const { messageBytesMax, clock } = this.options;
    return new ZmtpConnection(
      socket,
      { type: 'ROUTER', identity: Buffer.alloc(0), messageBytesMax, clock },
      {
        ready: () => undefined,
        message: (peer, parts) => this.#request(peer, parts, from),
        closed: (peer, error) => {
          this.ended(peer, from, error);
        },
      },
    );
  }

  #request(peer: ZmtpConnection, parts: Buffer[], from: string): void {
    this.counters.requests++;
    const body = parts[parts.length - 1] as Buffer;
    const envelope = parts.slice(0, -1).map((part) => Buffer.from(part));
    const reply = (answer: Buffer): void => {
      peer.send([...envelope, answer]);
      this.peers.buffered(answer.length);
    };
    this.onRequest({ body, from, reply });
  }
}
