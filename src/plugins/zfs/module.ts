/** `zfs`: file systems, volumes and snapshots of ZFS. Follows 3006.16 salt/modules/zfs.py. */
import { localTimeMs, strftime } from '../../python/text/strftime.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines, strip } from '../../python/values/text.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import {
  actZfs,
  allProperties,
  flagsFor,
  listedProperties,
  mappingIn,
  optionsFor,
  resultOf,
  rowOf,
  runZfs,
  withoutZfs,
  wordsIn,
  type ZfsCommand,
} from './module/command.ts';
import { allFromZfs, allToZfs, fromZfs, isSnapshot, toSize, toZfs } from './module/values.ts';

const zfs = (ctx: ModuleContext, verb: string, command: ZfsCommand = {}) => runZfs(ctx, 'zfs', verb, command);

const act = (ctx: ModuleContext, verb: string, label: string, command: ZfsCommand) =>
  actZfs(ctx, 'zfs', verb, label, command);
const isSaid = (kwargs: Dict, name: string): boolean => truthy(kwargs.get(name) ?? null);
/** A keyword that is true unless something else is said. */
const isUnlessSaid = (kwargs: Dict, name: string): boolean => truthy(kwargs.get(name) ?? !kwargs.has(name));

function create(ctx: ModuleContext, name: Value, kwargs: Dict): Promise<Dict> {
  const volume = kwargs.get('volume_size') ?? null;
  const isSparse = truthy(volume) && isSaid(kwargs, 'sparse');
  return act(ctx, 'create', 'created', {
    flags: [...flagsFor(kwargs, { create_parent: '-p' }), ...(isSparse ? ['-s'] : [])],
    options: new Map(truthy(volume) ? [['-V', toSize(volume, false)]] : []),
    properties: mappingIn(kwargs, 'properties'),
    targets: [name],
  });
}

function rename(ctx: ModuleContext, name: string, newName: Value, kwargs: Dict): Promise<Dict> {
  const snapshots = isSnapshot(name);
  const wrong = snapshots ? ['create_parent', 'force'] : ['recursive'];
  for (const key of wrong.filter((each) => isSaid(kwargs, each)))
    ctx.log.warning(
      `zfs.rename - ${key}=True ${snapshots ? 'cannot be used with snapshots.' : 'can only be used with snapshots.'}`,
    );
  const flags = flagsFor(kwargs, snapshots ? { recursive: '-r' } : { create_parent: '-p', force: '-f' });
  return act(ctx, 'rename', 'renamed', { flags, targets: [name, newName] });
}

async function list(ctx: ModuleContext, name: Value, kwargs: Dict): Promise<Dict> {
  const properties = listedProperties(kwargs.get('properties') ?? 'used,avail,refer,mountpoint');
  const isRecursive = isSaid(kwargs, 'recursive');
  const options = optionsFor(kwargs, { ...(isRecursive ? { depth: '-d' } : {}), type: '-t' });
  const sort = pyStr(kwargs.get('sort') ?? '');
  if (sort !== '' && properties.includes(sort))
    options.set(pyStr(kwargs.get('order') ?? 'ascending').startsWith('a') ? '-s' : '-S', sort);
  options.set('-o', properties.join(','));
  const flags = ['-H', ...flagsFor(kwargs, { recursive: '-r' })];
  const said = await zfs(ctx, 'list', { flags, options, targets: [name] });
  if (said.retcode !== 0) return resultOf(said);
  const types = await allProperties(ctx);
  const convert = isUnlessSaid(kwargs, 'parsable') ? allFromZfs : allToZfs;
  return new Map(
    splitLines(said.stdout).map((line): [Value, Value] => {
      const { name: own, rest } = withoutName(convert(types, rowOf(properties, line)));
      return [own, rest];
    }),
  );
}

function withoutName(row: Dict): { readonly name: Value; readonly rest: Dict } {
  const name = row.get('name') ?? null;
  row.delete('name');
  return { name, rest: row };
}

