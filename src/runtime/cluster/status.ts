/** How one member is, as it tells the others. */
import type { Clock } from '../../host/clock.ts';
import { contract, handlersOf } from '../../network/ipc/contract.ts';
import {
  count,
  flag,
  nothing,
  optional,
  record,
  single,
  text,
  type FieldType,
} from '../../network/ipc/fields.ts';
import type { DrainingMark } from './draining.ts';
import type { Duty } from './duty.ts';
import type { JobCalls } from './job-calls.ts';
import type { ClusterLink } from './link.ts';

/** What calls for it are addressed to. */
export const STATUS = 'status';

const status = record({
  member: text,
  isConnected: flag,
  awaySinceMs: optional(count),
  /** Who has the duty, as this member knows it. */
  duty: optional(text),
  /** Calls of the job cache's stream that this member has made since it started, and those that wait on its disk. */
  made: count,
  spooledBytes: count,
  /** Whether it gives its minions away. */
  isDraining: flag,
  /** Its clock, ms since 1970. */
  nowMs: count,
});

/** See {@link status}. */
export type MemberStatus = FieldType<typeof status>;

/** What members ask each other. */
export const memberStatus = contract('a member of the cluster', {
  status: { asks: nothing, answers: single(status) },
  /** Give your minions away, and the duty. @returns how many were connected */
  drain: { asks: nothing, answers: single(count) },
});

/** Answers these. @param call as it came @returns its answer, packed */
export async function answerStatus(
  { member, link, duty, jobs, draining, drain, clock }: StatusDeps,
  call: Buffer,
): Promise<Uint8Array> {
  const handlers = handlersOf(memberStatus, {
    status: () => ({
      member,
      isConnected: link.isThere,
      ...(link.awaySinceMs === undefined ? {} : { awaySinceMs: link.awaySinceMs }),
      ...(duty.holder === undefined ? {} : { duty: duty.holder }),
      made: jobs.counters.made,
      spooledBytes: jobs.spooledBytes,
      isDraining: draining.isSet,
      nowMs: clock.nowMs(),
    }),
    drain,
  });
  const answer = await handlers.call(call);
  return answer instanceof Uint8Array ? answer : Buffer.concat(answer);
}

/** Whose state is told. */
export interface StatusDeps {
  readonly member: string;
  readonly link: Pick<ClusterLink, 'isThere' | 'awaySinceMs'>;
  readonly duty: Pick<Duty, 'holder'>;
  readonly jobs: Pick<JobCalls, 'counters' | 'spooledBytes'>;
  readonly draining: Pick<DrainingMark, 'isSet'>;
  /** Does what the call asks. */
  readonly drain: () => Promise<number>;
  readonly clock: Clock;
}
