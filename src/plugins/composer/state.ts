/** `composer`: packages of PHP for a folder (3006.16 salt/states/composer.py). */
import { isDict, dict, truthy } from '../../python/values/value.ts';
import { BrineError } from '../../errors/errors.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { COMPOSER_OPTIONS } from './module.ts';
import { outcomeChangesLast as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const FOLDER = {
  name: param.text({ doc: 'The folder with the file composer.json.' }),
  composer: param.value({
    default: null,
    type: 'str',
    doc: 'The path of composer.phar, where composer is not in PATH.',
  }),
  php: param.value({ default: null, type: 'str', doc: 'The path of php, which runs it.' }),
  user: param.value({ default: null, type: 'str', account: 'user', doc: 'Who runs composer.' }),
  ...COMPOSER_OPTIONS,
} as const;
const CHECK = {
  always_check: param.unlessFalse({
    default: true,
    doc: 'Run composer even though there is a folder vendor.',
  }),
} as const;
const ENV = {
  env: param.value({ default: null, type: 'list or dict', doc: 'Variables of the environment.' }),
} as const;

type Arguments = TypedArguments<typeof FOLDER & typeof ENV>;

/** Runs an action of composer. @param isThere whether there is a folder vendor */
async function act(
  ctx: StateContext,
  action: 'install' | 'update',
  { name, user, ...options }: Arguments,
  isThere: boolean,
): Promise<StateResult> {
  if (ctx.state.test) {
    const what = action === 'install' ? 'composer install' : 'composer install/update';
    const changes = dict({
      old: `composer install has ${isThere ? '' : action === 'install' ? 'not ' : 'not yet '}been run in ${name}`,
      new: `${what} will be run in ${name}`,
    });
    return outcome(name, null, `The state of "${name}" will be changed.`, changes);
  }
  try {
    const keywords = dict({ ...options, runas: user });
    const ended = await ctx.functions.call(`composer.${action}`, [name], keywords);
    const done = `Composer ${action} completed successfully`;
    if (!isDict(ended)) return outcome(name, true, `${done}, output silenced by quiet flag`);
    const changes = dict({ stderr: ended.get('stderr') ?? '', stdout: ended.get('stdout') ?? '' });
    return outcome(name, true, done, changes);
  } catch (error) {
    if (!(error instanceof BrineError)) throw error;
    return outcome(name, false, `Error executing composer in '${name}': ${error.message}`);
  }
}

const isInstalled = async (ctx: StateContext, name: string): Promise<boolean> =>
  truthy(await ctx.functions.call('composer.did_composer_install', [name]));

/** The states of `composer`. */
export const composerStates = defineModule({
  name: 'composer',
  file: 'composer',
  doc: 'Packages of PHP for a folder.',
  functions: {
    installed: defineState({
      doc: 'Makes sure that what the file composer.json of a folder asks for is installed.',
      params: { ...FOLDER, ...CHECK, ...ENV },
      run: async (ctx, { always_check, ...args }) => {
        const isThere = await isInstalled(ctx, args.name);
        if (!always_check && isThere)
          return outcome(args.name, true, 'Composer already installed this directory');
        return act(ctx, 'install', args, isThere);
      },
    }),
    update: defineState({
      doc: 'Brings what the file composer.json of a folder asks for up to date.',
      params: { ...FOLDER, ...ENV },
      run: async (ctx, args) => act(ctx, 'update', args, await isInstalled(ctx, args.name)),
    }),
  },
});
