/** The masters of a minion, in whichever way they are used (salt/minion.py `MinionManager`, 3006.16). */
import { BrineError } from '../../../errors/errors.ts';
import type { Value } from '../../../python/values/value.ts';
import { AllMasters } from './all-masters.ts';
import { MasterDiscovery } from './discover.ts';
import { LearnedMasters } from './learned-masters.ts';
import { OneMaster } from './one-master.ts';
import { planMasters } from './plan.ts';
import type { Masters, MastersDeps } from './connection-to.ts';

/** No connection at all: `master_type: disable`. */
const noMasters: Masters = {
  sides: [],
  targets: [],
  run: () => new Promise<never>(() => undefined),
  close: () => undefined,
};

/** Reads which masters there are, and how they are used. @throws ConfigError, BrineError */
export async function openMasters(deps: MastersDeps): Promise<Masters> {
  const { opts, log } = deps;
  const plan = await planMasters(opts, log, (fun) => callBeforeJoining(deps, fun));
  if (plan.mode === 'none') return noMasters;
  const discovery = new MasterDiscovery(deps);
  await discovery.addresses(plan.entries.filter((entry) => !MasterDiscovery.isList(entry))); // a bad one ends the start
  const [entry = '', ...more] = plan.entries;
  const isOne = opts.get('master_type') === 'str' && more.length === 0 && !MasterDiscovery.isList(entry);
  if (isOne && opts.get('learn_masters')) return new LearnedMasters(deps, plan, discovery);
  return plan.mode === 'one' ? new OneMaster(deps, plan, discovery) : new AllMasters(deps, plan, discovery);
}

function callBeforeJoining({ state, services }: MastersDeps, fun: string): Promise<Value> {
  const none = (): never => {
    throw new BrineError(`The function ${fun}, which names the master, runs before there is a master.`);
  };
  const job = { jid: '0', fun, pub: new Map() };
  return state.context(job, services(none), new AbortController().signal).functions.call(fun);
}
