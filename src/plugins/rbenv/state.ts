/** `rbenv`: Rubies of rbenv (3006.16 salt/states/rbenv.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcomeChangesLast as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

/** Which Ruby, and who runs rbenv. */
interface Wanted {
  readonly name: string;
  readonly user: Value;
}

/** Whether a Ruby is installed. @returns whether it is the default; undefined where it is not there */
async function found(ctx: StateContext, ruby: string, user: Value): Promise<boolean | undefined> {
  const standard = await ctx.functions.call('rbenv.default', [], { runas: user });
  const versions = await ctx.functions.call('rbenv.versions', [user]);
  return Array.isArray(versions) && versions.includes(ruby) ? pyStr(standard ?? '') === ruby : undefined;
}

const hasRbenv = async (ctx: StateContext, user: Value): Promise<boolean> =>
  truthy(await ctx.functions.call('rbenv.is_installed', [user]));

const setDefault = async (ctx: StateContext, ruby: string, user: Value): Promise<boolean> =>
  truthy(await ctx.functions.call('rbenv.default', [ruby], { runas: user }));

const bare = (name: string): string => name.replace(/^ruby-/, '');

async function rbenvInstalled(ctx: StateContext, { name, user }: Wanted): Promise<StateResult> {
  if (await hasRbenv(ctx, user)) return outcome(name, true, 'Rbenv is already installed');
  if (ctx.state.test) return outcome(name, null, 'Rbenv is set to be installed');
  return truthy(await ctx.functions.call('rbenv.install', [user]))
    ? outcome(name, true, 'Rbenv installed')
    : outcome(name, false, 'Rbenv failed to install');
}

async function installed(
  ctx: StateContext,
  { name, user, isDefault }: Wanted & { readonly isDefault: boolean },
): Promise<StateResult> {
  const ruby = bare(name);
  if (ctx.state.test) {
    const there = await found(ctx, ruby, user);
    if (there === undefined) return outcome(name, null, `Ruby ${ruby} is set to be installed`);
    const told =
      isDefault && !there
        ? outcome(name, null, `Ruby ${ruby} is set to be made the default`)
        : outcome(name, true, `Ruby ${ruby} is already installed`);
    return { ...told, default: there };
  }
  if ((await rbenvInstalled(ctx, { name, user })).result === false)
    return outcome(name, false, 'Rbenv failed to install');
  const there = await found(ctx, ruby, user);
  let result: StateResult = outcome(name, true, 'Requested ruby exists');
  if (there === undefined) {
    // Salt compat: Salt takes a build that prints nothing as an error for one that has failed.
    if ((await ctx.functions.call('rbenv.install_ruby', [ruby], { runas: user })) === false)
      return outcome(name, false, 'Failed to install ruby');
    result = outcome(name, true, 'Successfully installed ruby', dict({ [ruby]: 'Installed' }));
  }
  // Salt compat: Salt makes it the default at each run, and tells no change.
  if (!isDefault || there === true) return { ...result, default: there ?? false };
  if (!(await setDefault(ctx, ruby, user)))
    return outcome(name, false, `Failed to make ruby ${ruby} the default`, result.changes);
  if (there === false)
    result = outcome(name, true, 'Requested ruby is the default now', dict({ default: ruby }));
  return { ...result, default: true };
}

async function absent(ctx: StateContext, { name, user }: Wanted): Promise<StateResult> {
  const ruby = bare(name);
  if (!(await hasRbenv(ctx, user))) return outcome(name, true, `Rbenv not installed, ${ruby} not either`);
  const there = await found(ctx, ruby, user);
  const { test } = ctx.state;
  if (there === undefined)
    return outcome(name, true, `Ruby ${ruby} is already ${test ? 'uninstalled' : 'absent'}`);
  if (test) return { ...outcome(name, null, `Ruby ${ruby} is set to be uninstalled`), default: there };
  if (there) await setDefault(ctx, 'system', user);
  return truthy(await ctx.functions.call('rbenv.uninstall_ruby', [ruby], { runas: user }))
    ? {
        ...outcome(name, true, 'Successfully removed ruby', dict({ [ruby]: 'Uninstalled' })),
        default: there,
      }
    : { ...outcome(name, false, 'Failed to uninstall ruby'), default: there };
}

const NAME = { name: param.text({ doc: 'The version of Ruby.' }) } as const;
const USER = {
  user: param.value({ default: null, type: 'str', account: 'user', doc: 'Who runs rbenv.' }),
} as const;

/** The states of `rbenv`. */
export const rbenvStates = defineModule({
  name: 'rbenv',
  file: 'rbenv',
  doc: 'Rubies of rbenv.',
  functions: {
    installed: defineState({
      doc: 'Makes sure that a Ruby is installed, and rbenv itself.',
      params: { ...NAME, default: param.flag({ default: false, doc: 'Make it the default.' }), ...USER },
      run: (ctx, { name, user, default: isDefault }) => installed(ctx, { name, user, isDefault }),
    }),
    absent: defineState({
      doc: 'Makes sure that a Ruby is not installed.',
      params: { ...NAME, ...USER },
      run: absent,
    }),
    install_rbenv: defineState({
      doc: 'Makes sure that rbenv itself is installed, for states that add to it.',
      params: { name: param.text({ doc: 'Any name.' }), ...USER },
      run: rbenvInstalled,
    }),
  },
});
