/**
 * Functions of the master for a program beside it: run in that program, with the master's own configuration, files and custom runners. The
 * master need not be up, and where none is configured Salt's defaults count (salt/modules/saltutil.py `runner`, 3006.16).
 */
import { dirname } from 'node:path';
import { loadMasterConfig } from '../../config/load.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { FunctionMissingError } from '../../plugins/runners/runner.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import type { Dict } from '../../python/values/value.ts';
import type { MasterFunctionCall } from '../../runtime/loader/master-services.ts';
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
 * Runs a function of the master whose configuration lies beside that of the program.
 * @returns what its `ret` event says: `return`, `success` and `jid` among it
 * @throws PythonError, a KeyError as Salt's, when there is no such function
 */
export function runBeside(deps: BesideDeps, call: MasterFunctionCall): Promise<Dict> {
  const configDir = dirname(pyStr(deps.opts.get('conf_file') ?? DEFAULT_CONF_FILE));
  const opts = loadMasterConfig({ configDir, env: process.env, log: deps.log });
  return runHere({ ...deps, opts }, call);
}

/** The same with the master's options at hand. */
export async function runHere(
  {
    opts,
    clock,
    random,
    log,
    signal = new AbortController().signal,
  }: Omit<BesideDeps, 'opts'> & { readonly opts: MasterOptions },
  call: MasterFunctionCall,
): Promise<Dict> {
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
    return await masterServices({ context, jids, own }).run(call);
  } catch (error) {
    if (error instanceof FunctionMissingError) throw new PythonError('KeyError', pyRepr(call.fun));
    throw error;
  } finally {
    await context.close();
  }
}
