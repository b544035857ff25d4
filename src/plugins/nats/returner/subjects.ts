/**
 * The subjects under which returns, jobs and events are in NATS. Salt has no returner for NATS, so they are ours:
 *
 *     <prefix>.job.<jid>.load                 a job as it was published
 *     <prefix>.job.<jid>.ret.<minion id>      a return
 *     <prefix>.job.<jid>.part.<digest>.<n>    a piece of one that is larger than the server's messages may be
 *     <prefix>.minion.<minion id>.<function>  `{id, jid}` of the minion's last return of that function
 *     <prefix>.event.<tag>                    an event; the slashes of its tag are dots
 */
import { digestOf } from '../../shared/returner/content-digest.ts';

/** A subject is part of one line of the protocol, which servers limit to 4096 bytes. */
const TOKEN_LENGTH_MAX = 500;
const EVENT_LENGTH_MAX = 2000;

/**
 * A text as one token: all but ASCII letters, digits, `-` and `_` as `%` and two hexadecimal digits for each byte. The
 * empty text is `%`; a very long one ends in `~` and its digest.
 */
function subjectToken(text: string): string {
  const token = Array.from(Buffer.from(text, 'utf8'), (byte) => {
    const char = String.fromCharCode(byte);
    return /[\w-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
  if (token.length <= TOKEN_LENGTH_MAX) return token || '%';
  return `${token.slice(0, TOKEN_LENGTH_MAX / 2)}~${digestOf(text)}`;
}

/** Makes subjects below one prefix. */
export class Subjects {
  readonly prefix: string;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  job(jid: string, what: 'load' | '>'): string {
    return `${this.prefix}.job.${subjectToken(jid)}.${what}`;
  }

  /** @param id a minion's id, or undefined for all of them */
  ret(jid: string, id?: string): string {
    return `${this.prefix}.job.${subjectToken(jid)}.ret.${id === undefined ? '*' : subjectToken(id)}`;
  }

  part(jid: string, digest: string, number: number): string {
    return `${this.prefix}.job.${subjectToken(jid)}.part.${digest}.${number}`;
  }

  /** Undefined stands for all. */
  minion(id: string | undefined, fun: string | undefined): string {
    const token = (text: string | undefined): string => (text === undefined ? '*' : subjectToken(text));
    return `${this.prefix}.minion.${token(id)}.${token(fun)}`;
  }

  event(tag: string): string {
    const subject = tag.split('/').map(subjectToken).join('.');
    return `${this.prefix}.event.${subject.length > EVENT_LENGTH_MAX ? `~${digestOf(tag)}` : subject}`;
  }

  /** All jobs' subjects of this form. */
  get allLoads(): string {
    return `${this.prefix}.job.*.load`;
  }

  get allJobs(): string {
    return `${this.prefix}.job.>`;
  }

  get allMinions(): string {
    return `${this.prefix}.minion.>`;
  }

  get allEvents(): string {
    return `${this.prefix}.event.>`;
  }

  /** The jid in a subject of a job. */
  jidOf(subject: string): string {
    const token = subject.slice(this.prefix.length + '.job.'.length).split('.', 1)[0] ?? '';
    return Buffer.from(
      token.replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
      'latin1',
    ).toString('utf8');
  }
}
