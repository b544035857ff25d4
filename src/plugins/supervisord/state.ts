/** `supervisord`: programs that supervisord keeps alive (3006.16 salt/states/supervisord.py). */
import { CommandExecutionError, CommandNotFoundError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcomeResultFirst, outcomeChangesLast as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const CONTROL = {
  user: param.value({ default: null, type: 'str', account: 'user', doc: 'Who runs supervisorctl.' }),
  conf_file: param.value({
    default: null,
    type: 'str',
    takes: 'text',
    isLine: true,
    doc: 'The file of the configuration.',
  }),
  bin_env: param.value({
    default: null,
    type: 'str',
    takes: 'text',
    isLine: true,
    doc: 'A virtual environment with supervisorctl, or the path of it.',
  }),
} as const;
const runningParams = (isRestart: boolean) => ({
  name: param.text({ isLine: true, doc: 'The program; `group:` for all of a group.' }),
  restart: param.flag({ default: isRestart, doc: 'Restart it where it runs.' }),
  update: param.flag({
    default: false,
    doc: 'Let supervisord take over what has changed in its configuration.',
  }),
  ...CONTROL,
});
const RUNNING = runningParams(false);

type RunningArgs = TypedArguments<typeof RUNNING>;
type Which = Pick<RunningArgs, 'user' | 'conf_file' | 'bin_env'>;

const STOPPED = new Set(['STOPPED', 'STOPPING', 'EXITED', 'FATAL', 'BACKOFF']);
/** Errors that say that all is as it should be. */
const HARMLESS = ['already started', 'not running', 'process group already active'];

const failed = (said: string): boolean =>
  said.includes('ERROR') && !HARMLESS.some((text) => said.includes(text));

function ask(ctx: StateContext, which: Which, fun: string, args: readonly Value[] = []): Promise<Value> {
  const { user, conf_file, bin_env } = which;
  return ctx.functions.call(`supervisord.${fun}`, args, { user, conf_file, bin_env });
}

/** The states of programs, and the groups that there are. */
interface Found {
  readonly states: ReadonlyMap<string, string>;
  readonly groups: ReadonlySet<string>;
}

async function look(ctx: StateContext, which: Which): Promise<Found> {
  const listed = await ask(ctx, which, 'status');
  const entries: readonly (readonly [Value, Value])[] = isDict(listed) ? [...listed] : [];
  const states = new Map(
    entries.map(([name, about]): [string, string] => [
      pyStr(name),
      isDict(about) ? pyStr(about.get('state') ?? '') : '',
    ]),
  );
  const groups = [...states.keys()].flatMap((name) =>
    name.includes(':') ? [name.slice(0, name.indexOf(':') + 1)] : [],
  );
  return { states, groups: new Set(groups) };
}

/** The states of a program, or of all programs of a group; empty where there is none. */
function statesOf({ states, groups }: Found, name: string): Map<string, string> {
  const own = states.get(name);
  if (own !== undefined) return new Map([[name, own]]);
  return groups.has(name) ? new Map([...states].filter(([one]) => one.startsWith(name))) : new Map();
}

/** `group:*` is all of a group, as `group:` is. */
const plainName = (name: string): string => (name.endsWith(':*') ? name.slice(0, -1) : name);

/**
 * What test mode says.
 *
 * Salt compat: Salt foretells no restart, and takes a program that is just being started for one that it would start.
 */
function foretold(name: string, there: ReadonlyMap<string, string>, isRestart: boolean): StateResult {
  const isGroup = name.endsWith(':');
  if (there.size === 0)
    return outcome(
      name,
      null,
      `${isGroup ? `Group '${name}'` : `Service ${name}`} will be added and started`,
    );
  const stopped = [...there].filter(([, state]) => STOPPED.has(state)).map(([one]) => one);
  const all = `All services in group '${name}'`;
  if (stopped.length === 0 && isRestart)
    return outcome(name, null, isGroup ? `${all} will be restarted` : `Service ${name} will be restarted`);
  if (stopped.length === 0)
    return outcome(name, true, isGroup ? `${all} are already running` : `Service ${name} is already running`);
  const some =
    stopped.length === there.size
      ? `${all} will be started`
      : `The following services will be started: ${stopped.join(' ')}`;
  return outcome(name, null, isGroup ? some : `Service ${name} will be started`);
}

/** What has been done so far. */
interface Progress {
  result: boolean;
  comment: string;
  readonly changes: string[];
}

function note(progress: Progress, said: string, comment: string): void {
  progress.comment = failed(said) ? said : comment;
  if (failed(said)) progress.result = false;
}

async function act(
  ctx: StateContext,
  args: RunningArgs,
  progress: Progress,
  done: { fun: string; name: string; comment: string },
): Promise<void> {
  note(progress, pyStr(await ask(ctx, args, done.fun, [done.name])), done.comment);
  progress.changes.push(done.comment);
}

/** Starts or restarts what is there. @param isUpdated supervisord has just done so itself */
async function start(
  ctx: StateContext,
  args: RunningArgs,
  {
    name,
    found,
    isUpdated,
    progress,
  }: {
    readonly name: string;
    readonly found: Found;
    readonly isUpdated: boolean;
    readonly progress: Progress;
  },
): Promise<void> {
  const there = statesOf(found, name);
  const kind = found.groups.has(name) ? ' group' : found.states.has(name) ? ' service' : '';
  const runs = there.size > 0 && ![...there.values()].some((state) => STOPPED.has(state));
  if (!runs) {
    if (!isUpdated)
      await act(ctx, args, progress, { fun: 'start', name, comment: `Starting${kind}: ${name}` });
  } else if (args.restart && !isUpdated)
    await act(ctx, args, progress, { fun: 'restart', name, comment: `Restarting${kind}: ${name}` });
  // Salt compat: Salt's comment of a program that runs hides the error of an update before it.
  else if (progress.result)
    progress.comment = isUpdated
      ? `Not starting updated${kind}: ${name}`
      : `Not starting already running${kind}: ${name}`;
}

async function running(ctx: StateContext, args: RunningArgs): Promise<StateResult> {
  const name = plainName(args.name);
  const found = await look(ctx, args);
  const there = statesOf(found, name);
  if (ctx.state.test) return foretold(name, there, args.restart);
  const progress: Progress = { result: true, comment: '', changes: [] };
  let isUpdated = false;
  if (args.update) {
    const said = pyStr(await ask(ctx, args, 'update'));
    note(progress, said, 'Updating supervisor');
    isUpdated = said.includes(`${name}: updated`);
  } else if (there.size === 0) {
    await ask(ctx, args, 'reread');
    await act(ctx, args, progress, { fun: 'add', name, comment: `Adding service: ${name}` });
  }
  await start(ctx, args, { name, found, isUpdated, progress });
  const { result, comment, changes } = progress;
  const isChanged = result && changes.length > 0;
  return outcome(name, result, comment, isChanged ? dict({ [name]: changes.join(' ') }) : dict());
}

async function dead(ctx: StateContext, args: Which & { readonly name: string }): Promise<StateResult> {
  // Salt compat: Salt's state does not know `group:*`, and says that there is no such program while the group runs.
  const name = plainName(args.name);
  const there = statesOf(await look(ctx, args), name);
  if (there.size === 0) return outcome(name, true, `Service ${name} doesn't exist`);
  // Salt compat: Salt takes a group for stopped as soon as one of its programs is.
  if ([...there.values()].every((state) => STOPPED.has(state)))
    return outcome(name, true, `Service ${name} is not running`);
  // Salt compat: Salt promises in test mode to stop whatever it is asked to, and does not look.
  if (ctx.state.test) return outcome(name, null, `Service ${name} is set to be stopped`);
  const said = pyStr(await ask(ctx, args, 'stop', [name]));
  const comment = `Stopping service: ${name}`;
  // Salt compat: Salt's state does not see the error of a program that cannot be stopped.
  if (failed(said)) return outcome(name, false, said);
  return outcome(name, true, comment, dict({ [name]: comment }));
}

/** What is wrong with supervisorctl is the comment. Salt compat: Salt ends with a traceback where it is missing. */
async function orFailure(name: string, run: () => Promise<StateResult>): Promise<StateResult> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CommandExecutionError) && !(error instanceof CommandNotFoundError)) throw error;
    return outcomeResultFirst(name, false, error.message);
  }
}

const runIt = (ctx: StateContext, args: RunningArgs, _kwargs: Dict): Promise<StateResult> =>
  orFailure(args.name, () => running(ctx, args));

/** The states of `supervisord`. */
export const supervisordStates = defineModule({
  name: 'supervisord',
  file: 'supervisord',
  doc: 'Programs that supervisord keeps alive.',
  functions: {
    running: defineState({
      doc: 'Makes sure that a program, or all of a group, runs.',
      params: RUNNING,
      kwargs: 'kwargs',
      run: runIt,
    }),
    dead: defineState({
      doc: 'Makes sure that a program, or all of a group, does not run.',
      params: { name: RUNNING.name, ...CONTROL },
      kwargs: 'kwargs',
      run: (ctx, args) => orFailure(args.name, () => dead(ctx, args)),
    }),
    mod_watch: defineState({
      doc: 'Restarts a program when what it watches has changed.',
      params: runningParams(true),
      kwargs: 'kwargs',
      run: runIt,
    }),
  },
});
