/** `git.config_set` and `git.config_unset` (3006.16 salt/states/git.py). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, truthy, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
import type { TypedArguments } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { listOfTexts } from '../module/words.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { ENCODING, RUN_AS } from './arguments.ts';
import { GitCalls } from './calls.ts';
import { settingRefusal } from './refusals.ts';
import { failed, keywordRefusal, progressOf, reasonOf, resultOf, foretold } from './results.ts';

const REPO = {
  repo: param.textOrNone({ default: null, doc: 'The folder of the checkout; not needed with `global`.' }),
} as const;

/** The parameters of `git.config_set`. */
export const CONFIG_SET = {
  name: param.text({ doc: 'The name of the setting: `user.name`.' }),
  value: param.textOrNone({ default: null, doc: 'Its value.' }),
  multivar: param.value({ default: null, type: 'list or str', doc: 'Several values, in place of `value`.' }),
  ...{ ...REPO, ...RUN_AS, ...ENCODING },
} as const;

/** The parameters of `git.config_unset`. */
export const CONFIG_UNSET = {
  name: param.text({ doc: 'The name of the setting, or a regular expression for names.' }),
  value_regex: param.textOrNone({ default: null, doc: 'Only values that this regular expression matches.' }),
  ...{ ...REPO, ...RUN_AS, ...ENCODING },
} as const;

const NO_REPO = "Non-global config options require the 'repo' argument to be set";

/** The values that a setting is to have, and how comments show them. */
function wantedValues({
  value,
  multivar,
}: {
  readonly value: string | undefined;
  readonly multivar: Value;
}): {
  readonly values: Value[];
  readonly shown: string;
} {
  if (value !== undefined) return { values: [value], shown: `'${value}'` };
  const values: Value[] = listOfTexts(multivar);
  return { values, shown: pyStr(values) };
}

/** `git.config_set` */
export async function configSet(
  ctx: StateContext,
  args: TypedArguments<typeof CONFIG_SET>,
  kwargs: Dict,
): Promise<StateResult> {
  const { name, value, multivar, repo = null } = args;
  const progress = progressOf(name);
  const { changes } = progress;
  const ordered = (result: boolean | null, comment: string): StateResult => ({
    name,
    changes,
    result,
    comment,
  });
  if (value !== undefined && multivar !== null)
    return ordered(false, "Only one of 'value' and 'multivar' is permitted");
  if (value === undefined && multivar === null)
    return ordered(false, "One of 'value' and 'multivar' is required");
  const refused = keywordRefusal(kwargs, ['global']) ?? settingRefusal(name);
  if (refused !== undefined) return ordered(false, refused);
  const isGlobal = truthy(kwargs.get('global'));
  if (!isGlobal && (repo ?? '') === '') return ordered(false, NO_REPO);
  const { values, shown } = wantedValues(args);
  const git = new GitCalls(ctx, args);
  const place = { cwd: repo, global: isGlobal };
  const before = await git.call('config_get', [name], { ...place, all: true, ignore_retcode: true });
  const what = `${isGlobal ? 'Global key ' : ''}'${name}'`;
  if (valuesEqual(values, before)) return ordered(true, `${what} is already set to ${shown}`);
  const verb = before === null ? 'added as' : 'set to';
  if (ctx.state.test) {
    changes.set('old', before).set('new', values);
    return ordered(null, `${what} would be ${verb} ${shown}`);
  }
  const failure = `Failed to set ${isGlobal ? 'global key ' : ''}'${name}' to ${shown}`;
  let after: Value;
  try {
    after = await git.call('config_set', [name], { ...place, value: value ?? null, multivar });
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return ordered(false, `${failure}: ${reasonOf(error)}`);
  }
  if (!valuesEqual(before, after)) changes.set(name, dict({ old: before, new: after }));
  return valuesEqual(values, after) ? ordered(true, `${what} was ${verb} ${shown}`) : ordered(false, failure);
}

const listed = (matches: Dict, least: number): string =>
  [...matches]
    .filter(([, values]) => Array.isArray(values) && values.length >= least)
    .map(([key, values]) => `${pyStr(key)} (${(values as Value[]).map(pyStr).join(', ')})`)
    .join('; ');

/** What was taken away. */
function unsetValues(before: Dict, after: Dict): Dict {
  const changes: Dict = new Map();
  for (const [key, values] of before) {
    const left = after.get(key);
    const gone = (values as Value[]).filter((value) => !Array.isArray(left) || !left.includes(value));
    if (gone.length > 0) changes.set(key, gone);
  }
  return changes;
}

/** `git.config_unset` */
export async function configUnset(
  ctx: StateContext,
  args: TypedArguments<typeof CONFIG_UNSET>,
  kwargs: Dict,
): Promise<StateResult> {
  const { name, value_regex: pattern = null, repo = null } = args;
  const progress = progressOf(name);
  const ordered = ({ changes, result, comment }: StateResult): StateResult => ({
    name,
    changes,
    result,
    comment,
  });
  const refuse = (message: string): StateResult => ordered(failed(progress, message));
  const keywords = keywordRefusal(kwargs, ['global', 'all']);
  if (keywords !== undefined) return refuse(keywords);
  const [isGlobal, isAll] = [truthy(kwargs.get('global')), truthy(kwargs.get('all'))];
  if (!isGlobal && (repo ?? '') === '') return refuse(NO_REPO);
  const git = new GitCalls(ctx, args);
  const place = { cwd: repo, global: isGlobal };
  const key = `^${name.replace(/^\^+/, '').replace(/\$+$/, '')}$`;
  const matches = (value_regex: Value): Promise<Dict> =>
    git.mapping('config_get_regexp', [key], { ...place, value_regex, ignore_retcode: true });
  const found = await matches(pattern);
  if (found.size === 0) return ordered(resultOf(progress, true, 'No matching keys are set'));
  const several = isAll ? '' : listed(found, 2);
  if (several !== '')
    return refuse(
      pattern === null
        ? `Multivar(s) matched by the key expression (set 'all' to True to force removal): ${several}`
        : `Multiple values are matched by value_regex for the following keys (set 'all' to True to force removal): ${several}`,
    );
  if (ctx.state.test)
    return ordered(
      foretold({ ...progress, changes: found }, `${found.size} key(s) would have value(s) unset`),
    );
  const before = pattern === null ? found : await matches(null);
  const stuck: string[] = [];
  for (const one of found.keys())
    try {
      await git.call('config_unset', [one], { ...place, value_regex: pattern, all: isAll });
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      ctx.log.error(`Failed to unset '${pyStr(one)}': ${reasonOf(error)}`);
      stuck.push(pyStr(one));
    }
  if (stuck.length > 0)
    return refuse(
      `Error(s) occurred unsetting values for the following keys (see the minion log for details): ${stuck.join(', ')}`,
    );
  const after = await matches(null);
  const changes = unsetValues(before, after);
  const left = pattern === null ? after : await matches(pattern);
  const done = { ...progress, changes };
  return left.size > 0
    ? ordered(failed(done, `Failed to unset value(s): ${listed(left, 0)}`))
    : ordered(resultOf(done, true, 'Value(s) successfully unset'));
}
