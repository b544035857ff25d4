/** `lxc`: containers of LXC (3006.16 salt/states/lxc.py). */
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcomeChangesLast as outcome, outcome as usualOutcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const ask = (ctx: StateContext, fun: string, args: readonly Value[], kwargs: Dict): Promise<Value> =>
  ctx.functions.call(`lxc.${fun}`, args, kwargs);
const stateOf = (ctx: StateContext, name: string, path: Value): Promise<Value> =>
  ask(ctx, 'state', [name], dict({ path }));
const newState = (change: Value): Value => {
  const state = isDict(change) ? change.get('state') : undefined;
  return isDict(state) ? (state.get('new') ?? null) : null;
};

/** What was refused, in a sentence; anything else is no refusal. */
function refusal(error: unknown): string {
  if (error instanceof CommandExecutionError || error instanceof SaltInvocationError) return error.message;
  throw error;
}

/** The change of a state, where there is one. */
const changesOf = (old: Value, now: Value): Dict =>
  old === now ? dict() : dict({ state: { old, new: now } });

/** One way from a state to another. */
interface Step {
  readonly fun: string;
  readonly kwargs: Dict;
  readonly verb: string;
  readonly done: string;
  readonly wanted: string;
  /** What of the answer is among the changes: restarted, started. */
  readonly told?: string;
}

async function take(
  ctx: StateContext,
  { name, path, old }: { readonly name: string; readonly path: Value; readonly old: Value },
  { fun, kwargs, verb, done, wanted, told = '' }: Step,
): Promise<StateResult> {
  if (ctx.state.test) return outcome(name, null, `Container '${name}' would be ${done}`);
  try {
    const change = await ask(ctx, fun, [name], new Map([...kwargs, ['path', path]]));
    const now = newState(change);
    const changes: Dict = new Map<Value, Value>();
    const more = isDict(change) ? change.get(told) : undefined;
    if (more !== undefined) changes.set(told, more);
    for (const [key, value] of changesOf(old, now)) changes.set(key, value);
    return now === wanted
      ? outcome(name, true, `Container '${name}' was successfully ${done}`, changes)
      : outcome(name, false, `Unable to ${verb} container '${name}'`, changes);
  } catch (error) {
    return outcome(name, false, refusal(error), changesOf(old, await stateOf(ctx, name, path)));
  }
}

async function running(
  ctx: StateContext,
  { name, restart, path }: { readonly name: string; readonly restart: boolean; readonly path: Value },
): Promise<StateResult> {
  const old = await stateOf(ctx, name, path);
  if (old === null) return outcome(name, false, `Container '${name}' does not exist`);
  if (old === 'running' && !restart) return outcome(name, true, `Container '${name}' is already running`);
  const at = { name, path, old };
  const wanted = 'running';
  if (restart && old !== 'stopped')
    return take(ctx, at, {
      fun: 'restart',
      kwargs: dict(),
      verb: 'restart',
      done: 'restarted',
      wanted,
      told: 'restarted',
    });
  return old === 'frozen'
    ? take(ctx, at, { fun: 'unfreeze', kwargs: dict(), verb: 'unfreeze', done: 'unfrozen', wanted })
    : take(ctx, at, { fun: 'start', kwargs: dict(), verb: 'start', done: 'started', wanted });
}

async function frozen(
  ctx: StateContext,
  { name, start, path }: { readonly name: string; readonly start: boolean; readonly path: Value },
): Promise<StateResult> {
  const old = await stateOf(ctx, name, path);
  if (old === null) return outcome(name, false, `Container '${name}' does not exist`);
  if (old === 'stopped' && !start) return outcome(name, false, `Container '${name}' is stopped`);
  if (old === 'frozen') return outcome(name, true, `Container '${name}' is already frozen`);
  const [verb, done] = old === 'stopped' ? ['start and freeze', 'started and frozen'] : ['freeze', 'frozen'];
  const kwargs = dict({ start });
  return take(
    ctx,
    { name, path, old },
    { fun: 'freeze', kwargs, verb, done, wanted: 'frozen', told: 'started' },
  );
}

async function stopped(
  ctx: StateContext,
  { name, kill, path }: { readonly name: string; readonly kill: boolean; readonly path: Value },
): Promise<StateResult> {
  const old = await stateOf(ctx, name, path);
  if (old === null) return outcome(name, false, `Container '${name}' does not exist`);
  if (old === 'stopped') return outcome(name, true, `Container '${name}' is already stopped`);
  const [verb, done] = kill ? ['force-stop', 'force-stopped'] : ['stop', 'stopped'];
  return take(
    ctx,
    { name, path, old },
    { fun: 'stop', kwargs: dict({ kill }), verb, done, wanted: 'stopped' },
  );
}

