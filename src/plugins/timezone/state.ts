/** `timezone`: the time zone of the system (3006.16 salt/states/timezone.py). */
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, truthy, type Value } from '../../python/values/value.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { param } from '../../runtime/loader/params.ts';

/** Whether the zone is the wanted one, or why that cannot be told. */
async function compareZone(ctx: StateContext, name: string): Promise<Value | StateResult> {
  try {
    return await ctx.functions.call('timezone.zone_compare', [name]);
  } catch (error) {
    if (!(error instanceof CommandExecutionError || error instanceof SaltInvocationError)) throw error;
    return failure(name, `Unable to compare desired timezone '${name}' to system timezone: ${error.message}`);
  }
}

/** What `utc` was, as it was given. */
const shownClock = (utc: Value): string => pyStr(utc);

/** Sets what differs. */
async function apply(
  ctx: StateContext,
  name: string,
  wanted: { readonly zone: boolean; readonly utc: Value | undefined },
): Promise<StateResult> {
  const changes = dict();
  const messages: string[] = [];
  let result: boolean | null = null;
  if (wanted.zone) {
    result = truthy(await ctx.functions.call('timezone.set_zone', [name]));
    if (result) changes.set('timezone', name);
    messages.push(result ? `Set timezone ${name}` : 'Failed to set timezone');
  }
  if (wanted.utc !== undefined) {
    result = truthy(await ctx.functions.call('timezone.set_hwclock', ['UTC']));
    if (result) changes.set('utc', wanted.utc);
    messages.push(`${result ? 'Set' : 'Failed to set'} UTC to ${shownClock(wanted.utc)}`);
  }
  return outcome(name, result, messages.join(', '), changes);
}

const system = defineState({
  doc: 'Makes sure that the system is in a time zone.',
  params: {
    name: param.text({ doc: 'The time zone: `Europe/Berlin`.' }),
    utc: param.valueIfGiven({ default: true, type: 'bool', doc: "The machine's own clock runs in UTC." }),
  },
  // Salt compat: Salt compares it with a flag, and sets the clock at each run
  refuses: ({ utc }) =>
    utc === undefined || utc === true || utc === 1
      ? undefined
      : `utc must be True or False, not ${pyRepr(utc)}`,
  run: async (ctx, { name, utc }) => {
    const compared = await compareZone(ctx, name);
    if (typeof compared === 'object' && compared !== null && 'comment' in compared) return compared;
    const isSame = compared === true;
    const isUtc = (await ctx.functions.call('timezone.get_hwclock')) !== 'localtime';
    const needsClock = utc !== undefined && !isUtc;
    if (isSame && !needsClock) {
      const messages = [`Timezone ${name} already set`];
      if (utc !== undefined) messages.push(`UTC already set to ${name}`);
      return outcome(name, true, messages.join(', '));
    }
    if (!ctx.state.test) return apply(ctx, name, { zone: !isSame, utc: needsClock ? utc : undefined });
    const messages: string[] = [];
    if (compared === false) messages.push(`Timezone ${name} needs to be set`);
    if (needsClock) messages.push(`UTC needs to be set to ${shownClock(utc)}`);
    return outcome(name, null, messages.join(', '));
  },
});

/** The states of `timezone`. */
export const timezoneStates = defineModule({
  name: 'timezone',
  file: 'timezone',
  doc: 'The time zone of the system.',
  needs: { fun: 'timezone.get_zone', otherwise: 'timezone module could not be loaded' },
  words: {},
  functions: { system },
});
