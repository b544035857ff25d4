/** `virt`: machines of libvirt, as far as its programs serve them (3006.16 salt/states/virt.py). */
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { fnmatch } from '../../python/text/fnmatch.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { isRefusal } from './module.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const ask = (
  ctx: StateContext,
  fun: string,
  args: readonly Value[] = [],
  kwargs: Dict = dict(),
): Promise<Value> => ctx.functions.call(`virt.${fun}`, args, kwargs);

async function machines(ctx: StateContext, login: Dict = dict()): Promise<string[]> {
  const found = await ask(ctx, 'list_domains', [], login);
  return Array.isArray(found) ? found.map(pyStr) : [];
}

async function stateOf(ctx: StateContext, name: string, login: Dict = dict()): Promise<Value> {
  const found = await ask(ctx, 'vm_state', [name], login);
  return isDict(found) ? (found.get(name) ?? null) : null;
}

/** What is done to machines. */
interface Act {
  readonly fun: string;
  /** What the machines that it was done to are listed under. */
  readonly section: string;
  readonly comment: string;
  /** How they are then; without it, it is always done. */
  readonly state?: string;
  readonly kwargs: Dict;
}

/** Has something done to all machines whose names match. */
async function actOnAll(ctx: StateContext, pattern: string, act: Act): Promise<StateResult> {
  const { fun, section, comment, state, kwargs } = act;
  const login = new Map([...kwargs].filter(([key]) => key !== 'suffix'));
  const targets = (await machines(ctx, login)).filter((name) => fnmatch(name, pattern));
  const [changed, ignored]: [Value[], Value[]] = [[], []];
  for (const domain of targets)
    try {
      if (state !== undefined && (await stateOf(ctx, domain, login)) === state) continue;
      const said = ctx.state.test ? true : await ask(ctx, fun, [domain], kwargs);
      changed.push(dict({ domain, [fun]: isDict(said) ? (said.get('name') ?? null) : said }));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      ignored.push(dict({ domain, issue: error.message }));
    }
  if (changed.length > 0)
    return outcome(pattern, ctx.state.test ? null : true, comment, new Map([[section, changed]]));
  const changes: Dict = ignored.length > 0 ? new Map<Value, Value>([['ignored', ignored]]) : dict();
  return outcome(pattern, ignored.length === 0 && targets.length > 0, 'No changes had happened', changes);
}

const NAME = { name: param.text({ doc: 'The machine; may be a pattern.' }) } as const;
const LOGIN = {
  connection: param.value({ default: null, type: 'str', doc: 'The address of libvirt.' }),
  username: param.value({
    default: null,
    type: 'str',
    doc: "Not served: it belongs into libvirt's auth.conf.",
  }),
  password: param.value({
    default: null,
    type: 'str',
    doc: "Not served: it belongs into libvirt's auth.conf.",
  }),
} as const;
const SUFFIX = {
  suffix: param.value({ default: null, type: 'str', doc: 'What stands behind the name of the snapshot.' }),
} as const;

const loginOf = ({ connection, username, password }: TypedArguments<typeof LOGIN>): Dict =>
  dict({ connection, username, password });

const MACHINE = {
  name: param.text({ doc: 'The machine.' }),
  cpu: param.value({ default: null, type: 'int', doc: 'How many processors.' }),
  mem: param.value({ default: null, type: 'int', doc: 'MiB.' }),
  vm_type: param.value({ default: null, type: 'str', doc: 'kvm, qemu, xen: of a machine that is made.' }),
  disk_profile: param.value({ default: null, type: 'str', doc: 'Not served.' }),
  disks: param.value({ default: null, type: 'list', doc: 'Disks: of a machine that is made.' }),
  nic_profile: param.value({ default: null, type: 'str', doc: 'Not served.' }),
  interfaces: param.value({
    default: null,
    type: 'list',
    doc: 'Network cards: name, type, source, mac, model.',
  }),
  graphics: param.value({ default: null, type: 'dict', doc: 'The screen: of a machine that is made.' }),
  seed: param.value({ default: true, type: 'bool', doc: 'Has no meaning here.' }),
  install: param.value({ default: true, type: 'bool', doc: 'Has no meaning here.' }),
  pub_key: param.value({ default: null, type: 'str', doc: 'Not served.' }),
  priv_key: param.value({ default: null, type: 'str', doc: 'Not served.' }),
  ...LOGIN,
  os_type: param.value({ default: null, type: 'str', doc: 'hvm.' }),
  arch: param.value({ default: null, type: 'str', doc: 'x86_64.' }),
  boot: param.value({ default: null, type: 'dict', doc: 'Not served.' }),
} as const;
const REST = {
  hypervisor_features: param.value({ default: null, type: 'dict', doc: 'Not served.' }),
  clock: param.value({ default: null, type: 'dict', doc: 'Not served.' }),
  serials: param.value({ default: null, type: 'list', doc: 'Not served.' }),
  consoles: param.value({ default: null, type: 'list', doc: 'Not served.' }),
  stop_on_reboot: param.value({
    default: false,
    type: 'bool',
    doc: 'Turn it off where it would start anew.',
  }),
} as const;
const NUMA = { numatune: param.value({ default: null, type: 'dict', doc: 'Not served.' }) } as const;
const BOOT = { boot_dev: param.value({ default: null, type: 'str', doc: 'hd, network, cdrom.' }) } as const;
const LAST = {
  host_devices: param.value({ default: null, type: 'list', doc: 'Not served.' }),
  autostart: param.value({ default: false, type: 'bool', doc: 'Start it with the host.' }),
} as const;
type Wanted = TypedArguments<typeof MACHINE & typeof REST & typeof NUMA & typeof BOOT & typeof LAST>;

