/**
 * Executors: what stands between a job and its function (salt/executors, salt/minion.py `_execute_job_function`,
 * 3006.16). Each in turn may run the function; the first that gives something else than None decides. There are
 * `direct_call`, `splay` and `sudo`; `docker` needs `docker.call`, which does not exist here, and
 * `transactional_update` a system that is not served.
 */
import { optionOf } from './option-of.ts';
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { parseJson, toJson } from '../../formats/json/text.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { yamlifyArgument } from '../../formats/yaml/yamlify.ts';
import type { CallArguments } from './bind.ts';
import type { ModuleContext } from './module.ts';
import { PythonError } from '../../python/exceptions.ts';

/** A function that is about to be run. */
export interface ExecutorCall {
  /** The full name. */
  readonly fun: string;
  readonly call: CallArguments;
  /** Runs the function in this process. */
  readonly run: () => Promise<Value>;
}

type Executor = (call: ExecutorCall, ctx: ModuleContext, options: Dict) => Promise<Value>;

/** By the names that `module_executors` takes. */
export const EXECUTORS: ReadonlyMap<string, Executor> = new Map<string, Executor>([
  ['direct_call', ({ run }) => run()],
  ['splay', splay],
  ['sudo', sudo],
]);

/** Seconds over which `splay` spreads minions when nothing says. */
const SPLAY_S = 300;
const SPLAY_SLOTS = 8192;
/** State runs wait for each other; under sudo the outer job is already known as running. */
const STATE_RUNS = new Set(['state.sls', 'state.highstate', 'state.apply']);

/**
 * The executors of a job: those it names, else those of the configuration, else `direct_call`; `sudo_user` puts sudo
 * last.
 */
export function executorsOf(ctx: ModuleContext): Value {
  const chosen = [ctx.job.pub.get('module_executors'), ctx.opts.get('module_executors')];
  const names = chosen.find((each) => truthy(each)) ?? ['direct_call'];
  if (!truthy(ctx.opts.get('sudo_user'))) return names;
  // not for salt-call, which is what sudo runs
  return [...(Array.isArray(names) ? names.slice(0, -1) : []), 'sudo'];
}

/**
 * Runs a function through executors.
 * @param names a list, or one name
 * @param options the job's `executor_opts`
 * @throws SaltInvocationError for one that is not available, and whatever the function throws
 */
export async function throughExecutors(
  names: Value,
  call: ExecutorCall,
  ctx: ModuleContext,
  options: Value | undefined = ctx.job.pub.get('executor_opts'),
): Promise<Value> {
  const chosen = typeof names === 'string' ? [names] : Array.isArray(names) ? names.map(pyStr) : [];
  if (chosen.length === 0)
    throw new SaltInvocationError(
      `Wrong executors specification: ${pyStr(names)}. String or non-empty list expected`,
    );
  for (const name of chosen) {
    const executor = EXECUTORS.get(name);
    if (executor === undefined || (name === 'sudo' && !canSudo(ctx)))
      throw new SaltInvocationError(`Executor '${name}' is not available`);
    const value = await executor(call, ctx, options !== undefined && isDict(options) ? options : dict({}));
    if (value !== null) return value;
  }
  return null;
}

/** Waits for a time that each minion has for itself, so that not all begin at once. */
async function splay({ fun }: ExecutorCall, ctx: ModuleContext, options: Dict): Promise<Value> {
  const wanted = options.get('splaytime') ?? ctx.opts.get('splaytime') ?? SPLAY_S;
  const seconds = typeof wanted === 'string' ? undefined : toNumber(wanted);
  if (seconds === undefined)
    throw new PythonError('TypeError', `'<=' not supported between instances of 'str' and 'int'`);
  if (seconds <= 0) throw new PythonError('ValueError', 'splaytime must be a positive integer');
  const delayS = Math.floor((seconds * splaySlot(ctx.id)) / SPLAY_SLOTS);
  ctx.log.debug(`Splay is sleeping ${delayS} secs on ${fun}`);
  await ctx.clock.sleep(delayS * 1000, ctx.signal);
  if (ctx.signal.aborted)
    throw new CommandExecutionError(`The job ${ctx.job.jid} was ended while it waited for its turn.`);
  return null;
}

/** Where a minion stands between 0 and {@link SPLAY_SLOTS}: Jenkins' one-at-a-time hash of its id. */
export function splaySlot(id: string): number {
  let hash = 0;
  for (const byte of Buffer.from(id, 'utf8')) {
    hash = (hash + byte) >>> 0;
    hash = (hash + (hash << 10)) >>> 0;
    hash = (hash ^ (hash >>> 6)) >>> 0;
  }
  hash = (hash + (hash << 3)) >>> 0;
  hash = (hash ^ (hash >>> 11)) >>> 0;
  hash = (hash + (hash << 15)) >>> 0;
  return hash & (SPLAY_SLOTS - 1);
}

function canSudo(ctx: ModuleContext): boolean {
  return truthy(ctx.opts.get('sudo_user')) && findProgram('sudo') !== undefined;
}

/** Runs the function with `salt-call` as `sudo_user`. */
async function sudo({ fun, call }: ExecutorCall, ctx: ModuleContext): Promise<Value> {
  const configDir = pyStr(ctx.opts.get('config_dir') ?? '/etc/salt');
  const user = optionOf(ctx.opts, 'sudo_user');
  const command = [
    'sudo',
    '-u',
    user,
    'salt-call',
    '--out',
    'json',
    '--metadata',
    '-c',
    configDir,
    '--',
    fun,
  ];
  const keywords: Dict = new Map(call.keywords);
  if (STATE_RUNS.has(fun)) keywords.set('concurrent', true);
  for (const value of call.positional) command.push(argumentWord(value));
  for (const [name, value] of keywords)
    if (!pyStr(name).startsWith('__pub_')) command.push(`${pyStr(name)}=${argumentWord(value)}`);
  const options: Dict = new Map([['python_shell', false]]);
  const result = await ctx.functions.call('cmd.run_all', [command], options);
  const field = (key: string): Value => (isDict(result) ? (result.get(key) ?? null) : null);
  const retcode = toNumber(field('retcode')) ?? 1;
  ctx.setRetcode(retcode);
  if (retcode !== 0) return field('stderr');
  const answer = parseJson(pyStr(field('stdout')));
  const local = isDict(answer) ? answer.get('local') : undefined;
  if (local === undefined || !isDict(local)) return answer;
  ctx.setRetcode(toNumber(local.get('retcode')) ?? 0);
  return local.get('return') ?? null;
}

/**
 * A value as `salt-call` reads it back from its command line. Salt compat: Salt quotes for a shell that is not there.
 */
function argumentWord(value: Value): string {
  if (typeof value !== 'string') return toJson(value);
  return yamlifyArgument(value) === value && !value.includes('=') ? value : toJson(value);
}
