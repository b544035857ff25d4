/** `service` with systemd. Follows 3006.16 salt/modules/systemd_service.py. */
import { readlinkSync } from 'node:fs';
import { CommandExecutionError, ArgumentError } from '../../errors/errors.ts';
import { joinPath } from '../../python/paths.ts';
import { hasErrorCode } from '../../python/os-errors.ts';
import { findProgram } from '../../host/which.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { filterNames } from '../../python/text/fnmatch.ts';
import { compareText } from '../../python/values/order.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { isDict, truthy, type Dict, type Value, pyTypeName } from '../../python/values/value.ts';
import { runAll, runCode, runText } from '../shared/program.ts';
import {
  below,
  checkUnitChanges,
  initScripts,
  isKnownUnit,
  isOffline,
  isScriptEnabled,
  listedName,
  reloadUnits,
  rootOf,
  scopeWords,
  systemctl,
  systemctlLines,
  unitName,
  unitsWithFile,
  withoutScope,
} from '../shared/systemctl.ts';
import { isSystemdBooted } from '../shared/systemd-host.ts';
import { param } from '../../runtime/loader/params.ts';

const MINION_UNIT = 'salt-minion.service';

/** Names of units in one state. */
async function unitsInState(ctx: ModuleContext, state: string, root: string): Promise<string[]> {
  const found = (await systemctlLines(ctx, ['list-unit-files'], root)).flatMap((line) => {
    const [name = '', current] = line.trim().split(/\s+/);
    const listed = listedName(name);
    return current === state && listed !== undefined ? [listed] : [];
  });
  if (state === 'static') return [...new Set(found)].sort(compareText);
  for (const script of initScripts(root))
    if ((await isScriptEnabled(ctx, script, root)) === (state === 'enabled')) found.push(script);
  return [...new Set(found)].sort(compareText);
}

async function runningUnits(ctx: ModuleContext): Promise<string[]> {
  const found = (await systemctlLines(ctx, [])).flatMap((line) => {
    const words = line
      .trim()
      .replace(/^[\u25cf*\u25cb\u00d7]\s+/, '')
      .split(/\s+/);
    const listed = listedName(words[0] ?? '');
    return words[3] === 'running' && listed !== undefined ? [listed] : [];
  });
  return [...new Set(found)].sort(compareText);
}

function allServices(root: string): string[] {
  const units = unitsWithFile(root);
  return [...new Set([...units, ...initScripts(root, units)])].sort(compareText);
}

async function isMasked(ctx: ModuleContext, name: string, runtime: boolean, root: string): Promise<boolean> {
  await checkUnitChanges(ctx, name);
  const path = joinPath(below(runtime ? '/run' : '/etc', root), 'systemd/system', unitName(name));
  try {
    return readlinkSync(path) === '/dev/null';
  } catch (error) {
    if (hasErrorCode(error, 'EINVAL'))
      ctx.log.error(
        `Failed to check mask status for service ${name}. Path ${path} is a file, not a symlink.`,
      );
    return false;
  }
}

async function unmask(ctx: ModuleContext, name: string, runtime: boolean, root: string): Promise<true> {
  if (!(await isMasked(ctx, name, runtime, root))) return true;
  const words = ['unmask', ...(runtime ? ['--runtime'] : [])];
  const { retcode } = await systemctl(ctx, words, { name, root, inScope: true }, { redirect_stderr: true });
  if (retcode !== 0) throw new CommandExecutionError(`Failed to unmask service '${name}'`);
  return true;
}

async function mask(ctx: ModuleContext, name: string, runtime: boolean, root: string): Promise<true> {
  await checkUnitChanges(ctx, name);
  const words = ['mask', ...(runtime ? ['--runtime'] : [])];
  const { retcode, stdout } = await systemctl(
    ctx,
    words,
    { name, root, inScope: true },
    { redirect_stderr: true },
  );
  if (retcode !== 0)
    throw new CommandExecutionError(
      `Failed to mask service '${name}'. Additional info follows:\n\n${stdout}`,
    );
  return true;
}

interface Action {
  readonly no_block: Value;
  readonly unmask: boolean;
  readonly unmask_runtime: boolean;
}

/** The minion must not wait for its own end. */
function blocks(name: string, noBlock: Value): boolean {
  return noBlock === null ? unitName(name) === MINION_UNIT : truthy(noBlock);
}

/** start, restart, reload, force-reload. @throws CommandExecutionError with what systemctl says */
async function act(ctx: ModuleContext, action: string, given: string, args: Action): Promise<true> {
  const name = given;
  await checkUnitChanges(ctx, name);
  if (args.unmask) await unmask(ctx, name, false, '');
  if (args.unmask_runtime) await unmask(ctx, name, true, '');
  const options = { name, inScope: true, noBlock: blocks(name, args.no_block) };
  const { retcode, stderr } = await systemctl(ctx, [action], options);
  if (retcode !== 0) throw new CommandExecutionError(withoutScope(stderr));
  return true;
}

