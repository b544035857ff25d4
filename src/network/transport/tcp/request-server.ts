/** The request port of the tcp transport: takes requests from many peers, and sends each its reply with the head that it had. */
import type { Socket } from 'node:net';
import { StreamRequestServer } from '../stream-request-server.ts';
import { KEEP_ALIVE_MS, type OnRefused, type OnRequest, type RequestServerOptions } from '../transport.ts';
import { TcpConnection } from './connection.ts';
import { encodeReply } from './frames.ts';

/** Salt compat: minions of 3007 keep connections on which they may never ask anything. */
const SILENCE = { firstWordMs: Infinity, silentMax: 10_000 };

/** Takes requests over tcp and sends each reply with the head of its request. */
export class TcpRequestServer extends StreamRequestServer<TcpConnection> {
  constructor(options: RequestServerOptions, onRequest: OnRequest, onRefused: OnRefused) {
    super(options, onRequest, onRefused, SILENCE);
  }

  protected override connect(socket: Socket, from: string): TcpConnection {
    const { messageBytesMax, keepAliveMs = KEEP_ALIVE_MS } = this.options;
    const connection: TcpConnection = new TcpConnection(socket, messageBytesMax, {
      frame: ({ head, body }) => {
        this.counters.requests++;
        const ownHead = Buffer.from(head);
        this.onRequest({
          body,
          from,
          reply: (answer) => {
            connection.write(encodeReply(ownHead, answer));
            this.peers.buffered(answer.length);
          },
        });
      },
      closed: (error) => {
        this.ended(connection, from, error);
      },
    });
    if (keepAliveMs > 0) socket.setKeepAlive(true, keepAliveMs);
    return connection;
  }
}
