/**
 * Who has logged in: sessions in memory, each known by a random id that its client sends (CherryPy's sessions, as Salt
 * uses them: ten hours from the last use). What is kept is the digest of the id, so that looking one up takes a time
 * that says nothing of others.
 */
import { createHash } from 'node:crypto';
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import type { Random } from '../../host/random.ts';
import type { Secret } from '../../host/secret.ts';

/** Seconds from the last use of a session to its end. */
export const SESSION_SECONDS = 36_000;
const ID_BYTES = 20;
/** Sessions at a time; the one that was used longest ago ends when another one begins. */
const SESSIONS_MAX = 10_000;
/** Those of one user, whose own ends when he begins another one. */
const OF_USER_MAX = 1_000;

/** Somebody who has logged in. */
export interface Session {
  /** What the master knows him by. */
  readonly token: Secret;
  readonly user: string;
  /** When the token ends, seconds since 1970. */
  readonly expire: number;
  lastMs: number;
  /** True once it is over, for those who hold on to it. */
  isOver: boolean;
}

/** All sessions of a server. */
export class Sessions {
  readonly #byDigest = new BoundedMap<string, Session>(SESSIONS_MAX);
  /** Digests of those that a user has begun and that may still be there. */
  readonly #ofUser = new Map<string, Set<string>>();
  /** Sessions that others of the same user have pushed out. */
  replaced = 0;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  get size(): number {
    return this.#byDigest.size;
  }

  /** Sessions that others have pushed out. */
  get evicted(): number {
    return this.#byDigest.evicted;
  }

  /** An id that nobody has. */
  newId(): string {
    return this.#random.bytes(ID_BYTES).toString('hex');
  }

  /** Begins a session, always under an id of its own: one that a stranger has put into a browser never becomes good. */
  begin(session: Pick<Session, 'token' | 'user' | 'expire'>): string {
    const id = this.newId();
    this.#makeRoom(session.user);
    const digest = digestOf(id);
    this.#byDigest.set(digest, { ...session, lastMs: this.#clock.monotonicMs(), isOver: false });
    this.#ofUser.get(session.user)?.add(digest);
    return id;
  }

  /** The session of an id, which is used with this. */
  find(id: string | undefined): Session | undefined {
    if (id === undefined || !/^[0-9a-f]{40}$/i.test(id)) return undefined;
    const digest = digestOf(id);
    const session = this.#byDigest.get(digest);
    if (session === undefined) return undefined;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - session.lastMs > SESSION_SECONDS * 1000) {
      this.#end(digest);
      return undefined;
    }
    session.lastMs = nowMs;
    return session;
  }

  end(id: string): void {
    this.#end(digestOf(id));
  }

  #end(digest: string): void {
    const session = this.#byDigest.peek(digest);
    if (session === undefined) return;
    session.isOver = true;
    this.#byDigest.delete(digest);
    const his = this.#ofUser.get(session.user);
    his?.delete(digest);
    if (his?.size === 0) this.#ofUser.delete(session.user);
  }

  /** A user who has as many as he may loses the one that he has used longest ago. */
  #makeRoom(user: string): void {
    const his = this.#ofUser.get(user) ?? new Set();
    this.#ofUser.set(user, his);
    if (his.size < OF_USER_MAX) return;
    let oldest: { digest: string; lastMs: number } | undefined;
    for (const digest of his) {
      const lastMs = this.#byDigest.peek(digest)?.lastMs;
      if (lastMs === undefined) his.delete(digest);
      else if (oldest === undefined || lastMs < oldest.lastMs) oldest = { digest, lastMs };
    }
    if (his.size < OF_USER_MAX || oldest === undefined) return;
    this.replaced++;
    this.#end(oldest.digest);
    this.#ofUser.set(user, his);
  }
}

function digestOf(id: string): string {
  return createHash('sha256').update(id.toLowerCase()).digest('base64');
}
