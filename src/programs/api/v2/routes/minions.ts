/** Minions: which there are, and what is known of each. */
import { pyStr } from '../../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../../python/values/value.ts';
import { pemFinger } from '../../../../network/crypto/fingerprint.ts';
import { isStorableId, KEY_STATES, type KeyState } from '../../../../storage/keys/store.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { ApiFault } from '../fault.ts';
import { isoTime, job } from '../job-views.ts';
import { maskedPillar } from '../mask.ts';
import { page, pageOf, pageQuery } from '../pages.ts';
import { askMinion } from '../ask-minion.ts';
import { route, type Route } from '../route.ts';
import type { Need } from '../need.ts';
import {
  component,
  dictionary,
  flag,
  list,
  nullable,
  object,
  oneOf,
  optional,
  text,
  type ObjectOf,
  type SchemaType,
} from '../schema.ts';
import { targetType } from '../targets.ts';
import { listJobs } from './jobs.ts';

const SEES_MINIONS: Need = { client: 'runner', fun: 'cache.grains' };
const SEES_PILLAR: Need = { client: 'runner', fun: 'cache.pillar' };
const SEES_MINE: Need = { client: 'runner', fun: 'cache.mine' };
const SEES_KEYS: Need = { client: 'wheel', fun: 'key.list_all' };
const GRAINS = ['os', 'osrelease', 'os_family', 'kernel', 'saltversion', 'brineversion', 'ipv4'] as const;
const GRAIN_FILTERS_MAX = 5;
const ID = text({ minLength: 1, maxLength: 256 });

/** The state of a key. */
export const keyState = component('KeyState', oneOf(['accepted', 'pending', 'rejected', 'denied']));

const minionShape = {
  id: text(),
  key: keyState,
  connected: flag(),
  last_seen: nullable(
    text({
      format: 'date-time',
      description: 'now, when its connection was lost, or when its data were last written',
    }),
  ),
  version: nullable(
    text({ description: 'the Salt that it is, or that it follows where it is a minion of Brine' }),
  ),
  brine_version: nullable(text({ description: 'the version of Brine; null for a minion of Salt' })),
  os: nullable(text()),
  osrelease: nullable(text()),
  os_family: nullable(text()),
  kernel: nullable(text()),
  ip: nullable(text({ description: 'the first IPv4 address that is not a loopback' })),
} as const;
const minion = component('Minion', object(minionShape));
type Minion = SchemaType<typeof minion>;
type MinionPage = ReturnType<typeof pageOf<Minion>>;

const minionDetail = component(
  'MinionDetail',
  object({
    ...minionShape,
    fingerprint: nullable(text()),
    grains_at: nullable(text({ format: 'date-time' })),
    since: nullable(text({ description: 'when its connection was last lost (UTC)' })),
  }),
);

const minionData = component(
  'MinionData',
  object({
    data: dictionary(),
    at: nullable(text({ format: 'date-time', description: 'when the master last had it from the minion' })),
    masked: list(text(), { description: 'paths whose values are shown as stars' }),
  }),
);

const filters = {
  search: optional(
    text({ maxLength: 200, description: 'part of the id, the system, the version or the address' }),
  ),
  key: optional(keyState),
  connected: optional(flag()),
  tgt: optional(text({ maxLength: 4000, description: 'a target expression' })),
  tgt_type: optional(targetType),
  grain: optional(
    list(text({ maxLength: 500 }), {
      maxItems: GRAIN_FILTERS_MAX,
      description: 'grains as targets have them, `os:Debian`; may be given several times',
    }),
  ),
  sort: optional(oneOf(['id', 'last_seen', 'version', 'os', 'key'])),
  desc: optional(flag()),
} as const;

