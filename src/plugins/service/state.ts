/** `service`: what runs, and what starts with the machine (3006.16 salt/states/service.py). */
import { CommandExecutionError } from '../../errors/errors.ts';
import { isTrue } from '../../python/conversions.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { CHANGES_APART } from '../../runtime/state/derived-chunks.ts';
import { mayBeMade } from '../shared/made-earlier.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { systemdKeywords, withWarnings } from './state/systemd-keywords.ts';
import { toggleEnabled, unavailability, type Toggle } from './state/enabled.ts';
import { changeMask } from './state/masked.ts';
import { param } from '../../runtime/loader/params.ts';
import { serviceRuns, serviceStartsWithMachine } from '../shared/services.ts';

const NAME = param.text({ doc: 'The service.' });
const ENABLE = param.by((value) => (typeof value === 'string' ? isTrue(value) : value), {
  default: null,
  type: 'bool',
  doc: 'Whether it is to start with the machine; without it that is left as it is.',
});
const SIG = param.value({
  default: null,
  type: 'str',
  doc: 'How the process is known, where the system has no better way.',
});
const INIT_DELAY = param.by(delayOf, {
  default: null,
  type: 'int',
  doc: 'Seconds to wait until its status is asked for.',
});
const RUNTIME = param.flag({ default: false, doc: 'Only until the next start of the machine.' });

/** A wait: its seconds, and the text that they were given as. */
interface Delay {
  readonly seconds: number;
  readonly text: string;
}

function delayOf(value: Value): Delay | undefined {
  return truthy(value) ? { seconds: toNumber(value) ?? 0, text: pyStr(value) } : undefined;
}

/** How `service.running` and `service.dead` differ. */
interface Direction {
  readonly isRunning: boolean;
  readonly fun: 'service.start' | 'service.stop';
  readonly participle: string;
  readonly already: string;
  readonly test: string;
  readonly done: (name: string) => string;
  readonly failed: string;
}

const RUNNING: Direction = {
  isRunning: true,
  fun: 'service.start',
  participle: 'started',
  already: 'running',
  test: 'is set to start',
  done: (name) => `Started service ${name}`,
  failed: 'failed to start',
};
const DEAD: Direction = {
  isRunning: false,
  fun: 'service.stop',
  participle: 'stopped',
  already: 'dead',
  test: 'is set to be killed',
  done: (name) => `Service ${name} was killed`,
  failed: 'failed to die',
};

/** What is wanted of a service. */
interface Wanted {
  readonly name: string;
  readonly enable: Value;
  readonly sig: Value;
  readonly initDelay: Delay | undefined;
  readonly kwargs: Dict;
}

const isOffline = async (ctx: StateContext): Promise<boolean> =>
  (await ctx.functions.has('service.offline')) && truthy(await ctx.functions.call('service.offline'));

/** Whether it starts with the machine; true where that cannot be told. */
async function startsWithMachine(ctx: StateContext, name: string): Promise<boolean> {
  if (!(await ctx.functions.has('service.enabled'))) return true;
  return serviceStartsWithMachine(ctx, [name]);
}

/** Why there is nothing to do for a service that is not there, in the words of `running` and `dead`. */
async function missing(
  ctx: StateContext,
  { name }: Wanted,
  direction: Direction,
): Promise<StateResult | undefined> {
  try {
    const reason = await unavailability(ctx, name);
    if (reason === undefined) return undefined;
    if (ctx.state.test && mayBeMade(ctx))
      return outcome(
        name,
        null,
        `Service ${name} not present; if created in this state run, it would have been ${direction.participle}`,
      );
    return outcome(name, !direction.isRunning, reason);
  } catch (error) {
    return asFailure(name, error);
  }
}

/** The failure that a CommandExecutionError stands for. @throws every other error */
function asFailure(name: string, error: unknown): StateResult {
  if (error instanceof CommandExecutionError) return failure(name, error.message);
  throw error;
}

/** The result with what enabling or disabling gave laid over it, when that was asked for. */
async function withEnabling(
  ctx: StateContext,
  wanted: Wanted,
  result: StateResult,
  toggle: Toggle,
): Promise<StateResult> {
  const { name, enable, kwargs } = wanted;
  if (enable !== true && enable !== false) return result;
  return { ...result, ...(await toggleEnabled(ctx, name, enable, toggle, kwargs)) };
}

async function reach(ctx: StateContext, wanted: Wanted, direction: Direction): Promise<StateResult> {
  const { name, kwargs } = wanted;
  if (kwargs.has('enabled'))
    return failure(
      name,
      `Service ${name} uses non-existent option "enabled".  Perhaps "enable" option was intended?`,
    );
  if (await isOffline(ctx)) return outcome(name, true, 'Running in OFFLINE mode. Nothing to do');
  return (await missing(ctx, wanted, direction)) ?? reachPresent(ctx, wanted, direction);
}

