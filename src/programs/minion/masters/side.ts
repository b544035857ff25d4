/**
 * What one master has of a minion: a connection, and grains, pillar and services that are its alone. With several
 * masters at once each has its own; jobs share the memory of what has run, the limits and the workers.
 */
import { requestLimits } from '../request-limits.ts';
import { messageOf } from '../../../errors/errors.ts';
import { tags } from '../../../network/events/tags.ts';
import type { MinionServices } from '../../../runtime/loader/module.ts';
import { dict, type Value } from '../../../python/values/value.ts';
import { asctime } from '../asctime.ts';
import type { MasterConnection } from '../master-connection.ts';
import { fetchPillar } from '../pillar.ts';
import type { MinionState } from '../state.ts';

/** What one master has of a minion. */
export interface MasterSide {
  readonly connection: MasterConnection;
  readonly state: MinionState;
  readonly services: MinionServices;
}

const START_PATIENCE = { timeoutMs: 10_000, tries: 3 };

/**
 * Salt's order after the authentication: subscribe, pillar, start event (salt/minion.py `_post_master_init`, 3006.16).
 * @param left aborted when the minion goes to another master meanwhile
 */
export async function takeUp({ connection, state }: MasterSide, left?: AbortSignal): Promise<void> {
  const { log } = state.deps;
  await connection.subscribe();
  try {
    const pillar = await fetchPillar(state, connection);
    if (left?.aborted) return;
    state.pillar = pillar;
    state.reloadModules(); // some look at the pillar while they are loaded
  } catch (error) {
    if (left?.aborted) return;
    log.error(`The pillar could not be fetched at the start: ${messageOf(error)}`, error);
  }
  log.info('Minion is ready to receive requests!');
  await fireStart(connection, state);
}

async function fireStart(connection: MasterConnection, state: MinionState): Promise<void> {
  const { opts, log, clock } = state.deps;
  const { id } = state;
  const text = `Minion ${id} started at ${asctime(new Date(clock.nowMs()))}`;
  const names = opts.raw('start_event_grains');
  const grains = new Map<Value, Value>();
  if (Array.isArray(names)) for (const name of names) grains.set(name, state.grains.get(name) ?? null);
  const eventTags = [tags.minionStart(id)];
  if (opts.raw('enable_legacy_startup_events') !== false) eventTags.unshift(tags.legacyMinionStart);
  for (const tag of eventTags) {
    const load = dict({ cmd: '_minion_event', id, pretag: null, tag, data: text });
    if (grains.size > 0) load.set('grains', grains);
    try {
      await connection.requests.send(load, requestLimits(opts, START_PATIENCE));
    } catch (error) {
      log.warning(`The master did not take the start event: ${messageOf(error)}`);
    }
  }
}