/** @throws CommandExecutionError when there is no program for scripts of /etc/init.d */
async function switchScript(ctx: ModuleContext, name: string, isOn: boolean): Promise<boolean> {
  const scope = await scopeWords(ctx);
  const updater = findProgram('update-rc.d');
  const checker = findProgram('chkconfig');
  if (updater === undefined && checker === undefined)
    throw new CommandExecutionError('Unable to find sysv service manager (tried update-rc.d, chkconfig)');
  const argv =
    updater !== undefined
      ? [updater, '-f', name, ...(isOn ? ['defaults', '99'] : ['remove'])]
      : [checker ?? '', name, isOn ? 'on' : 'off'];
  return (await runCode(ctx, [...scope, ...argv], { ignore_retcode: true })) === 0;
}

async function isEnabled(ctx: ModuleContext, name: string, root: string): Promise<boolean> {
  const { retcode } = await systemctl(ctx, ['is-enabled'], { name, root }, { ignore_retcode: true });
  if (retcode === 0) return true;
  if (name.includes('@')) {
    const argv = ['find', '/etc/systemd/system', '-name', name, '-type', 'l', '-print', '-quit'];
    return (await runText(ctx, argv)) !== '';
  }
  return initScripts(root).includes(name) && isScriptEnabled(ctx, name, root);
}

async function show(ctx: ModuleContext, name: string, root: string): Promise<Dict> {
  const { stdout } = await systemctl(ctx, ['show'], { name, root }, { redirect_stderr: true });
  const out: Dict = new Map();
  for (const line of splitLines(stdout)) {
    const at = line.indexOf('=');
    const [key, value] = at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
    if (value.startsWith('{')) {
      const items = value
        .replace(/[{}]/g, '')
        .split(' ; ')
        .map((item) => item.split('='));
      out.set(key, new Map(items.map(([field = '', text = '']) => [field.trim(), text.trim()])));
    } else if (['Before', 'After', 'Wants'].includes(key)) {
      out.set(
        key,
        value.split(/\s+/).filter((word) => word !== ''),
      );
    } else out.set(key, value);
  }
  return out;
}

const NAME = param.text({ doc: 'The name of the service or unit.' });
/** A unit that is looked at. @throws ArgumentError for numbers, flags and None, in Python's words */
const UNIT = param.by(
  (value) => {
    if (typeof value === 'string' || Array.isArray(value) || isDict(value)) return pyStr(value);
    throw new ArgumentError(`argument of type '${pyTypeName(value)}' is not iterable`);
  },
  { type: 'str', doc: NAME.doc },
);
const ROOT = param.value({ default: null, type: 'str', doc: 'A folder that stands for the root folder.' });
const RUNTIME = param.flag({ default: false, doc: 'Only until the next start.' });
const NO_BLOCK = param.flag({ default: false, doc: 'Do not wait until it is done.' });
const UNMASK = {
  unmask: param.flag({ default: false, doc: 'Unmask it before.' }),
  unmask_runtime: param.flag({
    default: false,
    doc: 'Unmask it before, where it is masked until the next start.',
  }),
} as const;
const LIST = 'sorted list of names, services without `.service`';
const TRUE_FALSE = 'true or false';

const action = (name: string, verb: string, doc: string, noBlock: boolean | null, pythonName?: string) =>
  defineFunction({
    doc,
    params: { name: NAME, no_block: { ...NO_BLOCK, default: noBlock }, ...UNMASK },
    ...(pythonName === undefined ? {} : { pythonName }),
    returns: 'true',
    examples: [`salt '*' service.${name} <service name>`],
    run: (ctx, args) => act(ctx, verb, args.name, args),
  });

const state = (name: string, doc: string, wanted: string) =>
  defineFunction({
    doc,
    params: { root: ROOT },
    returns: LIST,
    examples: [`salt '*' service.${name}`],
    run: (ctx, { root }) => unitsInState(ctx, wanted, rootOf(root)),
  });

