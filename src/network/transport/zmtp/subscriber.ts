/** The minion's end of the publish port. */
import { connect } from 'node:net';
import { connectOptions } from '../address.ts';
import { Subscription, type OpenSubscriptionLink } from '../subscription.ts';
import type { PublishClientEvents, PublishClientOptions } from '../transport.ts';
import { ZmtpConnection } from './connection.ts';

/** A SUB socket: stays subscribed through restarts, lost networks and half-open connections. */
export class Subscriber extends Subscription {
  constructor(options: PublishClientOptions, events: PublishClientEvents) {
    super(options, events, zmtpLink(options));
  }
}

function zmtpLink(options: PublishClientOptions): OpenSubscriptionLink {
  const { messageBytesMax, clock, heartbeatMs, keepAliveMs, properties, topics } = options;
  return (address, events) =>
    new ZmtpConnection(
      connect(connectOptions(address, keepAliveMs)),
      {
        type: 'SUB',
        messageBytesMax,
        clock,
        ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
        ...(properties === undefined ? {} : { properties: properties() }),
      },
      {
        ready: (connection) => {
          for (const topic of topics) connection.send([Buffer.from(`\x01${topic}`, 'latin1')]);
          events.ready();
        },
        message: (_connection, parts) => events.message(parts),
        closed: (_connection, error) => events.closed(error),
      },
    );
}
