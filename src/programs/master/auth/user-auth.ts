/**
 * Who on this host may publish: the key files of local users (docs/internals/keys-and-sessions.md#user-keys). Each key
 * speaks for its own user only; unlike Salt's, a key never proves the claim to be somebody else.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { MasterOptions } from '../../../config/master-options.ts';
import type { Secret } from '../../../host/secret.ts';
import { textsAfter } from '../../../formats/wire/find-text.ts';
import { rulesOfPatterns } from '../../../runtime/access/auth-list.ts';
import { rulesOfRoles } from '../../../runtime/access/roles.ts';
import type { Rights } from '../../../runtime/access/question.ts';
import { isDict, type Dict } from '../../../python/values/value.ts';

/** Fields in one request that may be a user's key. Each costs some microseconds; no command has more than a few. */
const KEY_CANDIDATES_MAX = 64;

/** Checks `user` and `key` of a request in the clear. */
export class UserAuth {
  readonly #opts: MasterOptions;
  readonly #keys: ReadonlyMap<string, Secret>;
  readonly #digests: ReadonlyMap<string, Buffer>;
  readonly #lengths: readonly number[];
  readonly #groupsOf: (user: string) => readonly string[];

  /**
   * @param keys the key string of each user that has one
   * @param groupsOf the groups of a user, for roles
   */
  constructor(
    opts: MasterOptions,
    keys: ReadonlyMap<string, Secret>,
    groupsOf: (user: string) => readonly string[] = () => [],
  ) {
    this.#opts = opts;
    this.#groupsOf = groupsOf;
    this.#keys = keys;
    this.#digests = new Map([...keys].map(([user, key]) => [user, sha256(key.reveal())]));
    this.#lengths = [...keys.values()].map((key) => Buffer.byteLength(key.reveal()));
  }

  /** The user names whose keys are written to files: the configured one, and those of `publisher_acl`. */
  get users(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /**
   * Whether the key of any user stands somewhere in the bytes of a request. It says only that they are worth reading:
   * what they may do is for {@link check}.
   */
  isKeyIn(bytes: Buffer): boolean {
    for (const text of textsAfter(bytes, 'key', this.#lengths, KEY_CANDIDATES_MAX))
      if (this.#ownerOf(text) !== undefined) return true;
    return false;
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
    const rules = [
      ...rulesOfPatterns(this.#acl(), user, 'publisher_acl'),
      ...rulesOfRoles(this.#opts.get('roles'), { name: user, groups: this.#groupsOf(user) }),
    ];
    return rules.length === 0 ? undefined : { kind: 'limited', rules };
  }

  #acl(): Dict {
    const acl = this.#opts.raw('publisher_acl');
    return acl !== undefined && isDict(acl) ? acl : new Map();
  }

  #ownerOf(key: string | Buffer): string | undefined {
    const digest = sha256(key);
    let owner: string | undefined;
    for (const [user, own] of this.#digests) {
      if (timingSafeEqual(digest, own)) owner ??= user;
    }
    return owner;
  }
}

function sha256(text: string | Buffer): Buffer {
  return createHash('sha256').update(text).digest();
}
