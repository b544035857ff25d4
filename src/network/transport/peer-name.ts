/** How messages name the other side of a connection. */
import type { Socket } from 'node:net';

/** The address of a peer, for log lines. */
export function peerName(socket: Socket): string {
  return `${socket.remoteAddress ?? 'local'}:${socket.remotePort ?? ''}`;
}
