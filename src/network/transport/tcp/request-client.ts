/**
 * The client end of the tcp transport's request port: one connection, and each request carries its number in its head.
 */
import { openStream } from '../open-stream.ts';
import { RequestQueue, type OpenRequestLink } from '../request-queue.ts';
import type { RequestClientOptions } from '../transport.ts';
import { TcpConnection } from './connection.ts';
import { encodeRequest, idIn } from './frames.ts';
import { closeError } from './ending.ts';

/** Sends requests over tcp. A connection on which a request times out without a sign of life is given up. */
export class TcpRequestClient extends RequestQueue {
  constructor(options: RequestClientOptions) {
    super(options, tcpLink(options));
  }
}

function tcpLink(options: RequestClientOptions): OpenRequestLink {
  const { messageBytesMax, clock, heartbeatMs, keepAliveMs, ssl } = options;
  return async (address, events) => {
    let lastSent = 0;
    let lastSentWhenHeard = 0;
    let isReady = false;
    const socket = await openStream({ address, keepAliveMs: heartbeatMs ?? keepAliveMs, ssl, clock }, () => {
      isReady = true;
      events.ready();
    });
    const connection = new TcpConnection(socket, messageBytesMax, {
      frame: ({ head, body }) => {
        lastSentWhenHeard = lastSent;
        const id = idIn(head);
        if (id !== undefined) events.reply(id, Buffer.from(body));
      },
      closed: (error) => events.closed(closeError(error, connection, { isReady, ssl })),
    });
    return {
      send: (id, body) => {
        lastSent = id;
        connection.write(encodeRequest(id, body));
      },
      timedOut: (id) => {
        if (id > lastSentWhenHeard) connection.destroy(new Error('the peer gives no sign of life'));
      },
      destroy: () => connection.destroy(),
    };
  };
}
