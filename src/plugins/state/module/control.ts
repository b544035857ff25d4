/** The functions of `state` that steer other runs: halting, ending, forbidding them (3006.16 salt/modules/state.py). */
import { optionOf } from '../../../runtime/loader/option-of.ts';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CommandExecutionError } from '../../../errors/errors.ts';
import {
  defineFunction,
  type FunctionSpec,
  type ModuleContext,
  type ParamSpec,
} from '../../../runtime/loader/module.ts';
import { ALL_STATES, PauseFiles } from '../../../runtime/state/pause.ts';
import { expressionMatch } from '../../../python/text/expression-match.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { HIGH_DATA } from './cached.ts';
import { disabledNames } from './disabled.ts';
import { runningStates } from './queue.ts';
import { splitNames } from './show.ts';
import { param, type TypedArguments } from '../../../runtime/loader/params.ts';

const jid: ParamSpec = param.value({ type: 'str', doc: 'The job of the run.' });
const stateId = param.textOrNone({ default: null, doc: 'The id of a state; all when left out.' });

function pauseFiles(ctx: ModuleContext): PauseFiles {
  return new PauseFiles(optionOf(ctx.opts, 'cachedir'));
}

/** Changes what is asked of a run at one state, or at all of them. */
function order(
  ctx: ModuleContext,
  job: Value,
  id: string | undefined,
  change: (orders: Dict, key: string) => void,
): null {
  const files = pauseFiles(ctx);
  const orders = files.read(pyStr(job)) ?? new Map<Value, Value>();
  change(orders, id ?? ALL_STATES);
  files.write(pyStr(job), orders);
  return null;
}

/**
 * Salt compat: Salt answers None, and leaves an empty order behind. An order to halt or to end is another thing: it may
 * come before the run, whose job id `--jid` can choose.
 */
function assertHalted(ctx: ModuleContext, job: Value): void {
  const orders = pauseFiles(ctx).read(pyStr(job));
  if (orders === undefined)
    throw new CommandExecutionError(
      `There is nothing to resume: no order was given here to the job ${pyStr(job)}. Look at the id of the job: state.get_pauses and saltutil.running list them.`,
    );
}

function entryOf(orders: Dict, key: string): Dict {
  const known = orders.get(key);
  if (isDict(known)) return known;
  const entry: Dict = new Map();
  orders.set(key, entry);
  return entry;
}

/** The halts of runs that still go on; those of others are removed. */
async function pauses(ctx: ModuleContext, wanted: Value): Promise<Dict> {
  const files = pauseFiles(ctx);
  const active = await ctx.functions.call('saltutil.is_running', ['state.*']);
  const running = (Array.isArray(active) ? active : []).map((job) =>
    isDict(job) ? job.get('jid') : undefined,
  );
  const given = Array.isArray(wanted) ? wanted : [wanted];
  const out: Dict = new Map();
  for (const name of wanted === null ? files.jids() : given.map(pyStr)) {
    if (running.includes(name)) out.set(name, files.read(name) ?? new Map());
    else files.remove(name);
  }
  return out;
}

/** Adds names to the grain of what may not run, or takes them out. */
async function setDisabled(ctx: ModuleContext, given: Value[], isDisabling: boolean): Promise<Dict> {
  const disabled = await disabledNames(ctx);
  const word = isDisabling ? 'disabled' : 'enabled';
  let isChanged = false;
  const lines = given.map((name) => {
    const state = pyStr(name);
    if (disabled.includes(state) === isDisabling) return `Info: ${state} state already ${word}.`;
    if (isDisabling) disabled.push(state);
    else disabled.splice(disabled.indexOf(state), 1);
    isChanged = true;
    return `Info: ${state} state ${word}.`;
  });
  if (isChanged) await ctx.functions.call('grains.setval', ['state_runs_disabled', disabled]);
  await ctx.functions.call('saltutil.refresh_modules');
  return dict({ res: true, msg: lines.join('\n') });
}

const EVENT_PARAMS = {
  tagmatch: param.text({ default: '*', doc: 'Glob or regular expression for tags.' }),
  count: param.count({ default: -1, doc: 'How many; -1 for ever.' }),
  quiet: param.flag({ default: false, doc: 'Print nothing; only wait.' }),
  sock_dir: param.textOrNone({
    default: null,
    doc: 'Folder of the sockets, in place of the configured one.',
  }),
  pretty: param.flag({ default: false, doc: 'Print the data over several lines, keys sorted.' }),
  node: param.textAlone({ default: 'minion', doc: 'Whose bus: `master` or `minion`.' }),
} as const;

