/** What rules look like: one that has no form that the deciding understands would allow nothing, without a word. */
import { compilePattern } from '../../python/regex/pattern.ts';
import { pyRepr } from '../../python/values/repr.ts';
import { isDict, type Value } from '../../python/values/value.ts';

/** What is wrong with a list of rules, in the forms of `external_auth`; a sentence without its full stop. */
export function faultOfRules(rules: readonly Value[]): string | undefined {
  for (const rule of rules) {
    const fault = faultOfRule(rule);
    if (fault !== undefined) return `the rule ${pyRepr(rule)} allows nothing: ${fault}`;
  }
  return undefined;
}

function faultOfRule(rule: Value): string | undefined {
  if (typeof rule === 'string') return rule.startsWith('@') ? undefined : faultOfPattern(rule);
  if (!isDict(rule) || rule.size !== 1)
    return 'it is neither a text nor a mapping of one target to functions';
  const [target, functions] = [...rule][0] as [Value, Value];
  if (typeof target !== 'string' || target === '') return 'its target is no text';
  const entries = Array.isArray(functions) ? functions : [functions];
  if (entries.length === 0) return 'its list of functions is empty';
  for (const entry of entries) {
    const fault = faultOfFunction(entry);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfFunction(entry: Value): string | undefined {
  if (typeof entry === 'string') return faultOfPattern(entry);
  if (!isDict(entry) || entry.size !== 1)
    return `${pyRepr(entry)} is neither a function nor a mapping of one function to arguments`;
  const [pattern, constraints] = [...entry][0] as [Value, Value];
  if (typeof pattern !== 'string') return `${pyRepr(pattern)} is no function`;
  const list = Array.isArray(constraints) ? constraints : [constraints];
  if (
    !list.every((each) => isDict(each) && [...each.keys()].every((key) => key === 'args' || key === 'kwargs'))
  )
    return `what stands below ${pattern} is no mapping of args and kwargs`;
  return faultOfPattern(pattern);
}

function faultOfPattern(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch {
    return `${pattern} is no regular expression`;
  }
}
