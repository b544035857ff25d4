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
  type TypeOf,
} from '../../network/ipc/fields.ts';
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
  /** Its clock, ms since 1970. */
  nowMs: count,
});

/** See {@link status}. */
export type MemberStatus = TypeOf<typeof status>;

/** The one call. */
export const memberStatus = contract('a member of the cluster', {
  status: { asks: nothing, answers: single(status) },
});

/** Answers it. @param call as it came @returns its answer, packed */
export async function answerStatus(
  { member, link, duty, jobs, clock }: StatusDeps,
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
      nowMs: clock.nowMs(),
    }),
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
  readonly clock: Clock;
}
