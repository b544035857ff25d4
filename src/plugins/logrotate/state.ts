/** `logrotate`: the configuration of logrotate (3006.16 salt/states/logrotate.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

interface Wanted {
  readonly name: Value;
  readonly key: string;
  readonly value: Value;
  readonly setting: Value;
  readonly conf_file: string;
}

const asNumber = (value: Value): Value =>
  /^\s*[+-]?\d+\s*$/.test(pyStr(value)) ? Number(pyStr(value)) : value;

const result = (
  name: Value,
  outcome: boolean | null,
  comment: string,
  changes: Dict = dict(),
): StateResult => ({
  name,
  changes,
  comment,
  result: outcome,
});

async function set(
  ctx: StateContext,
  { name, key, value: given, setting: of, conf_file }: Wanted,
): Promise<StateResult> {
  const isBlock = of !== null;
  const [value, setting] = isBlock ? [given, asNumber(of)] : [asNumber(given), null];
  const wanted = isBlock ? setting : value;
  const current = await ctx.functions.call('logrotate.get', [], {
    key,
    conf_file,
    ...(isBlock ? { value } : {}),
  });
  const what = isBlock ? `Block '${key}' command '${pyStr(value)}'` : `Command '${key}'`;
  const lower = what.charAt(0).toLowerCase() + what.slice(1);
  if (valuesEqual(current, wanted)) return result(name, true, `${what} already has value: ${pyStr(wanted)}`);
  const changes = dict({ old: current, new: wanted });
  if (ctx.state.test) return result(name, null, `${what} will be set to value: ${pyStr(wanted)}`, changes);
  const isSet = truthy(await ctx.functions.call('logrotate.set', [], { key, value, setting, conf_file }));
  const comment = isSet
    ? `Set ${lower} value: ${pyStr(wanted)}`
    : `Unable to set ${lower} value: ${pyStr(wanted)}`;
  return result(name, isSet, comment, changes);
}

/** The states of `logrotate`. */
export const logrotateStates = defineModule({
  name: 'logrotate',
  file: 'logrotate',
  doc: 'The configuration of logrotate.',
  functions: {
    set: defineState({
      doc: 'Makes sure that a command has a value, of a block where one is named.',
      params: {
        name: param.text({ doc: 'A name for the state.' }),
        key: param.text({ doc: 'The command, or the files of a block as they stand there.' }),
        value: param.value({ type: 'str', doc: 'The value, or the command of the block.' }),
        setting: param.value({ default: null, type: 'str', doc: 'The value of the command of the block.' }),
        conf_file: param.text({ default: '/etc/logrotate.conf', doc: 'The file.' }),
      },
      run: (ctx, wanted) => set(ctx, wanted),
    }),
  },
});