async function showEvents(ctx: ModuleContext, args: TypedArguments<typeof EVENT_PARAMS>): Promise<null> {
  if (ctx.services.showEvents === undefined)
    throw new CommandExecutionError(
      'state.event prints to a terminal, and a minion has none; use it with salt-call.',
    );
  await ctx.services.showEvents({
    node: args.node === 'master' ? 'master' : 'minion',
    sockDir: args.sock_dir,
    matches: (tag) => expressionMatch(tag, args.tagmatch),
    count: args.count,
    isQuiet: args.quiet,
    isPretty: args.pretty,
  });
  return null;
}

const statesParam = param.by(splitNames, {
  type: 'str or list of str',
  doc: 'Names of SLS, `highstate`, globs over state functions (`pkg.*`), separated by commas.',
});

/** Pausing, resuming, ending and disabling of state runs. */
export const controlFunctions: Readonly<Record<string, FunctionSpec>> = {
  running: defineFunction({
    doc: 'Lists the state runs under way on this minion, in sentences.',
    params: {
      concurrent: param.flag({ default: false, doc: 'Say nothing: runs may go beside each other.' }),
    },
    returns: 'list of texts',
    run: (ctx, { concurrent }) => (concurrent ? [] : runningStates(ctx)),
  }),
  pause: defineFunction({
    doc: 'Halts a state run, before one of its states or before the next one. A run that has not begun finds the order when it does.',
    params: {
      jid,
      state_id: stateId,
      duration: param.countIfGiven({ default: null, doc: 'Seconds after which it goes on by itself.' }),
    },
    returns: 'None',
    examples: [
      "salt '*' state.pause 20171130110407769519",
      "salt '*' state.pause 20171130110407769519 vim",
      "salt '*' state.pause 20171130110407769519 vim 20",
    ],
    run: (ctx, args) =>
      order(ctx, args.jid, args.state_id, (orders, key) => {
        const entry = entryOf(orders, key);
        if (args.duration !== undefined) entry.set('duration', args.duration);
      }),
  }),
  resume: defineFunction({
    doc: 'Lets a halted state run go on. Fails when no order was given to it.',
    params: { jid, state_id: stateId },
    returns: 'None',
    examples: [
      "salt '*' state.resume 20171130110407769519",
      "salt '*' state.resume 20171130110407769519 vim",
    ],
    run: (ctx, args) => {
      assertHalted(ctx, args.jid);
      return order(ctx, args.jid, args.state_id, (orders, key) => {
        if (key === ALL_STATES) orders.clear();
        else orders.delete(key);
      });
    },
  }),
  soft_kill: defineFunction({
    doc: 'Ends a state run in order, before one of its states or before the next one. A run that has not begun finds the order when it does.',
    params: { jid, state_id: stateId },
    returns: 'None',
    examples: ["salt '*' state.soft_kill 20171130110407769519"],
    run: (ctx, args) =>
      order(ctx, args.jid, args.state_id, (orders, key) => {
        entryOf(orders, key).set('kill', true);
      }),
  }),
  get_pauses: defineFunction({
    doc: 'Shows the halts of state runs under way.',
    params: { jid: { ...jid, default: null, type: 'str or list of str' } },
    returns: 'mapping of job to what is asked of it, by the id of a state',
    run: (ctx, args) => pauses(ctx, args.jid),
  }),
  disable: defineFunction({
    doc: 'Forbids SLS, the highstate, or state functions on this minion.',
    params: { states: statesParam },
    returns: 'mapping `{res, msg}`',
    examples: [
      "salt '*' state.disable highstate",
      "salt '*' state.disable highstate,test.succeed_without_changes",
    ],
    run: (ctx, { states }) => setDisabled(ctx, states, true),
  }),
  enable: defineFunction({
    doc: 'Allows again what `state.disable` has forbidden.',
    params: { states: statesParam },
    returns: 'mapping `{res, msg}`',
    examples: ["salt '*' state.enable highstate"],
    run: (ctx, { states }) => setDisabled(ctx, states, false),
  }),
  list_disabled: defineFunction({
    doc: 'Lists what `state.disable` has forbidden.',
    returns: 'list of names; an empty text when nothing was ever forbidden',
    run: (ctx) => ctx.functions.call('grains.get', ['state_runs_disabled']),
  }),
  event: defineFunction({
    doc: 'Prints events as they come, until as many as asked for have matched; for `salt-call`, which has a terminal.',
    params: EVENT_PARAMS,
    returns: 'None',
    examples: ['salt-call --local state.event pretty=True', 'salt-call state.event my/tag count=1'],
    run: (ctx, args) => showEvents(ctx, args),
  }),
  clear_cache: defineFunction({
    doc: 'Removes the compiled states that runs have left in the cache.',
    returns: 'list of the removed files',
    run: (ctx) => {
      const folder = optionOf(ctx.opts, 'cachedir');
      const files = readdirSync(folder).filter(
        (name) => name.endsWith(HIGH_DATA) && statSync(join(folder, name)).isFile(),
      );
      for (const name of files) rmSync(join(folder, name));
      return files;
    },
  }),
};
