/**
 * Custom beacons in a minion: each configured one has a process of its own, which keeps what it has seen. One that hangs
 * or ends its process is started anew after a pause; the others do not notice.
 */
import type { BeaconContext, BeaconSpec, RunningBeacon } from '../../plugins/beacons/beacon.ts';
import { VALID } from '../../plugins/beacons/beacon.ts';
import { extensionsVersion } from '../../runtime/extensions/folder.ts';
import { ExtensionHost, HostError } from '../../runtime/extensions/host-process.ts';
import { given, describeSingles, serveSingles, type OwnSingle } from '../../runtime/extensions/singles.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Dict, Value } from '../../python/values/value.ts';

/** A look that takes longer than this goes on aside; its events are told at a later look. */
const WAIT_MS = 300;
/** After a beacon has hung or ended its process; twice as long each time. */
const PAUSE_MS = 60_000;
const PAUSE_MAX_MS = 3_600_000;

/** What the beacons see of the minion; grains and pillar are replaced whole when they change. */
export interface BeaconSurroundings {
  readonly id: string;
  readonly opts: Dict;
  readonly grains: Dict;
  readonly pillar: Dict;
}

/** What own beacons need. */
export interface OwnBeaconsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly surroundings: () => BeaconSurroundings;
  readonly call: (fun: string, args: readonly Value[], kwargs: Dict) => Promise<Value>;
  /** The program of the process, when it does not lie beside this one. */
  readonly hostScript?: string;
}

/** Runs custom beacons, each in a process of its own that is started anew when it fails. */
export class OwnBeacons {
  readonly #deps: OwnBeaconsDeps;
  #version = '';
  #known: Promise<ReadonlyMap<string, BeaconSpec>> = Promise.resolve(new Map());

  constructor(deps: OwnBeaconsDeps) {
    this.#deps = deps;
  }

  /** The beacons by name, looked for again when a file has changed; those that stay the same are the same objects. */
  find(): Promise<ReadonlyMap<string, BeaconSpec>> {
    const version = extensionsVersion(this.#deps.surroundings().opts, ['beacons', 'utils']);
    if (version === this.#version) return this.#known;
    this.#version = version;
    this.#known = this.#describe();
    return this.#known;
  }

  async #describe(): Promise<ReadonlyMap<string, BeaconSpec>> {
    const { clock, log, hostScript } = this.#deps;
    const { opts, grains } = this.#deps.surroundings();
    const report = (fault: string): void => log.error(fault);
    const found = await describeSingles({ opts, grains, clock, report, hostScript }, 'beacons');
    return new Map([...found.values()].map((own) => [own.name, this.#spec(own)]));
  }

  #spec(own: OwnSingle): BeaconSpec {
    return {
      name: own.name,
      doc: own.doc,
      validate: async (config) => {
        if (!own.validates) return VALID;
        const host = this.#host();
        try {
          const answer = await given(host.asks.validate({ path: own.path, config }));
          if (answer === true) return VALID;
          const reason = typeof answer === 'string' ? answer : `${own.name} refuses its configuration.`;
          return [false, reason];
        } catch (error) {
          return [false, `validate of the beacon ${own.name} failed: ${(error as Error).message}`];
        } finally {
          host.close();
        }
      },
      start: (ctx) => new OwnBeacon(own, this.#host(), ctx, this.#deps.surroundings),
    };
  }

  #host(): ExtensionHost {
    const { clock, log, call, hostScript } = this.#deps;
    return new ExtensionHost(clock, { script: hostScript, serve: serveSingles(log, call) });
  }
}

/** One at work. */
class OwnBeacon implements RunningBeacon {
  readonly #own: OwnSingle;
  readonly #host: ExtensionHost;
  readonly #clock: Clock;
  readonly #surroundings: () => BeaconSurroundings;
  /** What the process was told last. */
  #told: Pick<BeaconSurroundings, 'grains' | 'pillar'> | undefined;
  /** A look that is not over yet, or whose events were not told yet. */
  #under: { readonly done: Promise<readonly Dict[]>; isOver: boolean } | undefined;
  #pauseUntilMs = -Infinity;
  #pauseMs = PAUSE_MS;

  constructor(
    own: OwnSingle,
    host: ExtensionHost,
    ctx: BeaconContext,
    surroundings: () => BeaconSurroundings,
  ) {
    this.#own = own;
    this.#host = host;
    this.#clock = ctx.clock;
    this.#surroundings = surroundings;
  }

  async look(config: readonly Value[]): Promise<readonly Dict[]> {
    if (this.#clock.monotonicMs() < this.#pauseUntilMs) return [];
    this.#under ??= this.#begin(config);
    const under = this.#under;
    const waited = new AbortController();
    const late = this.#clock.sleep(WAIT_MS, waited.signal);
    await Promise.race([under.done.catch(() => undefined), late]);
    waited.abort();
    if (!under.isOver) return [];
    this.#under = undefined;
    try {
      const events = await under.done;
      this.#pauseMs = PAUSE_MS;
      return events;
    } catch (error) {
      if (error instanceof HostError) this.#pause();
      throw error;
    }
  }

  close(): void {
    this.#host.close();
  }

  #pause(): void {
    this.#pauseUntilMs = this.#clock.monotonicMs() + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, PAUSE_MAX_MS);
  }

  #begin(config: readonly Value[]): { readonly done: Promise<readonly Dict[]>; isOver: boolean } {
    const done = this.#ask(config);
    const under = { done, isOver: false };
    const over = (): void => void (under.isOver = true);
    done.then(over, over);
    return under;
  }

  async #ask(config: readonly Value[]): Promise<readonly Dict[]> {
    const { id, opts, grains, pillar } = this.#surroundings();
    const isTold = this.#host.isRunning && this.#told?.grains === grains && this.#told.pillar === pillar;
    if (!isTold) {
      await this.#host.asks.surroundings({ id: String(id), opts, grains: new Map(grains), pillar });
      this.#told = { grains, pillar };
    }
    return given(this.#host.asks.look({ path: this.#own.path, config }));
  }
}
