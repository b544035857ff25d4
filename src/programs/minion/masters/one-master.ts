/**
 * One master at a time, the next when it is gone (`master_type: failover`, salt/minion.py `eval_master`, 3006.16):
 * masters are tried in their order; one that cannot be reached, or does not let the minion in, is passed over. With
 * `master_alive_interval` a master that stays away that long is left and goes to the end; with `master_failback` the
 * minion returns to the first as soon as that one lets it in.
 */
import { messageOf } from '../../../errors/errors.ts';
import { rareLines } from '../../../host/rare-lines.ts';
import { dict } from '../../../python/values/value.ts';
import { isForbidden } from '../admission.ts';
import { addressName, type MasterAddress } from '../master-address.ts';
import type { MasterConnection } from '../master-connection.ts';
import type { MasterDiscovery } from './discover.ts';
import { connectionTo, type Masters, type MastersDeps } from './connection-to.ts';
import { inPlannedOrder, type MasterPlan } from './plan.ts';
import { takeUp, type MasterSide } from './side.ts';

/** A master that lets us in and whose publish port cannot be reached in this time is passed over. */
const SUBSCRIBE_MS = 30_000;
/** Salt leaves a rejected minion this time before it ends. */
const BEFORE_EXIT_MS = { min: 10_000, max: 20_000 };

/** Why a master is left. */
type LeaveReason = 'lost' | 'failback';

/** How it went with all masters in turn. */
interface Round {
  /** How the one that was served was left; undefined when none was. */
  readonly leaveReason: LeaveReason | undefined;
  /** What keeps the minion out for good, when all of them do. */
  readonly forbidden: Error | undefined;
  /** A line for each that was passed over. */
  readonly reasons: readonly string[];
}

/** Connects to the first master that takes the minion, and to the next when that one is gone. */
export class OneMaster implements Masters {
  readonly #deps: MastersDeps;
  readonly #plan: MasterPlan;
  readonly #discovery: MasterDiscovery;
  /** By name; all are kept, because returns may wait for one that is not served now. */
  readonly #connections = new Map<string, MasterConnection>();
  readonly #stop = new AbortController();
  #current: MasterSide | undefined;
  /** Called when the link of the master that is served comes or goes. */
  #onLink: (isUp: boolean) => void = () => undefined;

  constructor(deps: MastersDeps, plan: MasterPlan, discovery: MasterDiscovery) {
    this.#deps = deps;
    this.#plan = plan;
    this.#discovery = discovery;
  }

  get sides(): readonly MasterSide[] {
    return this.#current === undefined ? [] : [this.#current];
  }

