/**
 * The client end of the request channel: one connection, many requests under way at once. Each request carries an id
 * before the empty delimiter, as a correlating REQ does; every ROUTER/REP chain echoes it, so replies find their
 * request in whatever order they come.
 */
import { connect } from 'node:net';
import { connectOptions } from '../address.ts';
import { RequestQueue, type OpenRequestLink } from '../request-queue.ts';
import type { RequestClientOptions } from '../transport.ts';
import { ZmtpConnection } from './connection.ts';

const EMPTY = Buffer.alloc(0);

/** A client of a ROUTER. While replies are awaited it notices a master that is silently gone. */
export class Requester extends RequestQueue {
  constructor(options: RequestClientOptions) {
    super(options, zmtpLink(options));
  }
}

function zmtpLink({
  messageBytesMax,
  clock,
  keepAliveMs,
  heartbeatMs,
}: RequestClientOptions): OpenRequestLink {
  return (address, events, isAwaiting) => {
    const heartbeat = heartbeatMs === undefined ? {} : { heartbeatMs, isHeartbeatDue: isAwaiting };
    const connection = new ZmtpConnection(
      connect(connectOptions(address, keepAliveMs)),
      { type: 'DEALER', identity: EMPTY, messageBytesMax, clock, ...heartbeat },
      {
        ready: () => events.ready(),
        message: (_connection, parts) => {
          const [idPart] = parts;
          if (parts.length !== 3 || idPart?.length !== 4) return;
          events.reply(idPart.readUInt32BE(0), Buffer.from(parts[2] as Buffer));
        },
        closed: (_connection, error) => events.closed(error),
      },
    );
    return {
      send: (id, body) => {
        const idPart = Buffer.alloc(4);
        idPart.writeUInt32BE(id);
        connection.send([idPart, EMPTY, body]);
      },
      destroy: () => connection.destroy(),
    };
  };
}