function profileOf(wanted: Wanted): Dict {
  const { cpu, mem, interfaces, boot, numatune, serials, consoles, boot_dev, hypervisor_features, clock } =
    wanted;
  const { stop_on_reboot, host_devices } = wanted;
  const more = { boot_dev, hypervisor_features, clock, stop_on_reboot, host_devices };
  return dict({ cpu, mem, interfaces, boot, numatune, serials, consoles, ...more });
}

/** What was wrong with what a state was given is as well its result as what libvirt refuses. */
const isOfState = (error: unknown): error is CommandExecutionError | SaltInvocationError =>
  isRefusal(error) || error instanceof SaltInvocationError;

/**
 * The disks and the screen that a machine that is there would have to be given. They are told when it is made; later it
 * has them, and only other ones are more than libvirt's programs can do.
 */
async function devicesToChange(ctx: StateContext, wanted: Wanted, login: Dict): Promise<Dict> {
  const { name, disks, graphics } = wanted;
  const there = async (fun: string): Promise<Dict> => {
    const found = await ask(ctx, fun, [name], new Map(login));
    return isDict(found) ? found : dict();
  };
  const hasDisks = Array.isArray(disks) && (await there('get_disks')).size === disks.length;
  const screen = isDict(graphics) ? pyStr(graphics.get('type') ?? 'none').toLowerCase() : undefined;
  const hasScreen =
    screen !== undefined &&
    pyStr((await there('get_graphics')).get('type') ?? 'none').toLowerCase() === screen;
  return dict({ disks: hasDisks ? null : disks, graphics: hasScreen ? null : graphics });
}

/** Whether an update has changed something, or would. */
const isUpdated = (status: Value | undefined): status is Dict =>
  isDict(status) && (truthy(status.get('definition') ?? null) || status.has('autostart'));

async function defined(ctx: StateContext, wanted: Wanted, live: boolean): Promise<StateResult> {
  const { name, disk_profile, disks, nic_profile, graphics, autostart } = wanted;
  const { test } = ctx.state;
  const result = test ? null : true;
  const login = loginOf(wanted);
  const all = new Map([...profileOf(wanted), ...login]);
  try {
    if ((await machines(ctx, login)).includes(name)) {
      const devices = await devicesToChange(ctx, wanted, login);
      const more = dict({ disk_profile, nic_profile, live, autostart, test });
      const status = await ask(ctx, 'update', [name], new Map([...all, ...devices, ...more]));
      if (!isUpdated(status)) return outcome(name, true, `Domain ${name} unchanged`);
      const failed = truthy(status.get('errors') ?? null) ? ' with live update(s) failures' : '';
      return outcome(name, result, `Domain ${name} updated${failed}`, new Map([[name, status]]));
    }
    if (!test) {
      const { vm_type, os_type, arch, seed, install, pub_key, priv_key } = wanted;
      const more = dict({ hypervisor: vm_type, os_type, arch, seed, install, pub_key, priv_key });
      const profiles = dict({ disk: disk_profile ?? 'default', nic: nic_profile ?? 'default' });
      const devices = dict({ disks, graphics, start: false });
      await ask(ctx, 'init', [name], new Map([...all, ...more, ...profiles, ...devices]));
    }
    return outcome(name, result, `Domain ${name} defined`, dict({ [name]: { definition: true } }));
  } catch (error) {
    if (!isOfState(error)) throw error;
    return outcome(name, false, error.message);
  }
}

async function running(ctx: StateContext, wanted: Wanted): Promise<StateResult> {
  const { name } = wanted;
  const made = await defined(ctx, wanted, true);
  if (made.result === false) return made;
  const own = made.changes.get(name);
  const isChanged = isUpdated(own);
  const result = ctx.state.test ? null : true;
  const login = loginOf(wanted);
  try {
    const isThere = (await machines(ctx, login)).includes(name);
    if (isThere && (await stateOf(ctx, name, login)) === 'running')
      return isChanged ? made : { ...made, comment: `Domain ${name} exists and is running` };
    if (!ctx.state.test) await ask(ctx, 'start', [name], login);
    const comment = pyStr(made.comment);
    const changes = isDict(own) ? own : dict();
    changes.set('started', true);
    return outcome(
      name,
      result,
      comment.endsWith('unchanged') ? `Domain ${name} started` : `${comment} and started`,
      new Map([[name, changes]]),
    );
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return outcome(name, false, error.message, made.changes);
  }
}