async function diff(ctx: ModuleContext, one: Value, other: Value | undefined, kwargs: Dict): Promise<Value> {
  const hasTime = isUnlessSaid(kwargs, 'show_changetime');
  const flags = [
    '-H',
    ...(hasTime ? ['-t'] : []),
    ...(isUnlessSaid(kwargs, 'show_indication') ? ['-F'] : []),
  ];
  const said = await zfs(ctx, 'diff', { flags, targets: other !== undefined ? [one, other] : [one] });
  if (said.retcode !== 0) return resultOf(said);
  const lines = splitLines(said.stdout);
  if (isUnlessSaid(kwargs, 'parsable') || !hasTime) return lines;
  return new Map(
    lines.map((line): [Value, Value] => {
      const [time = '', ...entry] = wordsIn(line);
      return [timeText(time), entry.join('\t\t')];
    }),
  );
}

const SECOND_MS = 1000;
const MICROS = 6;

/** Seconds since 1970 with a fraction, as a time of this machine. */
function timeText(seconds: string): string {
  const [whole = '0', fraction = ''] = seconds.split('.');
  const ms = Number(whole) * SECOND_MS;
  return `${strftime(localTimeMs(ms), '%Y-%m-%d.%H:%M:%S')}.${fraction.padEnd(MICROS, '0').slice(0, MICROS)}`;
}

async function rollback(ctx: ModuleContext, name: Value, kwargs: Dict): Promise<Dict> {
  const flags = flagsFor(kwargs, { recursive_all: '-R', recursive: '-r' });
  if (isSaid(kwargs, 'force')) {
    if (flags.length > 0) flags.push('-f');
    else
      ctx.log.warning('zfs.rollback - force=True can only be used with recursive_all=True or recursive=True');
  }
  return act(ctx, 'rollback', 'rolledback', { flags, targets: [name] });
}

async function holds(ctx: ModuleContext, snapshot: Value, kwargs: Dict): Promise<Dict> {
  const flags = ['-H', ...flagsFor(kwargs, { recursive: '-r' })];
  const said = await zfs(ctx, 'holds', { flags, targets: [snapshot] });
  const found = resultOf(said);
  if (said.retcode === 0)
    for (const line of splitLines(said.stdout)) {
      const [, tag = '', timestamp = ''] = line.split('\t');
      found.set(strip(tag), timestamp);
    }
  return found;
}

async function get(ctx: ModuleContext, datasets: readonly Value[], kwargs: Dict): Promise<Dict> {
  const asked = pyStr(kwargs.get('fields') ?? 'value,source')
    .split(',')
    .filter((field) => field !== 'name' && field !== 'property');
  const fields = ['name', 'property', ...asked];
  const options = optionsFor(kwargs, { depth: '-d', type: '-t', source: '-s' }).set('-o', fields.join(','));
  const flags = ['-H', ...(options.has('-d') ? [] : flagsFor(kwargs, { recursive: '-r' }))];
  const property = kwargs.get('properties') ?? 'all';
  const said = await zfs(ctx, 'get', { flags, options, property, targets: datasets });
  const found = resultOf(said);
  if (said.retcode !== 0) return found;
  const types = await allProperties(ctx);
  const isPlain = isUnlessSaid(kwargs, 'parsable');
  for (const line of splitLines(said.stdout)) {
    const row = rowOf(fields, line);
    const [name, own] = [row.get('name') ?? null, row.get('property') ?? null];
    const value = row.get('value');
    if (value !== undefined)
      row.set('value', isPlain ? fromZfs(types, pyStr(own), value) : toZfs(types, pyStr(own), value, true));
    row.delete('name');
    row.delete('property');
    const known = found.get(name);
    if (isDict(known)) known.set(own, row);
    else found.set(name, new Map([[own, row]]));
  }
  return found;
}

const NAME = { name: param.value({ type: 'str', doc: 'The file system, volume or snapshot.' }) } as const;
const SNAPSHOT = { snapshot: param.value({ type: 'str', doc: 'The snapshot.' }) } as const;
const TAG = { tag: param.value({ type: 'str', doc: 'The tag of the hold.' }) } as const;
const done = (label: string): string =>
  `mapping with ${label} (true or false), and with error where it fails`;
