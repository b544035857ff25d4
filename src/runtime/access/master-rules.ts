/**
 * Rules for functions of the master itself: `@runner`, `@wheel`, a module's name as `@jobs`, and each of them with a
 * list of functions and their arguments (salt/utils/minions.py `spec_check`, 3006.16). Stricter than Salt: an argument
 * list is read both with texts `name=value` as keywords and without, as for jobs.
 */
import { isDict, type Value } from '../../python/values/value.ts';
import { functionAllowed, readings } from './local-rules.ts';
import type { Decision, GivenRule, MasterQuestion } from './question.ts';

/** Whether a function of the master is allowed. A name without exactly one dot is a fault of syntax, whoever asks. */
export function decideMaster(rules: readonly GivenRule[], question: MasterQuestion): Decision {
  const { fun, client } = question;
  const [module = '', name, ...more] = fun.split('.');
  if (name === undefined || more.length > 0)
    return { allowed: false, reason: `${fun} is not the name of a function: it has one dot` };
  const rule = rules.find((each) => allows(each.rule, module, name, question));
  return rule === undefined
    ? { allowed: false, reason: `no rule allows the ${client} function ${fun} with these arguments` }
    : { allowed: true, rules: [rule] };
}

function allows(rule: Value, module: string, name: string, { client, fun, args }: MasterQuestion): boolean {
  const clients = [`@${client}`, `@${client}s`];
  if (typeof rule === 'string') return clients.includes(rule) || rule === `@${module}`;
  if (!isDict(rule) || rule.size !== 1) return false;
  const [key, functions] = [...rule][0] as [Value, Value];
  if (typeof key !== 'string') return false;
  const given = readings([...args]);
  const fits = (text: string): boolean =>
    [functions]
      .flat()
      .some((entry) =>
        given.every(({ positional, keywords }) => functionAllowed(entry, text, positional, keywords)),
      );
  return (key === `@${module}` && fits(name)) || (clients.includes(key) && fits(fun));
}
