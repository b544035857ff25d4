/**
 * The master beside a minion, for functions such as `saltutil.runner`. Nothing of a master is loaded before it is
 * asked.
 */
import type { MasterBeside } from '../../runtime/loader/master-services.ts';
import type { BesideDeps } from '../runner/run-beside.ts';

/** @param deps `opts` are the minion's: the master's configuration lies in the folder of theirs */
export function masterBeside(deps: BesideDeps): Required<MasterBeside> {
  const opened = async (): Promise<Required<MasterBeside>> =>
    (await import('../runner/run-beside.ts')).besideMaster(deps);
  return {
    run: async (call) => (await opened()).run(call),
    publish: async (job) => (await opened()).publish(job),
  };
}