/** Names of properties may be of any kind; ZFS is told each in one word that has its option before it. */
const PROPERTIES = { dashes: ['properties', 'options'] } as const;

const changing = {
  create: defineFunction({
    doc: 'Makes a file system, or a volume where volume_size is given. Further keywords: properties, create_parent, sparse.',
    params: NAME,
    kwargs: 'kwargs',
    returns: done('created'),
    examples: ["salt '*' zfs.create myzpool/mydataset properties=\"{'mountpoint': '/export/zfs'}\""],
    words: PROPERTIES,
    run: (ctx, { name }, _rest, kwargs) => create(ctx, name, kwargs),
  }),
  destroy: defineFunction({
    doc: 'Removes a file system, volume or snapshot. Further keywords: force, recursive, recursive_all.',
    params: NAME,
    kwargs: 'kwargs',
    returns: done('destroyed'),
    examples: ["salt '*' zfs.destroy myzpool/mydataset force=True"],
    run: (ctx, { name }, _rest, kwargs) =>
      act(ctx, 'destroy', 'destroyed', {
        flags: flagsFor(kwargs, { force: '-f', recursive_all: '-R', recursive: '-r' }),
        targets: [name],
      }),
  }),
  rename: defineFunction({
    doc: 'Renames a file system, volume or snapshot. Further keywords: force, create_parent, recursive.',
    params: {
      name: param.text({ doc: 'What is renamed.' }),
      new_name: param.value({ type: 'str', doc: 'Its new name.' }),
    },
    kwargs: 'kwargs',
    returns: done('renamed'),
    examples: ["salt '*' zfs.rename myzpool/mydataset myzpool/renameddataset"],
    run: (ctx, { name, new_name }, _rest, kwargs) => rename(ctx, name, new_name, kwargs),
  }),
  mount: defineFunction({
    doc: 'Mounts a file system, or all. Further keywords: overlay, options.',
    params: { name: param.value({ default: null, type: 'str', doc: 'The file system.' }) },
    kwargs: 'kwargs',
    returns: done('mounted'),
    examples: ["salt '*' zfs.mount myzpool/mydataset options=ro"],
    words: PROPERTIES,
    run: (ctx, { name }, _rest, kwargs) =>
      act(ctx, 'mount', 'mounted', {
        flags: flagsFor(kwargs, { overlay: '-O' }),
        options: optionsFor(kwargs, { options: '-o' }),
        targets: [name],
      }),
  }),
  unmount: defineFunction({
    doc: 'Unmounts a file system. Further keywords: force.',
    params: { name: param.value({ type: 'str', doc: 'The file system; None or -a for all.' }) },
    kwargs: 'kwargs',
    returns: done('unmounted'),
    examples: ["salt '*' zfs.unmount myzpool/mydataset"],
    words: { dashes: ['name'] },
    run: (ctx, { name }, _rest, kwargs) => {
      const isAll = name === null || name === '-a';
      const flags = [...flagsFor(kwargs, { force: '-f' }), ...(isAll ? ['-a'] : [])];
      // a name that begins with a dash is no option
      const target = typeof name === 'string' && name.startsWith('-') ? `./${name}` : name;
      return act(ctx, 'unmount', 'unmounted', { flags, targets: isAll ? [] : [target] });
    },
  }),
  inherit: defineFunction({
    doc: 'Takes a setting of a property away, so that it is inherited. Further keywords: recursive, revert.',
    params: { prop: param.value({ type: 'str', doc: 'The property.' }), ...NAME },
    kwargs: 'kwargs',
    returns: done('inherited'),
    examples: ["salt '*' zfs.inherit canmount myzpool/mydataset"],
    run: (ctx, { prop, name }, _rest, kwargs) =>
      act(ctx, 'inherit', 'inherited', {
        flags: flagsFor(kwargs, { recursive: '-r', revert: '-S' }),
        property: prop,
        targets: [name],
      }),
  }),
  rollback: defineFunction({
    doc: 'Makes a file system what a snapshot is. Further keywords: recursive, recursive_all, force.',
    params: NAME,
    kwargs: 'kwargs',
    returns: done('rolledback'),
    examples: ["salt '*' zfs.rollback myzpool/mydataset@yesterday"],
    run: (ctx, { name }, _rest, kwargs) => rollback(ctx, name, kwargs),
  }),
  clone: defineFunction({
    doc: 'Makes a file system or volume of a snapshot. Further keywords: create_parent, properties.',
    params: {
      name_a: param.value({ type: 'str', doc: 'The snapshot.' }),
      name_b: param.value({ type: 'str', doc: 'The file system or volume.' }),
    },
    kwargs: 'kwargs',
    returns: done('cloned'),
    examples: ["salt '*' zfs.clone myzpool/mydataset@yesterday myzpool/mydataset_yesterday"],
    words: PROPERTIES,
    run: (ctx, { name_a, name_b }, _rest, kwargs) =>
      act(ctx, 'clone', 'cloned', {
        flags: flagsFor(kwargs, { create_parent: '-p' }),
        properties: mappingIn(kwargs, 'properties'),
        targets: [name_a, name_b],
      }),
  }),
  promote: defineFunction({
    doc: 'Makes a clone independent of its snapshot.',
    params: NAME,
    returns: done('promoted'),
    examples: ["salt '*' zfs.promote myzpool/myclone"],
    run: (ctx, { name }) => act(ctx, 'promote', 'promoted', { targets: [name] }),
  }),
  bookmark: defineFunction({
    doc: 'Makes a bookmark of a snapshot.',
    params: { ...SNAPSHOT, bookmark: param.value({ type: 'str', doc: 'The bookmark.' }) },
    returns: done('bookmarked'),
    examples: ["salt '*' zfs.bookmark myzpool/mydataset@yesterday myzpool/mydataset#complete"],
    run: (ctx, { snapshot, bookmark }) =>
      truthy(ctx.grains.get('zfs_feature_flags') ?? null)
        ? act(ctx, 'bookmark', 'bookmarked', { targets: [snapshot, bookmark] })
        : dict({ error: 'bookmarks are not supported' }),
  }),
  hold: defineFunction({
    doc: 'Puts a hold on snapshots. Further keywords: recursive.',
    params: TAG,
    varargs: 'snapshot',
    kwargs: 'kwargs',
    returns: done('held'),
    examples: ["salt '*' zfs.hold mytag myzpool/mydataset@mysnapshot"],
    run: (ctx, { tag }, snapshots, kwargs) =>
      act(ctx, 'hold', 'held', {
        flags: flagsFor(kwargs, { recursive: '-r' }),
        targets: [tag, ...snapshots],
      }),
  }),
  release: defineFunction({
    doc: 'Takes a hold off snapshots. Further keywords: recursive.',
    params: TAG,
    varargs: 'snapshot',
    kwargs: 'kwargs',
    returns: done('released'),
    examples: ["salt '*' zfs.release mytag myzpool/mydataset@mysnapshot"],
    run: (ctx, { tag }, snapshots, kwargs) =>
      act(ctx, 'release', 'released', {
        flags: flagsFor(kwargs, { recursive: '-r' }),
        targets: [tag, ...snapshots],
      }),
  }),
  snapshot: defineFunction({
    doc: 'Makes snapshots. Further keywords: recursive, properties.',
    varargs: 'snapshot',
    kwargs: 'kwargs',
    returns: done('snapshotted'),
    examples: ["salt '*' zfs.snapshot myzpool/mydataset@yesterday recursive=True"],
    words: PROPERTIES,
    run: (ctx, _args, snapshots, kwargs) =>
      act(ctx, 'snapshot', 'snapshotted', {
        flags: flagsFor(kwargs, { recursive: '-r' }),
        properties: mappingIn(kwargs, 'properties'),
        targets: snapshots,
      }),
  }),
  set: defineFunction({
    doc: 'Sets properties, which are the keywords.',
    varargs: 'dataset',
    kwargs: 'kwargs',
    returns: done('set'),
    examples: ["salt '*' zfs.set myzpool/mydataset compression=off"],
    run: (ctx, _args, datasets, kwargs) => {
      const settings = new Map([...kwargs].filter(([key]) => !pyStr(key).startsWith('__')));
      return act(ctx, 'set', 'set', { settings, targets: datasets });
    },
  }),
};

