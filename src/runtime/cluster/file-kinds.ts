/** What every master of a cluster has on its disk: keys of minions, sessions, and what is known of minions. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../host/clock.ts';
import {
  isValidMinionId,
  makeDirectory,
  readTextIfExists,
  safeJoin,
  writeFileAtomic,
} from '../../host/files.ts';
import { watchFolder } from '../../host/watch-folder.ts';
import { isMemberName } from '../../config/cluster.ts';
import { elsewhereFolder } from '../../network/channel/sessions-elsewhere.ts';
import { isKeyString } from '../../network/crypto/crypticle.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { MinionDataCache, type MinionBank } from '../../storage/cache/minion-data.ts';
import type { ChangeMark } from '../../storage/cache/change-list.ts';
import { apiTokensFolder, isApiTokenName } from '../../storage/tokens/api-tokens.ts';
import { isStorableId, KEY_FOLDERS, KEY_STATES, KeyStore, type KeyState } from '../../storage/keys/store.ts';

const CHANGES_MS = 200;

/** One kind of what is the same everywhere. Each thing of it has a name, a minion's id. */
export interface FileKind {
  readonly name: string;
  ids(): Iterable<string>;
  /** What is on this disk; undefined when there is nothing. */
  read(id: string): Dict | undefined;
  /** Puts on the disk what another master has said; undefined removes it. */
  write(id: string, value: Dict | undefined): void;
  /** Calls back with the name of what a program of this machine may have changed. */
  watch(changed: (id: string) => void): { close(): void };
  /** Whether what is here counts, when it was changed at the same time elsewhere. The other counts by default. */
  prefersOwn?(own: Dict | undefined, other: Dict | undefined): boolean;
}

/**
 * Keys: the key files of one minion in the folders of all states.
 * @param revoked told of a minion whose key was accepted here, and is no longer since another master has said so
 */
export function keyKind(pkiDir: string, revoked: (id: string) => void): FileKind {
  const keys = new KeyStore(pkiDir);
  return {
    name: 'key',
    ids: () => new Set(KEY_STATES.flatMap((state) => keys.list(state))),
    read: (id) => {
      const found = KEY_STATES.flatMap((state): [string, string][] => {
        const key = keys.readKey(id, state);
        return key === undefined ? [] : [[state, key]];
      });
      return found.length === 0 ? undefined : new Map<Value, Value>(found);
    },
    write: (id, value) => {
      if (!isStorableId(id)) return;
      const accepted = keys.readKey(id, 'accepted');
      // what is decided comes first, so that a key is never in no state
      for (const state of KEY_STATES) {
        const key = value?.get(state);
        if (typeof key === 'string' && keys.readKey(id, state) !== key) writeKey(keys, id, state, key);
      }
      for (const state of KEY_STATES) if (typeof value?.get(state) !== 'string') keys.remove(id, state);
      if (accepted !== undefined && value?.get('accepted') !== accepted) revoked(id);
    },
    watch: (changed) => {
      const watchers = KEY_STATES.map((state) =>
        watchFolder(join(pkiDir, KEY_FOLDERS[state]), (name) => {
          if (isStorableId(name)) changed(name);
        }),
      );
      return { close: () => watchers.forEach((watcher) => watcher.close()) };
    },
    // who was refused or removed stays so, whatever somebody else has said at the same time
    prefersOwn: (own, other) => trust(own) < trust(other),
  };
}

function writeKey(keys: KeyStore, id: string, state: KeyState, key: string): void {
  if (state === 'accepted') keys.writeAccepted(id, key);
  else if (state === 'rejected') keys.writeRejected(id, key);
  else if (state === 'pending') keys.writePending(id, key);
  else keys.writeDenied(id, key);
}

/** How much a minion may do. */
function trust(value: Dict | undefined): number {
  if (value === undefined || value.has('rejected')) return 0;
  return value.has('accepted') ? 2 : 1;
}

/** Where a master keeps sessions, and who it is. */
export interface SessionPlaces {
  /** Of those that this master has given. */
  readonly folder: string;
  readonly member: string;
}

/**
 * Sessions, so that a minion's next request may reach any master. Each belongs to the master that has given it, and its
 * name is that one's and the minion's.
 */
