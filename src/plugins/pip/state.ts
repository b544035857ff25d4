/** `pip`: packages of Python (3006.16 salt/states/pip_state.py). */
import { CommandExecutionError, CommandNotFoundError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { BIN_ENV, CONNECTION, CWD, REQUIREMENTS, USER, USE_VT } from './module/params.ts';
import { outcome as changesSecond, outcomeChangesLast as outcome } from '../shared/outcome.ts';
import { askedPackages } from './state/asked.ts';
import { pipPackages } from './state/check.ts';
import { installed } from './state/installed.ts';
import { INSTALLED } from './state/params.ts';
import { defineState } from '../shared/state-function.ts';

const isSentence = (error: unknown): error is Error =>
  error instanceof CommandExecutionError || error instanceof CommandNotFoundError;

/** The states of `pip`. */
export const pipStates = defineModule({
  name: 'pip',
  file: 'pip_state',
  doc: 'Packages of Python, in the system or in virtual environments.',
  needs: { fun: 'pip.list', otherwise: 'pip module could not be loaded' },
  functions: {
    installed: defineState({
      doc: 'Makes sure that packages are installed, in a version that is asked for.',
      params: INSTALLED,
      kwargs: 'kwargs',
      run: installed,
    }),
    removed: defineState({
      doc: 'Makes sure that a package is not installed.',
      params: {
        name: param.text({ doc: 'The package.' }),
        ...REQUIREMENTS,
        ...BIN_ENV,
        ...CONNECTION,
        ...USER,
        ...CWD,
        ...USE_VT,
      },
      run: async (ctx, { name, requirements, bin_env, log, proxy, timeout, user, cwd, use_vt }) => {
        const where = dict({ bin_env, user, cwd });
        try {
          // Salt compat: Salt looks for the package alone, and leaves what `requirements` name where it is not there
          const asked = await askedPackages(ctx, requirements, { cwd, isNeeded: false });
          if (typeof asked === 'string') return outcome(name, false, asked);
          const installed = await pipPackages(ctx, [], where);
          const names = new Set([name, ...asked.packages.map(({ prefix }) => prefix)]);
          const found = [...names].filter((one) => installed.versionOf(one) !== undefined);
          if (found.length === 0) return outcome(name, true, 'Package is not installed.');
          if (ctx.state.test) return outcome(name, null, `Package ${found.join(', ')} is set to be removed`);
          const further = dict({
            pkgs: name,
            requirements,
            log: log ?? null,
            proxy,
            timeout: timeout ?? null,
            use_vt,
          });
          const ended = await ctx.functions.call('pip.uninstall', [], new Map([...further, ...where]));
          // Salt compat: Salt's state calls a removal that failed a success.
          if (isDict(ended) && ended.get('retcode') === 0)
            return outcome(
              name,
              true,
              'Package was successfully removed.',
              new Map(found.map((one) => [one, 'Removed'])),
            );
          const said = isDict(ended) ? pyStr(ended.get('stderr') ?? ended.get('comment') ?? '') : '';
          return outcome(name, false, `Could not remove package.${said === '' ? '' : ` ${said}`}`);
        } catch (error) {
          if (!isSentence(error)) throw error;
          return outcome(name, false, `Error uninstalling '${name}': ${error.message}`);
        }
      },
    }),
    uptodate: defineState({
      doc: 'Makes sure that all packages have their newest version.',
      params: { name: param.text({ doc: 'Any name.' }), ...BIN_ENV, ...USER, ...CWD, ...USE_VT },
      run: async (ctx, { name, bin_env, user, cwd, use_vt }) => {
        const where = dict({ bin_env, user, cwd });
        let upgrades;
        try {
          upgrades = await ctx.functions.call('pip.list_upgrades', [], where);
        } catch (error) {
          if (!(error instanceof Error)) throw error;
          return changesSecond(name, false, error.message);
        }
        if (!truthy(upgrades)) return changesSecond(name, true, 'System is already up-to-date.');
        if (ctx.state.test) return changesSecond(name, null, 'System update will be performed');
        const ended = await ctx.functions.call('pip.upgrade', [], new Map([...where, ['use_vt', use_vt]]));
        const field = (key: string): Dict => {
          const value = isDict(ended) ? ended.get(key) : undefined;
          return isDict(value) ? value : dict();
        };
        // Salt compat: Salt's state has the whole answer of pip.upgrade for its changes.
        return isDict(ended) && ended.get('result') === false
          ? changesSecond(name, false, ended.get('comment') ?? '', field('changes'))
          : changesSecond(name, true, 'Upgrade successful.', field('changes'));
      },
    }),
  },
});
