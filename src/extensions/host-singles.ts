/** Beacons, renderers and outputters of one's own, inside the process that is theirs. */
import { dict, isDict, type Dict, type Value } from '../values/value.ts';
import type { Data, Surroundings } from './brine.d.ts';
import { NEEDS_GRAINS } from './description.ts';
import { fromData, toData, toRecord } from './convert.ts';
import { faultOf } from './faults.ts';
import type { FileLoader } from './load-file.ts';
import {
  asksForGrains,
  readOwnBeacon,
  readOwnOutputter,
  readOwnRenderer,
  whyUnavailable,
} from './read-module.ts';

/** Asks the program that has started this process. */
export type AskBack = (question: Dict) => Promise<Value>;

const READERS = { beacons: readOwnBeacon, renderers: readOwnRenderer, output: readOwnOutputter } as const;

/** Kinds whose files describe one thing, with one function that works. */
export type SingleKind = keyof typeof READERS;

/** Answers questions about them; what the code throws becomes `{fault}`, what it gives `{value}`. */
export class HostSingles {
  readonly #loader: FileLoader;
  readonly #ask: AskBack;
  /** What a beacon keeps between its looks. */
  readonly #memory: Record<string, unknown> = {};
  #surroundings: Surroundings;

  constructor(loader: FileLoader, ask: AskBack) {
    this.#loader = loader;
    this.#ask = ask;
    this.#surroundings = surroundingsOf(new Map(), ask);
  }

  /** @returns undefined for questions of other kinds */
  answer(question: Dict): Promise<Value> | undefined {
    const path = String(question.get('path') ?? '');
    switch (question.get('what')) {
      case 'single':
        return Promise.resolve(this.#describe(question, path));
      case 'surroundings':
        this.#surroundings = surroundingsOf(question, this.#ask);
        return Promise.resolve(null);
      case 'validate':
        return tried(() => this.#validate(path, question.get('config') ?? null));
      case 'look':
        return tried(() => this.#look(path, question.get('config') ?? null));
      case 'render':
        return tried(() => this.#render(path, question));
      case 'output':
        return tried(async () =>
          String(
            await readOwnOutputter(this.#loader.load(path)).render(toData(question.get('data') ?? null), {
              color: question.get('color') === true,
            }),
          ),
        );
      default:
        return undefined;
    }
  }

  #describe(question: Dict, path: string): Value {
    const file = String(question.get('name') ?? '');
    const kind = question.get('kind') as SingleKind;
    if (!question.has('grains') && asksForGrains(this.#loader, path)) return NEEDS_GRAINS;
    try {
      const own = READERS[kind](this.#loader.load(path));
      const name = own.name ?? file;
      const unavailable = whyUnavailable(own, dictOf(question, 'opts'), dictOf(question, 'grains'));
      const validates = 'validate' in own && own.validate !== undefined;
      return dict({ file, name, path, doc: own.doc ?? '', validates, unavailable: unavailable ?? null });
    } catch (error) {
      return dict({ file, broken: `${path} cannot be loaded: ${faultOf(error)}` });
    }
  }

  async #validate(path: string, config: Value): Promise<Value> {
    const answer: unknown = await readOwnBeacon(this.#loader.load(path)).validate?.(asOptions(config));
    return answer === true || answer === undefined ? true : typeof answer === 'string' ? answer : false;
  }

  async #look(path: string, config: Value): Promise<Value> {
    const items = Array.isArray(config) ? config.map(toData) : [toData(config)];
    const ctx = { ...this.#surroundings, items, memory: this.#memory };
    const events = fromData(await readOwnBeacon(this.#loader.load(path)).look(asOptions(config), ctx));
    if (events === null) return [];
    if (!Array.isArray(events) || !events.every(isDict))
      throw new TypeError('look gives no list of objects, one for each event');
    return events;
  }

  async #render(path: string, question: Dict): Promise<Value> {
    const text = (key: string): string => String(question.get(key) ?? '');
    const ctx = {
      ...this.#surroundings,
      argument: text('argument'),
      sls: text('sls'),
      saltenv: text('saltenv'),
      path: text('file'),
    };
    const input = toData(question.get('input') ?? null);
    return fromData(await readOwnRenderer(this.#loader.load(path)).render(input, ctx));
  }
}

async function tried(work: () => Promise<Value>): Promise<Value> {
  try {
    return dict({ value: await work() });
  } catch (error) {
    return dict({ fault: faultOf(error) });
  }
}

/** A list of mappings as one object. */
function asOptions(config: Value): Record<string, Data> {
  const out: Dict = new Map();
  for (const item of Array.isArray(config) ? config : [config])
    if (isDict(item)) for (const [key, value] of item) out.set(key, value);
  return toRecord(out);
}

function dictOf(value: Dict, key: string): Dict {
  const found = value.get(key);
  return isDict(found) ? found : new Map();
}

function surroundingsOf(given: Dict, ask: AskBack): Surroundings {
  const log = (level: string) => (text: string) => void ask(dict({ what: 'log', level, text: String(text) }));
  return {
    id: String(given.get('id') ?? ''),
    opts: toRecord(dictOf(given, 'opts')),
    grains: toRecord(dictOf(given, 'grains')),
    pillar: toRecord(dictOf(given, 'pillar')),
    call: async (fun, args = [], kwargs = {}) =>
      toData(
        await ask(
          dict({
            what: 'call',
            fun,
            args: args.map((arg) => fromData(arg)),
            kwargs: fromData(kwargs),
          }),
        ),
      ),
    log: { debug: log('debug'), info: log('info'), warning: log('warning'), error: log('error') },
  };
}
