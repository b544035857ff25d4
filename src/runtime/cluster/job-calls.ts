/**
 * The job cache of a cluster. Every call that writes to it (a job, a return, a line of a ledger) is appended to one
 * stream, and each master makes the calls of the stream, in its order, on a job cache of its own. So all of them hold
 * the same, a job id is taken once in the cluster, and reading asks nobody. A call is answered when this master has
 * made it, after the stream has it: what was acknowledged is on as many NATS servers as the cluster has replicas.
 */
import { BrineError, messageOf } from '../../errors/errors.ts';
import type { Clock, Timer } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import type { StreamMessage } from '../../network/nats/reading.ts';
import { dict, isBytes, type Value } from '../../python/values/value.ts';
import { messageName } from '../../network/ipc/contract.ts';
import { contentBytesMax } from '../../network/nats/connect.ts';
import { patiently } from '../../network/nats/patiently.ts';
import type { CallSpool } from './call-spool.ts';
import type { ClusterLink } from './link.ts';
import { OrderedMaking, type Waiter } from './ordered-making.ts';
import { cutParcel, ParcelJoiner } from './parcels.ts';
import type { StreamPosition } from './position-file.ts';
import type { ClusterSeal } from './seal.ts';

/** Bytes of calls in one message; further ones wait for the next. */
const MESSAGE_BYTES_MAX = 512 * 1024;
/** Messages under way at once. */
const UNDER_WAY_MAX = 16;
/** Bytes of calls that wait for their turn. At more a call is refused, and whoever made it tries again. */
const WAITING_BYTES_MAX = 256 * 1024 * 1024;
/** How long a call that the stream has may take to come back with it. */
const BACK_MS = 10_000;
const WATCH_MS = 1_000;
/** Calls of other masters that are made here at once. */
const MAKING_MAX = 2_000;
/** Bytes of returns that are being joined out of parts. */
const PARCEL_BYTES_MAX = 512 * 1024 * 1024;

/** Calls that change the job cache; the others are answered here. */
const WRITES = new Set(['saveJob', 'addMinions', 'saveReturn', 'note']);

/** What the calls need. */
export interface JobCallsDeps {
  readonly link: ClusterLink;
  readonly seal: ClusterSeal;
  readonly stream: string;
  readonly subject: string;
  readonly member: string;
  /** Makes a call on the job cache of this master. */
  readonly make: (call: Buffer) => Promise<Buffer>;
  readonly spool: CallSpool;
  readonly position: StreamPosition;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A message on its way into the stream and back. */
interface Appended {
  readonly calls: readonly Pending[];
  /** When the stream had it, on the monotonic clock. */
  ackedMs?: number;
}

interface Pending extends Waiter {
  readonly call: Buffer;
}

/** See the head of this file. */
export class JobCalls {
  readonly counters = { appended: 0, made: 0, spooled: 0, refused: 0, notBack: 0 };
  readonly #deps: JobCallsDeps;
  readonly #run: string;
  readonly #watch: Timer;
  readonly #ordered: OrderedMaking;
  readonly #joiner = new ParcelJoiner(PARCEL_BYTES_MAX);
  /** Calls that were appended and come back with the stream, by the number of their message in this run. */
  readonly #appended = new Map<number, Appended>();
  #waiting: Pending[] = [];
  #waitingBytes = 0;
  #isPlanned = false;
  #underWay = 0;
  #number = 0;
  #making = 0;
  #full: (() => void) | undefined;
  #reading: { stop(): Promise<void> } | undefined;
  #draining = false;
  /** The last place that was read and made. */
  #last = 0;
  /** Places of messages that are being made, in their order. */
  readonly #unfinished = new Set<number>();

  constructor(deps: JobCallsDeps) {
    this.#deps = deps;
    this.#run = deps.random.bytes(8).toString('hex');
    this.#ordered = new OrderedMaking(deps);
    this.#watch = deps.clock.every(WATCH_MS, () => this.#giveUpNotBack(), { background: true });
  }

