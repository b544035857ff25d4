/** The states of `selinux` about its modules (3006.16 salt/states/selinux.py, `module*`). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { missingSource } from '../../shared/missing-source.ts';
import { outcomeChangesLast } from '../../shared/outcome.ts';
import { stateEnvironment } from '../../shared/state-environment.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';

function wantedState(given: string): 'enabled' | 'disabled' | undefined {
  const text = given.toLowerCase();
  if (['1', 'on', 'yes', 'true', 'enabled'].includes(text)) return 'enabled';
  return ['0', 'off', 'no', 'false', 'disabled'].includes(text) ? 'disabled' : undefined;
}

const result = (name: Value, value: boolean | null, comment: string): StateResult =>
  // the order of Salt's fields: name, result, comment, changes
  outcomeChangesLast(name, value, comment);

async function modules(ctx: StateContext): Promise<Dict> {
  const found = await ctx.functions.call('selinux.list_semod');
  return isDict(found) ? found : new Map();
}

/** Installs a module. Salt compat: in test mode Salt installs it; ours says what it would do. */
export async function policyModuleInstalled(ctx: StateContext, path: Value): Promise<StateResult> {
  const shown = pyStr(path);
  const missing = ctx.state.test ? await missingSource(ctx, shown, stateEnvironment(ctx)) : undefined;
  if (missing !== undefined) return result(path, false, `Failed to install module ${shown}: ${missing}`);
  if (ctx.state.test) return result(path, null, `Module ${shown} is set to be installed`);
  try {
    return truthy(await ctx.functions.call('selinux.install_semod', [path]))
      ? result(path, true, `Module ${shown} has been installed`)
      : result(path, false, `Failed to install module ${shown}`);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return result(path, false, `Failed to install module ${shown}: ${error.message}`);
  }
}

/** Removes a module. Salt compat: in test mode Salt removes it; ours says what it would do. */
export async function policyModuleRemoved(ctx: StateContext, name: Value): Promise<StateResult> {
  const shown = pyStr(name);
  if (!(await modules(ctx)).has(name)) return result(name, false, `Module ${shown} is not available`);
  if (ctx.state.test) return result(name, null, `Module ${shown} is set to be removed`);
  return truthy(await ctx.functions.call('selinux.remove_semod', [name]))
    ? result(name, true, `Module ${shown} has been removed`)
    : result(name, false, `Failed to remove module ${shown}`);
}

/** A module that is to be enabled or disabled. */
export interface ModuleOrder {
  readonly name: Value;
  readonly module_state: string;
  readonly version: Value;
}

/** Makes sure of the state of a module. @param opts `install` with `source`, `remove` */
export async function policyModule(
  ctx: StateContext,
  { name: id, module_state, version }: ModuleOrder,
  opts: Dict,
): Promise<StateResult> {
  const [installs, removes] = [truthy(opts.get('install')), truthy(opts.get('remove'))];
  // as with Salt, one that is installed is told by its file
  const name = installs && !removes ? (opts.get('source') ?? id) : id;
  if (installs && removes) return result(name, false, 'Cannot install and remove at the same time');
  if (removes) return policyModuleRemoved(ctx, id);
  const [shown, wanted] = [pyStr(id), wantedState(module_state)];
  if (installs) {
    const installed = await policyModuleInstalled(ctx, name);
    if (installed.result !== true) return installed;
  }
  const facts = (await modules(ctx)).get(id);
  if (!isDict(facts)) return result(name, false, `Module ${shown} is not available`);
  if (wanted === undefined)
    return result(name, false, `${module_state} is not a valid state for the ${shown} module.`);
  const installedVersion = facts.get('Version') ?? null;
  // Salt compat: to Salt, `version: 1.0`, which YAML reads as a number, is another than the text 1.0
  if (version !== 'any' && pyStr(installedVersion) !== pyStr(version))
    return result(
      name,
      false,
      `Module version is ${pyStr(installedVersion)} and does not match the desired version of ${pyStr(version)} or you are using semodule >= 2.4`,
    );
  if (wantedState(pyStr(facts.get('Enabled') ?? null)) === wanted)
    return result(name, true, `Module ${shown} is in the desired state`);
  if (ctx.state.test) return result(name, null, `Module ${shown} is set to be toggled to ${module_state}`);
  return truthy(await ctx.functions.call('selinux.setsemod', [id, wanted]))
    ? result(name, true, `Module ${shown} has been set to ${module_state}`)
    : result(name, false, `Failed to set the Module ${shown} to ${module_state}`);
}
