/** The minion's end of the tcp transport's publish port: says who it is, then takes publications in either form. */
import { openStream } from '../open-stream.ts';
import { Subscription, type OpenSubscriptionLink } from '../subscription.ts';
import type { PublishClientEvents, PublishClientOptions } from '../transport.ts';
import { TcpConnection } from './connection.ts';
import { closeError } from './ending.ts';
import { encodeMessage, envelopeIn } from './frames.ts';

/** Subscribes over tcp. The system asks whether the other end is still there, because the protocol has no heartbeat. */
export class TcpSubscriber extends Subscription {
  constructor(options: PublishClientOptions, events: PublishClientEvents) {
    super(options, events, tcpLink(options));
  }
}

function tcpLink(options: PublishClientOptions): OpenSubscriptionLink {
  const { messageBytesMax, clock, heartbeatMs, keepAliveMs, ssl, identification } = options;
  let isFirst = true;
  return async (address, events) => {
    let isReady = false;
    const identify = async (): Promise<void> => {
      try {
        const proof = await identification?.(isFirst);
        isFirst = false;
        if (proof !== undefined) connection.write(encodeMessage(proof));
        isReady = true;
        if (!connection.socket.destroyed) events.ready();
      } catch (error) {
        connection.destroy(error as Error);
      }
    };
    const socket = await openStream(
      { address, keepAliveMs: heartbeatMs ?? keepAliveMs, ssl, clock },
      () => void identify(),
    );
    const connection: TcpConnection = new TcpConnection(socket, messageBytesMax, {
      frame: ({ body }) => events.message([envelopeIn(body)]),
      closed: (error) => events.closed(closeError(error, connection, { isReady, ssl })),
    });
    return connection;
  };
}