async function reachPresent(ctx: StateContext, wanted: Wanted, direction: Direction): Promise<StateResult> {
  const { name, sig, enable, kwargs } = wanted;
  const status = await systemdKeywords(ctx, 'service.status', kwargs);
  const isUp = (...words: Value[]): Promise<boolean> => serviceRuns(ctx, [name, ...words], status.keywords);
  const before = await isUp(sig);
  const enabledBefore = await startsWithMachine(ctx, name);
  const unmasking = direction.isRunning && truthy(kwargs.get('unmask'));
  const unmasked = unmasking
    ? pyStr((await changeMask(ctx, name, truthy(kwargs.get('unmask_runtime')), 'unmask')).comment)
    : '';
  const lines = (...parts: string[]): string => parts.filter((part) => part !== '').join('\n');
  if (before === direction.isRunning) {
    const same = outcome(name, true, lines(`The service ${name} is already ${direction.already}`, unmasked));
    const needsToggle = (enable === true && !enabledBefore) || (enable === false && enabledBefore);
    // a service that was not told to start has not seen what it watches
    if (needsToggle && direction.isRunning) ctx.state.low.set(CHANGES_APART, true);
    const result = needsToggle
      ? await withEnabling(ctx, wanted, same, { started: null, result: true })
      : same;
    return withWarnings(result, status.warnings);
  }
  if (ctx.state.test)
    return withWarnings(
      outcome(name, null, lines(`Service ${name} ${direction.test}`, unmasked)),
      status.warnings,
    );
  const action = await systemdKeywords(ctx, direction.fun, kwargs);
  const warnings = [...new Set([...status.warnings, ...action.warnings])];
  let isDone: boolean;
  try {
    isDone = truthy(await ctx.functions.call(direction.fun, [name], action.keywords));
  } catch (error) {
    if (!direction.isRunning) throw error;
    return withWarnings(asFailure(name, error), warnings);
  }
  if (!isDone) {
    const failed = failure(name, `Service ${name} ${direction.failed}`);
    const toggle = { started: !direction.isRunning, result: false };
    return withWarnings(await withEnabling(ctx, wanted, failed, toggle), warnings);
  }
  await pause(ctx, wanted.initDelay);
  const after = await isUp(...(direction.isRunning ? [sig] : []));
  const enabledAfter = await startsWithMachine(ctx, name);
  const isChanged = enabledBefore !== enabledAfter || before !== after;
  const isReached = after === direction.isRunning;
  const changes: Dict = new Map(isChanged ? [[name, after]] : []);
  const reached = outcome(
    name,
    isReached,
    isReached ? direction.done(name) : `Service ${name} ${direction.failed}`,
    changes,
  );
  const result = await withEnabling(ctx, wanted, reached, { started: after, result: isReached });
  const delayed =
    direction.isRunning && wanted.initDelay !== undefined
      ? `${pyStr(result.comment)}\nDelayed return for ${wanted.initDelay.text} seconds`
      : pyStr(result.comment);
  return withWarnings({ ...result, comment: unmasking ? `${delayed}\n${unmasked}` : delayed }, warnings);
}

async function pause(ctx: StateContext, delay: Delay | undefined): Promise<void> {
  if (delay !== undefined) await ctx.clock.sleep(delay.seconds * 1000, ctx.signal);
}

const reaching = (doc: string, direction: Direction) =>
  defineState({
    doc,
    params: { name: NAME, enable: ENABLE, sig: SIG, init_delay: INIT_DELAY },
    kwargs: 'kwargs',
    run: (ctx, { name, enable, sig, init_delay }, kwargs) =>
      reach(ctx, { name, enable, sig, initDelay: init_delay, kwargs }, direction),
  });

/** What a watch calls: the function, and the word for what it does. */
async function watchAction(
  ctx: StateContext,
  isUp: boolean,
  given: { readonly reload: boolean; readonly full_restart: boolean; readonly force: boolean },
): Promise<readonly [fun: string, verb: string]> {
  const has = (fun: string): Promise<boolean> => ctx.functions.has(fun);
  if (!isUp) return ['service.start', 'start'];
  if (given.reload && (await has('service.reload')))
    return given.force && (await has('service.force_reload'))
      ? ['service.force_reload', 'forcefully reload']
      : ['service.reload', 'reload'];
  if (given.full_restart && (await has('service.full_restart')))
    return ['service.full_restart', 'fully restart'];
  return ['service.restart', 'restart'];
}

