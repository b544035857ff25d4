/**
 * Custom beacons in a minion: each configured one has a process of its own, which keeps what it has seen. One that
 * hangs or ends its process is started anew after a pause; the others do not notice.
 */
import { messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { BeaconSpec, RunningBeacon } from '../../plugins/shared/beacon/beacon.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { extensionsVersion } from '../../runtime/extensions/folder.ts';
import type { BeaconProcess, FoundBeacon, OwnBeaconsDeps } from './beacon-process.ts';
import { pythonBeacons } from './python-beacons.ts';
import { scriptBeacons } from './script-beacons.ts';

/** A look that takes longer than this goes on aside; its events are told at a later look. */
const WAIT_MS = 300;
/** After a beacon has hung or ended its process; twice as long each time. */
const PAUSE_MS = 60_000;
const PAUSE_MAX_MS = 3_600_000;

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
    const found = [...(await pythonBeacons(this.#deps)), ...(await scriptBeacons(this.#deps))];
    return new Map(found.map((own) => [own.name, this.#spec(own)]));
  }

  #spec(own: FoundBeacon): BeaconSpec {
    return {
      name: own.name,
      doc: own.doc,
      seesAll: own.seesAll === true,
      validate: async (config) => {
        const process = own.open(own.name);
        try {
          return await process.validate(config);
        } catch (error) {
          return [false, `validate of the beacon ${own.name} failed: ${messageOf(error)}`];
        } finally {
          process.close();
        }
      },
      start: (ctx, name = own.name) => new OwnBeacon(own.open(name), ctx.clock),
    };
  }
}

/** One at work. */
class OwnBeacon implements RunningBeacon {
  readonly #process: BeaconProcess;
  readonly #clock: Clock;
  /** A look that is not over yet, or whose events were not told yet. */
  #under: { readonly done: Promise<readonly Dict[]>; isOver: boolean } | undefined;
  #pauseUntilMs = -Infinity;
  #pauseMs = PAUSE_MS;

  constructor(process: BeaconProcess, clock: Clock) {
    this.#process = process;
    this.#clock = clock;
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
      if (this.#process.isEnd(error)) this.#pause();
      throw error;
    }
  }

  close(): void {
    this.#process.close();
  }

  #pause(): void {
    this.#pauseUntilMs = this.#clock.monotonicMs() + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, PAUSE_MAX_MS);
  }

  #begin(config: readonly Value[]): { readonly done: Promise<readonly Dict[]>; isOver: boolean } {
    const done = this.#process.look(config);
    const under = { done, isOver: false };
    const over = (): void => void (under.isOver = true);
    done.then(over, over);
    return under;
  }
}
