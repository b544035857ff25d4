/** The functions of `state` that compile and only show (3006.16 salt/modules/state.py). */
import { CommandExecutionError } from '../../errors/errors.ts';
import {
  defineFunction,
  type FunctionSpec,
  type ModuleContext,
  type ParamSpec,
} from '../../loader/module.ts';
import { renderNested } from '../../outputters/nested.ts';
import type { Compiled } from '../../state/compile.ts';
import { isPrivate } from '../../state/high-data.ts';
import { compileChunks } from '../../state/low.ts';
import { verifyHigh } from '../../state/verify-high.ts';
import { pyStr } from '../../values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../values/value.ts';
import { prepareRun, type PreparedRun } from './prepare.ts';

/** Return codes of the job. */
const COMPILER_ERROR = 1;
const STATE_FAILURE = 2;
const PILLAR_FAILURE = 5;

const queue: ParamSpec = {
  default: null,
  type: 'bool or int',
  doc: 'Wait for other state runs instead of refusing; a number limits how many may wait.',
};
const mods: ParamSpec = { type: 'str or list of str', doc: 'Names of SLS, separated by commas; globs work.' };
const test: ParamSpec = { default: null, type: 'bool', doc: 'The option `test`, as templates see it.' };
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

/** Whether a run of this high data would count as failed, as far as Salt can tell: it holds nothing, or what is no id. */
function hasNoStates(high: Dict): boolean {
  return high.size === 0 || [...high].some(([id, body]) => isPrivate(id) && !isDict(body));
}

/** The high data of some SLS, verified. */
async function slsData(ctx: ModuleContext, args: { mods: Value; test: Value }, kwargs: Dict) {
  const opts = args.test === null ? dict() : dict({ test: args.test });
  const { compiler, opts: effective } = await prepared(ctx, kwargs, { saltenv: 'base', opts });
  const compiled = await compiler.slsHigh(splitNames(args.mods), pyStr(effective.get('saltenv') ?? 'base'));
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
    run: (ctx, _args, _rest, kwargs) => run(ctx, kwargs),
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
  if (usage.size === 0) ctx.setRetcode(STATE_FAILURE);
  return usage;
}

/** See the file's comment. */
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
      if (hasNoStates(compiled.data)) ctx.setRetcode(STATE_FAILURE);
      return shown(ctx, compiled);
    },
  ),
  show_lowstate: ofTop(
    'Shows the low data of the SLS that the top files give this minion, in the order in which it would run.',
    'list of low chunks, or a list of errors',
    async (ctx, kwargs) => {
      const { data, errors } = await lowstate(ctx, kwargs);
      return errors.length > 0 ? [...errors] : [...data];
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
  show_sls: defineFunction({
    doc: `Shows the high data of some SLS. ${KEYWORDS}`,
    params: { mods, test, queue },
    kwargs: 'kwargs',
    returns: 'the high data, or a list of errors',
    examples: ["salt '*' state.show_sls core,edit.vim saltenv=dev"],
    run: async (ctx, args, _rest, kwargs) => shown(ctx, await slsData(ctx, args, kwargs)),
  }),
  show_low_sls: defineFunction({
    doc: `Shows the low data of some SLS, in the order in which it would run. ${KEYWORDS}`,
    params: { mods, test, queue },
    kwargs: 'kwargs',
    returns: 'list of low chunks, or a list of errors',
    examples: ["salt '*' state.show_low_sls foo saltenv=dev"],
    run: async (ctx, args, _rest, kwargs) => {
      const high = await slsData(ctx, args, kwargs);
      return high.errors.length > 0 ? shown(ctx, high) : compileChunks(high.data);
    },
  }),
  sls_exists: defineFunction({
    doc: `Tells whether some SLS exist and compile. ${KEYWORDS}`,
    params: { mods, test, queue },
    kwargs: 'kwargs',
    returns: 'bool',
    examples: ["salt '*' state.sls_exists core,edit.vim saltenv=dev"],
    run: async (ctx, args, _rest, kwargs) => isDict(shown(ctx, await slsData(ctx, args, kwargs))),
  }),
  id_exists: defineFunction({
    doc: `Tells whether some SLS have all of some ids. ${KEYWORDS}`,
    params: { ids: { type: 'str or list of str', doc: 'Ids, separated by commas.' }, mods, test, queue },
    kwargs: 'kwargs',
    returns: 'bool',
    examples: ["salt '*' state.id_exists create_myfile,update_template filestate saltenv=dev"],
    run: async (ctx, args, _rest, kwargs) => {
      const high = await slsData(ctx, args, kwargs);
      if (!isDict(shown(ctx, high))) return false;
      const known = new Set(compileChunks(high.data).map((chunk) => chunk.get('__id__')));
      return splitNames(args.ids).every((id) => known.has(id));
    },
  }),
};