/** The routes. */
export const minionRoutes: readonly Route[] = [
  route({
    id: 'minions.list',
    method: 'GET',
    path: '/minions',
    summary: 'Minions, with a few of their grains.',
    doc: 'Minions whose keys are not accepted are shown to whoever may call the wheel function key.list_all.',
    needs: SEES_MINIONS,
    query: { ...filters, ...pageQuery },
    answer: page(minion),
    faults: ['bad-target', 'bad-cursor'],
    run: ({ deps, caller, query }) => minionsFor(deps, caller, query),
  }),
  route({
    id: 'minions.get',
    method: 'GET',
    path: '/minions/{id}',
    summary: 'What is known of a minion.',
    needs: SEES_MINIONS,
    params: { id: ID },
    answer: minionDetail,
    faults: ['not-found'],
    run: async ({ deps, caller, params: { id } }) => {
      const { files } = deps;
      const key = stateOf(deps, id);
      const asked = new Map([[id, key]]);
      const reached = await reachedOf(deps, caller, asked, { tgt: [id], tgtType: 'list' });
      const [row] = await rows(deps, asked, reached);
      if (row === undefined) throw noMinion(id);
      const pem = files.keys.readFile(id, key);
      const presence = (await files.presence([id])).get(id);
      return {
        ...row,
        fingerprint: pem === undefined ? null : pemFinger(pem, files.opts.get('hash_type')),
        grains_at: isoTime(files.minionData.stamp(id, 'data')),
        since: presence?.lostSince ?? null,
      };
    },
  }),
  dataRoute('grains', SEES_MINIONS, 'The grains that the master has of a minion.', 'data'),
  dataRoute(
    'pillar',
    SEES_PILLAR,
    'The pillar that a minion last got; what looks like a secret is shown as stars.',
    'data',
  ),
  dataRoute('mine', SEES_MINE, 'What a minion has put into the mine.', 'mine'),
  ...(['schedule', 'beacons'] as const).map((module) =>
    route({
      id: `minions.${module}`,
      method: 'GET',
      path: `/minions/{id}/${module}`,
      summary: `Asks a minion for its ${module === 'schedule' ? 'schedule' : 'beacons'}.`,
      doc: `Runs ${module}.list there.`,
      offered: 'some job',
      params: { id: ID },
      answer: object({ data: dictionary() }),
      faults: ['not-found', 'not-allowed', 'timed-out'],
      run: async ({ deps, caller, params: { id }, signal }) => {
        stateOf(deps, id);
        const answer = await askMinion(deps, caller, {
          id,
          fun: `${module}.list`,
          kwarg: dict({ return_yaml: false }),
          signal,
        });
        return { data: isDict(answer) ? answer : new Map<Value, Value>([['answer', answer]]) };
      },
    }),
  ),
  route({
    id: 'minions.jobs',
    method: 'GET',
    path: '/minions/{id}/jobs',
    summary: 'The jobs of a minion, the newest first.',
    params: { id: ID },
    query: pageQuery,
    answer: page(job),
    faults: ['bad-cursor'],
    run: ({ deps, caller, params, query }) => listJobs(deps, caller, { ...query, minion: params.id }),
  }),
];

function dataRoute(
  name: 'grains' | 'pillar' | 'mine',
  needs: Need,
  summary: string,
  bank: 'data' | 'mine',
): Route {
  return route({
    id: `minions.${name}`,
    method: 'GET',
    path: `/minions/{id}/${name}`,
    summary,
    needs,
    params: { id: ID },
    answer: minionData,
    faults: ['not-found'],
    run: ({ deps: { files }, params: { id } }) => {
      const stored = isStorableId(id) ? files.minionData.peek(id, bank) : undefined;
      if (stored === undefined && (!isStorableId(id) || files.keys.state(id) === undefined))
        throw noMinion(id);
      const part = name === 'mine' ? stored : stored?.get(name);
      const data: Dict = isDict(part) ? part : new Map();
      const shown = name === 'pillar' ? maskedPillar(data) : { data, masked: [] };
      return Promise.resolve({ ...shown, at: isoTime(files.minionData.stamp(id, bank)) });
    },
  });
}

/** @throws ApiFault `not-found` */
function stateOf({ files }: Deps, id: string): KeyState {
  const state = isStorableId(id) ? files.keys.state(id) : undefined;
  if (state === undefined) throw noMinion(id);
  return state;
}

function noMinion(id: string): ApiFault {
  return new ApiFault('not-found', `There is no key of a minion ${id}.`);
}

