/** Custom beacons, renderers, outputters and authentication systems, inside the process that is theirs. */
import type { Client, Handlers } from '../../network/ipc/contract.ts';
import type {
  extensionHost,
  extensionServices,
  ValueOrFault,
} from '../../network/ipc/contracts/extension-host.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import type { Data, Surroundings } from './brine.d.ts';
import { fromData, toData, toRecord } from './convert.ts';
import { faultOf } from './faults.ts';
import type { FileLoader } from './load-file.ts';
import { runInHost, type HostSurroundings } from './run-in-host.ts';
import {
  asksForGrains,
  readOwnAuth,
  readOwnBeacon,
  readOwnOutputter,
  readOwnRenderer,
  whyUnavailable,
} from './read-module.ts';

const READERS = {
  beacons: readOwnBeacon,
  renderers: readOwnRenderer,
  output: readOwnOutputter,
  auth: readOwnAuth,
} as const;

/** Kinds whose files describe one thing, with one function that works. */
export type SingleKind = keyof typeof READERS;

type Services = Client<typeof extensionServices>;
type HostHandlers = Handlers<typeof extensionHost>;
type SingleHandlers = Pick<
  HostHandlers,
  'describe' | 'surroundings' | 'validate' | 'look' | 'render' | 'output' | 'authenticate' | 'run'
>;

/**
 * Answers questions about them; what the code throws becomes a fault.
 * @param services asks the program that has started this process
 */
export function singleHandlers(loader: FileLoader, services: Services): SingleHandlers {
  /** What a beacon keeps between its looks. */
  const memory: Record<string, unknown> = {};
  let around: HostSurroundings = { id: '', opts: new Map(), grains: new Map(), pillar: new Map() };
  let surroundings = surroundingsOf(around, services);
  return {
    describe: (file) => describe(loader, file),
    surroundings: (told) => {
      around = told;
      surroundings = surroundingsOf(told, services);
    },
    run: (call) => tried(() => runInHost(loader, services, around, call)),
    validate: ({ path, config }) =>
      tried(async () => {
        const answer: unknown = await readOwnBeacon(loader.load(path)).validate?.(asOptions(config));
        return answer === true || answer === undefined ? true : typeof answer === 'string' ? answer : false;
      }),
    look: ({ path, config }) =>
      tried(async () => {
        const ctx = { ...surroundings, items: config.map(toData), memory };
        const events = fromData(await readOwnBeacon(loader.load(path)).look(asOptions(config), ctx));
        if (events === null) return [];
        if (!Array.isArray(events) || !events.every(isDict))
          throw new TypeError('look gives no list of objects, one for each event');
        return events;
      }),
    render: ({ path, input, file, ...about }) =>
      tried(async () => {
        const ctx = { ...surroundings, ...about, path: file };
        return fromData(await readOwnRenderer(loader.load(path)).render(toData(input), ctx));
      }),
    authenticate: ({ path, what, username, password }) =>
      tried(async () => {
        const system = readOwnAuth(loader.load(path));
        const found: unknown = await system[what]?.({ username, password }, surroundings);
        return fromData(found ?? null);
      }),
    output: ({ path, data, color }) =>
      tried(async () => String(await readOwnOutputter(loader.load(path)).render(toData(data), { color }))),
  };
}

function describe(
  loader: FileLoader,
  { name: file, path, kind, opts, grains }: Parameters<HostHandlers['describe']>[0],
): ReturnType<HostHandlers['describe']> {
  if (grains === undefined && asksForGrains(loader, path)) return { kind: 'needs grains' };
  try {
    const own = READERS[kind](loader.load(path));
    const reason = whyUnavailable(own, opts, grains ?? new Map());
    if (reason !== undefined) return { kind: 'unavailable', reason };
    const validates = 'validate' in own && own.validate !== undefined;
    return { kind: 'found', file, name: own.name ?? file, path, doc: own.doc ?? '', validates };
  } catch (error) {
    return { kind: 'broken', reason: `${path} cannot be loaded: ${faultOf(error)}` };
  }
}

async function tried<T>(work: () => Promise<T>): Promise<ValueOrFault<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { fault: faultOf(error) };
  }
}

/** A list of mappings as one object. */
function asOptions(config: Value | readonly Value[]): Record<string, Data> {
  const out: Dict = new Map();
  for (const item of Array.isArray(config) ? (config as readonly Value[]) : [config as Value])
    if (isDict(item)) for (const [key, value] of item) out.set(key, value);
  return toRecord(out);
}

function surroundingsOf({ id, opts, grains, pillar }: HostSurroundings, services: Services): Surroundings {
  const log = (level: 'debug' | 'info' | 'warning' | 'error') => (text: string) =>
    services.log({ level, text: String(text) });
  return {
    id,
    opts: toRecord(opts),
    grains: toRecord(grains),
    pillar: toRecord(pillar),
    call: async (fun, args = [], kwargs = {}) => {
      const named = fromData(kwargs);
      return toData(
        await services.call({
          fun,
          args: args.map((arg) => fromData(arg)),
          kwargs: isDict(named) ? named : new Map(),
        }),
      );
    },
    log: { debug: log('debug'), info: log('info'), warning: log('warning'), error: log('error') },
  };
}
