/** What the minion offers its functions: events, running jobs, refreshing, requests to the master. */
import type { MinionOptions } from '../../config/minion-options.ts';
import { onceLimits, requestLimits } from './request-limits.ts';
import { extensionsVersion } from '../../runtime/extensions/folder.ts';
import { collectGrains } from '../../plugins/grains/core/collect.ts';
import { CommandExecutionError, UnreachableError } from '../../errors/errors.ts';
import { refusalIn } from '../../network/channel/refusal.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import type { MinionServices } from '../../runtime/loader/module.ts';
import { noSuchMaster } from './master-address.ts';
import type { MasterConnection } from './master-connection.ts';
import type { MasterSide } from './masters/side.ts';
import { ownGrainsSource } from './own-modules.ts';
import { isPillarLocal } from './local-pillar.ts';
import { fetchPillar, makePillar } from './pillar.ts';
import type { RunningJobs } from './running-jobs.ts';
import type { MinionState } from './state.ts';

/** What the services work on; masters are asked for at each call, because they come and go. */
export interface MinionServicesDeps {
  readonly state: () => MinionState;
  readonly running: () => RunningJobs;
  /** The masters that are served, first the one on whose behalf these services are used. */
  readonly sides: () => readonly Pick<MasterSide, 'connection' | 'state'>[];
  /** Fires on the local bus; undefined when there is none. */
  readonly fireLocal: ((tag: string, data: Dict) => void) | undefined;
  /** Carries out orders about the schedule and the beacons. */
  readonly manage?: MinionServices['manage'];
  readonly tryVersion?: MinionServices['tryVersion'];
}

const EVENT_PATIENCE = { timeoutMs: 10_000, tries: 2 };

/** Makes the services of a running minion. */
export function minionServices(deps: MinionServicesDeps): MinionServices {
  let grainsVersion: string | undefined;
  // Salt compat: Salt collects all grains anew with each refresh of modules or pillar; here only when custom ones
  // changed
  const followGrains = async (): Promise<void> => {
    const state = deps.state();
    const version = extensionsVersion(state.opts, ['grains']);
    const isNew = version !== (grainsVersion ?? '');
    grainsVersion = version;
    if (isNew) await refreshGrains(state);
  };
  return {
    fireLocal: async (tag, data) => {
      deps.fireLocal?.(tag, data);
      return deps.fireLocal !== undefined;
    },
    fireMaster: (tag, data, preload) => fireMaster(deps, tag, data, preload),
    runningJobs: async () => deps.running().list(),
    signalJob: async (jid, signal) => deps.running().signal(jid, signal),
    refresh: async (what, options) => {
      if (what === 'modules' || what === 'pillar') await followGrains();
      return refresh(deps, what, options ?? new Map());
    },
    grains: async () => {
      await refreshGrains(deps.state());
      return deps.state().grains;
    },
    request: (load, { master, once } = {}) =>
      connectionTo(deps, master).requests.send(
        load,
        once === true ? onceLimits(optionsOf(deps)) : requestLimits(optionsOf(deps)),
      ),
    requestAll: async (load) => {
      firstConnection(deps);
      const all = deps
        .sides()
        .map(({ connection }) => connection.requests.send(load, requestLimits(optionsOf(deps))));
      return Promise.any(all).catch((error: AggregateError) => Promise.reject(error.errors[0] as Error));
    },
    manage: async (part, order) => deps.manage?.(part, order),
    ...(deps.tryVersion === undefined ? {} : { tryVersion: deps.tryVersion }),
  };
}

function optionsOf(deps: Pick<MinionServicesDeps, 'state'>): MinionOptions {
  return deps.state().deps.opts;
}

function firstConnection(deps: MinionServicesDeps): MasterConnection {
  const [side] = deps.sides();
  if (side === undefined) throw new UnreachableError('This minion has no master to ask.');
  return side.connection;
}

function connectionTo(deps: MinionServicesDeps, master: string | undefined): MasterConnection {
  if (master === undefined) return firstConnection(deps);
  const addresses = deps.sides().map(({ connection }) => connection.address);
  const found = deps.sides().find(({ connection }) => connection.address.host === master);
  if (found === undefined) throw noSuchMaster(master, addresses);
  return found.connection;
}

