/** `sysctl`: parameters of the kernel (3006.16 salt/states/sysctl.py). */
import { CommandExecutionError } from '../../errors/errors.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { isAbs } from '../../python/paths.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Value } from '../../python/values/value.ts';
import { hasParameter } from './module.ts';
import { mayBeMade } from '../shared/made-earlier.ts';
import { missingFolder } from '../shared/missing-source.ts';
import { outcomeResultFirst } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { param } from '../../runtime/loader/params.ts';

const words = (text: string): string => text.trim().split(/\s+/).join(' ');
const singleSpaced = (text: string): string => text.replace(/ +|\t+/g, ' ');

/** What test mode says. */
async function announce(ctx: StateContext, name: string, value: Value, config: string): Promise<StateResult> {
  const wanted = pyStr(value);
  const configured = await ctx.functions.call('sysctl.show', [], { config_file: config });
  if (configured === null)
    return outcomeResultFirst(
      name,
      null,
      `Sysctl option ${name} might be changed, we failed to check config file at ${config}. The file is either ` +
        'unreadable, or missing.',
    );
  const current = await ctx.functions.call('sysctl.get', [name]);
  const isConfigured = isDict(configured) && configured.has(name);
  const now = pyStr(current);
  if (truthy(current) && isConfigured && words(wanted) === words(now))
    return outcomeResultFirst(name, true, `Sysctl value ${name} = ${wanted} is already set`);
  if (truthy(current) && !isConfigured)
    return outcomeResultFirst(
      name,
      null,
      singleSpaced(now) === singleSpaced(wanted)
        ? 'Sysctl value is currently set on the running system but not in a config file. Sysctl option ' +
            `${name} set to be changed to ${wanted} in config file.`
        : `Sysctl option ${name} set to be changed to ${wanted}`,
    );
  if (!truthy(current) && isConfigured)
    return outcomeResultFirst(
      name,
      null,
      `Sysctl value ${name} is present in configuration file but is not present in the running config. The value ` +
        `${name} is set to be changed to ${wanted}`,
    );
  return outcomeResultFirst(name, null, `Sysctl option ${name} would be changed to ${wanted}`);
}

const NUMBERS = /^\s*-?\d+(?:\s+-?\d+)*\s*$/;
/** Parameters that are texts, though they may consist of digits. */
const TEXTS = ['kernel.hostname', 'kernel.domainname', 'kernel.core_pattern', 'kernel.modprobe'];

/**
 * In test mode: why a parameter cannot be set or kept, and no earlier state of the run would help.
 * Salt compat: there, test mode promises it.
 */
async function obstacle(
  ctx: StateContext,
  { name, wanted, config }: { readonly name: string; readonly wanted: string; readonly config: string },
): Promise<string | undefined> {
  if (!mayBeMade(ctx) && !hasParameter(name)) return `sysctl ${name} does not exist`;
  const now = pyStr(await ctx.functions.call('sysctl.get', [name]));
  if (NUMBERS.test(now) && !/\d/.test(wanted) && !TEXTS.includes(name))
    return `the kernel takes numbers there, as ${now.trim()}`;
  return missingFolder(ctx, config);
}

const present = defineState({
  doc: 'Makes sure that a parameter of the kernel has a value, now and after the next start.',
  params: {
    name: param.text({ isLine: true, doc: 'The name of the parameter: `net.ipv4.ip_forward`.' }),
    value: param.value({ type: 'str or int', isLine: true, doc: 'Its value.' }),
    config: param.textOrNone({
      default: null,
      doc: 'The file that keeps it; what `sysctl.default_config` gives without it.',
    }),
  },
  // Salt compat: there, test mode promises it, and the file keeps what sysctl refuses
  refuses: ({ name, value, config }) => {
    if (pyStr(value).trim() === '') return `Failed to set ${name}: its value cannot be empty`;
    return config === undefined || isAbs(config)
      ? undefined
      : `config must be a whole path, beginning with a slash, not ${pyRepr(config)}`;
  },
  run: async (ctx, { name, value, config }) => {
    const file = config ?? pyStr(await ctx.functions.call('sysctl.default_config'));
    const wanted = pyStr(value);
    if (ctx.state.test) {
      const said = await announce(ctx, name, value, file);
      const impossible =
        said.result === null ? await obstacle(ctx, { name, wanted, config: file }) : undefined;
      if (impossible === undefined) return said;
      return outcomeResultFirst(name, false, `Failed to set ${name} to ${wanted}: ${impossible}`);
    }
    let update: Value;
    try {
      update = await ctx.functions.call('sysctl.persist', [name, value, file]);
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      return outcomeResultFirst(name, false, `Failed to set ${name} to ${wanted}: ${error.message}`);
    }
    if (update === 'Updated') {
      const changes = new Map([[name, value]]);
      return outcomeResultFirst(name, true, `Updated sysctl value ${name} = ${wanted}`, changes);
    }
    const comment = update === 'Already set' ? `Sysctl value ${name} = ${wanted} is already set` : '';
    return outcomeResultFirst(name, true, comment);
  },
});

/** The states of `sysctl`. */
export const sysctlStates = defineModule({
  name: 'sysctl',
  file: 'sysctl',
  doc: 'Parameters of the kernel.',
  needs: { fun: 'sysctl.show', otherwise: 'sysctl module could not be loaded' },
  words: { dashes: ['value'] },
  functions: { present },
});
