/** What every master of a cluster has on its disk: keys of minions, sessions, and what is known of minions. */
import { readdirSync, statSync, utimesSync } from 'node:fs';
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
import { isKeyString } from '../../network/crypto/crypticle.ts';
import { dict, isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { MinionDataCache, type MinionBank } from '../../storage/cache/minion-data.ts';
import type { ChangeMark } from '../../storage/cache/change-list.ts';
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

/** Keys: the key files of one minion in the folders of all states. */
export function keyKind(pkiDir: string): FileKind {
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
      // what is decided comes first, so that a key is never in no state
      for (const state of KEY_STATES) {
        const key = value?.get(state);
        if (typeof key === 'string' && keys.readKey(id, state) !== key) writeKey(keys, id, state, key);
      }
      for (const state of KEY_STATES) if (typeof value?.get(state) !== 'string') keys.remove(id, state);
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

/** Sessions, so that a minion's next request may reach any master. */
export function sessionKind(directory: string): FileKind {
  makeDirectory(directory, 0o700);
  const path = (id: string): string => safeJoin(directory, id);
  return {
    name: 'session',
    ids: () => readdirSync(directory).filter((name) => isValidMinionId(name) && !name.startsWith('.')),
    read: (id) => {
      const key = readTextIfExists(path(id))?.trim();
      if (key === undefined || !isKeyString(key)) return undefined;
      return dict({ key, madeAtMs: Math.round(statSync(path(id), { throwIfNoEntry: false })?.mtimeMs ?? 0) });
    },
    write: (id, value) => {
      const key = value?.get('key');
      const madeAtMs = toNumber(value?.get('madeAtMs'));
      if (!isValidMinionId(id) || id.startsWith('.')) return;
      // a session that has ended elsewhere ends here by its key; a file less would only cost its minion a log-in
      if (typeof key !== 'string' || !isKeyString(key) || madeAtMs === undefined) return;
      writeFileAtomic(path(id), key, { mode: 0o600 });
      utimesSync(path(id), madeAtMs / 1000, madeAtMs / 1000);
    },
    watch: (changed) =>
      watchFolder(directory, (name) => {
        if (isValidMinionId(name) && !name.startsWith('.')) changed(name);
      }),
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
