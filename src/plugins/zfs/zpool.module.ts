/** `zpool`: pools of ZFS. Follows 3006.16 salt/modules/zpool.py. */
import { CommandNotFoundError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { isFile } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines, strip } from '../../python/values/text.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { pathOperand, runAll } from '../shared/program.ts';
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
  type ZfsCommand,
} from './module/command.ts';
import { iostatIn, statusIn, vdevsOf } from './module/pool-status.ts';
import { allFromZfs, allToZfs, fromZfs, toZfs } from './module/values.ts';

const zpool = (ctx: ModuleContext, verb: string, command: ZfsCommand = {}) =>
  runZfs(ctx, 'zpool', verb, command);

const act = (ctx: ModuleContext, verb: string, label: string, command: ZfsCommand) =>
  actZfs(ctx, 'zpool', verb, label, command);
async function statusOf(ctx: ModuleContext, pool: Value): Promise<Dict> {
  const said = await zpool(ctx, 'status', { targets: [pool] });
  return said.retcode === 0 ? statusIn(said.stdout, await allProperties(ctx)) : resultOf(said);
}

/** The same, and the disks of the pool afterwards. */
async function actOnDisks(
  ctx: ModuleContext,
  verb: string,
  label: string,
  { pool, ...command }: ZfsCommand & { readonly pool: Value },
): Promise<Dict> {
  const result = await act(ctx, verb, label, command);
  if (result.get(label) !== true) return result;
  const about = (await statusOf(ctx, pool)).get(pool);
  const config = isDict(about) ? about.get('config') : undefined;
  const own = isDict(config) ? config.get(pool) : undefined;
  return result.set('vdevs', isDict(own) ? vdevsOf(own) : null);
}

const hasFeatures = (ctx: ModuleContext): boolean => truthy(ctx.grains.get('zfs_feature_flags') ?? null);

async function list(ctx: ModuleContext, given: string[], pool: Value, isPlain: boolean): Promise<Dict> {
  const properties = given.filter((name) => name !== 'frag' || hasFeatures(ctx));
  const options = new Map<string, Value>([['-o', properties.join(',')]]);
  const said = await zpool(ctx, 'list', { flags: ['-H'], options, targets: [pool] });
  if (said.retcode !== 0) return resultOf(said);
  const types = await allProperties(ctx);
  const convert = isPlain ? allFromZfs : allToZfs;
  return new Map(
    splitLines(said.stdout).map((line): [Value, Value] => {
      const row = convert(types, rowOf(properties, strip(line)));
      const name = row.get('name') ?? null;
      row.delete('name');
      return [name, row];
    }),
  );
}

/** What of properties is wanted. */
interface Asked {
  readonly prop: string;
  readonly hasSource: boolean;
  readonly isPlain: boolean;
}

async function get(ctx: ModuleContext, pool: Value, { prop, hasSource, isPlain }: Asked): Promise<Dict> {
  const said = await zpool(ctx, 'get', { flags: ['-H'], property: prop, targets: [pool] });
  if (said.retcode !== 0) return resultOf(said);
  const types = await allProperties(ctx);
  const found = dict();
  for (const line of splitLines(said.stdout)) {
    const [, property = '', written = '', source] = strip(line)
      .split('\t')
      .filter((field) => field !== '');
    const value = isPlain ? fromZfs(types, property, written) : toZfs(types, property, written, true);
    const row = dict({ value });
    if (source !== undefined) row.set('source', source);
    found.set(property, hasSource ? row : value);
  }
  return found;
}

async function makeFiles(ctx: ModuleContext, size: string, files: readonly Value[]): Promise<Dict> {
  const program = findProgram('mkfile');
  if (program === undefined) throw new CommandNotFoundError("The 'mkfile' binary was not found in $PATH.");
  const result = dict();
  const errors = dict();
  for (const file of files.map(pyStr)) {
    if (isFile(file)) {
      result.set(file, 'existed');
      continue;
    }
    const { retcode, stderr } = await runAll(ctx, [program, size, pathOperand(file)]);
    if (retcode === 0) result.set(file, 'created');
    else if (stderr.includes(':')) {
      result.set(file, 'failed');
      errors.set(file, strip(stderr).split(':').slice(1).join(':'));
    }
  }
  return errors.size > 0 ? result.set('error', errors) : result;
}

