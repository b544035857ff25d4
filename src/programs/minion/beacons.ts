/**
 * A minion's beacons: when they look, and how their events reach the masters (salt/minion.py `setup_beacons`, 3006.16).
 */
import { Beacons, type BeaconEvent } from '../../plugins/registry/beacon/beacons.ts';
import { orderBeacons, type BeaconAnswer } from '../../plugins/registry/beacon/orders.ts';
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import type { Timer } from '../../host/clock.ts';
import { rareLog, type RareLog } from '../../host/rare-lines.ts';
import { refusalIn } from '../../network/channel/refusal.ts';
import { copyValue, dict, isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import { OwnBeacons } from './own-beacons.ts';
import type { PeriodicDeps } from './periodic-context.ts';

/** Lets beacons look at their times and sends their events to the masters. */
export class MinionBeacons {
  readonly #deps: PeriodicDeps;
  readonly #beacons: Beacons;
  readonly #log: RareLog;
  #timer: Timer | undefined;
  #isLooking = false;

  constructor(deps: PeriodicDeps) {
    this.#deps = deps;
    const state = deps.state();
    const configured = state.opts.get('beacons');
    // they look each second
    const log = (this.#log = rareLog(state.deps.log, state.deps.clock));
    const own = new OwnBeacons({
      clock: state.deps.clock,
      log,
      surroundings: () => deps.state(),
      functions: () => this.#functions(),
    });
    this.#beacons = new Beacons({
      id: state.id,
      context: {
        clock: state.deps.clock,
        log,
        call: (fun, args, kwargs) => this.#functions().functions.call(fun, args, kwargs),
      },
      configured: isDict(configured) ? copyValue(configured) : new Map(),
      pillar: () => deps.state().pillar.get('beacons'),
      own: () => own.find(),
      isStateRunning: () => deps.running.list().some(isStateJob),
    });
  }

  start(): void {
    if (this.#timer !== undefined) return;
    const { clock, opts } = this.#deps.state().deps;
    const periodMs = Math.max(0.1, toNumber(opts.raw('loop_interval')) ?? 1) * 1000;
    this.#timer = clock.every(periodMs, () => void this.#look(), { background: true });
    void this.#look();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#beacons.close();
  }

  /** Carries out an order of `manage_beacons`. */
  manage(order: Dict): Promise<BeaconAnswer | undefined> {
    return orderBeacons(this.#beacons, order, this.#deps.state().deps.log);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const events = await this.#beacons.process();
      if (events.length > 0) await this.#send(events.map(asEntry));
    } catch (error) {
      this.#log.critical(`The beacon errored: ${messageOf(error)}`, error);
    } finally {
      this.#isLooking = false;
    }
  }

  async #send(events: Value[]): Promise<void> {
    this.#deps.fireLocal('__beacons_return', dict({ beacons: events }));
    const load = dict({ cmd: '_minion_event', id: this.#deps.state().id, pretag: null, events });
    try {
      const reason = refusalIn((await this.#deps.services().requestAll?.(load)) ?? null);
      if (reason !== undefined) throw new CommandExecutionError(reason);
    } catch (error) {
      this.#log
        .about(String(events.length))
        .warning(
          `Of ${events.length} events of beacons not all were taken by the master: ${messageOf(error)}`,
        );
    }
  }

  #functions(): ModuleContext {
    const job = { jid: '', fun: 'beacon', pub: new Map<Value, Value>() };
    return this.#deps.state().context(job, this.#deps.services(), new AbortController().signal);
  }
}

function isStateJob(job: Dict): boolean {
  const fun = job.get('fun');
  return (Array.isArray(fun) ? fun : [fun]).some((name) => String(name).startsWith('state.'));
}

function asEntry({ tag, data, beaconName, error }: BeaconEvent): Dict {
  const entry = dict({ tag, data, beacon_name: beaconName });
  if (error !== undefined) entry.set('error', error);
  return entry;
}
