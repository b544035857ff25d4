/** `zfs`: file systems, volumes, snapshots, bookmarks and holds of ZFS (3006.16 salt/states/zfs.py). */
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { allProperties, withoutZfs } from './module/command.ts';
import { allFromZfs, fromSize, isBookmark, isDataset, isSnapshot } from './module/values.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, foretelling, type StateContext, type StateResult } from '../shared/state-function.ts';
import { scheduledSnapshot } from './state/schedule.ts';
import { attempt, exists, zfsCall } from './state/attempt.ts';

/** A kind of thing that ZFS has, and how its names look. */
interface Kind {
  readonly type: 'filesystem' | 'volume' | 'snapshot' | 'bookmark';
  /** What a wrong name is called. */
  readonly named: 'dataset' | 'snapshot' | 'bookmark';
  readonly isName: (name: string) => boolean;
}
const FILESYSTEM: Kind = { type: 'filesystem', named: 'dataset', isName: isDataset };
const VOLUME: Kind = { type: 'volume', named: 'dataset', isName: isDataset };
const SNAPSHOT: Kind = { type: 'snapshot', named: 'snapshot', isName: isSnapshot };
const BOOKMARK: Kind = { type: 'bookmark', named: 'bookmark', isName: isBookmark };

async function absent(
  ctx: StateContext,
  { type, named, isName }: Kind,
  { name, force, recursive }: { readonly name: string; readonly force: Value; readonly recursive: Value },
): Promise<StateResult> {
  if (!isName(name)) return outcome(name, false, `invalid ${named} name: ${name}`);
  if (!(await exists(ctx, name, type))) return outcome(name, true, `${type} ${name} is absent`);
  const { isDone, error } = await attempt(ctx, 'destroy', 'destroyed', [name], { force, recursive });
  return isDone
    ? outcome(name, true, `${type} ${name} was destroyed`, dict({ [name]: 'destroyed' }))
    : outcome(name, false, error ?? `failed to destroy ${type} ${name}`);
}

interface Hold {
  readonly name: string;
  readonly snapshot: string;
  readonly recursive: Value;
}

/** What is wrong with the names of a hold. */
function wrongHold({ name, snapshot }: Hold): string | undefined {
  if (!isSnapshot(snapshot)) return `invalid snapshot name: ${snapshot}`;
  return isSnapshot(name) || isBookmark(name) || name === 'error' ? `invalid tag name: ${name}` : undefined;
}

async function holdsOf(ctx: StateContext, snapshot: string): Promise<Dict> {
  const found = await zfsCall(ctx, 'holds', [snapshot]);
  return isDict(found) ? found : dict();
}

async function holdAbsent(ctx: StateContext, hold: Hold): Promise<StateResult> {
  const { name, snapshot, recursive } = hold;
  const wrong = wrongHold(hold);
  if (wrong !== undefined) return outcome(name, false, wrong);
  const holds = await holdsOf(ctx, snapshot);
  if (!holds.has(name)) {
    const error = holds.get('error');
    return error === undefined ? outcome(name, true, `hold ${name} is absent`) : outcome(name, false, error);
  }
  const { isDone, error } = await attempt(ctx, 'release', 'released', [name, snapshot], { recursive });
  return isDone
    ? outcome(name, true, `hold ${name} released`, dict({ [snapshot]: { [name]: 'released' } }))
    : outcome(name, false, error ?? `failed to release hold ${name}`);
}

async function holdPresent(ctx: StateContext, hold: Hold): Promise<StateResult> {
  const { name, snapshot, recursive } = hold;
  const wrong = wrongHold(hold);
  if (wrong !== undefined) return outcome(name, false, wrong);
  if ((await holdsOf(ctx, snapshot)).has(name))
    return outcome(name, true, `hold ${name} is present for ${snapshot}`);
  const { isDone, error } = await attempt(ctx, 'hold', 'held', [name, snapshot], { recursive });
  return isDone
    ? outcome(name, true, `hold ${name} added to ${snapshot}`, dict({ [snapshot]: { [name]: 'held' } }))
    : outcome(name, false, error ?? `failed to add hold ${name} to ${snapshot}`);
}

/** A file system or volume as it is wanted. */
interface Dataset {
  readonly name: string;
  readonly properties: Dict;
  readonly create_parent: Value;
  readonly cloned_from: string | undefined;
  /** Of volumes only. */
  readonly volume_size?: Value;
  readonly sparse?: Value;
}

/** The wanted properties that are not as wanted. */
async function differing(ctx: StateContext, type: string, name: string, wanted: Dict): Promise<Value[]> {
  const asked = {
    properties: [...wanted.keys()].map(pyStr).sort().join(','),
    type,
    fields: 'value',
    depth: 0,
    parsable: true,
  };
  const said = await zfsCall(ctx, 'get', [name], asked);
  const current = isDict(said) ? said.get(name) : undefined;
  const found: Value[] = [];
  for (const [key, value] of wanted) {
    const now = isDict(current) ? current.get(key) : undefined;
    if (!isDict(now))
      ctx.log.warning(`zfs.${type}_present::${name}::update - unknown property: ${pyStr(key)}`);
    else if (!valuesEqual(now.get('value') ?? null, value)) found.push(key);
  }
  return found;
}

