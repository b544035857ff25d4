/** Keys of minions. */
import { pemFinger } from '../../../../network/crypto/fingerprint.ts';
import { dict, type Value } from '../../../../python/values/value.ts';
import { isStorableId, KEY_STATES, type KeyState } from '../../../../storage/keys/store.ts';
import type { Deps } from '../deps.ts';
import { ApiFault } from '../fault.ts';
import { callWheel } from '../master-functions.ts';
import { pageOf, pageQuery } from '../pages.ts';
import { route, type Route } from '../route.ts';
import type { Need } from '../need.ts';
import { component, integer, list, mapping, nullable, object, optional, text } from '../schema.ts';
import { keyState } from './minions.ts';

const SEES_KEYS: Need = { client: 'wheel', fun: 'key.list_all' };
const SEES_FINGERS: Need = { client: 'wheel', fun: 'key.finger' };
const IDS_MAX = 1000;

const key = component(
  'Key',
  object({
    id: text(),
    state: keyState,
    fingerprint: nullable(text({ description: 'by the hash_type of the master' })),
  }),
);

/** From which states a key is taken where nobody says. */
const ACTIONS: ReadonlyMap<'accept' | 'reject' | 'delete', readonly KeyState[]> = new Map([
  ['accept', ['pending']],
  ['reject', ['pending']],
  ['delete', KEY_STATES],
]);

/** The routes. */
export const keyRoutes: readonly Route[] = [
  route({
    id: 'keys.list',
    method: 'GET',
    path: '/keys',
    summary: 'Keys with their states and fingerprints.',
    needs: SEES_KEYS,
    query: { state: optional(keyState), search: optional(text({ maxLength: 256 })), ...pageQuery },
    answer: object({
      items: list(key),
      next: nullable(text()),
      total: integer(),
      counts: mapping(integer(), 'keys by state'),
    }),
    faults: ['bad-cursor'],
    run: ({ deps, query }) => {
      const { keys } = deps.files;
      const search = query.search?.toLowerCase();
      const lists = new Map(KEY_STATES.map((state) => [state, keys.list(state)]));
      const all = [...lists].flatMap(([state, ids]) =>
        query.state !== undefined && state !== query.state
          ? []
          : ids
              .filter((id) => search === undefined || id.toLowerCase().includes(search))
              .map((id) => ({ id, state })),
      );
      const found = pageOf('keys', all, query);
      return Promise.resolve({
        ...found,
        items: found.items.map(({ id, state }) => ({ id, state, fingerprint: fingerOf(deps, id, state) })),
        counts: new Map([...lists].map(([state, ids]) => [state, ids.length])),
      });
    },
  }),
  route({
    id: 'keys.master',
    method: 'GET',
    path: '/keys/master',
    summary: 'The fingerprint of the master, which minions can be told as master_finger.',
    needs: SEES_FINGERS,
    answer: object({ fingerprint: nullable(text()) }),
    run: ({ deps: { files } }) => {
      const pem = files.keys.readLocalKey('master.pub');
      return Promise.resolve({
        fingerprint: pem === undefined ? null : pemFinger(pem, files.opts.get('hash_type')),
      });
    },
  }),
  route({
    id: 'keys.get',
    method: 'GET',
    path: '/keys/{id}',
    summary: 'The keys of one id: there may be one in several states.',
    needs: SEES_KEYS,
    params: { id: text({ minLength: 1, maxLength: 256 }) },
    answer: object({ items: list(key) }),
    faults: ['not-found'],
    run: ({ deps, params: { id } }) => {
      const states = isStorableId(id) ? KEY_STATES.filter((state) => deps.files.keys.has(id, state)) : [];
      if (states.length === 0) throw new ApiFault('not-found', `There is no key of ${id}.`);
      return Promise.resolve({
        items: states.map((state) => ({ id, state, fingerprint: fingerOf(deps, id, state) })),
      });
    },
  }),
  ...[...ACTIONS].map(([action, from]) =>
    route({
      id: `keys.${action}`,
      method: 'POST',
      path: `/keys/${action}`,
      summary: `${{ accept: 'Accepts', reject: 'Rejects', delete: 'Deletes' }[action]} keys.`,
      doc: `Calls the wheel function key.${action}_dict. With a fingerprint, which takes one id, nothing is done when the key has another one.`,
      needs: { client: 'wheel', fun: `key.${action}_dict` },
      body: object({
        ids: list(text({ minLength: 1, maxLength: 256 }), { minItems: 1, maxItems: IDS_MAX }),
        states: optional(
          list(keyState, { description: `the states from which they are taken; default ${from.join(', ')}` }),
        ),
        fingerprint: optional(text({ maxLength: 300 })),
      }),
      answer: object({
        changed: mapping(list(text()), 'ids by the state that they were in'),
        missing: list(text(), { description: 'ids without a key in these states' }),
      }),
      faults: ['not-allowed', 'not-served', 'conflict', 'not-found', 'run-failed'],
      run: async ({ deps, caller, body, signal }) => {
        const states = body.states ?? from;
        requireFingerprint(deps, body, states);
        const chosen = new Map<Value, Value>();
        const changed = new Map<string, readonly string[]>();
        for (const state of states) {
          const ids = body.ids.filter((id) => isStorableId(id) && deps.files.keys.has(id, state));
          if (ids.length === 0) continue;
          chosen.set(FOLDERS.get(state) ?? '', ids);
          changed.set(state, ids);
        }
        const taken = new Set([...changed.values()].flat());
        const missing = body.ids.filter((id) => !taken.has(id));
        if (taken.size === 0)
          throw new ApiFault('not-found', `None of these ids has a key that is ${states.join(' or ')}.`);
        await callWheel(deps, caller, {
          fun: `key.${action}_dict`,
          arg: [chosen],
          kwarg: dict(INCLUDED.get(action)),
          signal,
        });
        return { changed, missing };
      },
    }),
  ),
];

