/**
 * `snapper`: snapshots of file systems. Follows 3006.16 salt/modules/snapper.py.
 * Salt compat: Salt speaks with snapperd over D-Bus and needs Python's dbus for it; here it is the command `snapper`,
 * which speaks with it.
 */
import { CommandExecutionError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import {
  differences,
  fileNames,
  firstOf,
  intervalOf,
  jobInterval,
  secondOf,
  statusOf,
  statusTexts,
  undo,
} from './module/changes.ts';
import { configOf, snapper, snapperJson } from './module/command.ts';
import {
  createSnapshot,
  deleteSnapshots,
  listSnapshots,
  modifySnapshot,
  oneSnapshot,
} from './module/snapshots.ts';

const config = param.text({ default: 'root', doc: 'The configuration.' });
const BETWEEN = {
  num_pre: param.by(firstOf, {
    default: null,
    type: 'int',
    doc: 'The number of the first snapshot; default: the last one.',
  }),
  num_post: param.by(secondOf, {
    default: null,
    type: 'int',
    doc: 'That of the second one; default: 0, the present.',
  }),
} as const;
const JID = { jid: param.text({ doc: 'The job id.' }), config } as const;
const SNAPSHOT = 'mapping with id, type, timestamp, user, description, cleanup, userdata';

/** `yes` and `no`, as snapper has them. */
function settingText(value: Value): string {
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : pyStr(value);
}

async function setConfig(ctx: ModuleContext, name: string, kwargs: Dict): Promise<boolean> {
  const pairs = [...kwargs]
    .filter(([key]) => !pyStr(key).startsWith('__'))
    .map(([key, value]) => `${pyStr(key).toUpperCase()}=${settingText(value)}`);
  if (pairs.length > 0)
    await snapper(ctx, {
      config: name,
      command: ['set-config', ...pairs],
      doing: `setting configuration ${name}`,
    });
  return true;
}

/** The description and the user data of a snapshot that a job makes. */
function ofJob(
  ctx: ModuleContext,
  description: string | undefined,
  userdata: Dict | undefined,
): { description: string; userdata: Dict } {
  const { jid } = ctx.job;
  return {
    description: description ?? `salt job ${jid}`,
    userdata: new Map([...(userdata ?? []), ['salt_jid', jid]]),
  };
}

/** Runs a function between two snapshots. */
async function runBetween(
  ctx: ModuleContext,
  fun: string,
  args: readonly Value[],
  given: Dict,
): Promise<Value> {
  const kwargs = new Map([...given].filter(([key]) => !pyStr(key).startsWith('__')));
  const taken = (name: string, otherwise: Value): Value => {
    const value = kwargs.get(name) ?? otherwise;
    kwargs.delete(name);
    return value;
  };
  const userdata = taken('userdata', dict());
  const wanted = {
    config: pyStr(taken('config', 'root')),
    cleanup: pyStr(taken('cleanup_algorithm', 'number')),
    ...ofJob(
      ctx,
      pyStr(taken('description', `snapper.run[${fun}]`)),
      isDict(userdata) ? userdata : undefined,
    ),
  };
  // Salt compat: Salt makes the first snapshot before it looks whether the function exists
  if (!(await ctx.functions.has(fun))) throw new CommandExecutionError(`function "${fun}" does not exist`);
  const pre = await createSnapshot(ctx, { ...wanted, type: 'pre', pre: null });
  try {
    return await ctx.functions.call(fun, args, kwargs);
  } finally {
    await createSnapshot(ctx, { ...wanted, type: 'post', pre });
  }
}

/** The module. */
export const snapperModule = defineModule({
  name: 'snapper',
  file: 'snapper',
  doc: 'Snapshots of file systems, by snapper.',
  unavailable: () =>
    findProgram('snapper') === undefined
      ? 'The snapper module cannot be loaded: snapper is missing'
      : undefined,
  words: { dashes: ['description', 'function', '*', 'userdata'] },
  functions: {
    list_configs: defineFunction({
      doc: 'Lists all configurations.',
      returns: 'mapping of names to what each says',
      examples: ["salt '*' snapper.list_configs"],
      run: async (ctx) => {
        const doing = 'listing configurations';
        const listed = (await snapperJson(ctx, { command: ['list-configs'], doing })).get('configs');
        const out = dict();
        for (const row of Array.isArray(listed) ? listed.filter(isDict) : []) {
          const name = pyStr(row.get('config') ?? '');
          out.set(name, await configOf(ctx, name, doing));
        }
        return out;
      },
    }),
    get_config: defineFunction({
      doc: 'Returns all values of a configuration.',
      params: { name: param.text({ default: 'root', doc: 'The configuration.' }) },
      returns: 'mapping',
      examples: ["salt '*' snapper.get_config"],
      run: (ctx, { name }) => configOf(ctx, name),
    }),
    set_config: defineFunction({
      doc: 'Sets values of a configuration; their names may have small letters.',
      params: { name: param.text({ default: 'root', doc: 'The configuration.' }) },
      kwargs: 'kwargs',
      returns: 'True',
      examples: ["salt '*' snapper.set_config SYNC_ACL=True"],
      run: (ctx, { name }, _rest, kwargs) => setConfig(ctx, name, kwargs),
    }),
    create_config: defineFunction({
      doc: 'Creates a configuration.',
      params: {
        name: param.textIfGiven({ default: null, doc: 'The name of the configuration; required.' }),
        subvolume: param.textIfGiven({ default: null, doc: 'The path of the subvolume; required.' }),
        fstype: param.textIfGiven({
          default: null,
          doc: 'Its file system: btrfs, ext4, lvm(xfs) …; required.',
        }),
        template: param.textIfGiven({ default: null, doc: 'The template for the values.' }),
        extra_opts: param.mapping({ default: null, doc: 'Values in place of those of the template.' }),
      },
      returns: 'mapping, as of get_config',
      examples: ["salt '*' snapper.create_config name=myconfig subvolume=/foo/bar/ fstype=btrfs"],
      run: async (ctx, { name, subvolume, fstype, template, extra_opts }) => {
        const required = (what: string, value: string | undefined): string => {
          if (value !== undefined && value !== '') return value;
          throw new CommandExecutionError(`You must provide a "${what}" for the new configuration`);
        };
        const made = required('name', name);
        const path = required('subvolume', subvolume);
        const type = required('fstype', fstype);
        const options = [`--fstype=${type}`, ...(template === undefined ? [] : [`--template=${template}`])];
        await snapper(ctx, {
          config: made,
          command: ['create-config', ...options, path],
          doing: 'creating the new configuration',
        });
        await setConfig(ctx, made, extra_opts);
        return configOf(ctx, made);
      },
    }),
    list_snapshots: defineFunction({
      doc: 'Lists the snapshots.',
      params: { config },
      returns: `list of ${SNAPSHOT}`,
      examples: ["salt '*' snapper.list_snapshots config=myconfig"],
      run: (ctx, args) => listSnapshots(ctx, args.config),
    }),
    get_snapshot: defineFunction({
      doc: 'Returns what is known of a snapshot.',
      params: { number: param.count({ default: 0, doc: 'Its number; 0 is the present.' }), config },
      returns: SNAPSHOT,
      examples: ["salt '*' snapper.get_snapshot 1"],
      run: (ctx, { number, config: name }) => oneSnapshot(ctx, name, number),
    }),
    create_snapshot: defineFunction({
      doc: 'Creates a snapshot.',
      params: {
        config,
        snapshot_type: param.text({ default: 'single', doc: 'single, pre or post.' }),
        pre_number: param.value({
          default: null,
          type: 'int',
          doc: 'For post: the number of the one before.',
        }),
        description: param.textOrNone({ default: null, doc: 'What it is for; default: the job.' }),
        cleanup_algorithm: param.textOrEmpty({
          default: 'number',
          doc: 'When it is removed: number, timeline, empty-pre-post.',
        }),
        userdata: param.mappingIfGiven({ default: null, doc: 'Further keys and values.' }),
      },
      kwargs: 'kwargs',
      returns: 'its number',
      examples: ["salt '*' snapper.create_snapshot"],
      run: (ctx, { config: name, snapshot_type, pre_number, description, cleanup_algorithm, userdata }) =>
        createSnapshot(ctx, {
          config: name,
          type: snapshot_type,
          pre: pre_number,
          cleanup: cleanup_algorithm,
          ...ofJob(ctx, description, userdata),
        }),
    }),
    create_baseline: defineFunction({
      doc: 'Creates a snapshot that is marked as a baseline, for the state snapper.baseline_snapshot.',
      params: { tag: param.text({ default: 'baseline', doc: 'The name of the baseline.' }), config },
      returns: 'its number',
      examples: ["salt '*' snapper.create_baseline", "salt '*' snapper.create_baseline my_custom_baseline"],
      run: (ctx, { tag, config: name }) =>
        createSnapshot(ctx, {
          config: name,
          type: 'single',
          pre: null,
          description: 'baseline snapshot',
          cleanup: 'number',
          userdata: dict({ baseline_tag: tag }),
        }),
    }),
    delete_snapshot: defineFunction({
      doc: 'Deletes snapshots.',
      params: {
        snapshots_ids: param.valueIfGiven({ default: null, type: 'int or list', doc: 'Their numbers.' }),
        config,
      },
      returns: 'mapping of the configuration to ids and status',
      examples: [
        "salt '*' snapper.delete_snapshot 54",
        "salt '*' snapper.delete_snapshot [54,55] config=root",
      ],
      run: (ctx, { snapshots_ids, config: name }) => {
        if (snapshots_ids === undefined)
          throw new CommandExecutionError('Error: No snapshot ID has been provided');
        return deleteSnapshots(ctx, name, snapshots_ids);
      },
    }),
    modify_snapshot: defineFunction({
      doc: 'Changes a snapshot: what is not given stays.',
      params: {
        snapshot_id: param.count({ default: 0, doc: 'Its number.' }),
        description: param.textOrNone({ default: null, doc: 'What it is for.' }),
        userdata: param.mappingIfGiven({
          default: null,
          doc: 'Keys and values, in place of all that it has.',
        }),
        cleanup: param.textOrNone({ default: null, doc: 'When it is removed.' }),
        config,
      },
      returns: SNAPSHOT,
      examples: ["salt '*' snapper.modify_snapshot 54 description='before the update'"],
      run: (ctx, { snapshot_id, config: name, ...wanted }) => {
        if (snapshot_id === 0) throw new CommandExecutionError('Error: No snapshot ID has been provided');
        return modifySnapshot(ctx, name, snapshot_id, wanted);
      },
    }),
    status_to_string: defineFunction({
      doc: 'Returns what the bits of a status of D-Bus mean.',
      params: { dbus_status: param.count({ doc: 'The status.' }) },
      returns: 'list of texts',
      examples: ["salt '*' snapper.status_to_string 8"],
      run: (_ctx, { dbus_status }) => statusTexts(dbus_status),
    }),
    status: defineFunction({
      doc: 'Returns which files differ between two snapshots, and in what.',
      params: { config, ...BETWEEN },
      returns: 'mapping of paths to a mapping with status',
      examples: ["salt '*' snapper.status", "salt '*' snapper.status num_pre=19 num_post=20"],
      run: async (ctx, { config: name, num_pre, num_post }) =>
        statusOf(ctx, name, await intervalOf(ctx, name, num_pre, num_post)),
    }),
    changed_files: defineFunction({
      doc: 'Returns the paths of the files that differ between two snapshots.',
      params: { config, ...BETWEEN },
      returns: 'list of paths',
      examples: ["salt '*' snapper.changed_files", "salt '*' snapper.changed_files num_pre=19 num_post=20"],
      run: async (ctx, { config: name, num_pre, num_post }) => [
        ...(await statusOf(ctx, name, await intervalOf(ctx, name, num_pre, num_post))).keys(),
      ],
    }),
    diff: defineFunction({
      doc: 'Returns the differences of files between two snapshots.',
      params: {
        config,
        filename: param.textIfGiven({ default: null, doc: 'Only this file.' }),
        ...BETWEEN,
      },
      returns: 'mapping of paths to comment and diff, or the checksums of what is no text',
      examples: [
        "salt '*' snapper.diff",
        "salt '*' snapper.diff filename=/var/log/snapper.log num_pre=19 num_post=20",
      ],
      run: async (ctx, { config: name, filename, num_pre, num_post }) =>
        differences(ctx, name, await intervalOf(ctx, name, num_pre, num_post), filename),
    }),
    undo: defineFunction({
      doc: 'Takes changes between two snapshots back. What has changed in these files since then is lost, too.',
      params: {
        config,
        files: param.by(fileNames, { default: null, type: 'list', doc: 'Only these files.' }),
        ...BETWEEN,
      },
      returns: 'mapping with create, modify and delete, each a count',
      examples: ["salt '*' snapper.undo", "salt '*' snapper.undo num_pre=19 num_post=0"],
      run: async (ctx, { config: name, files, num_pre, num_post }) =>
        undo(ctx, name, await intervalOf(ctx, name, num_pre, num_post), files),
    }),
    run: defineFunction({
      doc: 'Runs a function between two snapshots, which have the job id, so that it can be taken back.',
      params: {
        function: param.text({
          doc: 'The function; config, description, userdata and cleanup_algorithm are for the snapshots.',
        }),
      },
      varargs: 'args',
      kwargs: 'kwargs',
      returns: 'what the function returns',
      examples: ["salt '*' snapper.run file.append /etc/motd 'some text'"],
      run: (ctx, args, rest, kwargs) => runBetween(ctx, args.function, rest, kwargs),
    }),
    undo_jid: defineFunction({
      doc: 'Takes back what a job has changed that snapper.run was for.',
      params: JID,
      returns: 'mapping with create, modify and delete, each a count',
      examples: ["salt '*' snapper.undo_jid jid=20160607130930720112"],
      run: async (ctx, { jid, config: name }) => undo(ctx, name, await jobInterval(ctx, name, jid), []),
    }),
    diff_jid: defineFunction({
      doc: 'Returns what a job has changed that snapper.run was for.',
      params: JID,
      returns: 'as of diff',
      examples: ["salt '*' snapper.diff_jid jid=20160607130930720112"],
      run: async (ctx, { jid, config: name }) =>
        differences(ctx, name, await jobInterval(ctx, name, jid), undefined),
    }),
  },
});
