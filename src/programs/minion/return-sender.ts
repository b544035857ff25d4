/**
 * Brings returns to the masters that asked for them (docs/internals/a-jobs-life.md#the-return). Each is in the spool
 * before it is sent and leaves it when the master has acknowledged. A master that cannot be reached is asked again at
 * random times below a limit that doubles, or as soon as it is known to be back; its returns then go in their order. A
 * return that a master refuses is tried again in the same way while the others go on; only the bounds of the spool end
 * that.
 */
import type { MinionOptions } from '../../config/minion-options.ts';
import { UnreachableError, messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { JidSource, PROPOSED_JID, REQUEST_JID } from '../../storage/jobs/jid.ts';
import type { Dict } from '../../python/values/value.ts';
import type { RequestChannel } from '../../network/channel/client/request-channel.ts';
import { masterMark, type ReturnSpool, type SpooledReturn } from './return-spool.ts';

/** The wait after a master could not be reached is random below a limit that grows from the first to the second. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/**
 * A return that its master has not acknowledged after this time is brought to the disk itself, to outlive a power
 * failure.
 */
const SECURE_AFTER_MS = 50;

/** A master as returns see it. */
export interface ReturnTarget {
  /** `host:port` */
  readonly name: string;
  readonly requests: Pick<RequestChannel, 'send'>;
}

/** What sending needs. */
export interface ReturnSenderDeps {
  readonly opts: MinionOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly spool: ReturnSpool;
  /**
   * The masters that can be sent to now, the most important one first: it gets what a master that is gone for good had
   * asked.
   */
  readonly masters: () => readonly ReturnTarget[];
}

/** The waiting returns of one master. */
interface MasterQueue {
  readonly master: string;
  failures: number;
  wake: () => void;
}

/** Sends each return to the master that asked for it, and again until it is acknowledged. */
export class ReturnSender {
  readonly counters = { sent: 0, failed: 0 };
  readonly #deps: ReturnSenderDeps;
  readonly #stop = new AbortController();
  readonly #jids: JidSource;
  /** First attempts under way. */
  readonly #underWay = new Set<SpooledReturn>();
  readonly #queues = new Map<string, MasterQueue>();

  constructor(deps: ReturnSenderDeps) {
    this.#deps = deps;
    this.#jids = new JidSource(deps.clock);
  }

  /** Number of returns that no master has yet. */
  get waiting(): number {
    return this.#deps.spool.size;
  }

  /** True while returns wait for a master: further ones come behind them. */
  isBehind(master: string): boolean {
    return this.#queues.has(masterMark(master));
  }

  /**
   * Sends one return; resolves when the master has it, or when it waits on disk because the master does not take it
   * now.
   * @param options `hold`: the master is known to be away or busy, so that the return waits on disk, behind the others
   */
  async send(given: Dict, target: ReturnTarget, { hold = false } = {}): Promise<void> {
    const load: Dict = new Map(given);
    if (load.get('jid') === REQUEST_JID && !load.has(PROPOSED_JID)) load.set(PROPOSED_JID, this.#jids.next());
    const entry = this.#deps.spool.add(load, target.name);
    const mark = masterMark(target.name);
    if (this.isBehind(target.name)) return this.#deps.spool.secure(); // in order
    if (hold) {
      this.#open(mark);
      return this.#deps.spool.secure();
    }
    this.#underWay.add(entry);
    const late = this.#deps.clock.after(SECURE_AFTER_MS, () => void this.#deps.spool.secure(), {
      background: true,
    });
    const isSent = await this.#attempt(entry, load, target);
    late.cancel();
    this.#underWay.delete(entry);
    if (isSent === 'sent') return;
    this.#open(mark);
    await this.#deps.spool.secure();
  }

  /** Sends what an earlier run has left, and what waits for a master that is back. */
  wake(): void {
    for (const entry of this.#deps.spool.entries()) {
      const mark = this.#ownerOf(entry);
      if (mark !== undefined && !this.#underWay.has(entry)) this.#open(mark);
    }
    for (const queue of this.#queues.values()) {
      queue.failures = 0;
      queue.wake();
    }
  }

  close(): void {
    this.#stop.abort();
    for (const queue of this.#queues.values()) queue.wake();
  }

  #open(mark: string): void {
    if (this.#queues.has(mark) || this.#stop.signal.aborted) return;
    const queue: MasterQueue = { master: mark, failures: 0, wake: () => undefined };
    this.#queues.set(mark, queue);
    void this.#work(queue);
  }

  async #work(queue: MasterQueue): Promise<void> {
    for (;;) {
      const entries = this.#entriesOf(queue.master);
      if (entries.length === 0 || this.#stop.signal.aborted) {
        this.#queues.delete(queue.master); // in the same breath, so that no return comes between
        return;
      }
      if (!(await this.#round(entries, queue.master))) await this.#pause(queue);
    }
  }

  /** @returns whether every return that was tried is gone from the spool */
  async #round(entries: readonly SpooledReturn[], mark: string): Promise<boolean> {
    const { spool, masters } = this.#deps;
    let isThrough = true;
    for (const entry of entries) {
      const target = masters().find(({ name }) => masterMark(name) === mark);
      if (target === undefined || this.#stop.signal.aborted) return false;
      const load = spool.has(entry) ? spool.read(entry) : undefined;
      if (load === undefined) continue;
      const outcome = await this.#attempt(entry, load, target);
      if (outcome === 'unreachable') return false;
      if (outcome === 'refused') isThrough = false; // another return may fare better
    }
    return isThrough;
  }

  async #attempt(
    entry: SpooledReturn,
    load: Dict,
    { requests }: ReturnTarget,
  ): Promise<'sent' | 'unreachable' | 'refused'> {
    const { spool, log } = this.#deps;
    try {
      const reply = await requests.send(load, this.#patience());
      // Salt compat: a master that fails while it stores a return answers with an empty text
      if (reply === '') throw new Error('it could not store it');
      if (reply === false)
        throw new Error('it dropped it, as it does with returns that are not signed (minion_sign_messages)');
      this.counters.sent++;
      spool.remove(entry);
      return 'sent';
    } catch (error) {
      if (this.#stop.signal.aborted) return 'unreachable';
      const count = ++this.counters.failed;
      const text = `The master failed to take ${spool.nameOf(entry)}, which waits on disk: ${messageOf(error)}`;
      if (count <= 10 || count % 100 === 0) log.warning(`${text} (${count} attempts so far)`);
      else log.debug(text);
      return error instanceof UnreachableError ? 'unreachable' : 'refused';
    }
  }

  async #pause(queue: MasterQueue): Promise<void> {
    const { clock, random } = this.#deps;
    const limit = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(queue.failures++, 16));
    const awake = new AbortController();
    queue.wake = () => awake.abort();
    await clock.sleep(random.fraction() * limit, awake.signal);
    queue.wake = () => undefined;
  }

  #entriesOf(mark: string): SpooledReturn[] {
    return [...this.#deps.spool.entries()].filter(
      (entry) => !this.#underWay.has(entry) && this.#ownerOf(entry) === mark,
    );
  }

  /** The master that gets a return: the one that asked, or the first when that one is no longer configured. */
  #ownerOf(entry: SpooledReturn): string | undefined {
    const marks = this.#deps.masters().map(({ name }) => masterMark(name));
    return marks.includes(entry.master) ? entry.master : marks[0];
  }

  /** Salt compat: a random time between the two timers, the same for all attempts of one return. */
  #patience(): { timeoutMs: number; tries: number } {
    const { opts, random } = this.#deps;
    const min = opts.get('return_retry_timer');
    const max = Math.max(min, opts.get('return_retry_timer_max'));
    return {
      timeoutMs: (min + random.fraction() * (max - min)) * 1000,
      tries: Math.max(1, opts.get('return_retry_tries')),
    };
  }
}
