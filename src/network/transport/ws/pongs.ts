/** Answers to pings (RFC 6455, 5.5.2), which the library would write one by one, without a bound. */
import type { WebSocket } from 'ws';
import { PONG_QUEUE_BYTES_MAX } from '../peer-watch.ts';

/**
 * Answers the pings of a peer: of those that come together the last one, and none while much is on its way to it. The
 * server of this socket must have `autoPong: false`.
 */
export function answerPings(
  socket: Pick<WebSocket, 'on' | 'pong' | 'bufferedAmount' | 'readyState' | 'OPEN'>,
): void {
  let asked: Buffer | undefined;
  const answer = (): void => {
    const data = asked;
    asked = undefined;
    if (data === undefined || socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount < PONG_QUEUE_BYTES_MAX) socket.pong(data);
  };
  socket.on('ping', (data) => {
    if (asked === undefined) queueMicrotask(answer);
    asked = data;
  });
}