async function absent(
  ctx: StateContext,
  { name, stop, path }: { readonly name: string; readonly stop: Value; readonly path: Value },
): Promise<StateResult> {
  if (!truthy(await ask(ctx, 'exists', [name], dict({ path }))))
    return usualOutcome(name, true, `Container '${name}' does not exist`);
  if (ctx.state.test) {
    // Salt compat: Salt foretells it of a container that runs, too, of which the real run says that it cannot be
    const isFree = truthy(stop) || (await stateOf(ctx, name, path)) === 'stopped';
    return isFree
      ? usualOutcome(name, null, `Container '${name}' would be destroyed`)
      : usualOutcome(name, false, `Failed to destroy container: Container '${name}' is not stopped`);
  }
  try {
    const change = await ask(ctx, 'destroy', [name], dict({ stop, path }));
    const state = isDict(change) ? (change.get('state') ?? null) : null;
    return usualOutcome(name, true, `Container '${name}' was destroyed`, dict({ state }));
  } catch (error) {
    return usualOutcome(name, false, `Failed to destroy container: ${refusal(error)}`);
  }
}

const text = (doc: string) => param.value({ default: null, type: 'str', doc });
const NAME = { name: param.text({ doc: 'The container.' }) } as const;
const PATH = { path: text('Where containers are; /var/lib/lxc.') } as const;
const PRESENT = {
  ...NAME,
  running: param.flagIfGiven({ default: null, doc: 'It runs, or it does not; without it, as it is.' }),
  clone_from: param.textIfGiven({ default: null, doc: 'The container that it is made of.' }),
  snapshot: param.value({ default: false, type: 'bool', doc: 'A clone shares what it does not change.' }),
  profile: param.value({ default: null, type: 'str or dict', doc: 'A profile of containers.' }),
  network_profile: param.value({ default: null, type: 'str or dict', doc: 'A profile of networks.' }),
  template: text('The template that it is made of.'),
  options: param.value({ default: null, type: 'dict', doc: 'Options of the template.' }),
  image: text('Not served: needs a template of Salt.'),
  config: text('A configuration file that it begins with.'),
  fstype: text('The file system of its volume.'),
  size: text('The size of its volume: 1G.'),
  backing: text('What it is kept in: dir, lvm, zfs, btrfs, overlayfs.'),
  vgname: text('The volume group.'),
  lvname: text('The logical volume.'),
  thinpool: text('The thin pool.'),
  ...PATH,
} as const;
type Wanted = TypedArguments<typeof PRESENT>;

/** What a container is made of, or what is wrong. */
async function sourceOf(
  ctx: StateContext,
  wanted: Wanted,
): Promise<{ readonly clone?: string; readonly wrong?: string }> {
  let clone = wanted.clone_from;
  if (clone === undefined && !truthy(wanted.template) && !truthy(wanted.image)) {
    const profile = await ask(ctx, 'get_container_profile', [wanted.profile], dict());
    const has = (key: string): boolean => isDict(profile) && profile.has(key);
    if (!has('template') && !has('image') && !has('clone_from'))
      return {
        wrong:
          "No template, image, or clone_from parameter was found in either the state's arguments or the LXC profile",
      };
    const from = isDict(profile) ? (profile.get('clone_from') ?? null) : null;
    clone = truthy(from) ? pyStr(from) : undefined;
  }
  if (clone === undefined) return {};
  return truthy(await ask(ctx, 'exists', [clone], dict({ path: wanted.path })))
    ? { clone }
    : { clone, wrong: `Clone source '${clone}' does not exist` };
}

/** What test mode says. */
function foretold({ name, running: wanted }: Wanted, old: Value, clone: string | undefined): StateResult {
  const exists = `Container '${name}' already exists`;
  if (old === null)
    return outcome(
      name,
      null,
      `Container '${name}' will be ${clone === undefined ? 'created' : `cloned from ${clone}`}`,
    );
  if (wanted === undefined) return outcome(name, true, exists);
  if (wanted) {
    const isOther = old === 'frozen' || old === 'stopped';
    const done = old === 'frozen' ? 'unfrozen' : 'started';
    return isOther
      ? outcome(name, null, `Container '${name}' would be ${done}`)
      : outcome(name, true, `${exists} and is running`);
  }
  return old === 'frozen' || old === 'running'
    ? outcome(name, null, `Container '${name}' would be stopped`)
    : outcome(name, true, `${exists} and is stopped`);
}