async function fireMaster(
  deps: MinionServicesDeps,
  tag: string,
  data: Value,
  preload: Dict | undefined,
): Promise<boolean> {
  const load: Dict = new Map<Value, Value>([
    ['cmd', '_minion_event'],
    ['tag', tag],
    ['data', data],
    // Salt compat: with a preload the function asks the master itself, and its load has no `pretag`
    // (salt/modules/event.py, 3006.16)
    ...(preload !== undefined && preload.size > 0 ? preload : new Map<Value, Value>([['pretag', null]])),
  ]);
  return tellMasters(deps, load);
}

/** Sends an event to every master. @returns true as soon as one has taken it, so that one that is away delays nobody */
export async function tellMasters(
  deps: Pick<MinionServicesDeps, 'sides' | 'state'>,
  load: Dict,
): Promise<boolean> {
  const attempts = deps.sides().map(async ({ connection }) => {
    if (!(await sendEvent(deps, connection, load))) throw new UnreachableError('not taken');
  });
  return Promise.any(attempts).then(
    () => true,
    () => false,
  );
}

async function sendEvent(
  deps: Pick<MinionServicesDeps, 'state'>,
  connection: MasterConnection,
  load: Dict,
): Promise<boolean> {
  try {
    const reply = await connection.requests.send(load, requestLimits(optionsOf(deps), EVENT_PATIENCE));
    const reason = refusalIn(reply);
    if (reason !== undefined) throw new CommandExecutionError(reason);
    return true;
  } catch (error) {
    const name = eventName(load);
    connection.log.about(name).warning(`The master did not take the ${name}: ${(error as Error).message}`);
    return false;
  }
}

function eventName(load: Dict): string {
  const [tag, events] = [load.get('tag'), load.get('events')];
  return Array.isArray(events) ? `list of ${events.length} events` : `event ${pyStr(tag ?? null)}`;
}

async function refresh(
  deps: MinionServicesDeps,
  what: Parameters<MinionServices['refresh']>[0],
  options: Dict,
): Promise<boolean> {
  const state = deps.state();
  if (what === 'grains') {
    await refreshGrains(state);
    for (const { state: other } of deps.sides()) if (other !== state) other.grains = state.grains;
    if (options.get('refresh_pillar') !== false) await refreshPillar(deps);
  } else if (what === 'pillar') await refreshPillar(deps, options.get('clean_cache') !== false);
  else for (const each of new Set([state, ...deps.sides().map((side) => side.state)])) each.reloadModules();
  const tag =
    what === 'pillar'
      ? '/salt/minion/minion_pillar_refresh_complete'
      : '/salt/minion/minion_mod_refresh_complete';
  deps.fireLocal?.(tag, dict({ complete: true }));
  return true;
}

/** Collects the grains anew; the modules follow. */
async function refreshGrains(state: MinionState): Promise<void> {
  const { clock, log } = state.deps;
  const custom = [ownGrainsSource(state.opts, clock, log)];
  state.grains = await collectGrains({ opts: state.opts, log, clock, custom });
}

/** Fetches the pillar anew, each master's from itself; when one cannot give one the old one stays. */
async function refreshPillar(
  deps: Pick<MinionServicesDeps, 'sides' | 'state'>,
  cleanCache = false,
): Promise<void> {
  const sides = deps.sides();
  // a minion without masters makes its pillar itself
  if (sides.length === 0 && isPillarLocal(deps.state().opts))
    await takePillar(deps.state(), () => makePillar(deps.state()));
  await Promise.all(
    sides.map(({ state, connection }) => takePillar(state, () => fetchPillar(state, connection, cleanCache))),
  );
}

async function takePillar(state: MinionState, fetch: () => Promise<Dict>): Promise<void> {
  try {
    state.pillar = await fetch();
    state.reloadModules();
  } catch (error) {
    state.deps.log.error(
      `The pillar could not be fetched; the old one stays: ${(error as Error).message}`,
      error,
    );
  }
}
