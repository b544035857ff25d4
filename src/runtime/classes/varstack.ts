/**
 * Asking varstack, the site's own installation of it, for one node (3006.16 salt/pillar/varstack_pillar.py,
 * salt/tops/varstack_top.py): its library is Python, and is called as Salt calls it, in a process that lives for one
 * question.
 */
import { CommandExecutionError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { askLibrary } from './ask-library.ts';

/**
 * @param settings the path of varstack's configuration
 * @throws CommandExecutionError in varstack's words, and when it is not installed
 */
export async function askVarstack(settings: Value, grains: Dict, opts: Dict): Promise<Dict> {
  if (typeof settings !== 'string')
    throw new CommandExecutionError(`it needs the path of varstack's configuration, not ${pyStr(settings)}`);
  const question = new Map<Value, Value>([
    ['config', settings],
    ['grains', grains],
  ]);
  const data = await askLibrary('varstack', 'brine_varstack.py', question, opts);
  if (!isDict(data)) throw new CommandExecutionError('varstack gives no mapping');
  return data;
}
