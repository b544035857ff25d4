/**
 * What Debian's Apache has switched on: modules, sites, configuration (3006.16 salt/states/apache_module.py,
 * salt/states/apache_site.py and salt/states/apache_conf.py).
 */
import { CommandExecutionError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type ModuleSpec } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcomeChangesLast as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

/** What one of the modules is about. */
interface Kind {
  /** As it is in results: `Apache module x is set to be enabled.` */
  readonly word: 'module' | 'site' | 'conf';
  /** As it is in the names of execution functions. */
  readonly short: 'mod' | 'site' | 'conf';
  /** For documentation. */
  readonly noun: string;
}

/** What the execution function reports, or what went wrong with it. */
async function statusOf(ctx: StateContext, fun: string, name: string): Promise<Value> {
  try {
    const answer = await ctx.functions.call(fun, [name]);
    return isDict(answer) ? (answer.get('Status') ?? null) : null;
  } catch (error) {
    // Salt compat: Salt stumbles over an exception that the function has returned.
    if (!(error instanceof CommandExecutionError)) throw error;
    return error.message;
  }
}

async function switchTo(
  ctx: StateContext,
  { word, short }: Kind,
  { name, isOn }: { readonly name: string; readonly isOn: boolean },
): Promise<StateResult> {
  const done = isOn ? 'enabled' : 'disabled';
  const isEnabled = truthy(await ctx.functions.call(`apache.check_${short}_enabled`, [name]));
  if (isEnabled === isOn) return outcome(name, true, `${name} already ${done}.`);
  const changes: Dict = isOn ? dict({ old: null, new: name }) : dict({ old: name, new: null });
  if (ctx.state.test) return outcome(name, null, `Apache ${word} ${name} is set to be ${done}.`, changes);
  const status = await statusOf(ctx, `apache.a2${isOn ? 'en' : 'dis'}${short}`, name);
  if (typeof status === 'string' && status.includes(done)) return outcome(name, true, '', changes);
  const said = typeof status === 'string' ? ` (${status})` : '';
  return outcome(name, false, `Failed to ${isOn ? 'enable' : 'disable'} ${name} Apache ${word}${said}`);
}

function statesOf(kind: Kind): ModuleSpec {
  const { word, noun } = kind;
  const params = { name: param.text({ doc: `The ${noun}.` }) };
  return defineModule({
    name: `apache_${word}`,
    file: `apache_${word}`,
    doc: `Which ${noun === 'piece of configuration' ? 'pieces of configuration' : `${noun}s`} of Debian's Apache are enabled.`,
    unavailable: ({ grains }) =>
      grains.get('os_family') !== 'Debian' ||
      findProgram('apache2ctl') === undefined ||
      (word === 'conf' && findProgram('a2enconf') === undefined)
        ? 'apache module could not be loaded'
        : undefined,
    functions: {
      enabled: defineState({
        doc: `Makes sure that a ${noun} is enabled.`,
        params,
        run: (ctx, { name }) => switchTo(ctx, kind, { name, isOn: true }),
      }),
      disabled: defineState({
        doc: `Makes sure that a ${noun} is not enabled.`,
        params,
        run: (ctx, { name }) => switchTo(ctx, kind, { name, isOn: false }),
      }),
    },
  });
}

/** The states of `apache_module`. */
export const apacheModuleStates = statesOf({ word: 'module', short: 'mod', noun: 'module' });
/** The states of `apache_site`. */
export const apacheSiteStates = statesOf({ word: 'site', short: 'site', noun: 'site' });
/** The states of `apache_conf`. */
export const apacheConfStates = statesOf({ word: 'conf', short: 'conf', noun: 'piece of configuration' });
