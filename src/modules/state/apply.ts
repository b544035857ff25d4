/** The functions of `state` that run states (3006.16 salt/modules/state.py). */
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import {
  defineFunction,
  type FunctionSpec,
  type ModuleContext,
  type ParamSpec,
} from '../../loader/module.ts';
import { tagOf } from '../../state/result.ts';
import { verifyLow } from '../../state/verify.ts';
import { pyStr } from '../../values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../values/value.ts';
import { HIGH_DATA, keep, kept } from './cached.ts';
import { COMPILER_ERROR, PILLAR_FAILURE } from './codes.ts';
import { disabledAmong } from './disabled.ts';
import { runHighstate, runTop } from './highstate.ts';
import { openRun, pillarRefusal, pruned, refused, runHigh, setRetcode, startRun } from './open-run.ts';
import { conflictOf } from './queue.ts';
import { splitNames } from './show.ts';

const test: ParamSpec = {
  default: null,
  type: 'bool',
  doc: 'Change nothing, and say what would be changed.',
};
const queue: ParamSpec = {
  default: null,
  type: 'bool or int',
  doc: 'Wait for other state runs instead of refusing; a number limits how many may wait.',
};
const stateEvents: ParamSpec = { default: null, type: 'bool', doc: 'Send an event for each finished state.' };
const mods: ParamSpec = { type: 'str or list of str', doc: 'Names of SLS, separated by commas; globs work.' };
const KEYWORDS =
  'Keywords: saltenv, pillarenv, pillar (a mapping merged over the pillar), exclude, concurrent (run beside other runs), ' +
  'terse (only what failed or changed), mock (call no state), cache, cache_name, localconfig, force (also with pillar errors).';
const RETURNS = 'mapping of tag to result; a list of texts when nothing could be run';

/** What every function here is: it answers with states, and runs in a process that can be killed. */
const COMMON = { returns: RETURNS, isolation: 'process', kwargs: 'kwargs' } as const;
const SHOWN = { ...COMMON, outputter: 'highstate' } as const;

/** Everything that was given by name, parameters that were left out excepted. */
function named(args: Readonly<Record<string, Value>>, kwargs: Dict): Dict {
  return new Map([...Object.entries(args).filter(([, value]) => value !== null), ...kwargs]);
}

/** `state.sls`. @param kwargs all that was given by name but `mods` */
export async function runSls(ctx: ModuleContext, given: Value, kwargs: Dict): Promise<Value> {
  const conflict = await conflictOf(ctx, kwargs.get('queue') ?? null, kwargs);
  if (conflict !== undefined) return conflict;
  const disabled = await disabledAmong(ctx, Array.isArray(given) ? given : [given]);
  if (disabled.length > 0) return refused(ctx, disabled);
  await syncModules(ctx, kwargs);
  const open = await openRun(ctx, kwargs, {
    test: kwargs.get('test') ?? null,
    stateEvents: kwargs.get('state_events') ?? null,
    saltenv: 'base',
  });
  const refusal = pillarRefusal(open);
  if (refusal !== undefined) return refusal;
  const cacheName = `${pyStr(kwargs.get('cache_name') ?? 'highstate')}${HIGH_DATA}`;
  const cached = truthy(kwargs.get('cache')) ? kept(ctx, cacheName) : undefined;
  if (cached !== undefined) return runHigh(open, cached);
  const exclude = kwargs.get('exclude') ?? null;
  const { data: high, errors } = await open.compiler.slsHigh(
    splitNames(given),
    pyStr(open.opts.get('saltenv') ?? 'base'),
    truthy(exclude) ? splitNames(exclude) : [],
  );
  if (errors.length > 0) return refused(ctx, errors);
  const ret = await pruned(ctx, await runHigh(open, high), kwargs);
  keep(ctx, 'sls.p', ret);
  setRetcode(ctx, ret, high);
  keep(ctx, cacheName, high);
  return ret;
}