  get targets(): readonly MasterConnection[] {
    const current = this.#current?.connection;
    const others = [...this.#connections.values()].filter((connection) => connection !== current);
    return current === undefined ? others : [current, ...others];
  }

  async run(): Promise<never> {
    const { opts, log, clock, random } = this.#deps;
    const tries = opts.get('master_tries');
    const nobody = rareLines(clock, (text) => log.error(text));
    let rounds = 0;
    let last: MasterAddress | undefined;
    while (!this.#stop.signal.aborted) {
      const order = await this.#order(last);
      const { leaveReason, forbidden, reasons } = await this.#round(order, (address) => (last = address));
      if (this.#stop.signal.aborted) break;
      if (leaveReason !== undefined) {
        rounds = 0;
        nobody.allOver();
        if (leaveReason === 'failback') last = undefined;
        continue;
      }
      await this.#maybeEnd(forbidden);
      if (tries > 0 && ++rounds % tries === 0)
        nobody(
          '',
          [
            "No master could be reached or all masters denied the minion's connection attempt.",
            ...reasons,
          ].join('\n'),
        );
      const limitMs = Math.max(1, opts.get('acceptance_wait_time')) * 1000;
      await clock.sleep(100 + random.fraction() * limitMs, this.#stop.signal);
    }
    return new Promise<never>(() => undefined);
  }

  close(): void {
    this.#stop.abort();
    this.#onLink(false);
    for (const connection of this.#connections.values()) connection.close();
  }

  /** The masters as they are to be tried, the one that was left last at the end. */
  async #order(last: MasterAddress | undefined): Promise<MasterAddress[]> {
    const found = await this.#discovery.addresses(this.#plan.entries);
    for (const [name, connection] of this.#connections) {
      if (found.length === 0 || found.some((address) => addressName(address) === name)) continue;
      connection.close();
      this.#connections.delete(name);
    }
    const order = inPlannedOrder(this.#plan, found, this.#deps.random);
    const at = order.findIndex((address) => last !== undefined && addressName(address) === addressName(last));
    if (at >= 0) order.push(...order.splice(at, 1));
    return order;
  }

  /** Tries each master once. @returns how the one that was served was left; else what kept the minion out everywhere */
  async #round(order: readonly MasterAddress[], served: (address: MasterAddress) => void): Promise<Round> {
    const { log } = this.#deps;
    const reasons: string[] = [];
    let forbidden: Error | undefined;
    let isForbiddenEverywhere = order.length > 0;
    for (const address of order) {
      if (this.#stop.signal.aborted) break;
      const connection = this.#connectionTo(address);
      try {
        await connection.authenticateOnce();
        served(address);
        // who looks for a minion has to learn why it is not at the first master
        if (reasons.length > 0)
          log.warning(
            [`The minion is served by the master ${addressName(address)}; before it:`, ...reasons].join('\n'),
          );
        const leaveReason = await this.#serve(connection, order[0]);
        return { leaveReason, forbidden: undefined, reasons };
      } catch (error) {
        if (isForbidden(error)) forbidden = error;
        else isForbiddenEverywhere = false;
        reasons.push(`${addressName(address)}: ${messageOf(error)}`);
        log.info(
          `Master ${addressName(address)} could not be reached, trying next master (if any): ${messageOf(error)}`,
        );
      }
    }
    return { leaveReason: undefined, forbidden: isForbiddenEverywhere ? forbidden : undefined, reasons };
  }

  /**
   * Serves a master until it is lost, or the first one is back.
   * @throws UnreachableError when its publish port cannot be reached
   */
  async #serve(connection: MasterConnection, first: MasterAddress | undefined): Promise<LeaveReason> {
    const { state, services, log, fireLocal } = this.#deps;
    state.serve(connection.address);
    log.info(`Authentication with master at ${connection.address.host} successful!`);
    const side: MasterSide = { connection, state, services: services(() => side) };
    this.#current = side;
    const ended = new AbortController();
    try {
      const leaveReason = new Promise<LeaveReason>((resolve) => {
        this.#watchLink(connection, ended.signal, () => resolve('lost'));
        void this.#watchFirst(connection, first, ended.signal, () => resolve('failback'));
      });
      void takeUp(side, ended.signal).then(() => !ended.signal.aborted && this.#deps.onReady?.(side));
      const why = await leaveReason;
      if (this.#stop.signal.aborted) return why;
      if (why === 'lost') {
        log.warning(
          `Connection to master ${connection.name} lost. Trying to tune in to next master from master-list`,
        );
      } else fireLocal('__master_failback', dict({ master: first?.host ?? '' }));
      return why;
    } finally {
      ended.abort();
      this.#current = undefined;
      connection.release();
    }
  }

  /** `master_alive_interval`: calls `lost` when the link has been down for so long. */
  #watchLink(connection: MasterConnection, ended: AbortSignal, lost: () => void): void {
    const { opts, clock } = this.#deps;
    const seconds = this.#plan.aliveSeconds ?? opts.get('master_alive_interval');
    let timer: { cancel(): void } | undefined = clock.after(SUBSCRIBE_MS, lost);
    const onLink = (isUp: boolean): void => {
      timer?.cancel();
      if (this.#stop.signal.aborted) return lost();
      // Salt compat: without an interval there are no checks, and the master is waited for
      if (isUp || seconds <= 0 || ended.aborted) return;
      timer = clock.after(seconds * 1000, () => !connection.isUp && lost());
    };
    this.#onLink = onLink;
    ended.addEventListener('abort', () => timer?.cancel(), { once: true });
  }

  /** `master_failback`: calls `back` when the first master lets the minion in while another is served. */
  async #watchFirst(
    connection: MasterConnection,
    first: MasterAddress | undefined,
    ended: AbortSignal,
    back: () => void,
  ): Promise<void> {
    const { opts, clock, random, log } = this.#deps;
    const [preferred = first] = this.#plan.failback ? await this.#preferred() : [];
    if (!this.#plan.failback || preferred === undefined || addressName(preferred) === connection.name) return;
    const seconds = opts.get('master_failback_interval') || opts.get('master_alive_interval');
    if (seconds <= 0) return;
    while (!ended.aborted) {
      await clock.sleep(seconds * 1000 * (0.5 + random.fraction() / 2), ended);
      if (ended.aborted) return;
      try {
        // Salt sends a ping, which any master answers; whether it also lets us in is what counts
        await this.#connectionTo(preferred).authenticateOnce();
        log.info(`Master ${addressName(preferred)} is back; the minion returns to it.`);
        return back();
      } catch (error) {
        log.debug(`Master ${addressName(preferred)} is not back yet: ${messageOf(error)}`);
      }
    }
  }

  /** The first master of the plan, whatever was left last. */
  async #preferred(): Promise<MasterAddress[]> {
    const found = await this.#discovery.addresses(this.#plan.entries);
    return inPlannedOrder({ ...this.#plan, random: false }, found, this.#deps.random).slice(0, 1);
  }

  #connectionTo(address: MasterAddress): MasterConnection {
    const name = addressName(address);
    const known = this.#connections.get(name);
    if (known !== undefined) return known;
    const connection: MasterConnection = connectionTo(this.#deps, address, {
      isOnly: () => false,
      onPublication: (load) => {
        if (this.#current?.connection === connection) this.#deps.onPublication(load, this.#current);
      },
      onLink: (isUp) => this.#current?.connection === connection && this.#onLink(isUp),
      onForbidden: () => undefined,
    });
    this.#connections.set(name, connection);
    return connection;
  }

  /** When every master has forbidden the minion to go on, it ends; `rejected_retry` lets it try for ever. */
  async #maybeEnd(forbidden: Error | undefined): Promise<void> {
    const { opts, log, clock, random } = this.#deps;
    if (forbidden === undefined || opts.get('rejected_retry')) return;
    log.critical(
      `${forbidden.message}\nEvery master has refused this minion. The Salt Minion will now exit.`,
    );
    const { min, max } = BEFORE_EXIT_MS;
    await clock.sleep(min + random.fraction() * (max - min), this.#stop.signal);
    throw forbidden;
  }
}
