/** Beacons in TypeScript and JavaScript, each in a process of its own. */
import { VALID, type Verdict } from '../../plugins/shared/beacon/beacon.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { ExtensionHost, HostError } from '../../runtime/extensions/host-process.ts';
import { describeSingles, given, serveSingles, type OwnSingle } from '../../runtime/extensions/singles.ts';
import type { BeaconProcess, BeaconSurroundings, FoundBeacon, OwnBeaconsDeps } from './beacon-process.ts';

/** Those that can be used here; what is wrong with a file is logged. */
export async function scriptBeacons(deps: OwnBeaconsDeps): Promise<FoundBeacon[]> {
  const { clock, log, hostScript } = deps;
  const { opts, grains } = deps.surroundings();
  const report = (fault: string): void => log.error(fault);
  const found = await describeSingles({ opts, grains, clock, report, hostScript }, 'beacons');
  return [...found.values()].map((own) => ({
    name: own.name,
    doc: own.doc,
    open: () => new ScriptBeacon(own, deps),
  }));
}

class ScriptBeacon implements BeaconProcess {
  readonly #own: OwnSingle;
  readonly #host: ExtensionHost;
  readonly #surroundings: () => BeaconSurroundings;
  /** What the process was told last. */
  #told: Pick<BeaconSurroundings, 'grains' | 'pillar'> | undefined;

  constructor(own: OwnSingle, { clock, log, functions, surroundings, hostScript }: OwnBeaconsDeps) {
    this.#own = own;
    this.#surroundings = surroundings;
    const serve = serveSingles(log, (...call) => functions().functions.call(...call));
    this.#host = new ExtensionHost(clock, { script: hostScript, serve });
  }

  async validate(config: Value): Promise<Verdict> {
    const { validates, path, name } = this.#own;
    if (!validates) return VALID;
    const answer = await given(this.#host.asks.validate({ path, config }));
    if (answer === true) return VALID;
    return [false, typeof answer === 'string' ? answer : `${name} refuses its configuration.`];
  }

  async look(config: readonly Value[]): Promise<readonly Dict[]> {
    const { id, opts, grains, pillar } = this.#surroundings();
    const isTold = this.#host.isRunning && this.#told?.grains === grains && this.#told.pillar === pillar;
    if (!isTold) {
      await this.#host.asks.surroundings({ id: String(id), opts, grains: new Map(grains), pillar });
      this.#told = { grains, pillar };
    }
    return given(this.#host.asks.look({ path: this.#own.path, config }));
  }

  isEnd(error: unknown): boolean {
    return error instanceof HostError;
  }

  close(): void {
    this.#host.close();
  }
}
