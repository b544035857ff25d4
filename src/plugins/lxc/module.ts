/** `lxc`: containers of LXC. Follows 3006.16 salt/modules/lxc.py. */
import { readdir } from 'node:fs/promises';
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import {
  defineFunction,
  defineModule,
  type FunctionSpec,
  type ModuleContext,
} from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { describeContainer, isAttachable, runInContainer } from './module/attach.ts';
import { configLines, configValues, readConfig, simpleConfig, writeConfig } from './module/config.ts';
import {
  containerExists,
  containers,
  destroyContainer,
  freezeContainer,
  needContainer,
  pidOf,
  placeWords,
  shownState,
  startContainer,
  stateOf,
  stopContainer,
  unfreezeContainer,
  withOld,
} from './module/container.ts';
import {
  applyNetworkProfile,
  cloneContainer,
  createContainer,
  lxcVersion,
  profileOf,
} from './module/create.ts';
import { bridges } from './module/network.ts';
import { runAll, runStdout } from '../shared/program.ts';

const NAME = { name: param.text({ doc: 'The container.' }) } as const;
const PATH = {
  path: param.textIfGiven({ default: null, doc: 'Where containers are; /var/lib/lxc.' }),
} as const;
const USE_VT = {
  use_vt: param.value({ default: null, type: 'bool', doc: 'Without effect: no terminal is made.' }),
} as const;
const CHANGE = 'mapping of result and state (old and new)';
const TEMPLATES = '/usr/share/lxc/templates';

/** A keyword that is a text; undefined for what is false. */
const said = (kwargs: Dict, name: string): string | undefined => {
  const value = kwargs.get(name) ?? null;
  return truthy(value) ? pyStr(value) : undefined;
};

const STATES = { RUNNING: 'running', STOPPED: 'stopped', FROZEN: 'frozen' } as const;

async function list(
  ctx: ModuleContext,
  {
    extra,
    limit,
    path,
  }: { readonly extra: boolean; readonly limit: Value; readonly path: string | undefined },
): Promise<Value> {
  const found = {
    running: new Map<Value, Value>(),
    stopped: new Map<Value, Value>(),
    frozen: new Map<Value, Value>(),
  };
  for (const name of await containers(ctx, path)) {
    const state = await shownState(ctx, name, path);
    if (state === undefined || (limit !== null && state.toLowerCase() !== limit)) continue;
    const kind = STATES[state as keyof typeof STATES] as (typeof STATES)[keyof typeof STATES] | undefined;
    if (kind !== undefined) found[kind].set(name, extra ? await describeContainer(ctx, name, path) : null);
  }
  const shown = (group: Dict): Value => (extra ? group : [...group.keys()]);
  if (limit !== null) {
    const group = Object.entries(found).find(([kind]) => kind === limit)?.[1];
    return shown(group ?? new Map());
  }
  return dict({ running: shown(found.running), stopped: shown(found.stopped), frozen: shown(found.frozen) });
}

async function images(ctx: ModuleContext, dist: Value): Promise<Dict> {
  const words = ['lxc-create', '-n', '__imgcheck', '-t', 'download', '--', '--list'];
  const lines = splitLines(await runStdout(ctx, words, { ignore_retcode: true })).map((line) =>
    line.trim().split(/\s+/),
  );
  const head = lines.findIndex(([first]) => first === 'DIST');
  if (head < 0)
    throw new CommandExecutionError("Unable to run the 'download' template script. Is it installed?");
  const found = new Map<Value, Value[]>();
  for (const [name = '', release = '', arch = '', variant = '', build_time = '', ...more] of lines.slice(
    head + 1,
  )) {
    if (build_time === '' || more.length > 0) continue;
    found.set(name, [...(found.get(name) ?? []), dict({ release, arch, variant, build_time })]);
  }
  return dist === null ? found : new Map([[dist, found.get(dist) ?? []]]);
}

const ALIASES = {
  destroy: {
    doc: 'Removes a container.',
    params: { ...NAME, stop: param.flag({ default: false, doc: 'Even one that runs.' }), ...PATH },
    returns: CHANGE,
    examples: ["salt '*' lxc.destroy foo"],
    pythonName: 'destroy',
    run: (
      ctx: ModuleContext,
      {
        name,
        stop,
        path,
      }: { readonly name: string; readonly stop: boolean; readonly path: string | undefined },
    ): Promise<Value> => destroyContainer(ctx, name, { path, stop }),
  },
} as const;