function importPool(
  ctx: ModuleContext,
  pool: Value | undefined,
  newName: Value,
  kwargs: Dict,
): Promise<Dict> {
  const isDestroyed = truthy(kwargs.get('only_destroyed') ?? null);
  const flags = [
    ...(isDestroyed ? ['-f'] : flagsFor(kwargs, { force: '-f' })),
    ...flagsFor(kwargs, { only_destroyed: '-D', no_mount: '-N' }),
  ];
  const options = optionsFor(kwargs, { altroot: '-R', mntopts: '-o' });
  const dirs = kwargs.get('dir') ?? null;
  if (truthy(dirs)) options.set('-d', pyStr(dirs).split(','));
  const recovery = hasFeatures(ctx) ? (kwargs.get('recovery') ?? false) : false;
  if (recovery === true || recovery === 'test') flags.push('-F');
  if (recovery === 'test') flags.push('-n');
  if (recovery === 'nolog') flags.push('-m');
  return act(ctx, 'import', 'imported', {
    flags: pool === undefined ? [...flags, '-a'] : flags,
    options,
    poolProperties: mappingIn(kwargs, 'properties'),
    targets: pool === undefined ? [] : [pool, newName],
  });
}

async function history(
  ctx: ModuleContext,
  pool: Value,
  { internal, verbose }: { readonly internal: boolean; readonly verbose: boolean },
): Promise<Dict> {
  const flags = [...(verbose ? ['-l'] : []), ...(internal ? ['-i'] : [])];
  const said = await zpool(ctx, 'history', { flags, targets: [pool] });
  if (said.retcode !== 0) return resultOf(said);
  const found = dict();
  let entries = dict();
  const [head, stamp] = ["History for '", '2018-01-08.03:27:25'.length];
  for (const line of splitLines(said.stdout)) {
    if (line.startsWith('History for')) {
      entries = dict();
      found.set(line.slice(head.length, -':'.length - 1), entries);
    } else if (line !== '') entries.set(line.slice(0, stamp), line.slice(stamp + 1));
  }
  return found;
}

const POOL = { zpool: param.value({ type: 'str', doc: 'The pool.' }) } as const;
const ONE = { zpool: param.value({ default: null, type: 'str', doc: 'Only this pool.' }) } as const;
const DEVICE = { device: param.value({ type: 'str', doc: 'The disk.' }) } as const;
const FORCE = { force: param.flag({ default: false, doc: 'Even where zpool warns.' }) } as const;
const PLAIN = {
  parsable: param.flag({ default: true, doc: 'Numbers, true and false, in place of what zpool writes.' }),
} as const;
const done = (label: string): string =>
  `mapping with ${label} (true or false), and with error where it fails`;
const DISKS = ', and vdevs: how the pool is made of its disks';
const SETTINGS = { dashes: ['properties', 'filesystem_properties', 'mntopts'] } as const;
const force = (isForced: boolean): string[] => (isForced ? ['-f'] : []);