/** The keyword `sync_mods`: kinds of modules to bring over first. */
async function syncModules(ctx: ModuleContext, kwargs: Dict): Promise<void> {
  const given = kwargs.get('sync_mods') ?? null;
  if (given === null) return;
  const kinds = given === true ? ['all'] : splitNames(given).map(pyStr);
  for (const kind of kinds.includes('all') ? ['all'] : kinds) {
    const fun = `saltutil.sync_${kind}`;
    const saltenv = kwargs.get('saltenv') ?? 'base';
    if (await ctx.functions.has(fun)) await ctx.functions.call(fun, [], dict({ saltenv }));
    else ctx.log.warning(`Invalid custom module type '${kind}', ignoring`);
  }
}

/** `state.apply`. @param given names of SLS; none: the highstate */
export function runApply(ctx: ModuleContext, given: Value, kwargs: Dict): Promise<Value> {
  return truthy(given) ? runSls(ctx, given, kwargs) : runHighstate(ctx, kwargs);
}

async function runSlsId(ctx: ModuleContext, id: Value, given: Value, kwargs: Dict): Promise<Value> {
  const conflict = await conflictOf(ctx, kwargs.get('queue') ?? null, kwargs);
  if (conflict !== undefined) return conflict;
  const open = await openRun(ctx, kwargs, {
    test: kwargs.get('test') ?? null,
    stateEvents: kwargs.get('state_events') ?? null,
    saltenv: 'base',
  });
  const refusal = pillarRefusal(open);
  if (refusal !== undefined) return refusal;
  const saltenv = pyStr(open.opts.get('saltenv') ?? 'base');
  const high = await open.compiler.slsHigh(splitNames(given), saltenv);
  const low = await open.compiler.low(high.data);
  const errors = [...high.errors, ...low.errors];
  if (errors.length > 0) return refused(ctx, errors);
  const chunks = [...low.data];
  const run = await startRun(open);
  const ret: Dict = new Map();
  for (const chunk of chunks)
    if ((chunk.get('__id__') ?? '') === id)
      for (const [tag, result] of await run.callChunkAlone(chunk, chunks)) ret.set(tag, result);
  setRetcode(ctx, ret);
  if (ret.size === 0)
    throw new SaltInvocationError(
      `No matches for ID '${pyStr(id)}' found in SLS '${pyStr(given)}' within saltenv '${saltenv}'`,
    );
  return ret;
}

async function runSingle(ctx: ModuleContext, fun: Value, name: Value, kwargs: Dict): Promise<Value> {
  const conflict = await conflictOf(ctx, kwargs.get('queue') ?? null, kwargs);
  if (conflict !== undefined) return conflict;
  const [state, short] = pyStr(fun).split('.');
  if (state === undefined || short === undefined) {
    ctx.setRetcode(COMPILER_ERROR);
    return 'Invalid function passed';
  }
  const open = await openRun(ctx, kwargs, { test: kwargs.get('test') ?? null });
  const low: Dict = new Map([...kwargs].filter(([key]) => !/^(?:__pub_.*|test|queue)$/.test(pyStr(key))));
  for (const [key, value] of Object.entries({ state, fun: short, __id__: name, name })) low.set(key, value);
  const errors = await verifyLow(low, await ctx.functions.states());
  if (errors.length > 0) return refused(ctx, errors);
  const run = await startRun(open);
  const tag = tagOf(low);
  const ret: Dict = new Map([[tag, await run.callOne(low)]]);
  setRetcode(ctx, ret);
  return ret;
}

async function runLow(ctx: ModuleContext, data: Value, kwargs: Dict): Promise<Value> {
  const conflict = await conflictOf(ctx, kwargs.get('queue') ?? null, kwargs);
  if (conflict !== undefined) return conflict;
  if (!isDict(data))
    throw new SaltInvocationError('data must be one low chunk, a mapping with state, fun and name');
  const errors = await verifyLow(data, await ctx.functions.states());
  if (errors.length > 0) return refused(ctx, errors);
  if (!data.has('__id__')) data.set('__id__', data.get('name') ?? null);
  const run = await startRun(await openRun(ctx, new Map()));
  return run.callOne(data);
}

