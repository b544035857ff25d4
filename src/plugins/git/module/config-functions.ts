/** The functions of `git` about settings (3006.16 salt/modules/git.py). */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { splitLines } from '../../../python/values/text.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { refuseKeywords } from '../../../runtime/loader/bind.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import type { Ended } from '../../shared/program.ts';
import { isSecretSetting, placeholder } from '../../shared/hidden-passwords.ts';
import { ENDING, RUN_AS } from './params.ts';
import { replaceSetting, runGit, runOf, type SharedArgs } from './run.ts';
import { folderUnlessGlobal, listOfTexts } from './words.ts';

/** The arguments that the functions about settings share. */
type ConfigArgs = Omit<SharedArgs, 'cwd'> & { readonly cwd: string | undefined };

const isGlobal = (kwargs: Dict): boolean => truthy(kwargs.get('global'));

function getSettings(
  ctx: ModuleContext,
  args: ConfigArgs,
  kwargs: Dict,
  question: readonly string[],
): Promise<Ended> {
  refuseKeywords(kwargs, ['global', 'all']);
  const cwd = folderUnlessGlobal(args.cwd, args.user, isGlobal(kwargs));
  const words = ['config', isGlobal(kwargs) ? '--global' : '--local', ...question];
  return runGit(ctx, words, { ...runOf(args, cwd), mayFail: true });
}

/** All values of a setting; undefined when it is not set. */
async function valuesOf(
  ctx: ModuleContext,
  args: ConfigArgs,
  kwargs: Dict,
  key: string,
): Promise<string[] | undefined> {
  const { retcode, stdout } = await getSettings(ctx, args, kwargs, ['--get-all', key]);
  return retcode === 1 ? undefined : splitLines(stdout);
}

async function settingsLike(
  ctx: ModuleContext,
  {
    key,
    value_regex,
    ...args
  }: ConfigArgs & { readonly key: string; readonly value_regex: string | undefined },
  kwargs: Dict,
): Promise<Dict> {
  refuseKeywords(kwargs, ['global']);
  const pattern = value_regex === undefined ? [] : [value_regex];
  const { retcode, stdout } = await getSettings(ctx, args, kwargs, ['--get-regexp', key, ...pattern]);
  const found = new Map<Value, Value[]>();
  for (const line of retcode === 1 ? [] : splitLines(stdout)) {
    const [, name, value] = /^\s*(\S+)\s+(.*)$/s.exec(line) ?? [];
    if (name !== undefined && value !== undefined && value !== '')
      found.set(name, [...(found.get(name) ?? []), value]);
  }
  return found;
}

async function setSetting(
  ctx: ModuleContext,
  args: ConfigArgs & { readonly key: string; readonly value: string | undefined; readonly multivar: Value },
  kwargs: Dict,
): Promise<Value> {
  refuseKeywords(kwargs, ['add', 'global']);
  const { key, value, multivar } = args;
  const cwd = folderUnlessGlobal(args.cwd, args.user, isGlobal(kwargs));
  if (value !== undefined && multivar !== null)
    throw new SaltInvocationError("Only one of 'value' and 'multivar' is permitted");
  if (value === undefined && multivar === null)
    throw new SaltInvocationError("One of 'value' and 'multivar' is required");
  const first = value !== undefined && truthy(kwargs.get('add')) ? '--add' : '--replace-all';
  const place = isGlobal(kwargs) ? ['--global'] : [];
  const values = value === undefined ? listOfTexts(multivar) : [value];
  const run = runOf(args, cwd);
  for (const [i, text] of values.entries()) {
    const isSecret = isSecretSetting(key, text);
    const before = isSecret ? placeholder(ctx.random) : text;
    await runGit(ctx, ['config', ...place, i === 0 ? first : '--add', key, before], run);
    if (isSecret) await replaceSetting(ctx, { place: place[0] ?? '--local', before, after: text }, run);
  }
  const kept: Dict = new Map([['global', isGlobal(kwargs)]]);
  return (await valuesOf(ctx, args, kept, key)) ?? null;
}