async function minionsFor(
  deps: Deps,
  caller: Caller,
  query: ObjectOf<typeof filters> & ObjectOf<typeof pageQuery>,
): Promise<MinionPage> {
  const target = {
    tgt: query.tgt ?? '*',
    tgtType: query.tgt === undefined ? 'glob' : (query.tgt_type ?? 'glob'),
  };
  const states = await statesFor(deps, caller, query);
  const reached = await reachedOf(deps, caller, states, target);
  const wanted = await grainFilter(deps, caller, query.grain ?? []);
  const ids = [...reached.keys()].filter(wanted).sort();
  const { sort = 'id', desc = false } = query;
  if (sort === 'id' && query.connected === undefined && query.search === undefined) {
    // what is known of ten thousand is not looked up for a page of hundreds
    const one = pageOf('minions', desc ? ids.reverse() : ids, query);
    return { ...one, items: await rows(deps, states, chosen(reached, one.items)) };
  }
  const search = query.search?.toLowerCase();
  const fits = (row: Minion): boolean =>
    (query.connected === undefined || row.connected === query.connected) &&
    (search === undefined || searched(row).some((part) => part?.toLowerCase().includes(search)));
  // all minions of ours follow the same Salt, so that among them their own version says what is old
  const by = (row: Minion): string =>
    sort === 'version' ? `${row.version ?? ''} ${row.brine_version ?? ''}` : (row[sort] ?? '');
  const order = (a: Minion, b: Minion): number =>
    by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
  const sorted = (await rows(deps, states, chosen(reached, ids))).filter(fits).sort(order);
  return pageOf('minions', desc ? sorted.reverse() : sorted, query);
}

type Reached = ReadonlyMap<string, Dict>;

function chosen(reached: Reached, ids: readonly string[]): Reached {
  return new Map(ids.map((id) => [id, reached.get(id) ?? new Map<Value, Value>()]));
}

function searched({ id, os, osrelease, version, brine_version: own, ip }: Minion): (string | null)[] {
  return [id, os, osrelease, version, own === null ? null : `brine ${own}`, ip];
}

/** The keys that are asked for. Targets reach accepted ones only. */
async function statesFor(
  { files, rights }: Deps,
  caller: Caller,
  { key, tgt, grain }: ObjectOf<typeof filters>,
): Promise<Map<string, KeyState>> {
  const isTargeted = tgt !== undefined || (grain?.length ?? 0) > 0;
  const wanted = key === undefined ? (isTargeted ? (['accepted'] as const) : KEY_STATES) : [key];
  const seesAll =
    wanted.some((state) => state !== 'accepted') && (await rights.may(caller, SEES_KEYS)).allowed;
  const states = new Map<string, KeyState>();
  // of an id with several keys, the first state counts
  for (const state of wanted)
    if (state === 'accepted' || seesAll)
      for (const id of files.keys.list(state)) if (!states.has(id)) states.set(id, state);
  return states;
}

async function grainFilter(
  { rights }: Deps,
  caller: Caller,
  grains: readonly string[],
): Promise<(id: string) => boolean> {
  const sets = await Promise.all(grains.map((tgt) => rights.minions(caller, { tgt, tgtType: 'grain' }, [])));
  return (id) => sets.every((set) => set.has(id));
}

/**
 * The minions among these that a target reaches, with their grains; those whose keys are not accepted are taken as they
 * are.
 */
async function reachedOf(
  { rights }: Deps,
  caller: Caller,
  states: ReadonlyMap<string, KeyState>,
  target: { readonly tgt: Value; readonly tgtType: string },
): Promise<Reached> {
  const known = await rights.minions(caller, target, GRAINS);
  const ids = [...states].filter(([id, state]) => state !== 'accepted' || known.has(id)).map(([id]) => id);
  return chosen(known, ids);
}

/** What a list says of each. */
async function rows(
  { files, clock }: Deps,
  states: ReadonlyMap<string, KeyState>,
  reached: Reached,
): Promise<Minion[]> {
  const ids = [...reached.keys()];
  const presence = await files.presence(ids);
  return ids.map((id): Minion => {
    const note = presence.get(id);
    const grains = reached.get(id) ?? new Map<Value, Value>();
    const said = (name: string): string | null => {
      const value = grains.get(name);
      return value === undefined || value === null ? null : pyStr(value);
    };
    const isConnected = note?.isConnected === true;
    return {
      id,
      key: states.get(id) ?? 'accepted',
      connected: isConnected,
      last_seen: isConnected
        ? isoTime(clock.nowMs())
        : note?.lostSince === undefined
          ? isoTime(files.minionData.stamp(id, 'data'))
          : isoTime(Date.parse(`${note.lostSince.slice(0, 23)}Z`)),
      version: said('saltversion'),
      brine_version: said('brineversion'),
      os: said('os'),
      osrelease: said('osrelease'),
      os_family: said('os_family'),
      kernel: said('kernel'),
      ip: firstAddress(grains.get('ipv4')),
    };
  });
}

function firstAddress(value: Value | undefined): string | null {
  const all = Array.isArray(value) ? value.map(pyStr) : [];
  return all.find((address) => !address.startsWith('127.')) ?? all[0] ?? null;
}