const asking = {
  healthy: defineFunction({
    doc: 'Says whether all pools are healthy.',
    returns: 'true or false',
    examples: ["salt '*' zpool.healthy"],
    run: async (ctx) => (await zpool(ctx, 'status', { flags: ['-x'] })).stdout === 'all pools are healthy',
  }),
  status: defineFunction({
    doc: 'Describes pools and their disks.',
    params: ONE,
    returns: 'mapping of pool to what zpool says; config has the disks',
    examples: ["salt '*' zpool.status myzpool"],
    run: (ctx, { zpool: pool }) => statusOf(ctx, pool),
  }),
  iostat: defineFunction({
    doc: 'Measures what is read and written.',
    params: {
      ...ONE,
      sample_time: param.value({ default: 5, type: 'int', doc: 'For so many seconds.' }),
      ...PLAIN,
    },
    returns: 'mapping of pool to figures, and to its disks',
    examples: ["salt '*' zpool.iostat myzpool"],
    run: async (ctx, { zpool: pool, sample_time, parsable }) => {
      const said = await zpool(ctx, 'iostat', { flags: ['-v'], targets: [pool, sample_time, 2] });
      if (said.retcode !== 0) return resultOf(said);
      const types = await allProperties(ctx);
      return iostatIn(said.stdout, (row) => (parsable ? allFromZfs : allToZfs)(types, row));
    },
  }),
  list: defineFunction({
    doc: 'Lists the pools.',
    params: {
      properties: param.by(listedProperties, {
        default: 'size,alloc,free,cap,frag,health',
        type: 'list or str',
        doc: 'What of each.',
      }),
      ...ONE,
      ...PLAIN,
    },
    returns: 'mapping of pool to properties',
    examples: ["salt '*' zpool.list"],
    pythonName: 'list_',
    run: (ctx, { properties, zpool: pool, parsable }) => list(ctx, properties, pool, parsable),
  }),
  get: defineFunction({
    doc: 'Returns properties of a pool.',
    params: {
      ...POOL,
      prop: param.textIfGiven({ default: null, doc: 'Only this one.' }),
      show_source: param.flag({ default: false, doc: 'Also where each comes from.' }),
      ...PLAIN,
    },
    returns: 'mapping of property to its value, or to value and source',
    examples: ["salt '*' zpool.get myzpool"],
    run: (ctx, { zpool: pool, prop = 'all', show_source, parsable }) =>
      get(ctx, pool, { prop, hasSource: show_source, isPlain: parsable }),
  }),
  exists: defineFunction({
    doc: 'Says whether a pool is there.',
    params: POOL,
    returns: 'true or false',
    examples: ["salt '*' zpool.exists myzpool"],
    run: async (ctx, { zpool: pool }) =>
      (await runZfs(ctx, 'zpool', 'list', { targets: [pool] }, { ignore_retcode: true })).retcode === 0,
  }),
  history: defineFunction({
    doc: 'Lists what was done to pools.',
    params: {
      ...ONE,
      internal: param.flag({ default: false, doc: "Also ZFS' own events." }),
      verbose: param.flag({ default: false, doc: 'With user, host and zone.' }),
    },
    returns: 'mapping of pool to a mapping of times to commands',
    examples: ["salt '*' zpool.history myzpool"],
    run: (ctx, { zpool: pool, internal, verbose }) => history(ctx, pool, { internal, verbose }),
  }),
};

