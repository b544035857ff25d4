/**
 * What an admin does with keys: list, accept, reject, delete, print, compare (salt/key.py Key, 3006.16). Used by
 * `salt-key` and by the key functions of the wheel.
 */
import { createPublicKey } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cleanKeyText } from '../../network/crypto/pem.ts';
import { BadKeyError, RsaPublicKey } from '../../network/crypto/rsa.ts';
import { tags } from '../../network/events/tags.ts';
import { createFile, safeJoin } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import { compileGlob } from '../../python/text/fnmatch.ts';
import { dict, type Dict } from '../../python/values/value.ts';
import { pemFinger } from '../../network/crypto/fingerprint.ts';
import { sortedIgnoringCase } from './sort.ts';
import { KEY_FOLDERS, KEY_STATES, type KeyState, type KeyStore } from './store.ts';

/** A state of keys, or the master's own key files. */
export type KeySection = KeyState | 'local';

/** Ids by state, in the order in which they are shown. */
export type KeyIds = Map<KeySection, string[]>;

/** Names of keys to a text of each: the key, or its fingerprint. */
export type KeyTexts = Map<KeySection, Map<string, string>>;

/** Fires an event on the master's bus; nobody needs to listen. */
export type FireEvent = (tag: string, data: Dict) => void;

/** What the manager works with. */
export interface KeyManagerDeps {
  readonly store: KeyStore;
  /** The master's `cachedir`. */
  readonly cacheDir: string;
  /** The master's `id`. */
  readonly masterId: string;
  /** `preserve_minion_cache`: cached data of minions without a key is kept. */
  readonly preserveCache: boolean;
  readonly fireEvent: FireEvent;
  readonly log: Logger;
}

/** What follows when keys are taken away from minions. */
export interface RevokeOptions {
  /** `rotate_aes_key`: the master shall make a new session key. */
  readonly rotate: boolean;
  /** Minions whose cached data is kept. */
  readonly preserve?: readonly string[];
}

/** What accepting came to. */
export interface AcceptResult {
  /** Where the keys are now. */
  readonly now: KeyIds;
  /** Ids whose keys cannot be used, in order. */
  readonly invalid: readonly string[];
}

/** The state that a word of `salt-key --list` means; undefined for `all`. */
export function stateCalled(word: string): KeyState | undefined {
  const starts: readonly [string, KeyState][] = [
    ['acc', 'accepted'],
    ['pre', 'pending'],
    ['un', 'pending'],
    ['rej', 'rejected'],
    ['den', 'denied'],
  ];
  return starts.find(([start]) => word.startsWith(start))?.[1];
}

/** Works on the keys of a master. The master itself need not run. */
export class KeyManager {
  readonly #deps: KeyManagerDeps;

  constructor(deps: KeyManagerDeps) {
    this.#deps = deps;
  }