const asking = {
  version: defineFunction({
    doc: 'Returns the version of LXC.',
    returns: 'text; None where LXC says none',
    examples: ["salt '*' lxc.version"],
    run: async (ctx) => (await lxcVersion(ctx)) ?? null,
  }),
  search_lxc_bridges: defineFunction({
    doc: 'Lists the bridges that containers may be on, the likeliest first.',
    returns: 'list of names',
    examples: ["salt '*' lxc.search_lxc_bridges"],
    run: (ctx) => bridges(ctx),
  }),
  search_lxc_bridge: defineFunction({
    doc: 'Returns the bridge that containers are on.',
    returns: 'its name',
    examples: ["salt '*' lxc.search_lxc_bridge"],
    run: async (ctx) => (await bridges(ctx))[0] ?? null,
  }),
  get_root_path: defineFunction({
    doc: 'Says where containers are.',
    params: { path: param.valueIfGiven({ type: 'str', doc: 'What is returned, where it is given.' }) },
    returns: 'the folder',
    examples: ["salt '*' lxc.get_root_path ''"],
    run: (ctx, { path }) => path ?? pyStr(ctx.opts.get('lxc.root_path') ?? '/var/lib/lxc'),
  }),
  get_container_profile: defineFunction({
    doc: 'Returns a profile of containers of the configuration. Further keywords are put over it.',
    params: { name: param.value({ default: null, type: 'str or dict', doc: 'The profile.' }) },
    kwargs: 'kwargs',
    returns: 'mapping',
    examples: ["salt '*' lxc.get_container_profile centos"],
    run: (ctx, { name }, _rest, kwargs) => profileOf(ctx, 'container_profile', name, kwargs),
  }),
  get_network_profile: defineFunction({
    doc: 'Returns a profile of networks of the configuration. Further keywords are put over it.',
    params: { name: param.value({ default: null, type: 'str or dict', doc: 'The profile.' }) },
    kwargs: 'kwargs',
    returns: 'mapping',
    examples: ["salt '*' lxc.get_network_profile default"],
    run: (ctx, { name }, _rest, kwargs) => profileOf(ctx, 'network_profile', name, kwargs),
  }),
  ls: defineFunction({
    doc: 'Lists the containers.',
    params: {
      active: param.flag({ default: null, doc: 'Only those that run.' }),
      cache: param.value({ default: true, type: 'bool', doc: 'Without effect: LXC is asked each time.' }),
      ...PATH,
    },
    returns: 'list of names',
    examples: ["salt '*' lxc.ls active=True"],
    pythonName: 'ls_',
    run: (ctx, { active, path }) => containers(ctx, path, active),
  }),
  list: defineFunction({
    doc: 'Lists the containers by their states.',
    params: {
      extra: param.flag({ default: false, doc: 'Describe each.' }),
      limit: param.value({ default: null, type: 'str', doc: 'Only running, stopped or frozen ones.' }),
      ...PATH,
    },
    returns: 'mapping of running, stopped and frozen; one of them, where it is named',
    examples: ["salt '*' lxc.list limit=running"],
    pythonName: 'list_',
    run: (ctx, wanted) => list(ctx, wanted),
  }),
  exists: defineFunction({
    doc: 'Says whether a container is there.',
    params: { ...NAME, ...PATH },
    returns: 'true or false',
    examples: ["salt '*' lxc.exists name"],
    run: (ctx, { name, path }) => containerExists(ctx, name, path),
  }),
  state: defineFunction({
    doc: 'Says how a container is.',
    params: { ...NAME, ...PATH },
    returns: 'running, stopped or frozen; None where it is not there',
    examples: ["salt '*' lxc.state name"],
    run: async (ctx, { name, path }) => (await stateOf(ctx, name, path)) ?? null,
  }),
  info: defineFunction({
    doc: 'Describes a container.',
    params: { ...NAME, ...PATH },
    returns: 'mapping of state, rootfs, nics, addresses, size and more',
    examples: ["salt '*' lxc.info name"],
    run: (ctx, { name, path }) => describeContainer(ctx, name, path),
  }),
  get_pid: defineFunction({
    doc: 'Returns the number of the first process of a container.',
    params: { ...NAME, ...PATH },
    returns: 'text',
    examples: ["salt '*' lxc.get_pid name"],
    run: (ctx, { name, path }) => pidOf(ctx, name, path),
  }),
  templates: defineFunction({
    doc: 'Lists the templates.',
    returns: 'list of names',
    examples: ["salt '*' lxc.templates"],
    run: async () => {
      const names = await readdir(TEMPLATES).catch(() => []);
      return names.flatMap((name) => (name.startsWith('lxc-') ? [name.slice('lxc-'.length)] : [])).sort();
    },
  }),
  images: defineFunction({
    doc: 'Lists what the template download can fetch.',
    params: { dist: param.value({ default: null, type: 'str', doc: 'Only of this distribution.' }) },
    returns: 'mapping of distribution to release, arch, variant and build_time',
    examples: ["salt '*' lxc.images dist=debian"],
    run: (ctx, { dist }) => images(ctx, dist),
  }),
  attachable: defineFunction({
    doc: 'Says whether commands can be run in a container.',
    params: { ...NAME, ...PATH },
    returns: 'true or false',
    examples: ["salt '*' lxc.attachable ubuntu"],
    run: (ctx, { name, path }) => isAttachable(ctx, name, path),
  }),
  get_parameter: defineFunction({
    doc: 'Returns a limit of a container.',
    params: { ...NAME, parameter: param.text({ doc: 'Its name: memory.limit_in_bytes.' }), ...PATH },
    returns: 'text',
    examples: ["salt '*' lxc.get_parameter container_name memory.limit_in_bytes"],
    run: async (ctx, { name, parameter, path }) => {
      await needContainer(ctx, name, path);
      const { retcode, stdout } = await runAll(ctx, [
        'lxc-cgroup',
        ...placeWords(path),
        '-n',
        name,
        parameter,
      ]);
      if (retcode !== 0) throw new CommandExecutionError(`Unable to retrieve value for '${parameter}'`);
      return stdout.trim();
    },
  }),
};