async function update(
  ctx: StateContext,
  type: string,
  { name, properties }: Pick<Dataset, 'name' | 'properties'>,
): Promise<StateResult> {
  const changed = dict();
  let isFine = true;
  for (const key of properties.size === 0 ? [] : await differing(ctx, type, name, properties)) {
    const value = properties.get(key) ?? null;
    const { isDone } = await attempt(ctx, 'set', 'set', [name], { [pyStr(key)]: value });
    if (isDone) changed.set(key, value);
    isFine &&= isDone;
  }
  const changes = changed.size > 0 ? new Map<Value, Value>([[name, changed]]) : dict();
  if (!isFine) return outcome(name, false, `${type} ${name} failed to be updated`, changes);
  return outcome(name, true, `${type} ${name} ${changed.size > 0 ? 'was updated' : 'is uptodate'}`, changes);
}

async function present(ctx: StateContext, type: Kind['type'], dataset: Dataset): Promise<StateResult> {
  const { name, create_parent, cloned_from, sparse = false } = dataset;
  const properties = allFromZfs(await allProperties(ctx), dataset.properties);
  const isSized = truthy(dataset.volume_size ?? null);
  const volume_size = isSized ? fromSize(dataset.volume_size ?? null) : (dataset.volume_size ?? null);
  if (isSized) properties.set('volsize', volume_size);
  if (!isDataset(name)) return outcome(name, false, `invalid dataset name: ${name}`);
  if (cloned_from !== undefined && !isSnapshot(cloned_from))
    return outcome(name, false, `${cloned_from} is not a snapshot`);
  if (await exists(ctx, name, type)) return update(ctx, type, { name, properties });
  const { isDone, error } =
    cloned_from === undefined
      ? await attempt(ctx, 'create', 'created', [name], { create_parent, properties, volume_size, sparse })
      : await attempt(ctx, 'clone', 'cloned', [cloned_from, name], { create_parent, properties });
  const verb = cloned_from === undefined ? 'create' : 'clone';
  if (!isDone) return outcome(name, false, error ?? `failed to ${verb} ${type} ${name}`);
  const changes = new Map<Value, Value>([[name, properties.size > 0 ? properties : `${verb}d`]]);
  return outcome(name, true, `${type} ${name} was ${verb}d`, changes);
}

async function bookmarkPresent(ctx: StateContext, given: string, snapshot: string): Promise<StateResult> {
  if (!isSnapshot(snapshot)) return outcome(given, false, `invalid snapshot name: ${given}`);
  const isShort = !given.includes('#') && !given.includes('/');
  const name = isShort ? `${snapshot.slice(0, snapshot.indexOf('@'))}#${given}` : given;
  if (!isBookmark(name)) return outcome(name, false, `invalid bookmark name: ${name}`);
  if (await exists(ctx, name, 'bookmark')) return outcome(name, true, 'bookmark is present');
  const { isDone, error } = await attempt(ctx, 'bookmark', 'bookmarked', [snapshot, name], {});
  return isDone
    ? outcome(name, true, `${snapshot} bookmarked as ${name}`, dict({ [name]: snapshot }))
    : outcome(name, false, error ?? `failed to bookmark ${snapshot}`);
}

async function snapshotPresent(
  ctx: StateContext,
  name: string,
  { recursive, properties: given }: { readonly recursive: Value; readonly properties: Dict },
): Promise<StateResult> {
  const properties = given.size === 0 ? given : allFromZfs(await allProperties(ctx), given);
  if (!isSnapshot(name)) return outcome(name, false, `invalid snapshot name: ${name}`);
  if (await exists(ctx, name, 'snapshot')) return outcome(name, true, 'snapshot is present');
  const { isDone, error } = await attempt(ctx, 'snapshot', 'snapshotted', [name], { recursive, properties });
  if (!isDone) return outcome(name, false, error ?? `failed to create snapshot ${name}`);
  const changes = new Map<Value, Value>([[name, properties.size > 0 ? properties : 'snapshotted']]);
  return outcome(name, true, `snapshot ${name} was created`, changes);
}