async function make(ctx: StateContext, wanted: Wanted, clone: string | undefined): Promise<Value> {
  const { name, profile, network_profile, snapshot, size, path, backing } = wanted;
  if (clone !== undefined)
    return ask(
      ctx,
      'clone',
      [name, clone],
      dict({ profile, network_profile, snapshot, size, path, backing }),
    );
  const { template, options, image, config, fstype, vgname, lvname, thinpool } = wanted;
  const kwargs = {
    profile,
    network_profile,
    template,
    options,
    image,
    config,
    fstype,
    size,
    backing,
    vgname,
  };
  return ask(ctx, 'create', [name], dict({ ...kwargs, path, lvname, thinpool }));
}

/** Starts or stops the container. @param comment what was done before */
async function enforce(
  ctx: StateContext,
  { name, path, running: wanted }: Wanted,
  { old, comment }: { readonly old: Value; readonly comment: string },
): Promise<{ readonly isFine: boolean; readonly comment: string; readonly now: Value }> {
  const current = await stateOf(ctx, name, path);
  if (wanted === undefined) return { isFine: true, comment, now: current };
  const goal = wanted ? 'running' : 'stopped';
  if (current === goal) {
    const isTold = wanted || old !== null;
    return { isFine: true, comment: isTold ? `${comment} and is ${goal}` : comment, now: current };
  }
  const error = `, but it could not be ${wanted ? 'started' : 'stopped'}`;
  const fun = !wanted ? 'stop' : current === 'frozen' ? 'unfreeze' : 'start';
  try {
    const now = newState(await ask(ctx, fun, [name], dict({ path })));
    const done = !wanted ? 'stopped' : old === 'frozen' ? 'unfrozen' : 'started';
    const failed = now === goal ? '' : error;
    return {
      isFine: now === goal,
      comment:
        old === null
          ? `${comment}${failed}, and the container was ${wanted ? 'started' : 'stopped'}`
          : `Container '${name}' was ${done}`,
      now,
    };
  } catch (thrown) {
    return {
      isFine: false,
      comment: `${comment}${error}: ${refusal(thrown)}`,
      now: await stateOf(ctx, name, path),
    };
  }
}

async function present(ctx: StateContext, wanted: Wanted): Promise<StateResult> {
  const { name, path } = wanted;
  const { clone, wrong } = await sourceOf(ctx, wanted);
  if (wrong !== undefined) return outcome(name, false, wrong);
  const old = await stateOf(ctx, name, path);
  if (ctx.state.test) {
    // Salt compat: promised there, and then refused by lxc.clone
    if (old === null && clone !== undefined && (await stateOf(ctx, clone, path)) !== 'stopped')
      return outcome(name, false, `Container '${clone}' must be stopped to be cloned`);
    return foretold(wanted, old, clone);
  }
  let comment = `Container '${name}' already exists`;
  if (old === null) {
    try {
      await make(ctx, wanted, clone);
    } catch (error) {
      return outcome(name, false, refusal(error), changesOf(old, await stateOf(ctx, name, path)));
    }
    comment =
      clone === undefined ? `Created container '${name}'` : `Cloned container '${clone}' as '${name}'`;
  }
  const end = await enforce(ctx, wanted, { old, comment });
  return outcome(name, end.isFine, end.comment, changesOf(old, end.now));
}

/** The states of `lxc`. */
export const lxcStates = defineModule({
  name: 'lxc',
  file: 'lxc',
  doc: 'Containers of LXC.',
  needs: { fun: 'lxc.list', otherwise: 'lxc module could not be loaded' },
  words: { lines: ['lxc_conf', 'lxc_conf_unset', 'config', 'options', 'password'], dashes: 'any' },
  functions: {
    present: defineState({ doc: 'Makes sure of a container.', params: PRESENT, run: present }),
    absent: defineState({
      doc: 'Makes sure that a container is not there.',
      params: {
        ...NAME,
        stop: param.value({ default: false, type: 'bool', doc: 'Even one that runs.' }),
        ...PATH,
      },
      run: absent,
    }),
    running: defineState({
      doc: 'Makes sure that a container runs.',
      params: {
        ...NAME,
        restart: param.flag({ default: false, doc: 'Start it anew where it runs.' }),
        ...PATH,
      },
      run: running,
    }),
    frozen: defineState({
      doc: 'Makes sure that a container is frozen.',
      params: {
        ...NAME,
        start: param.flag({ default: true, doc: 'Start one that is stopped, before.' }),
        ...PATH,
      },
      run: frozen,
    }),
    stopped: defineState({
      doc: 'Makes sure that a container is stopped.',
      params: { ...NAME, kill: param.flag({ default: false, doc: 'At once.' }), ...PATH },
      run: stopped,
    }),
    set_pass: defineState({
      doc: 'Is no longer there.',
      params: NAME,
      kwargs: 'kwargs',
      run: (_ctx, { name }) => ({
        name,
        comment:
          'The lxc.set_pass state is no longer supported. Please see the LXC states documentation for further information.',
        result: false,
        changes: dict(),
      }),
    }),
  },
});