const modWatch = defineState({
  doc: 'Restarts, reloads or stops the service of a state that watches.',
  params: {
    name: NAME,
    sfun: param.text({ default: null, doc: 'The state that watches.' }),
    sig: SIG,
    reload: param.flag({
      default: false,
      doc: 'Have it read its configuration anew instead of starting it again.',
    }),
    full_restart: param.flag({
      default: false,
      doc: 'Stop and start it, where the system distinguishes that from a restart.',
    }),
    init_delay: INIT_DELAY,
    force: param.flag({ default: false, doc: 'With `reload`: restart it where it cannot reload.' }),
  },
  kwargs: 'kwargs',
  run: async (ctx, args, kwargs) => {
    const { name, sfun, sig } = args;
    const status = await systemdKeywords(ctx, 'service.status', kwargs);
    const ended = (result: StateResult, warnings: readonly string[] = []): StateResult =>
      withWarnings(result, [...new Set([...status.warnings, ...warnings])]);
    if (sfun !== 'dead' && sfun !== 'running')
      return ended(failure(name, `Unable to trigger watch for service.${sfun}`));
    const isUp = await serviceRuns(ctx, [name, sig], status.keywords);
    if (sfun === 'dead' && !isUp) return ended(outcome(name, true, 'Service is already stopped'));
    const [fun, verb] = sfun === 'dead' ? ['service.stop', 'stop'] : await watchAction(ctx, isUp, args);
    const participle = sfun === 'dead' ? 'stopped' : `${verb}ed`;
    if (ctx.state.test) return ended(outcome(name, null, `Service is set to be ${participle}`));
    if (verb === 'start' && (await ctx.functions.has('service.stop')))
      await ctx.functions.call('service.stop', [name]);
    const action = await systemdKeywords(ctx, fun, kwargs);
    try {
      const result = await ctx.functions.call(fun, [name], action.keywords);
      await pause(ctx, args.init_delay);
      const comment = truthy(result) ? `Service ${participle}` : `Failed to ${verb} the service`;
      return ended(outcome(name, truthy(result), comment, new Map([[name, result]])), action.warnings);
    } catch (error) {
      return ended(asFailure(name, error), action.warnings);
    }
  },
});

const modBeacon = defineState({
  doc: 'Has a beacon watch the service of a state.',
  params: { name: NAME },
  kwargs: 'kwargs',
  run: async (ctx, { name }, kwargs) => {
    const sfun = kwargs.get('sfun') ?? null;
    const ended = (result: boolean, comment: string) => ({ name, changes: dict(), comment, result });
    if (sfun !== 'running' && sfun !== 'dead')
      return ended(false, `service.${pyStr(sfun)} does not work with the beacon state function`);
    if (!truthy(kwargs.get('beacon'))) return ended(true, 'Not adding beacon.');
    const given = kwargs.get('beacon_data');
    const data = isDict(given) ? given : dict();
    const watched = dict({
      onchangeonly: data.get('onchangeonly') ?? true,
      delay: data.get('delay') ?? 0,
      emitatstartup: data.get('emitatstartup') ?? false,
      uncleanshutdown: data.get('emitatstartup') ?? null,
    });
    const result = await ctx.state.call(
      'beacon.present',
      dict({
        name: `beacon_service_${name}`,
        services: new Map([[name, watched]]),
        interval: data.get('interval') ?? 60,
        beacon_module: 'service',
      }),
    );
    return Object.fromEntries(isDict(result) ? result : []);
  },
});

const toggling = (doc: string, isEnabled: boolean) =>
  defineState({
    doc,
    params: { name: NAME },
    kwargs: 'kwargs',
    run: async (ctx, { name }, kwargs) => {
      const toggled = await toggleEnabled(ctx, name, isEnabled, { started: null, result: true }, kwargs);
      const result = { ...outcome(name, true, ''), ...toggled };
      const isMissing = result.comment === `The named service ${name} is not available`;
      if (!isEnabled || !isMissing || !mayBeMade(ctx)) return result;
      const comment = `Service ${name} not present; if created in this state run, it would have been enabled`;
      return { ...result, result: null, comment };
    },
  });

const masking = (doc: string, verb: 'mask' | 'unmask') =>
  defineState({
    doc,
    params: { name: NAME, runtime: RUNTIME },
    run: (ctx, { name, runtime }) => changeMask(ctx, name, runtime, verb),
  });

/** The states of `service`. */
export const serviceStates = defineModule({
  name: 'service',
  file: 'service',
  doc: 'What runs, and what starts with the machine.',
  needs: { fun: 'service.start', otherwise: 'No service execution module loaded' },
  functions: {
    running: reaching('Makes sure that a service runs.', RUNNING),
    dead: reaching('Makes sure that a service does not run.', DEAD),
    enabled: toggling('Makes sure that a service starts with the machine.', true),
    disabled: toggling('Makes sure that a service does not start with the machine.', false),
    masked: masking('Makes sure that a service cannot be started.', 'mask'),
    unmasked: masking('Makes sure that a service can be started.', 'unmask'),
    mod_watch: modWatch,
    mod_beacon: modBeacon,
  },
});
