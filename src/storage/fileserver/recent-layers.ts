/** The folders of environments, looked up once for all requests that come at about the same time. */
import { realpathSync } from 'node:fs';
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import type { Layer } from './layer.ts';

/**
 * What another process has fetched is seen this much later; a minion that applies a state asks for hundreds of files
 * meanwhile.
 */
const RECENT_MS = 50;
const ENVIRONMENTS_MAX = 256;

/** Layers of a backend whose folders do not depend on the file that is asked for, and never change. */
export class RecentLayers {
  readonly #known = new BoundedMap<string, { layers: Promise<readonly Layer[]>; untilMs: number }>(
    ENVIRONMENTS_MAX,
  );
  readonly #clock: Clock;
  readonly #find: (saltenv: string) => Promise<readonly Layer[]>;

  /** @param find looks the folders of an environment up */
  constructor(clock: Clock, find: (saltenv: string) => Promise<readonly Layer[]>) {
    this.#clock = clock;
    this.#find = find;
  }

  /** The folders of an environment; none when there is no such environment. */
  of(saltenv: string): Promise<readonly Layer[]> {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#known.get(saltenv);
    if (known !== undefined && nowMs < known.untilMs) return known.layers;
    const layers = this.#find(saltenv).then((found) => found.map(withRealFolder));
    this.#known.set(saltenv, { layers, untilMs: nowMs + RECENT_MS });
    return layers;
  }
}

function withRealFolder(layer: Layer): Layer {
  try {
    return { ...layer, realFolder: realpathSync.native(layer.folder) };
  } catch {
    return layer; // it is gone; so are its files
  }
}
