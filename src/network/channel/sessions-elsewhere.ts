/**
 * Sessions that other masters of a cluster have given to minions: a request may reach any master, behind a balancer one
 * after the other. They lie in `<cachedir>/sessions.elsewhere/<master>/<minion>`, where the cluster puts them; a master
 * that stands alone has no such folder.
 *
 * A request that one of them opens is new only if the master that has given the session says so: it alone remembers
 * what was sent with it.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { Crypticle, isKeyString } from '../crypto/crypticle.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import { isValidMinionId, readTextIfExists, safeJoin } from '../../host/files.ts';
import { Secret } from '../../host/secret.ts';
import type { ReplayGuard, ReplayStanding } from './replay-guard.ts';
import { SEEN } from './replay-guard.ts';

/** Minions whose sessions are kept in memory. */
const CACHED_MAX = 50_000;
/** How long the folder of masters is taken for granted. */
const GLANCE_MS = 1_000;
/** Of a sealed load that tells it apart: the end of its code. */
const CODE_BYTES = 8;

/** A session, and who has given it. */
export interface SessionElsewhere {
  readonly member: string;
  readonly crypticle: Crypticle;
}

/** A request that is to be served by another master than the one that has given its session. */
export interface ElsewhereRequest {
  readonly id: string;
  /** {@link codeOf} its sealed load, in hexadecimal. */
  readonly code: string;
  /** Its sender's clock, seconds. */
  readonly ts: number;
  /** {@link sessionMark} of the session that has opened it. */
  readonly mark: string;
}

/** What the master that has given the session says of such a request. */
export const ELSEWHERE_VERDICTS = ['new', 'seen', 'ended'] as const;
/** See {@link ELSEWHERE_VERDICTS}. */
export type ElsewhereVerdict = (typeof ELSEWHERE_VERDICTS)[number];

/** Where sessions of other masters are, for a folder of own ones. */
export function elsewhereFolder(sessionsFolder: string): string {
  return `${sessionsFolder}.elsewhere`;
}

/** Tells sessions apart without telling what they are. */
export function sessionMark({ keyString }: Pick<Crypticle, 'keyString'>): string {
  return createHash('sha256').update(keyString.reveal()).digest('hex').slice(0, 32);
}

/** What tells one sealed load from every other. */
export function codeOf(sealed: Buffer): string {
  return sealed.subarray(Math.max(0, sealed.length - CODE_BYTES)).toString('hex');
}

/** Reads them. */
export class SessionsElsewhere {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #cache = new BoundedMap<string, readonly SessionElsewhere[]>(CACHED_MAX);
  #members: readonly string[] = [];
  #lookedMs = -Infinity;

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** Whether another master has given this minion a session. */
  has(id: string): boolean {
    return isValidMinionId(id) && this.#others().some((member) => existsSync(this.#path(member, id)));
  }

  /** What is remembered of a minion's sessions; perhaps no longer right. */
  known(id: string): readonly SessionElsewhere[] {
    return this.#cache.get(id) ?? [];
  }

  /** A minion's sessions as the files have them now. */
  read(id: string): readonly SessionElsewhere[] {
    if (!isValidMinionId(id)) return [];
    const found = this.#others().flatMap((member): SessionElsewhere[] => {
      const key = readTextIfExists(this.#path(member, id))?.trim();
      return key === undefined || !isKeyString(key)
        ? []
        : [{ member, crypticle: new Crypticle(new Secret(key)) }];
    });
    if (found.length > 0) this.#cache.set(id, found);
    else this.#cache.delete(id);
    return found;
  }

  #path(member: string, id: string): string {
    return safeJoin(this.#folder, member, id);
  }

  #others(): readonly string[] {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#lookedMs < GLANCE_MS) return this.#members;
    this.#lookedMs = nowMs;
    this.#members = existsSync(this.#folder) ? readdirSync(this.#folder) : [];
    return this.#members;
  }
}

/**
 * Says of a request that another master is about to serve whether it is new, and remembers it.
 * @param markOf the {@link sessionMark} of the session that the minion has from here, under this standing
 */
export function claimForOther(
  guard: ReplayGuard,
  markOf: (id: string, standing: ReplayStanding) => string | undefined,
  { id, code, ts, mark }: ElsewhereRequest,
): ElsewhereVerdict {
  const claim = guard.claim(Buffer.from(code, 'hex'), id);
  if (claim === SEEN) return 'seen';
  const verdict =
    markOf(id, claim.standing) !== mark ? 'ended' : ts <= claim.standing.servedUntil ? 'seen' : 'new';
  guard.settle(claim, verdict === 'new' ? { kind: 'genuine', ts } : { kind: 'refused' });
  return verdict;
}
