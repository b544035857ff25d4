/**
 * What a minion does by itself: scheduled jobs, beacons, pings, states at the start (salt/minion.py `tune_in`,
 * 3006.16). The scheduler and the beacons are loaded when there is something for them to do, so that a minion without
 * costs nothing.
 */
import { UnreachableError, messageOf } from '../../errors/errors.ts';
import type { BusEvent } from '../../network/events/framing.ts';
import type { Timer } from '../../host/clock.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import type { MinionBeacons } from './beacons.ts';
import type { MinionSchedule } from './schedule.ts';
import type { PeriodicDeps } from './periodic-context.ts';

/** Orders over the bus. */
export type ManagedPart = 'schedule' | 'beacons';

/** Internal jobs that alone are no reason to load the scheduler. */
const INTERNAL = '__';
const PILLAR_REFRESHED = '/salt/minion/minion_pillar_refresh_complete';
const PING_SECONDS = 60;

/**
 * Starts the scheduler, the beacons, pings and start-up states of a minion, each when there is something for it to do.
 */
export class Periodic {
  readonly #deps: PeriodicDeps;
  #schedule: Promise<MinionSchedule> | undefined;
  #beacons: Promise<MinionBeacons> | undefined;
  #ping: Timer | undefined;
  #isRunning = false;

  constructor(deps: PeriodicDeps) {
    this.#deps = deps;
  }

  /** Begins before there is a connection: when that is wanted, or there never will be one. */
  beforeMasters(): void {
    const { opts } = this.#deps.state();
    const isAlone = opts.get('master_type') === 'disable';
    const isEarly =
      truthy(opts.get('scheduler_before_connect')) || truthy(opts.get('beacons_before_connect'));
    if (isAlone || isEarly) void this.start();
  }

  /** What the bus tells that concerns periodic work (salt/minion.py `handle_event`). */
  async busEvent({ tag, data }: BusEvent): Promise<void> {
    if (tag === 'manage_schedule') await this.manage('schedule', data);
    else if (tag === 'manage_beacons') await this.manage('beacons', data);
    else if (tag === '_minion_mine') await this.#deps.services().requestAll?.(data);
    else if (tag === PILLAR_REFRESHED || tag === 'beacons_refresh') await this.refresh();
  }

  /** Begins, after the start; again when more masters are there it does nothing. */
  async start(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { opts, clock } = this.#deps.state().deps;
    const minutes = toNumber(opts.raw('ping_interval')) ?? 0;
    if (minutes > 0)
      this.#ping = clock.every(minutes * PING_SECONDS * 1000, () => void this.#sendPing(), {
        background: true,
      });
    await this.refresh();
    await this.#applyStartupStates();
  }

  /** Looks at configuration and pillar again: after a refresh of the pillar. */
  async refresh(): Promise<void> {
    if (!this.#isRunning) return;
    const { log } = this.#deps.state().deps;
    try {
      if (this.#wantsSchedule()) (await this.#loadSchedule()).start();
      if (this.#wantsBeacons()) (await this.#loadBeacons()).start();
    } catch (error) {
      log.error(`Scheduled jobs or beacons could not be started: ${messageOf(error)}`, error);
    }
  }

  /**
   * Carries out an order, and says so on the bus.
   * @returns the data of the event that answers; empty for orders without one
   */
  async manage(part: ManagedPart, order: Dict): Promise<Dict> {
    const manager = part === 'schedule' ? await this.#loadSchedule() : await this.#loadBeacons();
    const answer = await manager.manage(order);
    if (answer !== undefined) this.#deps.fireLocal(answer.tag, answer.data);
    if (this.#isRunning) manager.start();
    return answer?.data ?? new Map<Value, Value>();
  }

  close(): void {
    this.#ping?.cancel();
    void this.#schedule?.then((schedule) => schedule.stop());
    void this.#beacons?.then((beacons) => beacons.stop());
  }

  #loadSchedule(): Promise<MinionSchedule> {
    this.#schedule ??= import('./schedule.ts').then(({ MinionSchedule }) => new MinionSchedule(this.#deps));
    return this.#schedule;
  }

  #loadBeacons(): Promise<MinionBeacons> {
    this.#beacons ??= import('./beacons.ts').then(({ MinionBeacons }) => new MinionBeacons(this.#deps));
    return this.#beacons;
  }

  #wantsSchedule(): boolean {
    const { opts, pillar } = this.#deps.state();
    const hasJobs = (schedule: Value | undefined): boolean =>
      isDict(schedule) && [...schedule.keys()].some((name) => !String(name).startsWith(INTERNAL));
    if (hasJobs(opts.get('schedule')) || hasJobs(pillar.get('schedule'))) return true;
    if (truthy(opts.get('grains_refresh_every'))) return true;
    const hasMine = truthy(opts.get('mine_functions')) || truthy(pillar.get('mine_functions'));
    return truthy(opts.get('mine_enabled')) && hasMine;
  }

  #wantsBeacons(): boolean {
    const { opts, pillar } = this.#deps.state();
    return truthy(opts.get('beacons')) || truthy(pillar.get('beacons'));
  }

  /**
   * Salt compat: with `auth_safemode` Salt restarts its service when a ping is lost; here the connections are renewed.
   */
  async #sendPing(): Promise<void> {
    const { log } = this.#deps.state().deps;
    const load = dict({
      cmd: '_minion_event',
      id: this.#deps.state().id,
      pretag: null,
      tag: 'minion_ping',
      data: 'ping',
    });
    try {
      await this.#deps.services().requestAll?.(load);
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      log.warning(`The master does not answer the ping: ${error.message}`);
      this.#deps.reconnect?.();
    }
  }

  async #applyStartupStates(): Promise<void> {
    const { opts } = this.#deps.state();
    if (!truthy(opts.get('startup_states'))) return;
    const { applyStartupStates } = await import('./startup-states.ts');
    await applyStartupStates(this.#deps);
  }
}
