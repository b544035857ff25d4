/**
 * Whether a state is to run at all: onlyif, unless, creates; and whether it did its work: check_cmd (salt/state.py
 * `_run_check`, 3006.16).
 */
import { existsSync } from 'node:fs';
import { traverse } from '../../formats/data/traverse.ts';
import { CommandExecutionError } from '../../errors/errors.ts';
import type { ModuleContext } from '../loader/module.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { fillSlots } from './slots.ts';

/** Options of states that go to the commands of its conditions, too. */
const COMMAND_OPTIONS = [
  ...['cwd', 'root', 'runas', 'env', 'prepend_path', 'umask', 'timeout', 'success_retcodes'],
] as const;
/** The keys of a function's mapping that are no arguments. */
const ENTRY_KEYS: ReadonlySet<string> = new Set(['fun', 'args', 'get_return']);
/** What a command that could not be started counts as. */
const NOT_STARTED = 100;

/** What one condition says: whether the state is to be left out, and why. */
interface Verdict {
  readonly isLeftOut: boolean;
  readonly comment: string;
  readonly skipWatch?: boolean;
}

/** The result of the conditions, as fields for the state's result: `result` is true when the state is left out. */
export async function checkConditions(low: Dict, ctx: ModuleContext): Promise<Dict> {
  const options = commandOptions(low, ctx);
  const verdicts: Verdict[] = [];
  if (low.has('onlyif')) verdicts.push(await onlyIf(listOf(low.get('onlyif')), ctx, options));
  if (low.has('unless')) verdicts.push(await unless(listOf(low.get('unless')), ctx, options));
  if (low.has('creates')) verdicts.push(creates(low.get('creates') ?? null));
  const comments = verdicts.map(({ comment }) => comment);
  const fields = dict({ result: verdicts.some(({ isLeftOut }) => isLeftOut), comment: comments });
  for (const key of ['__sls__', '__id__', 'name']) fields.set(key, low.get(key) ?? null);
  if (verdicts.some(({ skipWatch }) => skipWatch === true)) fields.set('skip_watch', true);
  return fields;
}

/** The result of `check_cmd`, as fields for the state's result. */
export async function checkCommands(low: Dict, ctx: ModuleContext): Promise<Dict> {
  const fields = dict({ result: false });
  for (const key of ['__sls__', '__id__', 'name']) fields.set(key, low.get(key) ?? null);
  const options: Dict = new Map();
  if (ctx.grains.has('shell')) options.set('shell', ctx.grains.get('shell') ?? null);
  for (const entry of listOf(low.get('check_cmd'))) {
    const code = await retcodeOf(entry, ctx, options);
    fields.set('result', code === 0);
    fields.set('comment', `check_cmd determined the state ${code === 0 ? 'succeeded' : 'failed'}`);
    if (code !== 0) break;
  }
  return fields;
}

function listOf(value: Value | undefined): Value[] {
  return Array.isArray(value) ? value : [value ?? null];
}

function commandOptions(low: Dict, ctx: ModuleContext): Dict {
  const excluded = low.has('cmd_opts_exclude') ? listOf(low.get('cmd_opts_exclude')) : [];
  const options: Dict = new Map();
  for (const key of COMMAND_OPTIONS) if (!excluded.includes(key)) options.set(key, low.get(key) ?? null);
  if (low.has('shell') && !excluded.includes('shell')) options.set('shell', low.get('shell') ?? null);
  else if (ctx.grains.has('shell')) options.set('shell', ctx.grains.get('shell') ?? null);
  return options;
}

async function retcodeOf(command: Value, ctx: ModuleContext, options: Dict): Promise<number> {
  const kwargs: Dict = new Map<Value, Value>([...options, ['ignore_retcode', true], ['python_shell', true]]);
  const given = [...kwargs].filter(([, value]) => value !== null);
  const code = await ctx.functions.call('cmd.retcode', [command], new Map(given));
  return toNumber(code) ?? NOT_STARTED;
}

