/**
 * The certificate that another end has shown, noted before it is verified: an error afterwards does not have it any
 * more.
 */
import type { EventEmitter } from 'node:events';
import type { PeerCertificate, TLSSocket } from 'node:tls';

/** What messages say of a certificate. */
export interface ShownCertificate {
  readonly subject: string;
  readonly issuer: string;
  /** Days, in UTC. */
  readonly from: string;
  readonly to: string;
  /** The names that it is for. */
  readonly names: string | undefined;
}

/** Where a certificate is noted. */
export interface ShownNote {
  shown?: ShownCertificate;
}

/**
 * Notes what the other end of a connection shows.
 * @param source a socket of TLS, or a request over HTTPS that will have one
 */
export function noteShown(source: EventEmitter): ShownNote {
  const note: ShownNote = {};
  const watch = (socket: EventEmitter): void => {
    // Node verifies in its own listener of this event, and has no certificate any more once it has refused it
    socket.prependOnceListener('secure', () => {
      const peer = (socket as TLSSocket).getPeerCertificate();
      if (isShown(peer)) note.shown = shownOf(peer);
    });
  };
  if ('getPeerCertificate' in source) watch(source);
  else {
    source.once('socket', (socket: EventEmitter) => {
      if ('getPeerCertificate' in socket) watch(socket);
    });
    // who has answered has accepted what it was shown: what breaks off then has another reason
    source.once('response', () => delete note.shown);
  }
  return note;
}

/** Whether this is a certificate, and not what Node gives where there is none. */
export function isShown(value: unknown): value is PeerCertificate {
  return typeof value === 'object' && value !== null && 'valid_to' in value;
}

function shownOf({
  subject,
  issuer,
  valid_from,
  valid_to,
  subjectaltname,
}: PeerCertificate): ShownCertificate {
  return {
    subject: nameOf(subject),
    issuer: nameOf(issuer),
    from: dayOf(valid_from),
    to: dayOf(valid_to),
    names: subjectaltname,
  };
}

/** What is in a certificate is from outside: one line, of bounded length. */
function nameOf(name: PeerCertificate['subject'] | undefined): string {
  const text = name?.CN ?? name?.O ?? '';
  return `CN=${String(text)
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, 100)}`;
}

function dayOf(text: string): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : new Date(time).toISOString().slice(0, 10);
}