export function sessionKind({ folder, member }: SessionPlaces): FileKind {
  const elsewhere = elsewhereFolder(folder);
  makeDirectory(folder, 0o700);
  makeDirectory(elsewhere, 0o700);
  const folderOf = (by: string): string => (by === member ? folder : safeJoin(elsewhere, by));
  return {
    name: 'session',
    ids: () =>
      [member, ...readdirSync(elsewhere)].flatMap((by) =>
        readdirSync(folderOf(by))
          .filter(isSessionFile)
          .map((id) => `${by}/${id}`),
      ),
    read: (name) => {
      const [by, id] = partsOf(name) ?? [];
      const key = by === undefined || id === undefined ? undefined : readKeyFile(safeJoin(folderOf(by), id));
      return key === undefined ? undefined : dict({ key });
    },
    write: (name, value) => {
      const [by, id] = partsOf(name) ?? [];
      // nobody else says which sessions this master has given
      if (by === undefined || id === undefined || by === member) return;
      const key = value?.get('key');
      if (typeof key !== 'string' || !isKeyString(key))
        return void rmSync(safeJoin(folderOf(by), id), { force: true });
      makeDirectory(folderOf(by), 0o700);
      writeFileAtomic(safeJoin(folderOf(by), id), key, { mode: 0o600 });
    },
    watch: (changed) =>
      watchFolder(folder, (id) => {
        if (id !== undefined && isSessionFile(id)) changed(`${member}/${id}`);
      }),
  };
}

function isSessionFile(name: string): boolean {
  return isValidMinionId(name) && !name.startsWith('.');
}

function readKeyFile(path: string): string | undefined {
  const key = readTextIfExists(path)?.trim();
  return key !== undefined && isKeyString(key) ? key : undefined;
}

/** Of a session's name: the master that has given it, and the minion. */
function partsOf(name: string): readonly [string, string] | undefined {
  const [by, id, ...more] = name.split('/');
  const isOne = by !== undefined && isMemberName(by) && id !== undefined && isSessionFile(id);
  return isOne && more.length === 0 ? [by, id] : undefined;
}

/** Tokens of programs, which are files of some hundred bytes by name; in each stands the hash of the secret only. */
export function apiTokenKind(pkiDir: string): FileKind {
  const folder = apiTokensFolder(pkiDir);
  makeDirectory(folder, 0o700);
  return {
    name: 'api_token',
    ids: () => readdirSync(folder).filter(isApiTokenName),
    read: (id) => {
      const record = readTextIfExists(safeJoin(folder, id));
      return record === undefined ? undefined : dict({ record });
    },
    write: (id, value) => {
      if (!isApiTokenName(id)) return;
      const record = value?.get('record');
      if (typeof record === 'string') writeFileAtomic(safeJoin(folder, id), record, { mode: 0o600 });
      else rmSync(safeJoin(folder, id), { force: true });
    },
    watch: (changed) =>
      watchFolder(folder, (name) => {
        if (name !== undefined && isApiTokenName(name)) changed(name);
      }),
    // what was revoked stays so
    prefersOwn: (own) => own === undefined,
  };
}

/** What is known of minions: grains and pillar, or what they have put into the mine. */
export function minionDataKind(cachedir: string, bank: MinionBank, clock: Clock): FileKind {
  const cache = new MinionDataCache(cachedir);
  return {
    name: bank,
    ids: () => cache.ids(),
    read: (id) => cache.peek(id, bank),
    write: (id, value) => {
      if (!isValidMinionId(id)) return;
      if (value === undefined) cache.remove(id, bank);
      else cache.write(id, bank, value);
    },
    watch: (changed) => {
      let mark: ChangeMark | undefined = cache.changesSince(undefined).mark;
      const timer = clock.every(
        CHANGES_MS,
        () => {
          const changes = cache.changesSince(mark);
          mark = changes.mark;
          for (const id of new Set(changes.names ?? cache.ids())) changed(id);
        },
        { background: true },
      );
      return { close: () => timer.cancel() };
    },
  };
}

/** What came as a thing's content. */
export function contentOf(value: Value | undefined): Dict | undefined {
  return value !== undefined && isDict(value) ? value : undefined;
}