const onPools = {
  set: defineFunction({
    doc: 'Sets a property of a pool.',
    params: {
      ...POOL,
      prop: param.text({ doc: 'The property.' }),
      value: param.value({ type: 'str', doc: 'Its value.' }),
    },
    returns: done('set'),
    examples: ["salt '*' zpool.set myzpool readonly yes"],
    words: { dashes: ['value'] },
    run: (ctx, { zpool: pool, prop, value }) =>
      act(ctx, 'set', 'set', {
        ...(value === null ? { property: prop } : { settings: dict({ [prop]: value }) }),
        targets: [pool],
      }),
  }),
  destroy: defineFunction({
    doc: 'Destroys a pool.',
    params: { ...POOL, ...FORCE },
    returns: done('destroyed'),
    examples: ["salt '*' zpool.destroy myzpool"],
    run: (ctx, { zpool: pool, force: isForced }) =>
      act(ctx, 'destroy', 'destroyed', { flags: force(isForced), targets: [pool] }),
  }),
  scrub: defineFunction({
    doc: 'Begins to look through all data of a pool, or stops.',
    params: {
      ...POOL,
      stop: param.flag({ default: false, doc: 'Stop.' }),
      pause: param.flag({ default: false, doc: 'Pause.' }),
    },
    returns: done('scrubbing'),
    examples: ["salt '*' zpool.scrub myzpool"],
    run: async (ctx, { zpool: pool, stop, pause }) => {
      const flags = stop ? ['-s'] : pause ? ['-p'] : [];
      const result = await act(ctx, 'scrub', 'scrubbing', { flags, targets: [pool] });
      return result.get('scrubbing') === true ? dict({ scrubbing: !stop && !pause }) : result;
    },
  }),
  split: defineFunction({
    doc: 'Makes a new pool of one half of the mirrors of another. Further keywords: altroot, properties.',
    params: { ...POOL, newzpool: param.value({ type: 'str', doc: 'The new pool.' }) },
    kwargs: 'kwargs',
    returns: done('split'),
    examples: ["salt '*' zpool.split datamirror databackup altroot=/backup"],
    words: SETTINGS,
    run: (ctx, { zpool: pool, newzpool }, _rest, kwargs) =>
      act(ctx, 'split', 'split', {
        options: optionsFor(kwargs, { altroot: '-R' }),
        poolProperties: mappingIn(kwargs, 'properties'),
        targets: [pool, newzpool],
      }),
  }),
  export: defineFunction({
    doc: 'Exports pools. Further keywords: force.',
    varargs: 'pools',
    kwargs: 'kwargs',
    returns: done('exported'),
    examples: ["salt '*' zpool.export myzpool force=True"],
    run: (ctx, _args, pools, kwargs) =>
      act(ctx, 'export', 'exported', { flags: flagsFor(kwargs, { force: '-f' }), targets: pools }),
  }),
  import: defineFunction({
    doc: 'Imports a pool, or all. Further keywords: mntopts, force, altroot, dir, no_mount, only_destroyed, recovery, properties.',
    params: {
      zpool: param.valueIfGiven({ default: null, type: 'str', doc: 'The pool.' }),
      new_name: param.value({ default: null, type: 'str', doc: 'How it is called from now on.' }),
    },
    kwargs: 'kwargs',
    returns: done('imported'),
    examples: ["salt '*' zpool.import myzpool mynewzpool force=True"],
    words: SETTINGS,
    pythonName: 'import_',
    run: (ctx, { zpool: pool, new_name }, _rest, kwargs) => importPool(ctx, pool, new_name, kwargs),
  }),
  clear: defineFunction({
    doc: 'Forgets the errors of disks of a pool.',
    params: { ...POOL, device: param.value({ default: null, type: 'str', doc: 'Only of this disk.' }) },
    returns: done('cleared'),
    examples: ["salt '*' zpool.clear mypool"],
    run: (ctx, { zpool: pool, device }) => act(ctx, 'clear', 'cleared', { targets: [pool, device] }),
  }),
  reguid: defineFunction({
    doc: 'Gives a pool a new id.',
    params: POOL,
    returns: done('reguided'),
    examples: ["salt '*' zpool.reguid myzpool"],
    run: (ctx, { zpool: pool }) => act(ctx, 'reguid', 'reguided', { targets: [pool] }),
  }),
  reopen: defineFunction({
    doc: 'Opens all disks of a pool anew.',
    params: POOL,
    returns: done('reopened'),
    examples: ["salt '*' zpool.reopen myzpool"],
    run: (ctx, { zpool: pool }) => act(ctx, 'reopen', 'reopened', { targets: [pool] }),
  }),
  upgrade: defineFunction({
    doc: 'Turns on all that this ZFS can do, in a pool or in all.',
    params: {
      zpool: param.valueIfGiven({ default: null, type: 'str', doc: 'Only this pool.' }),
      version: param.valueIfGiven({ default: null, type: 'int', doc: 'Up to this version.' }),
    },
    returns: done('upgraded'),
    examples: ["salt '*' zpool.upgrade myzpool"],
    run: (ctx, { zpool: pool, version }) =>
      act(ctx, 'upgrade', 'upgraded', {
        flags: pool === undefined ? ['-a'] : [],
        options: new Map<string, Value>(version === undefined ? [] : [['-V', version]]),
        targets: pool === undefined ? [] : [pool],
      }),
  }),
};