/**
 * The functions take what is waiting, unless they are told to take others as well; what they are given has been chosen
 * by state.
 */
const INCLUDED: ReadonlyMap<string, Readonly<Record<string, boolean>>> = new Map([
  ['accept', { include_rejected: true, include_denied: true }],
  ['reject', { include_accepted: true, include_denied: true }],
]);

/** The names under which Salt's functions know the states. */
const FOLDERS: ReadonlyMap<KeyState, string> = new Map([
  ['accepted', 'minions'],
  ['pending', 'minions_pre'],
  ['rejected', 'minions_rejected'],
  ['denied', 'minions_denied'],
]);

function fingerOf({ files }: Deps, id: string, state: KeyState): string | null {
  const pem = files.keys.readFile(id, state);
  if (pem === undefined) return null;
  try {
    return pemFinger(pem, files.opts.get('hash_type'));
  } catch {
    return null; // no key at all
  }
}

/** @throws ApiFault `conflict` when the key has been exchanged since somebody looked at it */
function requireFingerprint(
  deps: Deps,
  { ids, fingerprint }: { readonly ids: readonly string[]; readonly fingerprint?: string },
  states: readonly KeyState[],
): void {
  if (fingerprint === undefined) return;
  const [id, another] = ids;
  if (id === undefined || another !== undefined)
    throw new ApiFault('bad-request', 'A fingerprint is of one key: give one id with it.', {
      field: 'fingerprint',
    });
  const state = states.find((each) => isStorableId(id) && deps.files.keys.has(id, each));
  const found = state === undefined ? null : fingerOf(deps, id, state);
  if (found === null)
    throw new ApiFault('not-found', `There is no key of ${id} that is ${states.join(' or ')}.`);
  if (found.toLowerCase() !== fingerprint.toLowerCase())
    throw new ApiFault(
      'conflict',
      `The key of ${id} has the fingerprint ${found}, another one than you have given: nothing was done.`,
      { details: { fingerprint: found } },
    );
}
