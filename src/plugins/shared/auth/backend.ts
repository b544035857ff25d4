/**
 * What an authentication system is: it tells whether a name and a password belong together, and what it knows of
 * whoever has shown it.
 */
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import type { Secret } from '../../../host/secret.ts';
import type { Dict, Value } from '../../../python/values/value.ts';

/** A name and the password that is to prove it. */
export interface Credentials {
  readonly username: string;
  readonly password: Secret;
}

/** An authentication system, as `external_auth` names it. */
export interface AuthBackend {
  /** Characters of the longest password that there may be; 1,024 where it is not set. */
  readonly passwordMax?: number;
  /**
   * Whether the password is the name's.
   * @throws whatever keeps it from finding out; that counts as a no, and is logged
   */
  authenticate(credentials: Credentials): Promise<boolean>;
  /** The names of his groups, for entries `group%`. */
  groups?(credentials: Credentials): Promise<readonly string[]>;
  /** His rules, where the system keeps them itself; undefined for those of the configuration. */
  acl?(credentials: Credentials): Promise<Value | undefined>;
  /** Rewrites rules that only the system understands. */
  processAcl?(rules: readonly Value[]): Promise<Value[]>;
  /** Ends connections. */
  close?(): Promise<void>;
}

/** What a backend works with. */
export interface BackendContext {
  /** The master's whole configuration. */
  readonly opts: Dict;
  /** The entries below its own name in `external_auth`. */
  readonly config: Dict;
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * Has a name taken once among several masters; not set where there is one.
   * @returns false when it was taken before
   */
  readonly useOnce?: ((name: string) => Promise<boolean>) | undefined;
}

/** How a backend is found and made. */
export interface BackendSpec {
  readonly name: string;
  readonly doc: string;
  /**
   * What keeps this backend from working on this machine with this configuration; the master does not start with it.
   * @returns a sentence without its full stop
   */
  fault?(context: BackendContext): string | undefined;
  make(context: BackendContext): AuthBackend;
}