const onDisks = {
  create: defineFunction({
    doc: 'Makes a pool of disks. Further keywords: force, altroot, mountpoint, createboot, properties, filesystem_properties.',
    params: POOL,
    varargs: 'vdevs',
    kwargs: 'kwargs',
    returns: done('created') + DISKS,
    examples: ["salt '*' zpool.create myzpool mirror /path/to/vdev1 /path/to/vdev2"],
    words: SETTINGS,
    run: (ctx, { zpool: pool }, vdevs, kwargs) => {
      const poolProperties = mappingIn(kwargs, 'properties');
      const isBoot = truthy(kwargs.get('createboot') ?? null) || poolProperties.has('bootsize');
      return actOnDisks(ctx, 'create', 'created', {
        pool,
        flags: [...flagsFor(kwargs, { force: '-f' }), ...(isBoot ? ['-B'] : [])],
        options: optionsFor(kwargs, { altroot: '-R', mountpoint: '-m' }),
        poolProperties,
        properties: mappingIn(kwargs, 'filesystem_properties'),
        targets: [pool, ...vdevs],
      });
    },
  }),
  add: defineFunction({
    doc: 'Adds disks to a pool. Further keywords: force.',
    params: POOL,
    varargs: 'vdevs',
    kwargs: 'kwargs',
    returns: done('added') + DISKS,
    examples: ["salt '*' zpool.add myzpool /path/to/vdev1"],
    run: (ctx, { zpool: pool }, vdevs, kwargs) =>
      actOnDisks(ctx, 'add', 'added', {
        pool,
        flags: flagsFor(kwargs, { force: '-f' }),
        targets: [pool, ...vdevs],
      }),
  }),
  attach: defineFunction({
    doc: 'Makes a mirror of a disk and a new one.',
    params: { ...POOL, ...DEVICE, new_device: param.value({ type: 'str', doc: 'The new disk.' }), ...FORCE },
    returns: done('attached') + DISKS,
    examples: ["salt '*' zpool.attach myzpool /path/to/vdev1 /path/to/vdev2"],
    run: (ctx, { zpool: pool, device, new_device, force: isForced }) =>
      actOnDisks(ctx, 'attach', 'attached', {
        pool,
        flags: force(isForced),
        targets: [pool, device, new_device],
      }),
  }),
  detach: defineFunction({
    doc: 'Takes a disk out of a mirror.',
    params: { ...POOL, ...DEVICE },
    // Salt compat: the word is so written
    returns: done('detatched') + DISKS,
    examples: ["salt '*' zpool.detach myzpool /path/to/vdev1"],
    run: (ctx, { zpool: pool, device }) =>
      actOnDisks(ctx, 'detach', 'detatched', { pool, targets: [pool, device] }),
  }),
  replace: defineFunction({
    doc: 'Puts a disk in the place of another.',
    params: {
      ...POOL,
      old_device: param.value({ type: 'str', doc: 'The disk that goes.' }),
      new_device: param.valueIfGiven({
        default: null,
        type: 'str',
        doc: 'The new one; the same place where it is left out.',
      }),
      ...FORCE,
    },
    returns: done('replaced') + DISKS,
    examples: ["salt '*' zpool.replace myzpool /path/to/vdev1 /path/to/vdev2"],
    run: (ctx, { zpool: pool, old_device, new_device, force: isForced }) =>
      actOnDisks(ctx, 'replace', 'replaced', {
        pool,
        flags: force(isForced),
        targets: [pool, old_device, ...(new_device === undefined ? [] : [new_device])],
      }),
  }),
  create_file_vdev: defineFunction({
    doc: 'Makes files that serve as disks, by mkfile.',
    params: { size: param.text({ doc: 'How large: 7G.' }) },
    varargs: 'vdevs',
    returns: 'mapping of file to existed, created or failed',
    examples: ["salt '*' zpool.create_file_vdev 7G /path/to/vdev1"],
    run: (ctx, { size }, vdevs) => makeFiles(ctx, size, vdevs),
  }),
  online: defineFunction({
    doc: 'Takes disks into service. Further keywords: expand.',
    params: POOL,
    varargs: 'vdevs',
    kwargs: 'kwargs',
    returns: done('onlined'),
    examples: ["salt '*' zpool.online myzpool /path/to/vdev1"],
    run: (ctx, { zpool: pool }, vdevs, kwargs) =>
      act(ctx, 'online', 'onlined', {
        flags: flagsFor(kwargs, { expand: '-e' }),
        targets: [pool, ...vdevs],
      }),
  }),
  offline: defineFunction({
    doc: 'Takes disks out of service. Further keywords: temporary.',
    params: POOL,
    varargs: 'vdevs',
    kwargs: 'kwargs',
    returns: done('offlined'),
    examples: ["salt '*' zpool.offline myzpool /path/to/vdev1"],
    run: (ctx, { zpool: pool }, vdevs, kwargs) =>
      act(ctx, 'offline', 'offlined', {
        flags: flagsFor(kwargs, { temporary: '-t' }),
        targets: [pool, ...vdevs],
      }),
  }),
  labelclear: defineFunction({
    doc: 'Takes the mark of a pool off a disk.',
    params: { ...DEVICE, ...FORCE },
    returns: done('labelcleared'),
    examples: ["salt '*' zpool.labelclear /path/to/dev"],
    run: (ctx, { device, force: isForced }) =>
      act(ctx, 'labelclear', 'labelcleared', { flags: force(isForced), targets: [device] }),
  }),
};

/** The module. */
export const zpoolModule = defineModule({
  name: 'zpool',
  file: 'zpool',
  doc: 'Pools of ZFS.',
  unavailable: withoutZfs('zpool module'),
  words: {},
  failsWith: {
    error: [
      'add',
      'attach',
      'clear',
      'create',
      'destroy',
      'detach',
      'export',
      'import',
      'labelclear',
      'offline',
      'online',
      'reguid',
      'reopen',
      'replace',
      'scrub',
      'set',
      'split',
      'upgrade',
    ],
  },
  functions: { ...asking, ...onPools, ...onDisks },
});
