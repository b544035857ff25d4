/**
 * Functions of the master for a program beside it: run in that program, with the master's own configuration, files and
 * custom runners. The master need not be up, and where none is configured Salt's defaults count
 * (salt/modules/saltutil.py `cmd`, `runner`, `wheel`, 3006.16). To publish a job it has to be up.
 */
import { dirname } from 'node:path';
import { loadMasterConfig } from '../../config/load.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { FunctionMissingError } from '../../plugins/shared/runner/runner.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import type { Dict } from '../../python/values/value.ts';
import { MasterDownError } from '../../runtime/client/errors.ts';
import type { MasterBeside, MasterForFunctions } from '../../runtime/loader/master-services.ts';
import { JidSource } from '../../storage/jobs/jid.ts';
import { masterServices } from './master-services.ts';
import { ownFunctions } from './own-functions.ts';
import { openRunnerContext } from './runner-context.ts';

const DEFAULT_CONF_FILE = '/etc/salt/minion';
const UNKNOWN_USER = 'UNKNOWN';

/** What such a run is made with. */
export interface BesideDeps {
  /** The options of the program that asks. */
  readonly opts: Dict;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Ends the run; default: nothing does. */
  readonly signal?: AbortSignal;
}

/**
 * The master whose configuration lies beside that of the program. `run` throws a PythonError, a KeyError as Salt's,
 * when there is no such function; `publish` a PythonError, a SaltClientError as Salt's, when the master cannot be
 * asked.
 */
export function besideMaster(deps: BesideDeps): Required<MasterBeside> {
  const opts = (): MasterOptions => {
    const configDir = dirname(pyStr(deps.opts.get('conf_file') ?? DEFAULT_CONF_FILE));
    return loadMasterConfig({ configDir, env: process.env, log: deps.log });
  };
  return {
    run: async (call) => besideOptions({ ...deps, opts: opts() }).run(call),
    publish: async (job) => besideOptions({ ...deps, opts: opts() }).publish(job),
  };
}

/** The same with the master's options at hand. */
export function besideOptions(deps: OptionsDeps): Required<MasterBeside> {
  return {
    run: (call) =>
      withServices(deps, async (services) => {
        try {
          return await services.run(call);
        } catch (error) {
          if (error instanceof FunctionMissingError) throw new PythonError('KeyError', pyRepr(call.fun));
          throw error;
        }
      }),
    publish: (job) =>
      withServices(deps, async (services) => {
        try {
          return await services.publish(job);
        } catch (error) {
          if (!(error instanceof MasterDownError)) throw error;
          throw new PythonError('salt.exceptions.SaltClientError', error.message);
        }
      }),
  };
}

type OptionsDeps = Omit<BesideDeps, 'opts'> & { readonly opts: MasterOptions };

async function withServices<T>(
  { opts, clock, random, log, signal = new AbortController().signal }: OptionsDeps,
  use: (services: MasterForFunctions) => Promise<T>,
): Promise<T> {
  const settings = opts.toDict();
  const own = ownFunctions(settings, log);
  const jids = new JidSource(clock);
  const context = openRunnerContext({
    ...{ opts, settings, own, jids, clock, random, log, signal },
    jid: jids.next(),
    user: UNKNOWN_USER,
    env: process.env,
    print: () => undefined,
    show: () => Promise.resolve(),
  });
  try {
    return await use(masterServices({ context, jids, own }));
  } finally {
    await context.close();
  }
}