const changing = {
  set_parameter: defineFunction({
    doc: 'Sets a limit of a container.',
    params: {
      ...NAME,
      parameter: param.text({ doc: 'Its name.' }),
      value: param.text({ doc: 'Its value.' }),
      ...PATH,
    },
    returns: 'true or false; None where the container is not there',
    examples: ["salt '*' lxc.set_parameter name parameter value"],
    run: async (ctx, { name, parameter, value, path }) => {
      if (!(await containerExists(ctx, name, path))) return null;
      const words = ['lxc-cgroup', ...placeWords(path), '-n', name, parameter, value];
      return (await runAll(ctx, words)).retcode === 0;
    },
  }),
  start: defineFunction({
    doc: 'Starts a container. Further keywords: path, lxc_config.',
    params: NAME,
    kwargs: 'kwargs',
    returns: CHANGE,
    examples: ["salt '*' lxc.start name"],
    run: (ctx, { name }, _rest, kwargs) =>
      startContainer(ctx, name, { path: said(kwargs, 'path'), config: said(kwargs, 'lxc_config') }),
  }),
  stop: defineFunction({
    doc: 'Stops a container.',
    params: { ...NAME, kill: param.flag({ default: false, doc: 'At once.' }), ...PATH, ...USE_VT },
    returns: CHANGE,
    examples: ["salt '*' lxc.stop name"],
    run: (ctx, { name, kill, path }) => stopContainer(ctx, name, { path, kill }),
  }),
  restart: defineFunction({
    doc: 'Stops a container and starts it.',
    params: {
      ...NAME,
      ...PATH,
      lxc_config: param.textIfGiven({ default: null, doc: 'Another configuration file.' }),
      force: param.flag({ default: false, doc: 'Stop it at once.' }),
    },
    returns: CHANGE,
    examples: ["salt '*' lxc.restart name"],
    run: async (ctx, { name, path, lxc_config, force }) => {
      await needContainer(ctx, name, path);
      const before = await stateOf(ctx, name, path);
      if (before !== 'stopped') await stopContainer(ctx, name, { path, kill: force });
      const change = withOld(await startContainer(ctx, name, { path, config: lxc_config }), before);
      return before === 'stopped' ? change : change.set('restarted', true);
    },
  }),
  freeze: defineFunction({
    doc: 'Freezes a container. Further keywords: path, start.',
    params: NAME,
    kwargs: 'kwargs',
    returns: CHANGE,
    examples: ["salt '*' lxc.freeze name start=True"],
    run: (ctx, { name }, _rest, kwargs) =>
      freezeContainer(ctx, name, { path: said(kwargs, 'path'), start: truthy(kwargs.get('start') ?? null) }),
  }),
  unfreeze: defineFunction({
    doc: 'Lets a frozen container go on.',
    params: { ...NAME, ...PATH, ...USE_VT },
    returns: CHANGE,
    examples: ["salt '*' lxc.unfreeze name"],
    run: (ctx, { name, path }) => unfreezeContainer(ctx, name, path),
  }),
  reboot: defineFunction({
    doc: 'Stops a container that runs, and starts it.',
    params: { ...NAME, ...PATH },
    returns: 'mapping of result, changes and comment',
    examples: ["salt '*' lxc.reboot myvm"],
    run: async (ctx, { name, path }) => {
      try {
        if ((await stateOf(ctx, name, path)) === 'running')
          await stopContainer(ctx, name, { path, kill: false });
        if (await containerExists(ctx, name, path)) await startContainer(ctx, name, { path });
      } catch (error) {
        if (!(error instanceof CommandExecutionError)) throw error;
        return dict({ result: false, changes: {}, comment: `Unable to stop container: ${error.message}` });
      }
      return dict({ result: true, changes: { [name]: 'rebooted' }, comment: `${name} rebooted` });
    },
  }),
  destroy: defineFunction(ALIASES.destroy),
  remove: defineFunction(ALIASES.destroy),
  create: defineFunction({
    doc: 'Makes a container of a template. Further keywords: template, options, backing, fstype, size, vgname, lvname, thinpool, zfsroot, path.',
    params: {
      ...NAME,
      config: param.textIfGiven({ default: null, doc: 'A configuration file that it begins with.' }),
      profile: param.value({ default: null, type: 'str or dict', doc: 'A profile of containers.' }),
      network_profile: param.value({ default: null, type: 'str or dict', doc: 'A profile of networks.' }),
      nic_opts: param.value({
        default: null,
        type: 'dict',
        doc: 'Settings of network cards over those of the profile.',
      }),
    },
    kwargs: 'kwargs',
    returns: CHANGE,
    examples: [
      'salt \'*\' lxc.create deb template=download options="{dist: debian, release: bookworm, arch: amd64}"',
    ],
    run: (ctx, wanted, _rest, more) => createContainer(ctx, { ...wanted, more }),
  }),
  clone: defineFunction({
    doc: 'Makes a container of another one, which is stopped. Further keywords: snapshot, size, backing, path.',
    params: {
      ...NAME,
      orig: param.text({ doc: 'The other container.' }),
      profile: param.value({ default: null, type: 'str or dict', doc: 'A profile of containers.' }),
      network_profile: param.value({ default: null, type: 'str or dict', doc: 'A profile of networks.' }),
      nic_opts: param.value({
        default: null,
        type: 'dict',
        doc: 'Settings of network cards over those of the profile.',
      }),
    },
    kwargs: 'kwargs',
    returns: CHANGE,
    examples: ["salt '*' lxc.clone myclone orig=orig_container snapshot=True"],
    run: (ctx, { orig, ...wanted }, _rest, more) => cloneContainer(ctx, { ...wanted, more }, orig),
  }),
  apply_network_profile: defineFunction({
    doc: 'Gives a container the network cards of a profile.',
    params: {
      ...NAME,
      network_profile: param.value({ type: 'str or dict', doc: 'The profile.' }),
      nic_opts: param.value({
        default: null,
        type: 'dict',
        doc: 'Settings of network cards over those of the profile.',
      }),
      ...PATH,
    },
    returns: 'what has changed in the configuration',
    examples: ["salt '*' lxc.apply_network_profile web1 centos"],
    run: (ctx, { name, network_profile, nic_opts, path }) =>
      applyNetworkProfile(ctx, name, { profile: network_profile, options: nic_opts, path }),
  }),
  read_conf: defineFunction({
    doc: 'Reads a configuration file.',
    params: {
      conf_file: param.text({ doc: 'The file.' }),
      out_format: param.textAlone({ default: 'simple', doc: 'simple, or commented for all lines.' }),
    },
    returns: 'mapping of settings, or list of lines',
    examples: ["salt '*' lxc.read_conf /etc/lxc/mycontainer.conf"],
    run: async (_ctx, { conf_file, out_format }) => {
      const lines = await readConfig(conf_file);
      return out_format === 'simple' ? simpleConfig(lines) : configValues(lines);
    },
  }),
  write_conf: defineFunction({
    doc: 'Writes a configuration file, of lines as read_conf gives them.',
    params: {
      conf_file: param.text({ doc: 'The file.' }),
      conf: param.listIfGiven({ type: 'list', doc: 'The lines.' }),
    },
    returns: 'an empty mapping',
    examples: ["salt '*' lxc.write_conf /etc/lxc/mycontainer.conf \"['lxc.start.auto = 1']\""],
    words: { lines: ['conf'] },
    run: async (_ctx, { conf_file, conf }) => {
      if (conf === undefined) throw new SaltInvocationError('Configuration must be passed as a list');
      await writeConfig(conf_file, configLines(conf));
      return dict();
    },
  }),
};

