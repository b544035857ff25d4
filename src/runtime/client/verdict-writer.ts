/**
 * What a command found out of silent minions, handed to the master: into the job's ledger and onto the event bus. Users
 * who may not write to the master's sockets (`publisher_acl`) leave nothing; the job is judged then when somebody asks.
 */
import type { MasterOptions } from '../../config/master-options.ts';
import { masterSockets } from '../../config/master-sockets.ts';
import { EventBusWriter } from '../../network/events/bus-client.ts';
import { tags } from '../../network/events/tags.ts';
import type { Clock } from '../../host/clock.ts';
import { jidTimeMs } from '../../storage/jobs/jid.ts';
import { outcomeDict, type LedgerEntry } from '../../storage/jobs/ledger.ts';
import { RemoteJobStore } from '../../storage/jobs/remote-store.ts';
import { connectRpc } from '../../network/ipc/rpc-client.ts';
import type { Value } from '../../python/values/value.ts';
import { outcomeDetail, type Outcome } from './outcome.ts';

/** Time for the master to take verdicts; a command must not hang at its end. */
const GIVE_UP_MS = 2_000;
const EVENT_QUEUE_BYTES_MAX = 64 * 1024 * 1024;

/** A minion that nobody waits for any longer. */
export interface SilentMinion {
  readonly id: string;
  readonly outcome: Outcome;
  /** When it acknowledged the job, milliseconds since 1970. */
  readonly receivedMs?: number;
}

/** Hands the verdicts on silent minions to the master, where the user may. */
export class VerdictWriter {
  readonly #opts: MasterOptions;
  readonly #clock: Clock;
  readonly #pending = new Set<Promise<void>>();

  constructor(opts: MasterOptions, clock: Clock) {
    this.#opts = opts;
    this.#clock = clock;
  }

  /** Hands verdicts in; returns at once, and never fails. */
  write(jid: string, silent: readonly SilentMinion[]): void {
    if (silent.length === 0) return;
    const work = this.#send(jid, silent).catch(() => undefined);
    this.#pending.add(work);
    void work.then(() => this.#pending.delete(work));
  }

  /** Resolves when everything has been handed in, or cannot be. */
  async close(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async #send(jid: string, silent: readonly SilentMinion[]): Promise<void> {
    const atMs = this.#clock.nowMs();
    const { jobCache, eventPull } = masterSockets(this.#opts);
    if (this.#opts.get('job_cache')) {
      (await connectRpc(jobCache, {})).close();
      const store = new RemoteJobStore(jobCache, this.#clock, GIVE_UP_MS);
      try {
        await store.note(
          jid,
          silent.map((minion) => entryOf(minion, atMs)),
        );
      } finally {
        await store.close();
      }
    }
    const events = new EventBusWriter({
      path: eventPull,
      clock: this.#clock,
      eventBytesMax: this.#opts.get('max_event_size'),
      queueBytesMax: EVENT_QUEUE_BYTES_MAX,
    });
    try {
      for (const { id, outcome, receivedMs } of silent) {
        const detail = outcomeDetail(outcome);
        const publishedMs = jidTimeMs(jid);
        const data = outcomeDict({
          id,
          kind: outcome.kind,
          givenUpMs: atMs,
          ...(publishedMs === undefined ? {} : { publishedMs }),
          ...(receivedMs === undefined ? {} : { receivedMs }),
          ...(detail === undefined ? {} : { detail }),
        });
        events.fire(tags.jobOutcome(jid, id), new Map<Value, Value>([['jid', jid], ['id', id], ...data]));
      }
      await events.flush();
    } finally {
      events.close();
    }
  }
}

function entryOf({ id, outcome, receivedMs }: SilentMinion, atMs: number): LedgerEntry {
  const detail = outcomeDetail(outcome);
  const verdict = { kind: outcome.kind, atMs, ...(detail === undefined ? {} : { detail }) };
  return { id, verdict, ...(receivedMs === undefined ? {} : { receivedMs }) };
}