const asking = {
  exists: defineFunction({
    doc: 'Says whether a file system, volume or snapshot is there. Further keywords: type.',
    params: NAME,
    kwargs: 'kwargs',
    returns: 'true or false',
    examples: ["salt '*' zfs.exists myzpool/mydataset type=volume"],
    run: async (ctx, { name }, _rest, kwargs) => {
      const command = { options: optionsFor(kwargs, { type: '-t' }), targets: [name] };
      return (await runZfs(ctx, 'zfs', 'list', command, { ignore_retcode: true })).retcode === 0;
    },
  }),
  list: defineFunction({
    doc: 'Lists file systems and volumes. Further keywords: recursive, depth, properties, type, sort, order, parsable.',
    params: { name: param.value({ default: null, type: 'str', doc: 'Only this one.' }) },
    kwargs: 'kwargs',
    returns: 'mapping of name to its properties',
    examples: ["salt '*' zfs.list myzpool/mydataset recursive=True depth=2"],
    pythonName: 'list_',
    run: (ctx, { name }, _rest, kwargs) => list(ctx, name, kwargs),
  }),
  list_mount: defineFunction({
    doc: 'Lists the mounted file systems.',
    returns: 'mapping of name to mount point',
    examples: ["salt '*' zfs.list_mount"],
    run: async (ctx) => {
      const said = await zfs(ctx, 'mount');
      if (said.retcode !== 0) return resultOf(said);
      const rows = splitLines(said.stdout).map(wordsIn);
      return new Map(rows.map((row): [Value, Value] => [row[0] ?? '', row.at(-1) ?? '']));
    },
  }),
  diff: defineFunction({
    doc: 'Lists what has changed since a snapshot. Further keywords: show_changetime, show_indication, parsable.',
    params: {
      name_a: param.value({ type: 'str', doc: 'The snapshot.' }),
      name_b: param.valueIfGiven({ default: null, type: 'str', doc: 'A later snapshot, or a file system.' }),
    },
    kwargs: 'kwargs',
    returns: 'list of lines; not parsable, a mapping of times to them',
    examples: ["salt '*' zfs.diff myzpool/mydataset@yesterday myzpool/mydataset"],
    run: (ctx, { name_a, name_b }, _rest, kwargs) => diff(ctx, name_a, name_b, kwargs),
  }),
  holds: defineFunction({
    doc: 'Lists the holds on a snapshot. Further keywords: recursive.',
    params: SNAPSHOT,
    kwargs: 'kwargs',
    returns: 'mapping of tag to time',
    examples: ["salt '*' zfs.holds myzpool/mydataset@baseline"],
    run: (ctx, { snapshot }, _rest, kwargs) => holds(ctx, snapshot, kwargs),
  }),
  get: defineFunction({
    doc: 'Returns properties. Further keywords: properties, recursive, depth, fields, type, source, parsable.',
    varargs: 'dataset',
    kwargs: 'kwargs',
    returns: 'mapping of name to properties, of which each has value and source',
    examples: ["salt '*' zfs.get myzpool/mydataset properties=used,avail"],
    run: (ctx, _args, datasets, kwargs) => get(ctx, datasets, kwargs),
  }),
};

/** The module. */
export const zfsModule = defineModule({
  name: 'zfs',
  file: 'zfs',
  doc: 'File systems, volumes and snapshots of ZFS.',
  unavailable: withoutZfs('zfs module'),
  words: {},
  failsWith: {
    error: [
      'bookmark',
      'clone',
      'create',
      'destroy',
      'hold',
      'inherit',
      'mount',
      'promote',
      'release',
      'rename',
      'rollback',
      'set',
      'snapshot',
      'unmount',
    ],
  },
  functions: { ...asking, ...changing },
});