async function runTemplate(ctx: ModuleContext, template: Value, kwargs: Dict): Promise<Value> {
  const conflict = await conflictOf(ctx, kwargs.get('queue') ?? null, kwargs);
  if (conflict !== undefined) return conflict;
  const open = await openRun(ctx, kwargs);
  if (open.pillarErrors.length > 0) {
    ctx.setRetcode(PILLAR_FAILURE);
    throw new CommandExecutionError(`Pillar failed to render: ${open.pillarErrors.map(pyStr).join('\n')}`);
  }
  const path = pyStr(template);
  const { data: high, errors } = await open.compiler.fileHigh(
    path.endsWith('.sls') ? path : `${path}.sls`,
    pyStr(kwargs.get('saltenv') ?? ''),
  );
  if (errors.length > 0) return refused(ctx, errors);
  const ret = await runHigh(open, high);
  setRetcode(ctx, ret, high);
  return ret;
}

async function runTemplateText(ctx: ModuleContext, template: Value, kwargs: Dict): Promise<Value> {
  const conflict = await conflictOf(ctx, kwargs.get('queue') ?? null, kwargs);
  if (conflict !== undefined) return conflict;
  const open = await openRun(ctx, kwargs);
  const { data: high, errors } = await open.compiler.textHigh(pyStr(template));
  const ret = errors.length > 0 ? [...errors] : high.size === 0 ? high : await runHigh(open, high);
  setRetcode(ctx, ret);
  return ret;
}

async function runHighData(ctx: ModuleContext, data: Value, kwargs: Dict): Promise<Value> {
  const conflict = await conflictOf(ctx, kwargs.get('queue') ?? null, kwargs);
  if (conflict !== undefined) return conflict;
  if (!isDict(data))
    throw new SaltInvocationError('data must be high data: a mapping of id to mappings of module to list');
  const open = await openRun(ctx, kwargs, { test: kwargs.get('test') ?? null });
  const ret = await runHigh(open, data);
  setRetcode(ctx, ret, data);
  return ret;
}