const RUN = {
  ...NAME,
  cmd: param.text({ doc: 'The command.' }),
  no_start: param.flag({ default: false, doc: 'Do not start a container that does not run.' }),
  preserve_state: param.flag({ default: true, doc: 'Bring it back into the state that it had.' }),
  stdin: param.textOrNone({ default: null, doc: 'What the command reads.' }),
  python_shell: param.flag({ default: true, doc: 'A shell of the container runs it, where it is needed.' }),
  output_loglevel: param.value({
    default: 'debug',
    type: 'str',
    doc: 'The level at which the output is logged.',
  }),
  use_vt: param.value({ default: false, type: 'bool', doc: 'Without effect: no terminal is made.' }),
  ...PATH,
  ignore_retcode: param.value({
    default: false,
    type: 'bool',
    doc: 'A failure of the command is none of the job.',
  }),
  chroot_fallback: param.flag({
    default: false,
    doc: 'Run it in the root file system of one that cannot be attached to.',
  }),
  keep_env: param.value({
    default: 'http_proxy,https_proxy,no_proxy',
    type: 'bool or list of str',
    doc: 'Variables of this machine to be kept; true: all.',
  }),
} as const;

/** A function that runs a command in a container. @param field what of the outcome it returns */
const runFunction = (fun: string, doc: string, returns: string, field?: string): FunctionSpec =>
  defineFunction({
    doc,
    params: RUN,
    returns,
    examples: [`salt '*' lxc.${fun} mycontainer 'ls -l /etc'`],
    words: { lines: ['cmd', 'stdin'], dashes: ['stdin'] },
    run: async (ctx, command) => {
      const ended = await runInContainer(ctx, command, field === undefined);
      return field === undefined || field === 'all' || !isDict(ended) ? ended : (ended.get(field) ?? null);
    },
  });

const running = {
  run: runFunction('run', 'Runs a command in a container.', 'its output, errors included'),
  run_stdout: runFunction('run_stdout', 'Runs a command in a container.', 'its output', 'stdout'),
  run_stderr: runFunction('run_stderr', 'Runs a command in a container.', 'its error output', 'stderr'),
  retcode: runFunction('retcode', 'Runs a command in a container.', 'its exit code', 'retcode'),
  run_all: runFunction(
    'run_all',
    'Runs a command in a container.',
    'mapping of stdout, stderr and retcode',
    'all',
  ),
};

/** The module. */
export const lxcModule = defineModule({
  name: 'lxc',
  file: 'lxc',
  doc: 'Containers of LXC.',
  unavailable: () =>
    findProgram('lxc-start') === undefined
      ? 'The lxc execution module cannot be loaded: the lxc-start binary is not in the path.'
      : undefined,
  words: {},
  failsWith: { false: ['set_parameter'], none: ['set_parameter'] },
  functions: { ...asking, ...changing, ...running },
});
