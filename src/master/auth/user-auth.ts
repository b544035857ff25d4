/**
 * Who on this host may publish: the key files of local users (wire-protocol.md, 6.2). Each key speaks for its own user
 * only; unlike Salt's, a key never proves the claim to be somebody else.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { MasterOptions } from '../../config/master-options.ts';
import type { Secret } from '../../host/secret.ts';
import { expressionMatch } from '../../text/expression-match.ts';
import { isDict, type Dict, type Value } from '../../values/value.ts';

/** What a user may do. */
export type Rights =
  { readonly kind: 'full' } | { readonly kind: 'limited'; readonly perms: readonly Value[] };

/** Checks `user` and `key` of a request in the clear. */
export class UserAuth {
  readonly #opts: MasterOptions;
  readonly #keys: ReadonlyMap<string, Secret>;

  /** @param keys the key string of each user that has one */
  constructor(opts: MasterOptions, keys: ReadonlyMap<string, Secret>) {
    this.#opts = opts;
    this.#keys = keys;
  }

  /** The user names whose keys are written to files: the configured one, and those of `publisher_acl`. */
  get users(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** @returns what the sender may do, or undefined when the credentials do not hold */
  check(load: Dict): Rights | undefined {
    const key = load.get('key');
    if (typeof key !== 'string' || key === '') return undefined;
    const owner = this.#ownerOf(key);
    if (owner === undefined) return undefined;
    const user = load.get('user');
    const master = this.#opts.get('user');
    const isMasterKey = owner === master || owner === 'root';
    if (typeof user === 'string' && user.startsWith('sudo_')) {
      return isMasterKey ? this.#sudoRights(user) : undefined;
    }
    // whoever holds the master user's key can do everything, and may say in whose name
    if (isMasterKey) return { kind: 'full' };
    return user === owner ? this.#limited(owner) : undefined;
  }

  #sudoRights(user: string): Rights | undefined {
    if (!this.#opts.get('sudo_acl') || this.#acl().size === 0) return { kind: 'full' };
    return this.#limited(user.slice('sudo_'.length));
  }

  #limited(user: string): Rights | undefined {
    const perms: Value[] = [];
    for (const [pattern, list] of this.#acl()) {
      if (!expressionMatch(user, String(pattern))) continue;
      if (Array.isArray(list)) perms.push(...list);
      else perms.push(list);
    }
    return perms.length === 0 ? undefined : { kind: 'limited', perms };
  }

  #acl(): Dict {
    const acl = this.#opts.raw('publisher_acl');
    return acl !== undefined && isDict(acl) ? acl : new Map();
  }

  #ownerOf(key: string): string | undefined {
    const digest = sha256(key);
    let owner: string | undefined;
    for (const [user, secret] of this.#keys) {
      if (timingSafeEqual(digest, sha256(secret.reveal()))) owner ??= user;
    }
    return owner;
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
