/** What the minion offers its functions: events, running jobs, refreshing, requests to the master. */
import { extensionsVersion } from '../extensions/folder.ts';
import { collectGrains } from '../grains/collect.ts';
import { UnreachableError } from '../errors/errors.ts';
import { dict, type Dict, type Value } from '../values/value.ts';
import type { MinionServices } from '../loader/module.ts';
import type { MasterConnection } from './master-connection.ts';
import { ownGrainsSource } from './own-modules.ts';
import { fetchPillar } from './pillar.ts';
import type { RunningJobs } from './running-jobs.ts';
import type { MinionState } from './state.ts';

/** What the services work on; the connections are asked for at each call, because they come and go. */
export interface ServiceParts {
  readonly state: () => MinionState;
  readonly running: () => RunningJobs;
  readonly connections: () => readonly MasterConnection[];
  /** Fires on the local bus; undefined when there is none. */
  readonly fireLocal: ((tag: string, data: Dict) => void) | undefined;
}

const EVENT_PATIENCE = { timeoutMs: 10_000, tries: 2 };
const REQUEST_PATIENCE = { timeoutMs: 60_000, tries: 3 };

/** Makes the services of a running minion. */
export function minionServices(parts: ServiceParts): MinionServices {
  let grainsVersion: string | undefined;
  // Salt compat: Salt collects all grains anew with each refresh of modules or pillar; here only when those of the user's own changed
  const followGrains = async (): Promise<void> => {
    const state = parts.state();
    const version = extensionsVersion(state.opts, ['grains']);
    const isNew = version !== (grainsVersion ?? '');
    grainsVersion = version;
    if (isNew) await refreshGrains(state);
  };
  return {
    fireLocal: async (tag, data) => {
      parts.fireLocal?.(tag, data);
      return parts.fireLocal !== undefined;
    },
    fireMaster: (tag, data, preload) => fireMaster(parts, tag, data, preload),
    runningJobs: async () => parts.running().list(),
    signalJob: async (jid, signal) => parts.running().signal(jid, signal),
    refresh: async (what, options) => {
      if (what === 'modules' || what === 'pillar') await followGrains();
      return refresh(parts, what, options ?? new Map());
    },
    request: (load) => firstConnection(parts).requests.send(load, REQUEST_PATIENCE),
  };
}

function firstConnection(parts: ServiceParts): MasterConnection {
  const [connection] = parts.connections();
  if (connection === undefined) throw new UnreachableError('This minion has no master to ask.');
  return connection;
}

async function fireMaster(
  parts: ServiceParts,
  tag: string,
  data: Dict,
  preload: Dict | undefined,
): Promise<boolean> {
  const load: Dict = new Map<Value, Value>([
    ['cmd', '_minion_event'],
    ['tag', tag],
    ['data', data],
    ['pretag', null],
    ...(preload ?? new Map<Value, Value>()),
  ]);
  const sent = await Promise.all(parts.connections().map((connection) => sendEvent(parts, connection, load)));
  return sent.some(Boolean);
}

async function sendEvent(parts: ServiceParts, connection: MasterConnection, load: Dict): Promise<boolean> {
  try {
    await connection.requests.send(load, EVENT_PATIENCE);
    return true;
  } catch (error) {
    parts
      .state()
      .parts.log.warning(
        `The master did not take the event ${String(load.get('tag'))}: ${(error as Error).message}`,
      );
    return false;
  }
}

async function refresh(
  parts: ServiceParts,
  what: Parameters<MinionServices['refresh']>[0],
  options: Dict,
): Promise<boolean> {
  const state = parts.state();
  if (what === 'grains') {
    await refreshGrains(state);
    if (options.get('refresh_pillar') !== false) await refreshPillar(parts);
  } else if (what === 'pillar') await refreshPillar(parts);
  else state.reloadModules();
  const tag =
    what === 'pillar'
      ? '/salt/minion/minion_pillar_refresh_complete'
      : '/salt/minion/minion_mod_refresh_complete';
  parts.fireLocal?.(tag, dict({ complete: true }));
  return true;
}

/** Collects the grains anew; the modules follow. */
export async function refreshGrains(state: MinionState): Promise<void> {
  const { clock, log } = state.parts;
  const custom = [ownGrainsSource(state.opts, clock, log)];
  state.grains = await collectGrains({ opts: state.opts, log, clock, custom });
}

/** Fetches the pillar anew; when the master cannot give one the old one stays. */
export async function refreshPillar(parts: ServiceParts): Promise<void> {
  const state = parts.state();
  const [connection] = parts.connections();
  if (connection === undefined) return;
  try {
    state.pillar = await fetchPillar(state, connection);
    state.reloadModules();
  } catch (error) {
    state.parts.log.error(
      `The pillar could not be fetched; the old one stays: ${(error as Error).message}`,
      error,
    );
  }
}
