/** Keys as wheel functions name and show them (salt/key.py Key, 3006.16). */
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import {
  KeyManager,
  sectionName,
  type KeyIds,
  type KeySection,
  type KeyTexts,
} from '../../../storage/keys/manager.ts';
import { isStorableId, KEY_FOLDERS, KEY_STATES } from '../../../storage/keys/store.ts';
import type { RunnerContext } from '../../shared/runner/runner.ts';

const SECTIONS: ReadonlyMap<Value, KeySection> = new Map(
  KEY_STATES.map((state) => [KEY_FOLDERS[state], state]),
);

/** The manager of this master's keys; its events go out before that of the function that caused them. */
export function keyManager({ keys, opts, log, fire }: RunnerContext): KeyManager {
  return new KeyManager({
    store: keys,
    cacheDir: opts.get('cachedir'),
    masterId: opts.get('id'),
    preserveCache: opts.get('preserve_minion_cache'),
    fireEvent: (tag, data) => void fire(tag, data),
    log,
  });
}

/** What follows when keys are taken away. @param ids those that are, for `preserve_minions` */
export function revokeOptions({ opts }: RunnerContext, ids: KeyIds): { rotate: boolean; preserve: string[] } {
  return {
    rotate: truthy(opts.raw('rotate_aes_key') ?? null),
    preserve: opts.raw('preserve_minions') === true ? [...(ids.get('accepted') ?? [])] : [],
  };
}

/** Which keys are meant: a text with globs between commas, or a list of globs. */
export function globsOf(match: Value): string | string[] {
  return Array.isArray(match) ? match.map(pyStr) : pyStr(match);
}

/**
 * A mapping of folders to ids. What cannot be the id of a key is left out: in Salt both become parts of a path.
 * What stands under another name than that of a folder of keys is only looked for.
 */
export function idsOf(match: Value): KeyIds {
  const out: KeyIds = new Map();
  if (!isDict(match)) return out;
  for (const [folder, given] of match) {
    const section = SECTIONS.get(folder) ?? 'local';
    const ids = (Array.isArray(given) ? given.map(pyStr) : [pyStr(given)]).filter((id) => isStorableId(id));
    out.set(section, [...(out.get(section) ?? []), ...ids]);
  }
  return out;
}

/** Folders to ids. */
export function shownIds(ids: KeyIds): Dict {
  return new Map([...ids].map(([section, names]) => [sectionName(section), [...names]]));
}

/** Folders to ids to a text of each. */
export function shownTexts(texts: KeyTexts): Dict {
  return new Map([...texts].map(([section, named]) => [sectionName(section), new Map<Value, Value>(named)]));
}