  /**
   * Reads the stream from where this master was, and goes on reading it.
   * @returns when it has what the stream has now
   */
  async start(): Promise<void> {
    const { link, stream, subject, position, log } = this.#deps;
    const { first } = await patiently(() => link.streams.range(stream));
    if (position.value + 1 < first && position.value > 0)
      log.error(
        `This master was away for so long that the cluster has forgotten jobs meanwhile: those between the places ${position.value + 1} ` +
          `and ${first - 1} of the stream ${stream} are missing here.`,
      );
    const of = { stream, subject };
    this.#reading = await link.streams.catchUp(of, position.value, (message) => this.#take(message));
    link.onChange((isThere) => void (isThere ? this.#drain() : this.#flush()));
    await this.#drain();
  }

  /**
   * Takes a call as it came over the local socket, of which a write goes into the stream.
   * @returns the answer, packed
   */
  call(call: Buffer): Promise<Buffer> {
    const name = messageName(call);
    if (!WRITES.has(name)) return this.#deps.make(call);
    if (this.#waitingBytes + call.length > WAITING_BYTES_MAX) {
      this.counters.refused++;
      return Promise.reject(
        new BrineError('Too many writes to the job cache wait for the cluster; this one is not taken.', {
          code: 'master-full',
        }),
      );
    }
    return new Promise((resolve, reject) => {
      // the bytes are a slice of what was received
      this.#waiting.push({ call: Buffer.from(call), resolve, reject });
      this.#waitingBytes += call.length;
      this.#plan();
    });
  }

  /** Calls that the cluster has and this master's job cache never took. */
  get lost(): number {
    return this.#ordered.counters.lost;
  }

  /** What waits on the disk for the cluster. */
  get spooledBytes(): number {
    return this.#deps.spool.bytes;
  }

  async stop(): Promise<void> {
    this.#ordered.stop();
    await this.#reading?.stop();
    this.#deps.position.flush();
    const gone = new BrineError('This master is ending.', { code: 'not-reachable' });
    this.#watch.cancel();
    for (const pendings of [...[...this.#appended.values()].map(({ calls }) => calls), this.#waiting])
      for (const { reject } of pendings) reject(gone);
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (!this.#deps.link.isThere) return this.#spoolAll(this.#takeBatch());
      if (this.#underWay >= UNDER_WAY_MAX) return;
      void this.#append(this.#takeBatch());
    }
  }

  #takeBatch(): Pending[] {
    let bytes = 0;
    let count = 0;
    for (const { call } of this.#waiting) {
      if (count > 0 && bytes + call.length > MESSAGE_BYTES_MAX) break;
      bytes += call.length;
      count++;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  async #append(batch: readonly Pending[]): Promise<void> {
    const number = ++this.#number;
    this.#underWay++;
    this.#appended.set(number, { calls: batch });
    try {
      await this.#send(
        number,
        batch.map(({ call }) => call),
      );
      this.counters.appended += batch.length;
      const appended = this.#appended.get(number);
      if (appended !== undefined) appended.ackedMs = this.#deps.clock.monotonicMs();
    } catch (error) {
      this.#deps.link.failed(messageOf(error));
      // it may have arrived all the same; then the stream brings it a second time, which changes nothing
      if (this.#appended.delete(number)) await this.#spoolAll(batch);
    } finally {
      this.#underWay--;
      if (this.#waiting.length > 0) this.#plan();
    }
  }

  async #send(number: number, calls: readonly Buffer[]): Promise<void> {
    const { link, seal, subject, member, random } = this.#deps;
    const sealed = seal.seal('jobs', dict({ member, run: this.#run, number, calls: [...calls] }));
    const most = contentBytesMax(link.nats);
    for (const [index, part] of cutParcel(sealed, most, random).entries())
      await link.streams.append(subject, part, { id: `${this.#run}:${number}:${index}` });
  }

  /**
   * What the stream has and this master hears nothing of: its reader is ill, and whoever waits must not hang with it.
   */
  #giveUpNotBack(): void {
    const oldestMs = this.#deps.clock.monotonicMs() - BACK_MS;
    for (const [number, { calls, ackedMs = Infinity }] of this.#appended) {
      if (ackedMs > oldestMs) continue;
      this.#appended.delete(number);
      this.counters.notBack += calls.length;
      for (const { reject } of calls)
        reject(
          new BrineError(
            `The cluster has it, but this master has not heard of it in ${BACK_MS / 1000} s. Look at salt-run cluster.status, and ` +
              'with jobs.list_jobs whether the job is there before you try again.',
            { code: 'not-reachable' },
          ),
        );
    }
  }

  /**
   * Without the cluster: returns and lines of ledgers wait on the disk, and are in this master's job cache at once;
   * jobs are refused.
   */
  async #spoolAll(batch: readonly Pending[]): Promise<void> {
    const { spool, link } = this.#deps;
    const isJob = ({ call }: Pending): boolean => messageName(call) === 'saveJob';
    for (const { reject } of batch.filter(isJob)) {
      this.counters.refused++;
      reject(new BrineError(link.refusal, { code: 'not-reachable' }));
    }
    const kept = batch.filter((pending) => !isJob(pending));
    if (kept.length === 0) return;
    try {
      spool.add(kept.map(({ call }) => call));
      this.counters.spooled += kept.length;
    } catch (error) {
      for (const { reject } of kept) reject(error as Error);
      return;
    }
    await Promise.all(
      kept.map(async ({ call, resolve, reject }) => this.#deps.make(call).then(resolve, reject)),
    );
  }

  /** Brings what has waited to the stream. */
  async #drain(): Promise<void> {
    if (this.#draining) return;
    this.#draining = true;
    const { spool, link, log } = this.#deps;
    try {
      const names = spool.names();
      for (const name of names) if (!link.isThere || !(await this.#drainFile(name))) return;
      if (names.length > 0) log.info('What has waited for the cluster is there now.');
    } catch (error) {
      log.error(`What waits on this disk for the cluster cannot be read: ${messageOf(error)}`);
    } finally {
      this.#draining = false;
    }
  }

  /** @returns true when it is in the stream @throws the disk's error */
  async #drainFile(name: string): Promise<boolean> {
    const { spool, link } = this.#deps;
    const calls = spool.read(name);
    try {
      await this.#send(++this.#number, calls);
    } catch (error) {
      link.failed(messageOf(error));
      return false;
    }
    spool.remove(name);
    return true;
  }

  async #take({ sequence, data }: StreamMessage): Promise<void> {
    this.#unfinished.add(sequence);
    const whole = this.#joiner.take(data, sequence);
    const message = whole === undefined ? undefined : this.#deps.seal.open('jobs', whole);
    const calls = message?.get('calls');
    if (message === undefined || !Array.isArray(calls)) return this.#done(sequence);
    const pendings = this.#claim(message.get('member'), message.get('run'), message.get('number'));
    const made = calls.map(async (call, index) => {
      if (isBytes(call)) await this.#ordered.make(Buffer.from(call), pendings?.[index]);
    });
    this.#making += calls.length;
    const all = Promise.all(made).then(() => {
      this.#making -= calls.length;
      this.counters.made += calls.length;
      this.#done(sequence);
      if (this.#making <= MAKING_MAX) this.#full?.();
    });
    if (this.#making > MAKING_MAX) await new Promise<void>((resolve) => (this.#full = resolve));
    else void all;
  }

  /** Those who wait for a message that this process has appended. */
  #claim(
    member: Value | undefined,
    run: Value | undefined,
    number: Value | undefined,
  ): readonly Pending[] | undefined {
    if (member !== this.#deps.member || run !== this.#run || typeof number !== 'number') return undefined;
    const appended = this.#appended.get(number);
    this.#appended.delete(number);
    return appended?.calls;
  }

  /** Remembers how far this master is: before what is not yet done, and before a parcel whose rest is still to come. */
  #done(sequence: number): void {
    this.#last = Math.max(this.#last, sequence);
    this.#unfinished.delete(sequence);
    const [oldestUnfinished = Infinity] = this.#unfinished;
    const oldest = Math.min(oldestUnfinished, this.#joiner.oldestAt ?? Infinity);
    this.#deps.position.reached(Math.min(this.#last, oldest - 1));
  }
}
