/** The minion's end of the ws transport's publish port. */
import type { RawData } from 'ws';
import { contained } from '../contained.ts';
import { Subscription, type OpenSubscriptionLink } from '../subscription.ts';
import type { PublishClientEvents, PublishClientOptions } from '../transport.ts';
import { bytesOf, decodeWsPublication } from './frames.ts';
import { explainWs, openWs } from './open.ts';
import { propertyHeaders } from './properties.ts';

/** A master that has answered so few pings answers none: whether it is there, the system asks. */
const PINGS_UNANSWERED_MAX = 3;

/** Says who it is in the headers of its request, and pings a master that is silent. */
export class WsSubscriber extends Subscription {
  constructor(options: PublishClientOptions, events: PublishClientEvents) {
    super(options, events, wsLink(options));
  }
}

function wsLink(options: PublishClientOptions): OpenSubscriptionLink {
  const { messageBytesMax, clock, heartbeatMs, keepAliveMs, ssl, properties } = options;
  return async (address, events) => {
    const socket = await openWs({
      address,
      messageBytesMax,
      keepAliveMs: heartbeatMs ?? keepAliveMs,
      ssl,
      headers: propertyHeaders(properties?.() ?? new Map()),
    });
    let fault: Error | undefined;
    let isHeard = true;
    // Salt's master reads nothing from its subscribers, and so answers no ping
    let answersPings = false;
    let unanswered = 0;
    const heard = (): void => {
      isHeard = true;
    };
    const beat =
      heartbeatMs === undefined
        ? undefined
        : clock.every(
            heartbeatMs,
            () => {
              if (!isHeard && answersPings) {
                fault ??= new Error('the peer gives no sign of life');
                socket.terminate();
              } else if (socket.readyState === socket.OPEN && unanswered < PINGS_UNANSWERED_MAX) {
                isHeard = false;
                unanswered++;
                socket.ping();
              }
            },
            { background: true },
          );
    socket.on('open', () => events.ready());
    socket.on('pong', () => {
      answersPings = true;
      unanswered = 0;
      heard();
    });
    socket.on('ping', heard);
    socket.on('error', (error) => (fault ??= error));
    const take = (data: RawData, isBinary: boolean): void => {
      heard();
      if (isBinary) events.message([decodeWsPublication(bytesOf(data))]);
      else if (bytesOf(data).toString() === 'close') socket.close();
    };
    const end = (thrown: Error): void => {
      fault ??= thrown;
      socket.terminate();
    };
    socket.on('message', contained(take, end));
    socket.on('close', () => {
      beat?.cancel();
      events.closed(explainWs(fault));
    });
    return {
      destroy: () => socket.terminate(),
    };
  };
}
