/** What a request is answered that cannot be served: a code that stays, a status, and a sentence. */
import type { HttpFault } from '../http-fault.ts';

/** The codes and their statuses. They are part of the interface: none is ever given another meaning. */
export const FAULTS = {
  'bad-request': {
    status: 400,
    doc: 'The body, or what stands behind `?`, is not of the form that is asked for; `field` says where.',
  },
  'bad-target': {
    status: 400,
    doc: 'The target cannot be understood; `position` is the offset in it where it is known.',
  },
  'bad-cursor': { status: 400, doc: 'The cursor was not made by this list.' },
  'bad-call': { status: 400, doc: 'The function cannot be called with these arguments.' },
  'not-logged-in': { status: 401, doc: 'There is no session or token, or it is over.' },
  'login-failed': {
    status: 401,
    doc: 'The name and the password do not belong together, or the provider says no.',
  },
  'not-allowed': {
    status: 403,
    doc: 'The master refuses this to the user; `details` has the client and the function.',
  },
  'foreign-origin': { status: 403, doc: 'A page of another origin may not use the cookie.' },
  'bad-address': { status: 403, doc: 'The address is not one of `authorized_ips`.' },
  'not-found': { status: 404, doc: 'There is nothing of that name.' },
  'no-minions': { status: 404, doc: 'The target reaches no minion.' },
  'method-not-allowed': { status: 405, doc: 'The address does not take this method.' },
  'not-acceptable': { status: 406, doc: 'The client takes none of the media types of the answer.' },
  conflict: { status: 409, doc: 'Something of that name is there already, or is another one by now.' },
  'length-required': { status: 411, doc: 'The length of the body is not said.' },
  'too-large': {
    status: 413,
    doc: 'The body is larger than `max_request_body_size`, or stands for too much.',
  },
  'unsupported-media-type': { status: 415, doc: 'The body is not JSON.' },
  'expectation-failed': { status: 417, doc: 'The request expects something else than `100-continue`.' },
  'too-many-fields': { status: 431, doc: 'The head of the request has more fields than are read.' },
  'too-many-attempts': {
    status: 429,
    doc: 'Too many log-ins have failed; `Retry-After` says when to try again.',
  },
  internal: {
    status: 500,
    doc: 'Something went wrong here; `details.id` stands in the log beside the reason.',
  },
  'master-failed': {
    status: 500,
    doc: 'The master could not do it, for the reason that the message gives: a full disk, for example.',
  },
  'not-served': {
    status: 501,
    doc: 'The master is not one of Brine, or an option that this needs is not set.',
  },
  'run-failed': { status: 502, doc: 'The function was run, and failed.' },
  'master-down': { status: 503, doc: 'The master does not answer.' },
  'too-busy': { status: 503, doc: 'Too much is under way; `Retry-After` says when to try again.' },
  'timed-out': { status: 504, doc: 'There was no answer in time.' },
} as const;

/** A code. */
export type FaultCode = keyof typeof FAULTS;

/** What may be said beside the code and the sentence. */
export interface FaultMore {
  /** The field of the request that is at fault. */
  readonly field?: string;
  /** Offset in a target, in UTF-16 units. */
  readonly position?: number;
  readonly details?: unknown;
  readonly headers?: readonly (readonly [string, string])[];
}

/** A request that ends with an error. */
export class ApiFault extends Error {
  override readonly name = 'ApiFault';
  readonly code: FaultCode;
  readonly more: FaultMore;

  constructor(code: FaultCode, message: string, more: FaultMore = {}) {
    super(/[.?!]$/.test(message) ? message : `${message}.`);
    this.code = code;
    this.more = more;
  }

  get status(): number {
    return FAULTS[this.code].status;
  }

  /** The body of the answer. */
  get body(): unknown {
    const { field, position, details } = this.more;
    return { error: { code: this.code, message: this.message, field, position, details } };
  }
}

const OF_STATUS: ReadonlyMap<number, FaultCode> = new Map([
  [400, 'bad-request'],
  [401, 'not-logged-in'],
  [403, 'bad-address'],
  [404, 'not-found'],
  [405, 'method-not-allowed'],
  [406, 'unsupported-media-type'],
  [411, 'length-required'],
  [413, 'too-large'],
  [417, 'expectation-failed'],
  [429, 'too-many-attempts'],
  [431, 'too-many-fields'],
  [500, 'master-failed'],
  [503, 'too-busy'],
  [504, 'timed-out'],
]);

/**
 * What the parts that both interfaces share say, in the words of this one.
 * @returns undefined for a status that none of them has
 */
export function faultOfHttp({ status, message, headers }: HttpFault): ApiFault | undefined {
  const code = OF_STATUS.get(status);
  return code === undefined ? undefined : new ApiFault(code, message, { headers });
}
