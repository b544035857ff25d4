/** `environ`: environment variables of the minion (3006.16 salt/states/environ.py). */
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { pyRepr } from '../../python/values/repr.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState } from '../shared/state-function.ts';

/** What would be changed. @param current all variables as they are */
function plannedChanges(
  wanted: Dict,
  current: Dict,
  { clearAll, falseUnsets }: { clearAll: boolean; falseUnsets: boolean },
): Dict {
  const changes: Dict = new Map();
  if (clearAll)
    for (const name of current.keys()) if (!wanted.has(name)) changes.set(name, falseUnsets ? null : '');
  for (const [name, value] of wanted) {
    const now = current.get(name);
    if (value !== false) {
      if ((now ?? '') !== value) changes.set(name, value);
    } else if (falseUnsets) {
      if (now !== undefined) changes.set(name, null);
    } else if (now !== '') changes.set(name, '');
  }
  return changes;
}

const setenv = defineState({
  doc: 'Makes sure that environment variables of the minion have their values; programs it runs inherit them.',
  params: {
    name: param.text({ doc: 'The name of the variable, when `value` is a text.' }),
    value: param.value({ type: 'str or dict', doc: 'The value, or false, or a mapping of names to values.' }),
    false_unsets: param.value({
      default: false,
      type: 'bool',
      doc: 'A value of false removes the variable instead of emptying it.',
    }),
    clear_all: param.value({ default: false, type: 'bool', doc: 'Empty (or remove) all others.' }),
    update_minion: param.value({
      default: false,
      type: 'bool',
      doc: 'Set them in the minion itself, too, not only for this job.',
    }),
    permanent: param.value({ default: false, type: 'bool', doc: 'Only for Windows.' }),
  },
  // Salt compat: Salt tells a change at each run for an empty name, and a traceback for a NUL
  refuses: ({ name, value }) => {
    const names = isDict(value) ? [...value.keys()] : [name];
    const wrong = names.find((one) => typeof one !== 'string' || one === '' || /[=\0]/.test(one));
    return wrong === undefined ? undefined : `${pyRepr(wrong)} is no name of a variable`;
  },
  run: async (ctx, { name, value, false_unsets, clear_all, update_minion, permanent }) => {
    if (typeof value !== 'string' && value !== false && !isDict(value))
      return failure(name, 'Environ value must be string, dict or False');
    const wanted: Dict = isDict(value) ? value : new Map<Value, Value>([[name, value]]);
    const current = (await ctx.functions.call('environ.items')) as Dict;
    const changes = plannedChanges(wanted, current, {
      clearAll: clear_all === true,
      falseUnsets: false_unsets === true,
    });
    if (ctx.state.test) {
      const comment = changes.size > 0 ? 'will be changed' : 'are already set with the correct values';
      // Salt compat: Salt's result is True, as if nothing were to be changed
      return outcome(name, changes.size > 0 ? null : true, `Environ values ${comment}`, changes);
    }
    if (changes.size === 0)
      return outcome(name, true, 'Environ values were already set with the correct values');
    const set = await ctx.functions.call('environ.setenv', [
      ...[wanted, false_unsets, clear_all, update_minion, permanent],
    ]);
    if (!truthy(set)) return outcome(name, false, 'Failed to set environ variables', changes);
    return outcome(name, true, 'Environ values were set', isDict(set) ? set : changes);
  },
});

/** The states of `environ`. */
export const environStates = defineModule({
  name: 'environ',
  file: 'environ',
  doc: 'Environment variables of the minion.',
  functions: { setenv },
});
