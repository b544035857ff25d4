/**
 * Publishing for the whole cluster: what a process of this master hands to the publisher goes to the publishers of all
 * members, and the answer says who is connected to none of them.
 */
import { BrineError, messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { isoStampAt } from '../../network/events/framing.ts';
import { clientOf, type Handlers } from '../../network/ipc/contract.ts';
import {
  publisher,
  type Absence,
  type Connection,
  type PublisherClient,
} from '../../network/ipc/contracts/publisher.ts';
import type { ClusterLink } from './link.ts';
import type { MemberCalls } from './member-calls.ts';
import type { Members } from './members.ts';
import type { ClusterSerial } from './serial.ts';

/** What calls to publishers of other members are addressed to. */
export const PUBLISHER = 'publisher';

/** A minion whose master is gone for so long has come to another one, or is away itself. */
const GONE_LATELY_MS = 15_000;

/** What publishing needs. */
export interface ClusterPublishingDeps {
  readonly link: Pick<ClusterLink, 'isThere' | 'refusal'>;
  readonly members: Pick<Members, 'others' | 'lastGoneMs'>;
  readonly calls: Pick<MemberCalls, 'linkTo'>;
  /** The publisher of this master. */
  readonly local: PublisherClient;
  readonly serial: Pick<ClusterSerial, 'highest' | 'heard'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Answers the contract of the publisher for the cluster. */
export function clusterPublisher(deps: ClusterPublishingDeps): Handlers<typeof publisher> {
  const { link, local, serial } = deps;
  return {
    publish: async (publication) => {
      if (!link.isThere) throw new BrineError(link.refusal, { code: 'not-reachable' });
      const here = await local.publish({ ...publication, serialAbove: serial.highest });
      serial.heard(here.serial);
      const onward = { ...publication, ...(here.serial === undefined ? {} : { serialAbove: here.serial }) };
      const { answers: elsewhere, failed } = await ofOthers(
        deps,
        'is not told of the job; its minions get it if they come to another one now',
        (other) => other.publish(onward),
      );
      for (const answer of elsewhere) serial.heard(answer.serial);
      return lostWithMaster([here, ...elsewhere].reduce(commonAbsence), failed > 0, deps);
    },
    hasPublished: (job) => local.hasPublished(job),
    close: () => local.close(),
    connections: async (asked) => {
      const [here, elsewhere] = await Promise.all([
        local.connections(asked),
        ofOthers(deps, 'does not say who is connected', (other) => other.connections(asked)),
      ]);
      return [here, ...elsewhere.answers].reduce(bestConnections);
    },
    addresses: async () => {
      const all = [
        await local.addresses(),
        ...(await ofOthers(deps, 'does not say from where minions come', (other) => other.addresses()))
          .answers,
      ];
      return [...new Set(all.flat())];
    },
  };
}

/** What the others say, and how many of them say nothing. */
interface Elsewhere<T> {
  readonly answers: readonly T[];
  readonly failed: number;
}

/** Asks the publisher of each other member; one that does not answer is left out, and the log says so. */
async function ofOthers<T>(
  { members, calls, log, link }: ClusterPublishingDeps,
  otherwise: string,
  ask: (other: PublisherClient) => Promise<T>,
): Promise<Elsewhere<T>> {
  const others = link.isThere ? members.others() : [];
  const answers = await Promise.all(
    others.map(async (member) => {
      try {
        return [await ask(clientOf(publisher, calls.linkTo(member, PUBLISHER)))];
      } catch (error) {
        log.error(`The master ${member} ${otherwise}: ${messageOf(error)}`);
        return [];
      }
    }),
  );
  const given = answers.flat();
  return { answers: given, failed: others.length - given.length };
}

/**
 * Minions that were lost here long ago may have been with a master that has just gone: they count as lost with it, so
 * that they are waited for while they come to another one, which gives them the job.
 */
function lostWithMaster(
  absence: Absence,
  isOneGoing: boolean,
  { members, clock }: ClusterPublishingDeps,
): Absence {
  const goneMs = isOneGoing ? clock.nowMs() : members.lastGoneMs(GONE_LATELY_MS);
  if (goneMs === undefined) return absence;
  const since = isoStampAt(goneMs);
  const lost = new Map([...absence.lost].map(([id, at]) => [id, at > since ? at : since]));
  return { ...absence, lost };
}

/** Who is away from both; of those that were seen somewhere, when they were last lost. */
function commonAbsence(one: Absence, other: Absence): Absence {
  const lost = new Map<string, string>();
  const strange: string[] = [];
  const oneStrange = new Set(one.strange);
  const otherStrange = new Set(other.strange);
  for (const id of new Set([...one.lost.keys(), ...oneStrange])) {
    const isAwayThere = other.lost.has(id) || otherStrange.has(id);
    if (!isAwayThere) continue;
    const since = later(one.lost.get(id), other.lost.get(id));
    if (since === undefined) strange.push(id);
    else lost.set(id, since);
  }
  const knows = one.strange !== undefined && other.strange !== undefined;
  return { lost, ...(knows ? { strange } : {}) };
}

function bestConnections(
  one: ReadonlyMap<string, Connection>,
  other: ReadonlyMap<string, Connection>,
): ReadonlyMap<string, Connection> {
  const out = new Map(one);
  for (const [id, there] of other) {
    const here = out.get(id);
    const lostSince = later(here?.lostSince, there.lostSince);
    const isConnected = there.isConnected || here?.isConnected === true;
    out.set(id, { isConnected, ...(lostSince === undefined ? {} : { lostSince }) });
  }
  return out;
}

/** Times of one form, so that their texts order as they do. */
function later(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one > other ? one : other;
}
