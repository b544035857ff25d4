/** `rvm`: Rubies and sets of gems of RVM (3006.16 salt/states/rvm.py). */
import { CommandExecutionError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcomeChangesLast as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { answered, readFlag } from '../../runtime/loader/answered.ts';

/** Whether RVM is there, for a user. */
const hasRvm = answered('rvm.is_installed', readFlag);

const MICRO = /-([0-9]{4}\.[0-9]{2}|p[0-9]+)$/;

/**
 * Whether a version that rvm lists is the one that is asked for: without a micro version any fits, for a bare name any
 * version.
 */
function isMeant(ruby: string, implementation: string, listed: string): boolean {
  let version = implementation === 'ruby' ? listed : `${implementation}-${listed}`;
  if (!MICRO.test(ruby)) version = version.replace(MICRO, '');
  if (/^[a-z]+$/.test(ruby)) version = version.replace(/-.*/s, '');
  return version === ruby.replace(/^ruby-/, '');
}

/** The Ruby that is asked for. @returns whether it is the default; undefined where it is not there */
async function found(ctx: StateContext, ruby: string, user: Value): Promise<boolean | undefined> {
  const listed = await ctx.functions.call('rvm.list', [], { runas: user });
  for (const entry of Array.isArray(listed) ? listed : []) {
    if (!Array.isArray(entry)) continue;
    const [implementation = '', version = '', isDefault = false] = entry;
    if (isMeant(ruby, pyStr(implementation), pyStr(version))) return truthy(isDefault);
  }
  return undefined;
}

const USER = {
  user: param.value({ default: null, type: 'str', account: 'user', doc: 'Who runs rvm.' }),
} as const;
const INSTALLED = {
  name: param.text({ doc: 'The version of Ruby.' }),
  default: param.flag({ default: false, doc: 'Make it the default.' }),
  ...USER,
  opts: param.value({ default: null, type: 'list', doc: 'Options of `rvm install`: `-C`, `--patch`.' }),
  env: param.value({ default: null, type: 'list or dict', doc: 'Variables of the environment.' }),
} as const;

/** Test mode. Salt compat: Salt foretells an installation in any case. */
async function foretold(
  ctx: StateContext,
  { name, user, default: wanted }: TypedArguments<typeof INSTALLED>,
): Promise<StateResult> {
  const isDefault = (await hasRvm(ctx, [user])) ? await found(ctx, name, user) : undefined;
  if (isDefault === undefined) return outcome(name, null, `Ruby ${name} is set to be installed`);
  const told =
    wanted && !isDefault
      ? outcome(name, null, `Ruby ${name} is set to be made the default.`)
      : outcome(name, true, 'Requested ruby exists.');
  return { ...told, default: isDefault };
}

/** Installs rvm where it is not there. @returns why it could not be; Salt compat: Salt ends with a traceback */
async function rvmFailure(ctx: StateContext, user: Value): Promise<string | undefined> {
  try {
    if (await hasRvm(ctx, [user])) return undefined;
    if (truthy(await ctx.functions.call('rvm.install', [], { runas: user }))) return undefined;
    return 'RVM failed to install.';
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return `RVM failed to install. ${error.message}`;
  }
}

async function installed(ctx: StateContext, args: TypedArguments<typeof INSTALLED>): Promise<StateResult> {
  const { name, user, opts, env } = args;
  if (ctx.state.test) return foretold(ctx, args);
  const failure = await rvmFailure(ctx, user);
  if (failure !== undefined) return outcome(name, false, failure);
  const isDefault = await found(ctx, name, user);
  let result: StateResult = outcome(name, true, 'Requested ruby exists.');
  if (isDefault === undefined) {
    if (!truthy(await ctx.functions.call('rvm.install_ruby', [name], { runas: user, opts, env })))
      return outcome(name, false, 'Could not install ruby.');
    result = outcome(name, true, 'Successfully installed ruby.', dict({ [name]: 'Installed' }));
  }
  if (!args.default || isDefault === true) return { ...result, default: isDefault ?? false };
  // Salt compat: Salt makes it the default at each run, tells no change, and does not look at what comes of it.
  if ((await ctx.functions.call('rvm.set_default', [name], { runas: user })) === false)
    return outcome(name, false, `Could not make ruby ${name} the default.`, result.changes);
  if (isDefault === false)
    result = outcome(name, true, 'Requested ruby is the default now.', dict({ default: name }));
  return { ...result, default: isDefault ?? false };
}

async function gemsetPresent(
  ctx: StateContext,
  { name: given, ruby: named, user }: { readonly name: string; readonly ruby: string; readonly user: Value },
): Promise<StateResult> {
  if (!(await hasRvm(ctx, [user]))) return outcome(given, false, 'RVM is not installed.');
  const at = given.indexOf('@');
  const [ruby, name] = at < 0 ? [named, given] : [given.slice(0, at), given.slice(at + 1)];
  let further: Readonly<Record<string, Value>> = {};
  if (at >= 0) {
    const isDefault = await found(ctx, ruby, user);
    if (isDefault === undefined) return outcome(given, false, 'Requested ruby implementation was not found.');
    further = { default: isDefault };
  }
  const keywords = dict({ runas: user });
  const there = await ctx.functions.call('rvm.gemset_list', [ruby], keywords);
  if (Array.isArray(there) && there.includes(name))
    return { ...outcome(given, true, 'Gemset already exists.'), ...further };
  if (ctx.state.test) return { ...outcome(given, null, `Set to install gemset ${name}`), ...further };
  return truthy(await ctx.functions.call('rvm.gemset_create', [ruby, name], keywords))
    ? { ...outcome(given, true, 'Gemset successfully created.', dict({ [name]: 'created' })), ...further }
    : { ...outcome(given, false, 'Gemset could not be created.'), ...further };
}

/** The states of `rvm`. */
export const rvmStates = defineModule({
  name: 'rvm',
  file: 'rvm',
  doc: 'Rubies and sets of gems of RVM, the Ruby version manager.',
  functions: {
    installed: defineState({
      doc: 'Makes sure that a Ruby is installed, and rvm itself.',
      params: INSTALLED,
      run: installed,
    }),
    gemset_present: defineState({
      doc: 'Makes sure that there is a set of gems.',
      params: {
        name: param.text({ doc: 'The set of gems, with its Ruby in front where one is meant: `2.0.0@web`.' }),
        ruby: param.text({ default: 'default', doc: 'The Ruby.' }),
        ...USER,
      },
      run: gemsetPresent,
    }),
  },
});
