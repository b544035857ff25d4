/** `pyenv`: Pythons of pyenv (3006.16 salt/states/pyenv.py). */
import { dict, truthy, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcomeChangesLast as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

/** Which Python, and who runs pyenv. */
interface Wanted {
  readonly name: string;
  readonly user: Value;
}

const bare = (name: string): string => name.replace(/^python-/, '');

/** @returns whether an installed Python is the default; undefined where it is not there */
async function found(ctx: StateContext, python: string, user: Value): Promise<boolean | undefined> {
  const standard = await ctx.functions.call('pyenv.default', [], { runas: user });
  const versions = await ctx.functions.call('pyenv.versions', [user]);
  return Array.isArray(versions) && versions.includes(python) ? standard === python : undefined;
}

const hasPyenv = async (ctx: StateContext, user: Value): Promise<boolean> =>
  truthy(await ctx.functions.call('pyenv.is_installed', [user]));
const setDefault = (ctx: StateContext, python: string, user: Value): Promise<Value> =>
  ctx.functions.call('pyenv.default', [python], { runas: user });

/** Test mode. Salt compat: Salt foretells an installation in any case. */
async function foretold(
  ctx: StateContext,
  { name, user, isDefault }: Wanted & { readonly isDefault: boolean },
): Promise<StateResult> {
  const python = bare(name);
  const there = (await hasPyenv(ctx, user)) ? await found(ctx, python, user) : undefined;
  if (there === undefined) return outcome(name, null, `python ${python} is set to be installed`);
  const told =
    isDefault && !there
      ? outcome(name, null, `python ${python} is set to be made the default`)
      : outcome(name, true, 'Requested python exists.');
  return { ...told, default: there };
}

async function installed(
  ctx: StateContext,
  { name, user, isDefault }: Wanted & { readonly isDefault: boolean },
): Promise<StateResult> {
  const python = bare(name);
  if (ctx.state.test) return foretold(ctx, { name, user, isDefault });
  if (!(await hasPyenv(ctx, user)) && !truthy(await ctx.functions.call('pyenv.install', [user])))
    return outcome(name, false, 'pyenv failed to install');
  const there = await found(ctx, python, user);
  let result = outcome(name, true, 'Requested python exists.');
  if (there === undefined) {
    // Salt compat: Salt takes a build that prints nothing as an error for one that has failed
    if ((await ctx.functions.call('pyenv.install_python', [python], { runas: user })) === false)
      return outcome(name, false, 'Could not install python.');
    result = outcome(name, true, 'Successfully installed python', dict({ [python]: 'Installed' }));
  }
  // Salt compat: Salt makes it the default at each run, and tells no change.
  if (!isDefault || there === true) return { ...result, default: there ?? false };
  await setDefault(ctx, python, user);
  if (there === false)
    result = outcome(name, true, 'Requested python is the default now.', dict({ default: python }));
  return { ...result, default: true };
}

async function absent(ctx: StateContext, { name, user }: Wanted): Promise<StateResult> {
  const python = bare(name);
  if (!(await hasPyenv(ctx, user))) return outcome(name, true, `pyenv not installed, ${python} not either`);
  const there = await found(ctx, python, user);
  if (there === undefined) return outcome(name, true, `python ${python} is already absent`);
  // Salt compat: Salt foretells a removal in any case
  if (ctx.state.test) return outcome(name, null, `python ${python} is set to be uninstalled`);
  if (there) await setDefault(ctx, 'system', user);
  const isGone = truthy(await ctx.functions.call('pyenv.uninstall_python', [python], { runas: user }));
  const result = isGone
    ? outcome(name, true, 'Successfully removed python', dict({ [python]: 'Uninstalled' }))
    : outcome(name, false, 'Failed to uninstall python');
  return { ...result, default: there };
}

/** Salt compat: Salt asks for a Python whose name is that of the user, and never installs pyenv. */
async function pyenvInstalled(ctx: StateContext, { name, user }: Wanted): Promise<StateResult> {
  if (await hasPyenv(ctx, user)) return outcome(name, true, 'pyenv is already installed');
  if (ctx.state.test) return outcome(name, null, 'pyenv is set to be installed');
  return truthy(await ctx.functions.call('pyenv.install', [user]))
    ? outcome(name, true, 'pyenv installed', dict({ pyenv: 'Installed' }))
    : outcome(name, false, 'pyenv failed to install');
}

const NAME = { name: param.text({ doc: 'The version of Python.' }) } as const;
const USER = {
  user: param.value({ default: null, type: 'str', account: 'user', doc: 'Who runs pyenv.' }),
} as const;

/** The states of `pyenv`. */
export const pyenvStates = defineModule({
  name: 'pyenv',
  file: 'pyenv',
  doc: 'Pythons of pyenv.',
  functions: {
    installed: defineState({
      doc: 'Makes sure that a Python is installed, and pyenv itself.',
      params: { ...NAME, default: param.flag({ default: false, doc: 'Make it the default.' }), ...USER },
      run: (ctx, { name, user, default: isDefault }) => installed(ctx, { name, user, isDefault }),
    }),
    absent: defineState({
      doc: 'Makes sure that a Python is not installed.',
      params: { ...NAME, ...USER },
      run: absent,
    }),
    install_pyenv: defineState({
      doc: 'Makes sure that pyenv itself is installed, for states that add to it.',
      params: { name: param.text({ doc: 'Any name.' }), ...USER },
      run: pyenvInstalled,
    }),
  },
});
