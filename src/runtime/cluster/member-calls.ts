/**
 * Calls from one member to another over NATS: the same messages that our processes send each other over local sockets,
 * sealed.
 */
import { BrineError, UnreachableError, messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Random } from '../../host/random.ts';
import { dict, isBytes, type Dict } from '../../python/values/value.ts';
import type { Link } from '../../network/ipc/contract.ts';
import { contentBytesMax } from '../../network/nats/connect.ts';
import { FreshAsks } from './fresh-asks.ts';
import type { ClusterLink } from './link.ts';
import { subjectToken } from './names.ts';
import { cutParcel, ParcelJoiner } from './parcels.ts';
import type { ClusterSeal } from './seal.ts';

/** How long another member may take. */
const ANSWER_MS = 2_000;
const NONCE_BYTES = 16;
const MORE = Buffer.from('more');

/** What calls need. */
export interface MemberCallsDeps {
  readonly link: ClusterLink;
  readonly seal: ClusterSeal;
  /** What the subjects of members begin with. */
  readonly subject: string;
  readonly member: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** Answers one kind of call. @param call its bytes @returns its answer's */
export type ServeCall = (call: Buffer) => Promise<Uint8Array>;

/** This member's end of calls in both directions. */
export class MemberCalls {
  readonly #deps: MemberCallsDeps;
  readonly #joiner = new ParcelJoiner();
  readonly #fresh: FreshAsks;
  readonly #served = new Map<string, ServeCall>();

  constructor(deps: MemberCallsDeps) {
    this.#deps = deps;
    this.#fresh = new FreshAsks(deps.clock);
    const { link, subject, member } = deps;
    link.nats.subscribe(`${subject}.${subjectToken(member)}`, {
      callback: (error, message) => {
        if (error !== null || message.reply === undefined) return;
        const whole = this.#joiner.take(message.data, 0);
        if (whole === undefined) message.respond(MORE);
        else void this.#answer(whole).then((answer) => message.respond(answer));
      },
    });
  }

  /** Answers calls to one of this master's processes. @param to what the caller names it */
  serve(to: string, answer: ServeCall): void {
    this.#served.set(to, answer);
  }

  /** A link to a process of another member, for `clientOf`. */
  linkTo(member: string, to: string): Link & { call: NonNullable<Link['call']> } {
    return { call: (...pieces) => this.#ask(member, to, Buffer.concat(pieces)) };
  }

  async #ask(member: string, to: string, call: Buffer): Promise<Buffer> {
    const { link, seal, subject, clock, random } = this.#deps;
    const nonce = random.bytes(NONCE_BYTES).toString('hex');
    const from = this.#deps.member;
    const sealed = seal.seal('ask', dict({ to, call, from, at: member, nonce, atMs: clock.nowMs() }));
    const most = contentBytesMax(link.nats);
    let reply: Uint8Array = MORE;
    try {
      for (const part of cutParcel(sealed, most, random))
        reply = (await link.nats.request(`${subject}.${subjectToken(member)}`, part, { timeout: ANSWER_MS }))
          .data;
    } catch (cause) {
      throw new UnreachableError(`The master ${member} does not answer: ${messageOf(cause)}.`, { cause });
    }
    const answer = seal.open('answer', reply);
    const value = answer?.get('nonce') === nonce ? answer.get('value') : undefined;
    if (value !== undefined && isBytes(value)) return Buffer.from(value);
    const error = answer?.get('error');
    throw new BrineError(
      `The master ${member} refuses: ${typeof error === 'string' ? error : 'its answer cannot be read'}`,
    );
  }

  /** @returns the sealed answer, which holds for this ask alone */
  async #answer(whole: Buffer): Promise<Buffer> {
    const { seal } = this.#deps;
    const asked = seal.open('ask', whole);
    const nonce = asked?.get('nonce') ?? '';
    try {
      return seal.seal('answer', dict({ nonce, value: await this.#serve(asked) }));
    } catch (error) {
      return seal.seal('answer', dict({ nonce, error: messageOf(error) }));
    }
  }

  async #serve(asked: Dict | undefined): Promise<Buffer> {
    const to = asked?.get('to');
    const call = asked?.get('call');
    const isOurs = asked?.get('at') === this.#deps.member;
    const serve = typeof to === 'string' && isOurs ? this.#served.get(to) : undefined;
    if (serve === undefined || call === undefined || !isBytes(call))
      throw new BrineError('nothing here answers such a call');
    const nonce = asked?.get('nonce');
    const atMs = asked?.get('atMs');
    const refusal =
      typeof nonce === 'string' && typeof atMs === 'number'
        ? this.#fresh.refusal(nonce, atMs)
        : 'the call does not say when it was sent';
    if (refusal !== undefined) throw new BrineError(refusal);
    return Buffer.from(await serve(Buffer.from(call)));
  }
}
