/** Calling returners outside of any job: for returns that have waited. */
import { BrineError } from '../../errors/errors.ts';
import { callFunction } from '../../runtime/loader/registry.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import { returnerOptions } from '../../plugins/shared/returner/options.ts';
import { STORE_KINDS } from '../../plugins/registry/returner/store-kinds.generated.ts';
import type { Dict } from '../../python/values/value.ts';
import { NO_SERVICES } from '../../plugins/shared/returner/no-services.ts';
import type { MinionState } from './state.ts';

/** A jid that no job has. */
const PROBED_JID = '0';
const PROBE_MS = 5_000;

/** Hands a return to a returner. */
export async function writeReturn(state: MinionState, name: string, ret: Dict): Promise<void> {
  const fun = `${name}.returner`;
  const { spec, missing } = await (await state.returners()).find(fun);
  if (spec === undefined) throw new BrineError(missing);
  await callFunction(fun, spec, contextOf(state), [new Map(ret)], new Map());
}

/** Resolves when the database answers that a return is meant for. */
export async function probeReturner(state: MinionState, name: string, ret: Dict): Promise<void> {
  const kind = await STORE_KINDS.find((entry) => entry.name === name)?.load();
  if (kind === undefined) throw new BrineError(`There is no database ${name}.`);
  const options = await returnerOptions(contextOf(state), kind.optionPrefix, ret, kind.defaults);
  const { clock } = state.deps;
  const store = kind.open({ options, timeoutMs: PROBE_MS, connectionsMax: 1, clock });
  try {
    await store.load(PROBED_JID);
  } finally {
    await store.close();
  }
}

function contextOf(state: MinionState): ModuleContext {
  return state.context({ jid: '', fun: '', pub: new Map() }, NO_SERVICES, new AbortController().signal);
}