async function reverted(
  ctx: StateContext,
  { name, snapshot, cleanup }: { readonly name: string; readonly snapshot: Value; readonly cleanup: Value },
): Promise<StateResult> {
  const targets = (await machines(ctx)).filter((machine) => fnmatch(machine, name));
  if (targets.length === 0) return outcome(name, false, `No domains found for criteria "${name}"`);
  const [done, ignored]: [Value[], Value[]] = [[], []];
  for (const domain of targets)
    try {
      // Salt compat: Salt hands the name of the snapshot under a name that its function does not have
      const said = ctx.state.test
        ? dict({ reverted: snapshot, deleted: null })
        : await ask(ctx, 'revert_snapshot', [domain], dict({ vm_snapshot: snapshot, cleanup }));
      const field = (key: string): Value => (isDict(said) ? (said.get(key) ?? null) : null);
      done.push(dict({ domain, current: field('reverted'), deleted: field('deleted') }));
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      if (targets.length === 1) return outcome(name, false, error.message);
      ignored.push(dict({ domain, issue: error.message }));
    }
  const changes: Dict = new Map<Value, Value>();
  if (done.length > 0) changes.set('reverted', done);
  if (ignored.length > 0) changes.set('ignored', ignored);
  if (done.length === 0) return outcome(name, false, '', changes);
  const only = targets.length === 1 && isDict(done[0]) ? done[0] : changes;
  const comment = `Domain${targets.length > 1 ? 's' : ''} has been reverted`;
  return outcome(name, ctx.state.test ? null : true, comment, only);
}

/** A state that has something done to machines. */
const actState = (doc: string, { kwargs: _none, ...act }: Omit<Act, 'kwargs'> & { kwargs?: never }) =>
  defineState({
    doc,
    params: { ...NAME, ...LOGIN },
    run: (ctx, { name, ...login }) => actOnAll(ctx, name, { ...act, kwargs: loginOf(login) }),
  });

/** The states of `virt`. */
export const virtStates = defineModule({
  name: 'virt',
  file: 'virt',
  doc: "Machines of libvirt, as far as libvirt's programs serve them.",
  needs: { fun: 'virt.node_info', otherwise: 'virt module could not be loaded' },
  functions: {
    stopped: actState('Makes sure that machines are shut down.', {
      fun: 'shutdown',
      section: 'stopped',
      comment: 'Machine has been shut down',
      state: 'shutdown',
    }),
    powered_off: actState('Makes sure that machines are turned off, at once.', {
      fun: 'stop',
      section: 'unpowered',
      comment: 'Machine has been powered off',
      state: 'shutdown',
    }),
    rebooted: actState('Has machines start anew.', {
      fun: 'reboot',
      section: 'rebooted',
      comment: 'Machine has been rebooted',
    }),
    unpowered: defineState({
      doc: 'Turns machines off, as powered_off does.',
      params: NAME,
      run: (ctx, { name }) =>
        actOnAll(ctx, name, {
          fun: 'stop',
          section: 'unpowered',
          comment: 'Machine has been powered off',
          kwargs: dict(),
        }),
    }),
    snapshot: defineState({
      doc: 'Takes snapshots of machines.',
      params: { ...NAME, ...SUFFIX, ...LOGIN },
      run: (ctx, { name, suffix, ...login }) =>
        actOnAll(ctx, name, {
          fun: 'snapshot',
          section: 'saved',
          comment: 'Snapshot has been taken',
          kwargs: loginOf(login).set('suffix', suffix),
        }),
    }),
    saved: defineState({
      doc: 'Takes snapshots of machines, as snapshot does.',
      params: { ...NAME, ...SUFFIX },
      run: (ctx, { name, suffix }) =>
        actOnAll(ctx, name, {
          fun: 'snapshot',
          section: 'saved',
          comment: 'Snapshots has been taken',
          kwargs: dict({ suffix }),
        }),
    }),
    reverted: defineState({
      doc: 'Makes machines what they were when a snapshot was taken.',
      params: {
        ...NAME,
        snapshot: param.value({
          default: null,
          type: 'str',
          doc: 'The snapshot; the one before the current one.',
        }),
        cleanup: param.value({ default: false, type: 'bool', doc: 'Remove the later ones.' }),
      },
      run: reverted,
    }),
    defined: defineState({
      doc: 'Makes sure of a machine, which need not run. What the programs cannot do is refused by name.',
      params: {
        ...MACHINE,
        ...NUMA,
        ...BOOT,
        ...REST,
        live: param.flag({ default: true, doc: 'Also the machine that runs, not only its definition.' }),
        ...LAST,
      },
      run: (ctx, { live, ...wanted }) => defined(ctx, wanted, live),
    }),
    running: defineState({
      doc: 'Makes sure of a machine that runs. What the programs cannot do is refused by name.',
      params: { ...MACHINE, ...BOOT, ...NUMA, ...REST, ...LAST },
      run: running,
    }),
  },
});