/** The functions with systemd. */
export const systemdFunctions = {
  start: action('start', 'start', 'Starts a service.', false),
  restart: action('restart', 'restart', 'Restarts a service, or starts it.', null),
  reload: action('reload', 'reload', 'Has a service read its configuration anew.', false, 'reload_'),
  force_reload: action(
    'force_reload',
    'force-reload',
    'Has a service read its configuration anew, or restarts it.',
    true,
  ),
  stop: defineFunction({
    doc: 'Stops a service.',
    params: { name: NAME, no_block: { ...NO_BLOCK, default: null } },
    returns: TRUE_FALSE,
    examples: ["salt '*' service.stop <service name>"],
    run: async (ctx, args) => {
      const name = args.name;
      await checkUnitChanges(ctx, name);
      const options = { name, inScope: true, noBlock: blocks(name, args.no_block) };
      return (await systemctl(ctx, ['stop'], options)).retcode === 0;
    },
  }),
  status: defineFunction({
    doc: 'Returns whether a service is running, or which of those that a glob finds.',
    params: { name: UNIT, sig: param.value({ default: null, type: 'str', doc: 'Without effect.' }) },
    returns: 'true or false; for a glob a mapping of name to that',
    examples: ["salt '*' service.status <service name>"],
    run: async (ctx, args) => {
      const name = args.name;
      const isGlob = /\*|\?|\[.+\]/.test(name);
      const results: Dict = new Map();
      for (const service of isGlob ? filterNames(allServices(''), name) : [name]) {
        await checkUnitChanges(ctx, service);
        const { retcode } = await systemctl(ctx, ['is-active'], { name: service }, { ignore_retcode: true });
        results.set(service, retcode === 0);
      }
      return isGlob ? results : (results.get(name) ?? false);
    },
  }),
  available: defineFunction({
    doc: 'Returns whether there is a service.',
    params: { name: NAME },
    returns: TRUE_FALSE,
    examples: ["salt '*' service.available sshd"],
    run: async (ctx, args) => {
      const name = args.name;
      await checkUnitChanges(ctx, name);
      return isKnownUnit(ctx, name);
    },
  }),
  missing: defineFunction({
    doc: 'Returns whether there is no such service.',
    params: { name: NAME },
    returns: TRUE_FALSE,
    examples: ["salt '*' service.missing sshd"],
    run: async (ctx, args) => {
      const name = args.name;
      await checkUnitChanges(ctx, name);
      return !(await isKnownUnit(ctx, name));
    },
  }),
  enable: defineFunction({
    doc: "Has a service started at the machine's start.",
    params: { name: NAME, no_block: NO_BLOCK, ...UNMASK, root: ROOT },
    kwargs: 'kwargs',
    returns: 'true',
    examples: ["salt '*' service.enable <service name>"],
    run: async (ctx, args) => {
      const [name, root] = [args.name, rootOf(args.root)];
      await checkUnitChanges(ctx, name);
      if (args.unmask) await unmask(ctx, name, false, root);
      if (args.unmask_runtime) await unmask(ctx, name, true, root);
      if (initScripts(root).includes(name)) return switchScript(ctx, name, true);
      const options = { name, root, inScope: true, noBlock: args.no_block };
      const { retcode, stderr } = await systemctl(ctx, ['enable'], options, { ignore_retcode: true });
      if (retcode !== 0) throw new CommandExecutionError(withoutScope(stderr));
      return true;
    },
  }),
  disable: defineFunction({
    doc: "Has a service not started at the machine's start.",
    params: { name: NAME, no_block: NO_BLOCK, root: ROOT },
    kwargs: 'kwargs',
    returns: TRUE_FALSE,
    examples: ["salt '*' service.disable <service name>"],
    run: async (ctx, args) => {
      const [name, root] = [args.name, rootOf(args.root)];
      await checkUnitChanges(ctx, name);
      if (initScripts(root).includes(name)) return switchScript(ctx, name, false);
      const options = { name, root, inScope: true, noBlock: args.no_block };
      return (await systemctl(ctx, ['disable'], options, { ignore_retcode: true })).retcode === 0;
    },
  }),
  enabled: defineFunction({
    doc: "Returns whether a service is started at the machine's start.",
    params: { name: UNIT, root: ROOT },
    kwargs: 'kwargs',
    returns: TRUE_FALSE,
    examples: ["salt '*' service.enabled <service name>"],
    run: (ctx, { name, root }) => isEnabled(ctx, name, rootOf(root)),
  }),
  disabled: defineFunction({
    doc: "Returns whether a service is not started at the machine's start.",
    params: { name: UNIT, root: ROOT },
    returns: TRUE_FALSE,
    examples: ["salt '*' service.disabled <service name>"],
    run: async (ctx, { name, root }) => !(await isEnabled(ctx, name, rootOf(root))),
  }),
  mask: defineFunction({
    doc: 'Masks a service: it cannot be started in any way.',
    params: { name: NAME, runtime: RUNTIME, root: ROOT },
    returns: 'true',
    examples: ["salt '*' service.mask foo"],
    run: (ctx, { name, runtime, root }) => mask(ctx, name, runtime, rootOf(root)),
  }),
  unmask: defineFunction({
    doc: 'Unmasks a service.',
    params: { name: NAME, runtime: RUNTIME, root: ROOT },
    pythonName: 'unmask_',
    returns: 'true',
    examples: ["salt '*' service.unmask foo"],
    run: (ctx, { name, runtime, root }) => unmask(ctx, name, runtime, rootOf(root)),
  }),
  masked: defineFunction({
    doc: 'Returns whether a service is masked.',
    params: { name: NAME, runtime: RUNTIME, root: ROOT },
    returns: TRUE_FALSE,
    examples: ["salt '*' service.masked foo"],
    run: (ctx, { name, runtime, root }) => isMasked(ctx, name, runtime, rootOf(root)),
  }),
  get_all: defineFunction({
    doc: 'Lists all services and units.',
    params: { root: ROOT },
    returns: LIST,
    examples: ["salt '*' service.get_all"],
    run: (_ctx, { root }) => allServices(rootOf(root)),
  }),
  get_running: defineFunction({
    doc: 'Lists the running services and units.',
    returns: LIST,
    examples: ["salt '*' service.get_running"],
    run: (ctx) => runningUnits(ctx),
  }),
  get_enabled: state('get_enabled', "Lists what is started at the machine's start.", 'enabled'),
  get_disabled: state('get_disabled', "Lists what is not started at the machine's start.", 'disabled'),
  get_static: state('get_static', 'Lists units that are neither enabled nor disabled.', 'static'),
  show: defineFunction({
    doc: 'Shows the properties of a unit.',
    params: { name: NAME, root: ROOT },
    returns: 'mapping of name to text; `{a=b ; c=d}` is a mapping, Before, After and Wants are lists',
    examples: ["salt '*' service.show <service name>"],
    run: (ctx, { name, root }) => show(ctx, name, rootOf(root)),
  }),
  execs: defineFunction({
    doc: 'Lists the programs of services.',
    params: { root: ROOT },
    returns: 'mapping of service to path',
    examples: ["salt '*' service.execs"],
    run: async (ctx, { root }) => {
      const out: Dict = new Map();
      for (const service of allServices(rootOf(root))) {
        const start = (await show(ctx, service, rootOf(root))).get('ExecStart');
        if (start !== undefined) out.set(service, isDict(start) ? (start.get('path') ?? '') : start);
      }
      return out;
    },
  }),
  systemctl_reload: defineFunction({
    doc: 'Has systemd read all unit files anew.',
    returns: 'true',
    examples: ["salt '*' service.systemctl_reload"],
    run: (ctx) => reloadUnits(ctx),
  }),
  firstboot: defineFunction({
    doc: 'Sets basic properties of a system, as systemd-firstboot does.',
    params: {
      locale: param.value({ default: null, type: 'str', doc: 'The locale.' }),
      locale_message: param.value({ default: null, type: 'str', doc: 'The locale of messages.' }),
      keymap: param.value({ default: null, type: 'str', doc: 'The layout of the keyboard.' }),
      timezone: param.value({ default: null, type: 'str', doc: 'The time zone.' }),
      hostname: param.value({ default: null, type: 'str', doc: 'The name of the machine.' }),
      machine_id: param.value({ default: null, type: 'str', doc: 'The id of the machine.' }),
      root: ROOT,
    },
    returns: 'true',
    examples: ["salt '*' service.firstboot keymap=jp locale=en_US.UTF-8"],
    run: async (ctx, args) => {
      const options: [string, Value][] = [
        ['locale', args.locale],
        ['locale-message', args.locale_message],
        ['keymap', args.keymap],
        ['timezone', args.timezone],
        ['hostname', args.hostname],
        ['machine-ID', args.machine_id],
        ['root', args.root],
      ];
      const words = options.flatMap(([name, value]) => (truthy(value) ? [`--${name}`, pyStr(value)] : []));
      const { retcode, stderr } = await runAll(ctx, [
        findProgram('systemd-firstboot') ?? 'systemd-firstboot',
        ...words,
      ]);
      if (retcode !== 0) throw new CommandExecutionError(`systemd-firstboot error: ${stderr}`);
      return true;
    },
  }),
  offline: defineFunction({
    doc: 'Returns whether there is systemd that has not started this machine.',
    returns: 'the path of systemctl when that is so, else false',
    examples: ["salt '*' service.offline"],
    run: () => (isOffline() ? (findProgram('systemctl') ?? null) : false),
  }),
};

/** The module. */
export const serviceModule = defineModule({
  name: 'service',
  file: 'systemd_service',
  doc: 'Starts, stops and enables services with systemd.',
  unavailable: () =>
    process.platform === 'linux' && (isSystemdBooted() || isOffline())
      ? undefined
      : 'The systemd execution module failed to load: only available on Linux systems which have been booted with systemd.',
  words: {},
  failsWith: {
    false: [
      'disable',
      'enable',
      'force_reload',
      'mask',
      'reload',
      'restart',
      'start',
      'stop',
      'systemctl_reload',
      'unmask',
    ],
  },
  functions: systemdFunctions,
});