async function promoted(ctx: StateContext, name: string): Promise<StateResult> {
  if (!isDataset(name)) return outcome(name, false, `invalid dataset name: ${name}`);
  if (!(await exists(ctx, name, 'filesystem,volume')))
    return outcome(name, false, `dataset ${name} does not exist`);
  const asked = { properties: 'origin', fields: 'value', parsable: true };
  const said = await zfsCall(ctx, 'get', [name], asked);
  const own = isDict(said) ? said.get(name) : undefined;
  const origin = isDict(own) ? own.get('origin') : undefined;
  if (!isDict(origin)) throw new PythonError('KeyError', `'${name}'`);
  if (origin.get('value') === '-') return outcome(name, true, `${name} already promoted`);
  const { isDone, error } = await attempt(ctx, 'promote', 'promoted', [name], {});
  return isDone
    ? outcome(name, true, `${name} promoted`, dict({ [name]: 'promoted' }))
    : outcome(name, false, error ?? `failed to promote ${name}`);
}

const named = (doc: string) => ({ name: param.text({ doc }) }) as const;
const UNWANTED = {
  force: param.value({ default: false, type: 'bool', doc: 'Unmount it, even when it is in use.' }),
  recursive: param.value({ default: false, type: 'bool', doc: 'All that is below it, too.' }),
} as const;
const HOLD = {
  name: param.text({ doc: 'The tag of the hold.' }),
  snapshot: param.text({ doc: 'The snapshot.' }),
  recursive: param.value({
    default: false,
    type: 'bool',
    doc: 'Also on the snapshots of all that is below.',
  }),
} as const;
const PROPERTIES = { properties: param.mapping({ default: null, doc: 'Its properties.' }) } as const;
const PARENT = {
  create_parent: param.value({ default: false, type: 'bool', doc: 'Make what is above it.' }),
} as const;
const CLONED = {
  cloned_from: param.textIfGiven({ default: null, doc: 'The snapshot that it is made of.' }),
} as const;

/** Makes sure that something of a kind is not there. */
const absentState = (kind: Kind, what: string) =>
  defineState({
    doc: `Makes sure that a ${what} is not there.`,
    params: { ...named(`The ${what}.`), ...UNWANTED },
    run: (ctx, unwanted) => absent(ctx, kind, unwanted),
  });

/** The states of `zfs`. */
export const zfsStates = defineModule({
  name: 'zfs',
  file: 'zfs',
  doc: 'File systems, volumes, snapshots, bookmarks and holds of ZFS.',
  unavailable: withoutZfs('zfs state'),
  functions: foretelling({
    filesystem_absent: absentState(FILESYSTEM, 'file system'),
    volume_absent: absentState(VOLUME, 'volume'),
    snapshot_absent: absentState(SNAPSHOT, 'snapshot'),
    bookmark_absent: absentState(BOOKMARK, 'bookmark'),
    hold_absent: defineState({
      doc: 'Makes sure that a hold is not there.',
      params: HOLD,
      run: holdAbsent,
    }),
    hold_present: defineState({
      doc: 'Makes sure of a hold.',
      params: HOLD,
      run: holdPresent,
    }),
    filesystem_present: defineState({
      doc: 'Makes sure of a file system and its properties.',
      params: { ...named('The file system.'), ...PARENT, ...PROPERTIES, ...CLONED },
      run: (ctx, wanted) => present(ctx, 'filesystem', wanted),
    }),
    volume_present: defineState({
      doc: 'Makes sure of a volume and its properties.',
      params: {
        ...named('The volume.'),
        volume_size: param.value({ type: 'str', doc: 'How large: 1G.' }),
        sparse: param.value({ default: false, type: 'bool', doc: 'Room is taken when it is written.' }),
        ...PARENT,
        ...PROPERTIES,
        ...CLONED,
      },
      run: (ctx, wanted) => present(ctx, 'volume', wanted),
    }),
    bookmark_present: defineState({
      doc: 'Makes sure of a bookmark.',
      params: { ...named('The bookmark; a short name is one of the snapshot.'), snapshot: HOLD.snapshot },
      run: (ctx, { name, snapshot }) => bookmarkPresent(ctx, name, snapshot),
    }),
    snapshot_present: defineState({
      doc: 'Makes sure of a snapshot.',
      params: {
        ...named('The snapshot.'),
        recursive: param.value({ default: false, type: 'bool', doc: 'Also of all that is below.' }),
        ...PROPERTIES,
      },
      run: (ctx, { name, ...wanted }) => snapshotPresent(ctx, name, wanted),
    }),
    promoted: defineState({
      doc: 'Makes sure that a file system or volume is no clone.',
      params: named('The file system or volume.'),
      run: (ctx, { name }) => promoted(ctx, name),
    }),
    scheduled_snapshot: defineState({
      doc: 'Keeps so many snapshots of each minute, hour, day, month and year, made when the state is applied.',
      params: {
        ...named('The file system or volume.'),
        prefix: param.value({ type: 'str', doc: 'What their names begin with; four letters at least.' }),
        recursive: param.value({ default: true, type: 'bool', doc: 'Also of all that is below.' }),
        schedule: param.mapping({ default: null, doc: 'How many of each: minute, hour, day, month, year.' }),
      },
      run: scheduledSnapshot,
    }),
  }),
});