/** Why `git config --unset` failed, by its exit code. */
async function unsetFailure(
  ctx: ModuleContext,
  { retcode, stderr }: Ended,
  args: ConfigArgs & { readonly key: string; readonly value_regex: string | undefined },
): Promise<CommandExecutionError> {
  const { key, value_regex } = args;
  if (retcode === 1) return new CommandExecutionError('Section or key is invalid');
  if (retcode === 6) return new CommandExecutionError('The value_regex is invalid');
  if (retcode !== 5)
    return new CommandExecutionError(
      `Failed to unset key '${key}', git config returned exit code ${retcode}${stderr === '' ? '' : `; ${stderr}`}`,
    );
  if ((await valuesOf(ctx, args, new Map(), key)) === undefined)
    return new CommandExecutionError(`Key '${key}' does not exist`);
  const matched = value_regex === undefined ? '' : ' and value_regex matches multiple values';
  return new CommandExecutionError(`Multiple values exist for key '${key}'${matched}`);
}

async function unsetSetting(
  ctx: ModuleContext,
  args: ConfigArgs & { readonly key: string; readonly value_regex: string | undefined },
  kwargs: Dict,
): Promise<boolean> {
  refuseKeywords(kwargs, ['all', 'global']);
  const cwd = folderUnlessGlobal(args.cwd, args.user, isGlobal(kwargs));
  const words = [
    'config',
    truthy(kwargs.get('all')) ? '--unset-all' : '--unset',
    isGlobal(kwargs) ? '--global' : '--local',
    args.key,
    ...(args.value_regex === undefined ? [] : [args.value_regex]),
  ];
  const ended = await runGit(ctx, words, { ...runOf(args, cwd), mayFail: true });
  if (ended.retcode !== 0) throw await unsetFailure(ctx, ended, args);
  return true;
}

const KEY = { key: param.text({ doc: 'The name of the setting: `user.name`.' }) } as const;
const FOLDER = {
  cwd: param.textOrNone({ default: null, doc: 'The folder of the checkout; not needed with `global=True`.' }),
} as const;
const VALUE_REGEX = {
  value_regex: param.textOrNone({ default: null, doc: 'Only values that this regular expression matches.' }),
} as const;

const getRegexp = defineFunction({
  doc: 'Returns the settings whose names a regular expression matches. Keyword: `global`, those of the user.',
  params: {
    key: param.text({ doc: 'The regular expression.' }),
    ...{ ...VALUE_REGEX, ...FOLDER, ...RUN_AS, ...ENDING },
  },
  kwargs: 'kwargs',
  returns: 'mapping of setting to the list of its values',
  examples: ["salt '*' git.config_get_regexp '^user' cwd=/srv/repo"],
  run: (ctx, args, _rest, kwargs) => settingsLike(ctx, args, kwargs),
});

/** The functions about settings. */
export const configFunctions = {
  config_get: defineFunction({
    doc: 'Returns the value of a setting. Keywords: `global`, that of the user; `all`, all values.',
    params: { ...KEY, ...FOLDER, ...RUN_AS, ...ENDING },
    kwargs: 'kwargs',
    returns: 'the last value, with `all=True` the list of them; None when it is not set',
    examples: [
      "salt '*' git.config_get user.name cwd=/srv/repo",
      "salt '*' git.config_get user.email global=True",
    ],
    run: async (ctx, { key, ...args }, _rest, kwargs) => {
      const values = await valuesOf(ctx, args, kwargs, key);
      if (values === undefined) return null;
      return truthy(kwargs.get('all')) ? values : (values.at(-1) ?? '');
    },
  }),
  config_get_regexp: getRegexp,
  config_get_regex: { ...getRegexp, pythonName: 'config_get_regexp' },
  config_set: defineFunction({
    doc: 'Sets a setting. Keywords: `global`, that of the user; `add`, beside the values that there are.',
    params: {
      ...KEY,
      value: param.textOrNone({ default: null, doc: 'The value.' }),
      multivar: param.value({
        default: null,
        type: 'list or str',
        doc: 'Several values, in place of `value`.',
      }),
      ...{ ...FOLDER, ...RUN_AS, ...ENDING },
    },
    kwargs: 'kwargs',
    returns: 'the list of values that it has now',
    examples: ["salt '*' git.config_set user.email me@example.com cwd=/srv/repo"],
    run: (ctx, args, _rest, kwargs) => setSetting(ctx, args, kwargs),
  }),
  config_unset: defineFunction({
    doc: 'Takes a setting away. Keywords: `global`, that of the user; `all`, every value.',
    params: { ...KEY, ...VALUE_REGEX, ...FOLDER, ...RUN_AS, ...ENDING },
    kwargs: 'kwargs',
    returns: 'true',
    examples: ["salt '*' git.config_unset foo.bar cwd=/srv/repo all=True"],
    run: (ctx, args, _rest, kwargs) => unsetSetting(ctx, args, kwargs),
  }),
};
