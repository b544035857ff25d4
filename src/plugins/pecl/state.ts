/** `pecl`: extensions of PHP (3006.16 salt/states/pecl.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { textIfSaid } from '../shared/optional-params.ts';
import { outcomeChangesLast as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext } from '../shared/state-function.ts';

const NAME = { name: param.text({ doc: 'The extension, with its channel: channel/name.' }) } as const;

async function installed(ctx: StateContext, args: readonly Value[]): Promise<Dict> {
  const found = await ctx.functions.call('pecl.list', args);
  return isDict(found) ? found : dict();
}

/** How far extensions are, the last the furthest. */
const STATES = ['snapshot', 'devel', 'alpha', 'beta', 'stable'];

/**
 * Whether what is installed is what is wanted: the version, where one is said, whatever its state; else any that is at
 * least as far. Salt compat: Salt also wants the very state, and so installs a stable one at each run where beta is
 * enough, and a version that is beta where nothing is said of states.
 */
function isRight(found: Value | undefined, version: string | undefined, preferred: string): boolean {
  if (!Array.isArray(found)) return false;
  if (version !== undefined) return found[0] === version;
  const [state, least] = [STATES.indexOf(pyStr(found[1] ?? '')), STATES.indexOf(preferred)];
  return found[1] === preferred || (least >= 0 && state >= least);
}

/** The states of `pecl`. */
export const peclStates = defineModule({
  name: 'pecl',
  file: 'pecl',
  doc: 'Extensions of PHP.',
  needs: { fun: 'pecl.list', otherwise: 'pecl module could not be loaded' },
  words: {},
  functions: {
    installed: defineState({
      doc: 'Makes sure that an extension is installed.',
      params: {
        ...NAME,
        version: textIfSaid('The version.'),
        defaults: param.value({
          default: false,
          type: 'bool',
          doc: 'Take the preset answer to every question.',
        }),
        force: param.value({ default: false, type: 'bool', doc: 'Install what is there already once more.' }),
        preferred_state: param.text({ default: 'stable', doc: 'Which state of an extension is wanted.' }),
      },
      run: async (ctx, { name, version, defaults, force, preferred_state }) => {
        const parts = name.split('/');
        const found = (await installed(ctx, [parts.length > 1 ? (parts[0] ?? null) : null])).get(
          parts.at(-1) ?? '',
        );
        if (isRight(found, version, preferred_state))
          return outcome(name, true, `Pecl extension ${name} is already installed.`);
        const wanted = version === undefined ? name : `${name}-${version}`;
        if (ctx.state.test) return outcome(name, null, `Pecl extension ${wanted} would have been installed`);
        const keywords = dict({ defaults, force, preferred_state });
        return truthy(await ctx.functions.call('pecl.install', [wanted], keywords))
          ? outcome(
              name,
              true,
              `Pecl extension ${wanted} was successfully installed`,
              dict({ [wanted]: 'Installed' }),
            )
          : outcome(name, false, `Could not install pecl extension ${wanted}.`);
      },
    }),
    removed: defineState({
      doc: 'Makes sure that an extension is not installed.',
      params: NAME,
      run: async (ctx, { name }) => {
        if (!(await installed(ctx, [])).has(name))
          return outcome(name, true, `Pecl extension ${name} is not installed.`);
        if (ctx.state.test) return outcome(name, null, `Pecl extension ${name} would have been removed`);
        return truthy(await ctx.functions.call('pecl.uninstall', [name]))
          ? outcome(
              name,
              true,
              `Pecl extension ${name} was successfully removed.`,
              dict({ [name]: 'Removed' }),
            )
          : outcome(name, false, `Could not remove pecl extension ${name}.`);
      },
    }),
  },
});
