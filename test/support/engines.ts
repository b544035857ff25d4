/** Engines under test: a context whose bus is a list. */
import { ENGINE_TABLE } from '../../src/plugins/registry/engine/table.generated.ts';
import type { EngineContext, EngineEvent, MasterForEngines } from '../../src/plugins/shared/engine/engine.ts';
import { systemClock } from '../../src/host/clock.ts';
import type { Dict } from '../../src/python/values/value.ts';
import { keptLog } from './attacker.ts';

/** What a test has of an engine. */
export interface EngineStage {
  readonly ctx: EngineContext;
  readonly fired: EngineEvent[];
  readonly lines: readonly string[];
  /** Puts an event on the bus. */
  push(tag: string, data: Dict): void;
  /** Resolves when so many events were fired. */
  firedSome(count: number): Promise<void>;
  stop(): void;
}

/** @param parts what of the context is another */
export function engineStage(
  parts: Partial<EngineContext> & { readonly master?: MasterForEngines } = {},
): EngineStage {
  const { log, lines } = keptLog();
  const stopped = new AbortController();
  const fired: EngineEvent[] = [];
  const waiting: EngineEvent[] = [];
  let wake: () => void = () => undefined;
  let told: () => void = () => undefined;
  stopped.signal.addEventListener('abort', () => wake());
  const ctx: EngineContext = {
    role: 'master',
    id: 'm_master',
    opts: new Map(),
    grains: new Map(),
    pillar: new Map(),
    clock: systemClock,
    log,
    signal: stopped.signal,
    fire: async (tag, data) => {
      fired.push({ tag, data });
      told();
      return true;
    },
    async *events(wanted = () => true) {
      while (!stopped.signal.aborted) {
        const event = waiting.shift();
        if (event === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else if (wanted(event.tag)) yield event;
      }
    },
    call: () => Promise.reject(new Error('no function')),
    functions: () => Promise.reject(new Error('no function')),
    ...parts,
  };
  return {
    ctx,
    fired,
    lines,
    push: (tag, data) => {
      waiting.push({ tag, data });
      wake();
    },
    firedSome: async (count) => {
      while (fired.length < count) await new Promise<void>((resolve) => (told = resolve));
    },
    stop: () => stopped.abort(),
  };
}

/** What the reference says of each engine. */
export function docsOf(): Promise<{ name: string; doc: string; undocumented: string[] }[]> {
  return Promise.all(
    [...ENGINE_TABLE.values()].map(async (load) => {
      const { name, doc, params = {} } = await load();
      const undocumented = Object.entries(params).flatMap(([param, spec]) =>
        spec.doc === undefined ? [param] : [],
      );
      return { name, doc, undocumented };
    }),
  );
}
