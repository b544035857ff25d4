/** `sysfs`: attributes of the kernel under /sys (3006.16 salt/states/sysfs.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, valuesEqual, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcomeResultFirst as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

/** The chosen word of `always [madvise] never`, and any other value as it is. */
const chosen = (value: Value): Value =>
  typeof value === 'string' ? value.replace(/^.*\[/s, '').replace(/\].*$/s, '') : value;

async function present(ctx: StateContext, name: string, value: Value): Promise<StateResult> {
  const found = await ctx.functions.call('sysfs.read', [name]);
  if (found === false) return outcome(name, false, `SysFS attribute ${name} doesn't exist.`);
  if (isDict(found)) return outcome(name, false, `${name} is not a SysFS attribute.`);
  const current = chosen(found);
  // Salt compat: a text such as '5' never equals the number, so that Salt sets it each time.
  if (valuesEqual(value, current) || pyStr(value) === pyStr(current))
    return outcome(name, true, `SysFS attribute ${name} is already set.`);
  if (ctx.state.test) return outcome(name, null, `SysFS attribute ${name} set to be changed.`);
  return (await ctx.functions.call('sysfs.write', [name, value])) === true
    ? outcome(name, true, `Updated SysFS attribute ${name} to ${pyStr(value)}`, dict().set(name, value))
    : outcome(name, false, `Failed to set ${name} to ${pyStr(value)}`);
}

/** The states of `sysfs`. */
export const sysfsStates = defineModule({
  name: 'sysfs',
  file: 'sysfs',
  doc: 'Attributes of the kernel under /sys.',
  functions: {
    present: defineState({
      doc: 'Makes sure that an attribute has this value, until the next start of the system.',
      params: {
        name: param.text({ doc: 'The attribute: a path below /sys.' }),
        value: param.value({ type: 'str', doc: 'The value.' }),
        config: param.value({ default: null, type: 'str', doc: 'Means nothing, as in Salt.' }),
      },
      run: (ctx, { name, value }) => present(ctx, name, value),
    }),
  },
});
