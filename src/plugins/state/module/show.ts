/** The functions of `state` that compile and only show (3006.16 salt/modules/state.py). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import {
  defineFunction,
  type FunctionSpec,
  type ModuleContext,
  type ParamSpec,
} from '../../../runtime/loader/module.ts';
import { renderNested } from '../../outputters/nested.ts';
import type { Compiled } from '../../../runtime/state/compiled.ts';
import { isGoodRun } from '../../../runtime/state/check-result.ts';
import { compileChunks } from '../../../runtime/state/low.ts';
import { verifyHigh } from '../../../runtime/state/verify-high.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { COMPILER_ERROR, PILLAR_FAILURE, STATE_FAILURE } from './codes.ts';
import { prepareRun, type PreparedRun } from './prepare.ts';
import { conflictOf } from './queue.ts';
import { param } from '../../../runtime/loader/params.ts';

const queue: ParamSpec = param.value({
  default: null,
  type: 'bool or int',
  doc: 'Wait for other state runs instead of refusing; a number limits how many may wait.',
});
const mods = param.by(splitNames, {
  type: 'str or list of str',
  doc: 'Names of SLS, separated by commas; globs work.',
});
const test: ParamSpec = param.value({
  default: null,
  type: 'bool',
  doc: 'The option `test`, as templates see it.',
});
const KEYWORDS =
  'Keywords: saltenv, pillarenv, pillar (a mapping merged over the pillar), force (also with pillar errors).';

/** Names separated by commas, or a list of them. */
export function splitNames(value: Value): Value[] {
  if (Array.isArray(value)) return [...value];
  return pyStr(value)
    .split(',')
    .map((name) => name.trim());
}

/** @throws CommandExecutionError when the pillar has errors */
async function prepared(
  ctx: ModuleContext,
  kwargs: Dict,
  options: Parameters<typeof prepareRun>[2] = {},
): Promise<PreparedRun> {
  const run = await prepareRun(ctx, kwargs, options);
  if (run.pillarErrors.length === 0) return run;
  ctx.setRetcode(PILLAR_FAILURE);
  const details = renderNested([...run.pillarErrors], { color: false }).trimEnd();
  throw new CommandExecutionError(`Pillar failed to render. Additional info follows:\n\n${details}`);
}

/** What a compilation gives: its data, or the list of errors with their return code. */
function shown(ctx: ModuleContext, { data, errors }: Compiled<Dict>): Value {
  if (errors.length === 0) return data;
  ctx.setRetcode(COMPILER_ERROR);
  return [...errors];
}

/** The high data of some SLS, verified. */
async function slsData(
  ctx: ModuleContext,
  args: { readonly mods: Value[]; readonly test: Value },
  kwargs: Dict,
) {
  const opts = args.test === null ? dict() : dict({ test: args.test });
  const { compiler, opts: effective } = await prepared(ctx, kwargs, { saltenv: 'base', opts });
  const compiled = await compiler.slsHigh(args.mods, pyStr(effective.get('saltenv') ?? 'base'));
  return { data: compiled.data, errors: [...compiled.errors, ...verifyHigh(compiled.data)] };
}

/** The low chunks of the top file's SLS, or what is wrong. */
async function lowstate(ctx: ModuleContext, kwargs: Dict): Promise<Compiled<readonly Dict[]>> {
  const { compiler } = await prepared(ctx, kwargs);
  return compiler.lowstate();
}

/** A function about the SLS of the top file. */
function ofTop(
  doc: string,
  returns: string,
  run: (ctx: ModuleContext, kwargs: Dict) => Promise<Value>,
): FunctionSpec {
  return defineFunction({
    doc: `${doc} ${KEYWORDS}`,
    params: { queue },
    kwargs: 'kwargs',
    returns,
    run: async (ctx, args, _rest, kwargs) => (await conflictOf(ctx, args.queue, kwargs)) ?? run(ctx, kwargs),
  });
}

/** A function about some SLS. */
function ofSls(
  { doc, returns, examples }: Pick<FunctionSpec, 'doc' | 'returns' | 'examples'>,
  show: (ctx: ModuleContext, high: Compiled<Dict>) => Value,
): FunctionSpec {
  return defineFunction({
    doc: `${doc} ${KEYWORDS}`,
    params: { mods, test, queue },
    kwargs: 'kwargs',
    returns,
    ...(examples === undefined ? {} : { examples }),
    run: async (ctx, args, _rest, kwargs) =>
      (await conflictOf(ctx, args.queue, kwargs)) ?? show(ctx, await slsData(ctx, args, kwargs)),
  });
}