/** See the file's comment. */
export const applyFunctions: Readonly<Record<string, FunctionSpec>> = {
  apply: defineFunction({
    doc: `Applies SLS; without names, all that the top files give this minion. ${KEYWORDS}`,
    pythonName: 'apply_',
    params: { mods: { ...mods, default: null } },
    ...SHOWN,
    examples: [
      "salt '*' state.apply",
      "salt '*' state.apply core,edit.vim test=True",
      `salt '*' state.apply web pillar='{"port": 8080}'`,
    ],
    run: (ctx, args, _rest, kwargs) => runApply(ctx, args.mods, kwargs),
  }),
  highstate: defineFunction({
    doc: `Applies all that the top files give this minion. ${KEYWORDS}`,
    params: { test, queue, state_events: stateEvents },
    ...SHOWN,
    examples: ["salt '*' state.highstate", "salt '*' state.highstate test=True exclude=bar"],
    run: (ctx, args, _rest, kwargs) => runHighstate(ctx, named(args, kwargs)),
  }),
  sls: defineFunction({
    doc: `Applies SLS by name. ${KEYWORDS}`,
    params: {
      mods,
      test,
      exclude: { default: null, type: 'str or list', doc: 'SLS to leave out, `{sls: x}` or `{id: y}`.' },
      queue,
      sync_mods: { default: null, type: 'list of str', doc: 'Kinds of modules to sync first; True for all.' },
      state_events: stateEvents,
    },
    ...SHOWN,
    examples: [
      "salt '*' state.sls core,edit.vim saltenv=dev",
      "salt '*' state.sls core sync_mods=states,modules",
    ],
    run: (ctx, { mods: given, ...args }, _rest, kwargs) => runSls(ctx, given, named(args, kwargs)),
  }),
  sls_id: defineFunction({
    doc: `Applies one id of some SLS, and what it requires. ${KEYWORDS}`,
    params: { id_: { type: 'str', doc: 'The id.' }, mods, test, queue, state_events: stateEvents },
    ...SHOWN,
    examples: ["salt '*' state.sls_id my_state my_module"],
    run: (ctx, { id_, mods: given, ...args }, _rest, kwargs) =>
      runSlsId(ctx, id_, given, named(args, kwargs)),
  }),
  single: defineFunction({
    doc: 'Runs one state, with the arguments that are given by name.',
    params: {
      fun: { type: 'str', doc: 'The state, `file.managed`.' },
      name: { type: 'str', doc: 'Its name.' },
      test,
      queue,
    },
    ...SHOWN,
    examples: ["salt '*' state.single pkg.installed name=vim"],
    run: (ctx, { fun, name, ...args }, _rest, kwargs) => runSingle(ctx, fun, name, named(args, kwargs)),
  }),
  top: defineFunction({
    doc: `Applies what another top file gives this minion. ${KEYWORDS}`,
    params: { topfn: { type: 'str', doc: 'The file, by its path on the file server.' }, test, queue },
    ...SHOWN,
    examples: [
      "salt '*' state.top reverse_top.sls",
      "salt '*' state.top prod_top.sls exclude=sls_to_exclude",
    ],
    run: (ctx, { topfn, ...args }, _rest, kwargs) => runTop(ctx, topfn, named(args, kwargs)),
  }),
  low: defineFunction({
    doc: 'Runs one low chunk: a state with its arguments as one mapping.',
    params: { data: { type: 'dict', doc: 'The chunk: state, fun, name, __id__ and the arguments.' }, queue },
    ...COMMON,
    returns: 'the result; a list of texts when it could not be run',
    examples: [`salt '*' state.low '{"state": "pkg", "fun": "installed", "name": "vi"}'`],
    run: (ctx, { data, ...args }, _rest, kwargs) => runLow(ctx, data, named(args, kwargs)),
  }),
  high: defineFunction({
    doc: 'Runs high data: what an SLS is compiled to.',
    params: { data: { type: 'dict', doc: 'The high data.' }, test, queue },
    ...COMMON,
    examples: [`salt '*' state.high '{"vim": {"pkg": ["installed"]}}'`],
    run: (ctx, { data, ...args }, _rest, kwargs) => runHighData(ctx, data, named(args, kwargs)),
  }),
  template: defineFunction({
    doc: 'Applies an SLS file on the minion itself.',
    params: { tem: { type: 'str', doc: 'Path of the file on the minion, with or without `.sls`.' }, queue },
    ...SHOWN,
    examples: ["salt '*' state.template '<Path to template on the minion>'"],
    run: (ctx, { tem, ...args }, _rest, kwargs) => runTemplate(ctx, tem, named(args, kwargs)),
  }),
  template_str: defineFunction({
    doc: 'Applies a text that is an SLS of its own.',
    params: { tem: { type: 'str', doc: 'The text.' }, queue },
    ...SHOWN,
    examples: ["salt '*' state.template_str '<Template String>'"],
    run: (ctx, { tem, ...args }, _rest, kwargs) => runTemplateText(ctx, tem, named(args, kwargs)),
  }),
  test: defineFunction({
    doc: `As \`state.apply\` with \`test=True\`: changes nothing, and says what would be changed. ${KEYWORDS}`,
    varargs: 'args',
    ...SHOWN,
    examples: ["salt '*' state.test", "salt '*' state.test foo,bar"],
    run: (ctx, _args, rest, kwargs) => {
      const others: Dict = new Map<Value, Value>([...kwargs, ['test', true]]);
      others.delete('mods');
      return runApply(ctx, rest[0] ?? kwargs.get('mods') ?? null, others);
    },
  }),
};
