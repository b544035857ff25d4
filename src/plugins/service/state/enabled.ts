/** Enabling and disabling of services, by itself and as a part of `service.running` and `service.dead`. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { serviceExists } from '../../shared/services.ts';

/** What came before: null when it was already as wanted, else whether it runs now; and the result so far. */
export interface Toggle {
  readonly started: boolean | null;
  readonly result: boolean;
}

/** The parts of a state's result that enabling decides. */
interface Toggled {
  readonly result: boolean | null;
  readonly comment: string;
  readonly changes?: Dict;
}

const VERBS = {
  enable: { asked: 'service.enabled', title: 'Enable', past: 'enabled', boot: 'to start' },
  disable: { asked: 'service.disabled', title: 'Disable', past: 'disabled', boot: 'to not start' },
} as const;

/** Why a service cannot be worked with; undefined when it is there. */
export async function unavailability(ctx: StateContext, name: string): Promise<string | undefined> {
  const { functions } = ctx;
  let isThere = false;
  if (await functions.has('service.available')) isThere = await serviceExists(ctx, [name]);
  else if (await functions.has('service.get_all')) {
    const all = await functions.call('service.get_all');
    isThere = Array.isArray(all) ? all.includes(name) : isDict(all) && all.has(name);
  }
  return isThere ? undefined : `The named service ${name} is not available`;
}

/** One of three texts: it runs now, nothing had to be done for it, or it is dead. */
const byStart = (
  started: boolean | null,
  texts: readonly [running: string, same: string, dead: string],
): string => texts[started === true ? 0 : started === null ? 1 : 2];

/**
 * Has a service start with the machine or not.
 * @param kwargs the state's keywords; those that the functions take are handed on
 */
export async function toggleEnabled(
  ctx: StateContext,
  name: string,
  isEnabled: boolean,
  { started, result }: Toggle,
  kwargs: Dict,
): Promise<Toggled> {
  const verb = isEnabled ? 'enable' : 'disable';
  const { asked, title, past, boot } = VERBS[verb];
  try {
    const reason = await unavailability(ctx, name);
    if (reason !== undefined) return { result: !isEnabled, comment: reason };
  } catch (error) {
    if (error instanceof CommandExecutionError) return { result: false, comment: error.message };
    throw error;
  }
  if (!(await ctx.functions.has(`service.${verb}`)) || !(await ctx.functions.has(asked))) {
    const starts = `${title} is not available on this minion, service ${name}`;
    return {
      result,
      comment: byStart(started, [
        `${starts} started`,
        `${starts} is in the desired state`,
        `${starts} is dead`,
      ]),
    };
  }
  const ask = async (): Promise<Value> =>
    ctx.functions.call(asked, [name], isEnabled ? await takenBy(ctx, asked, kwargs) : new Map());
  const before = await ask();
  const states: [string, string, string] = ['and is running', 'and is in the desired state', 'and is dead'];
  if (truthy(before)) {
    const comment = `Service ${name} is already ${past}, ${byStart(started, states)}`;
    return started === null ? { result, changes: new Map(), comment } : { result, comment };
  }
  if (ctx.state.test) return { result: null, comment: `Service ${name} set to be ${past}` };
  let why = '';
  try {
    if (
      truthy(
        await ctx.functions.call(`service.${verb}`, [name], await takenBy(ctx, `service.${verb}`, kwargs)),
      )
    )
      return {
        result,
        changes: new Map(before === (await ask()) ? [] : [[name, true]]),
        comment: `Service ${name} has been ${past}, ${byStart(started, states)}`,
      };
  } catch (error) {
    if (!isEnabled || !(error instanceof CommandExecutionError)) throw error;
    why = `. Additional information follows:\n\n${error.message}`;
  }
  const failed = `Failed when setting service ${name} ${boot} at boot,`;
  const running = isEnabled ? 'but the service is running' : 'and is running';
  const endings: [string, string, string] = [
    running,
    'but the service was already running',
    'and the service is dead',
  ];
  return { result: false, comment: `${failed} ${byStart(started, endings)}${why}` };
}

/** The keywords of the state that a function has a parameter for. */
async function takenBy(ctx: StateContext, fun: string, kwargs: Dict): Promise<Dict> {
  const { spec } = await ctx.functions.find(fun);
  const params = spec?.params ?? {};
  return new Map([...kwargs].filter(([key]) => key !== 'name' && Object.hasOwn(params, pyStr(key))));
}