async function stateUsage(ctx: ModuleContext, kwargs: Dict): Promise<Value> {
  const { compiler } = await prepared(ctx, kwargs);
  const { data: matches, errors } = await compiler.top();
  if (errors.length > 0) return shown(ctx, { data: matches, errors });
  const usage: Dict = new Map();
  for (const [env, names] of await compiler.availableStates()) {
    const matched = matches.get(env);
    const isUsed = (name: string): boolean => Array.isArray(matched) && matched.includes(name);
    const used = names.filter(isUsed);
    const unused = names.filter((name) => !isUsed(name));
    const counts = { count_all: names.length, count_used: used.length, count_unused: unused.length };
    usage.set(env, dict({ used, unused, ...counts }));
  }
  if (!isGoodRun(usage)) ctx.setRetcode(STATE_FAILURE);
  return usage;
}

/** `state.show_top`, `show_sls` and the others that compile and only show. */
export const showFunctions: Readonly<Record<string, FunctionSpec>> = {
  show_top: ofTop(
    'Shows which SLS the top files give this minion.',
    'mapping of environment to a list of SLS',
    async (ctx, kwargs) => {
      const { compiler } = await prepared(ctx, kwargs);
      return shown(ctx, await compiler.top());
    },
  ),
  show_highstate: ofTop(
    'Shows the high data of the SLS that the top files give this minion.',
    'the high data, or a list of errors',
    async (ctx, kwargs) => {
      const { compiler } = await prepared(ctx, kwargs);
      const compiled = await compiler.highstate();
      if (!isGoodRun(compiled.data)) ctx.setRetcode(STATE_FAILURE);
      return shown(ctx, compiled);
    },
  ),
  show_lowstate: ofTop(
    'Shows the low data of the SLS that the top files give this minion, in the order in which it would run.',
    'list of low chunks, or a list of errors',
    async (ctx, kwargs) => {
      const { data, errors } = await lowstate(ctx, kwargs);
      return errors.length > 0 ? shown(ctx, { data: dict(), errors }) : [...data];
    },
  ),
  show_states: ofTop(
    'Shows the names of all SLS that a highstate runs, those that are included among them.',
    'list of names, or a list of errors',
    async (ctx, kwargs) => {
      const { data, errors } = await lowstate(ctx, kwargs);
      if (errors.length > 0) return shown(ctx, { data: dict(), errors });
      return [...new Set(data.map((chunk) => chunk.get('__sls__') ?? null))];
    },
  ),
  show_state_usage: ofTop(
    'Shows which SLS of each environment the top files use and which they do not.',
    'mapping of environment to lists and counts',
    stateUsage,
  ),
  show_sls: ofSls(
    {
      doc: 'Shows the high data of some SLS.',
      returns: 'the high data, or a list of errors',
      examples: ["salt '*' state.show_sls core,edit.vim saltenv=dev"],
    },
    shown,
  ),
  show_low_sls: ofSls(
    {
      doc: 'Shows the low data of some SLS, in the order in which it would run.',
      returns: 'list of low chunks, or a list of errors',
      examples: ["salt '*' state.show_low_sls foo saltenv=dev"],
    },
    (ctx, high) => (high.errors.length > 0 ? shown(ctx, high) : compileChunks(high.data)),
  ),
  sls_exists: ofSls(
    {
      doc: 'Returns whether some SLS exist and compile.',
      returns: 'bool',
      examples: ["salt '*' state.sls_exists core,edit.vim saltenv=dev"],
    },
    (ctx, high) => isDict(shown(ctx, high)),
  ),
  id_exists: defineFunction({
    doc: `Returns whether some SLS have all of some ids. ${KEYWORDS}`,
    params: {
      ids: param.by(splitNames, { type: 'str or list of str', doc: 'Ids, separated by commas.' }),
      mods,
      test,
      queue,
    },
    kwargs: 'kwargs',
    returns: 'bool',
    examples: ["salt '*' state.id_exists create_myfile,update_template filestate saltenv=dev"],
    run: async (ctx, args, _rest, kwargs) => {
      const conflict = await conflictOf(ctx, args.queue, kwargs);
      if (conflict !== undefined) return conflict;
      const high = await slsData(ctx, args, kwargs);
      if (!isDict(shown(ctx, high))) return false;
      const known = new Set(compileChunks(high.data).map((chunk) => chunk.get('__id__')));
      return args.ids.every((id) => known.has(id));
    },
  }),
};