  /** All ids by state; states without keys are there too. */
  listKeys(): KeyIds {
    return new Map(KEY_STATES.map((state) => [state, [...this.#deps.store.list(state)]]));
  }

  /** The ids of one state, or of all for a word that begins with `all` (the words of `salt-key --list`). */
  listStatus(word: string): KeyIds {
    const state = stateCalled(word);
    if (state !== undefined) return new Map([[state, [...this.#deps.store.list(state)]]]);
    return word.startsWith('all') ? this.listKeys() : new Map();
  }

  /**
   * The ids that match; states without any are left out.
   * @param match a glob, or several separated by commas, or a list of globs
   * @param local whether to look at the master's own key files too
   */
  match(match: string | readonly string[], local = false): KeyIds {
    const globs = (typeof match === 'string' ? match.split(',') : match).map((pattern) =>
      compileGlob(pattern),
    );
    const all = this.listKeys();
    if (local) all.set('local', this.#deps.store.localKeys());
    const out: KeyIds = new Map();
    for (const [section, ids] of all) {
      const hits = ids.filter((id) => globs.some((glob) => glob.matches(id)));
      if (hits.length > 0) out.set(section, hits);
    }
    return out;
  }

  /** Where these ids are now, whatever state they are named under (Key.dict_match). */
  whereAreNow(ids: KeyIds): KeyIds {
    const known = new Map(KEY_STATES.map((state) => [state, new Set(this.#deps.store.list(state))]));
    const out: KeyIds = new Map();
    for (const id of [...ids.values()].flatMap(sortedIgnoringCase)) {
      for (const [state, present] of known) {
        if (present.has(id)) out.set(state, [...(out.get(state) ?? []), id]);
      }
    }
    return out;
  }

  /** The keys that match, as their files have them. */
  print(match: string | readonly string[]): KeyTexts {
    return this.#texts(this.match(match), (text) => text);
  }

  /** The fingerprints of the keys that match, the master's own included. @param hashType `hash_type` */
  fingerprints(match: string | readonly string[], hashType: string): KeyTexts {
    return this.#texts(this.match(match, true), (text) => pemFinger(text, hashType));
  }

  /** The fingerprint of one key; undefined when it is gone. */
  fingerprint(section: KeySection, id: string, hashType: string): string | undefined {
    const text = section === 'local' ? undefined : this.#deps.store.readFile(id, section);
    return text === undefined ? undefined : pemFinger(text, hashType);
  }

  /**
   * Accepts keys. Those that are no usable RSA keys stay where they are.
   * @param from states to take keys from; others in `ids` are left alone
   */
  accept(ids: KeyIds, from: readonly KeyState[]): AcceptResult {
    return this.#deps.store.together(() => this.#acceptEach(ids, from));
  }

  #acceptEach(ids: KeyIds, from: readonly KeyState[]): AcceptResult {
    const { store, log } = this.#deps;
    const invalid: string[] = [];
    const usable: KeyIds = new Map(ids);
    for (const state of from) {
      for (const id of ids.get(state) ?? []) {
        const text = store.readFile(id, state);
        if (text === undefined) continue; // gone while somebody thought about it
        const fault = keyFault(text);
        if (fault === undefined) {
          if (store.move(id, state, 'accepted')) this.#fire('accept', id);
          continue;
        }
        log.error(`Invalid RSA public key: ${id}${fault}`);
        invalid.push(id);
        usable.set(
          state,
          (usable.get(state) ?? []).filter((other) => other !== id),
        );
      }
    }
    return { now: this.whereAreNow(usable), invalid };
  }

  /** Rejects keys. @param from states to take keys from. @returns where the keys are now */
  reject(ids: KeyIds, from: readonly KeyState[], options: RevokeOptions): KeyIds {
    const { store } = this.#deps;
    this.#revoke(options, () => {
      for (const state of from) {
        for (const id of ids.get(state) ?? []) {
          if (!store.move(id, state, 'rejected')) continue;
          this.#endSession(id);
          this.#fire('reject', id);
        }
      }
    });
    return this.whereAreNow(ids);
  }

  /** Deletes keys in the states in which they are named. @returns where keys of these ids are still */
  delete(ids: KeyIds, options: RevokeOptions): KeyIds {
    const { store } = this.#deps;
    this.#revoke(options, () => {
      for (const state of KEY_STATES) {
        for (const id of ids.get(state) ?? []) {
          if (!store.remove(id, state)) continue;
          if (state === 'accepted') this.#endSession(id);
          this.#fire('delete', id);
        }
      }
    });
    return this.whereAreNow(ids);
  }

  /** Takes keys away; what protects the others happens even if that fails half-way. */
  #revoke({ rotate, preserve = [] }: RevokeOptions, take: () => void): void {
    try {
      this.#deps.store.together(take);
    } finally {
      if (rotate) requestKeyRotation(this.#deps);
    }
    if (!this.#deps.preserveCache) this.#forgetUnknownMinions(preserve);
  }

  /** Removes the cached data of every minion that has no key in any state (Key.check_minion_cache). */
  #forgetUnknownMinions(preserve: readonly string[]): void {
    const { cacheDir, log } = this.#deps;
    const known = new Set([...preserve, ...[...this.listKeys().values()].flat()]);
    const folder = join(cacheDir, 'minions');
    for (const name of foldersIn(folder)) {
      if (known.has(name)) continue;
      try {
        rmSync(join(folder, name), { recursive: true });
      } catch (error) {
        log.warning(`The cached data of ${name} cannot be removed.`, error);
      }
    }
  }

  /** Without its session key a minion must authenticate again, which it cannot. */
  #endSession(id: string): void {
    rmSync(safeJoin(this.#deps.cacheDir, 'sessions', id), { force: true });
  }

  #fire(act: 'accept' | 'reject' | 'delete', id: string): void {
    this.#deps.fireEvent(tags.key, dict({ result: true, act, id }));
  }

  #texts(ids: KeyIds, show: (text: string) => string): KeyTexts {
    const { store } = this.#deps;
    const out: KeyTexts = new Map();
    for (const [section, names] of ids) {
      const texts = names.flatMap((name): [string, string][] => {
        const text = section === 'local' ? store.readLocalKey(name) : store.readFile(name, section);
        return text === undefined ? [] : [[name, show(text)]];
      });
      out.set(section, new Map(texts));
    }
    return out;
  }
}

/** The name under which Salt's tools know a section: the folder. */
export function sectionName(section: KeySection): string {
  return section === 'local' ? 'local' : KEY_FOLDERS[section];
}

/**
 * Asks the master for a new session key: it looks for `<cachedir>/.dfn`, mode 0400, every few seconds
 * (salt/crypt.py dropfile). The file names its master, because 3007 heeds no other one and never removes it. Without a
 * `cachedir` there is no master whose key could be known to anybody.
 */
function requestKeyRotation({ cacheDir, masterId, log }: KeyManagerDeps): void {
  try {
    createFile(join(cacheDir, '.dfn'), masterId, { mode: 0o400 });
    log.info('Rotating AES key');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') log.info('AES key rotation already requested');
    else if (code === 'ENOENT') log.debug(`No session key to rotate: ${cacheDir} does not exist`);
    else throw error;
  }
}

/**
 * Undefined for a key that can be accepted; else why not, to be added to the message (empty when it is no key at all).
 */
function keyFault(text: string): string | undefined {
  try {
    RsaPublicKey.parse(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof BadKeyError)) throw error;
    return isPublicKey(text) ? ` (${error.message})` : '';
  }
}

function isPublicKey(text: string): boolean {
  try {
    return createPublicKey(cleanKeyText(text)).type === 'public';
  } catch {
    return false;
  }
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