async function onlyIf(entries: readonly Value[], ctx: ModuleContext, options: Dict): Promise<Verdict> {
  const isFalse: Verdict = { isLeftOut: true, comment: 'onlyif condition is false', skipWatch: true };
  // Salt compat: an empty list, as a template makes it, is no condition; in Salt it is a KeyError
  const isTrue: Verdict = { isLeftOut: false, comment: 'onlyif condition is true' };
  for (const entry of entries) {
    const outcome = await outcomeOf(entry, ctx, options, 'onlyif');
    if (outcome === 'false') return isFalse;
    if (outcome === 'bad') return { isLeftOut: false, comment: 'onlyif execution failed, bad type passed' };
    if (outcome !== 'true') return { isLeftOut: false, comment: outcome.fault };
  }
  return isTrue;
}

async function unless(entries: readonly Value[], ctx: ModuleContext, options: Dict): Promise<Verdict> {
  let verdict: Verdict = { isLeftOut: false, comment: 'unless condition is false' };
  for (const entry of entries) {
    const outcome = await outcomeOf(entry, ctx, options, 'unless');
    if (outcome === 'false') return { isLeftOut: false, comment: 'unless condition is false' };
    if (outcome === 'true')
      verdict = { isLeftOut: true, comment: 'unless condition is true', skipWatch: true };
    else if (outcome === 'bad')
      verdict = { ...verdict, isLeftOut: false, comment: 'unless condition is false, bad type passed' };
    else return { ...verdict, comment: outcome.fault };
  }
  return verdict;
}

/** What an entry comes to; `fault` for one that names no function. */
async function outcomeOf(
  entry: Value,
  ctx: ModuleContext,
  options: Dict,
  condition: 'onlyif' | 'unless',
): Promise<'true' | 'false' | 'bad' | { readonly fault: string }> {
  if (typeof entry === 'string') return commandOutcome(entry, ctx, options, condition);
  if (!isDict(entry)) return 'bad';
  if (!entry.has('fun')) {
    const fault = `no \`fun\` argument in ${condition}: ${pyRepr(entry)}`;
    ctx.log.warning(fault);
    return { fault };
  }
  return (await callEntry(entry, ctx, condition)) ? 'true' : 'false';
}

/** A command that cannot be started counts so that the state does not run. */
async function commandOutcome(
  command: string,
  ctx: ModuleContext,
  options: Dict,
  condition: 'onlyif' | 'unless',
): Promise<'true' | 'false'> {
  try {
    return (await retcodeOf(command, ctx, options)) === 0 ? 'true' : 'false';
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return condition === 'unless' ? 'true' : 'false';
  }
}

/**
 * Whether a function says yes. Salt compat: a return code of an earlier command of the run, which Salt still sees here,
 * does not count; only one that this function sets.
 */
async function callEntry(entry: Dict, ctx: ModuleContext, condition: string): Promise<boolean> {
  const kwargs: Dict = new Map();
  for (const [key, value] of entry)
    if (!ENTRY_KEYS.has(pyStr(key))) kwargs.set(key, await fillSlots(value, ctx));
  const args = await Promise.all(listOf(entry.get('args') ?? []).map((arg) => fillSlots(arg, ctx)));
  const path = entry.get('get_return');
  const fun = pyStr(entry.get('fun') ?? null);
  const { spec, missing } = await ctx.functions.find(fun);
  if (spec === undefined)
    throw new CommandExecutionError(`${condition}: ${missing ?? `'${fun}' is not available.`}`);
  ctx.setRetcode(0);
  const value = await ctx.functions.call(fun, args, kwargs);
  if (ctx.retcode !== 0) return false;
  if (!truthy(path)) return truthy(value);
  return truthy(traverse(value, pyStr(path ?? null), { fallback: null }));
}

function creates(paths: Value): Verdict {
  const found = (comment: string): Verdict => ({ isLeftOut: true, comment, skipWatch: true });
  if (typeof paths === 'string' && existsSync(paths)) return found(`${paths} exists`);
  if (Array.isArray(paths) && paths.every((path) => existsSync(pyStr(path))))
    return found('All files in creates exist');
  return { isLeftOut: false, comment: 'Creates files not found' };
}
