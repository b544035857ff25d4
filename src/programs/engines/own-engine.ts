/** Custom engines: loaded in the process that is theirs, and handed plain data. */
import { messageOf } from '../../errors/errors.ts';
import type {
  Data,
  EngineContext as OwnContext,
  EngineSpec as OwnSpec,
} from '../../runtime/extensions/brine.d.ts';
import { fromData, toData, toRecord } from '../../runtime/extensions/convert.ts';
import { faultOf } from '../../runtime/extensions/faults.ts';
import { FileLoader } from '../../runtime/extensions/load-file.ts';
import { readOwnEngine, whyUnavailable } from '../../runtime/extensions/read-module.ts';
import { fnmatch } from '../../python/text/fnmatch.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import {
  EngineRefusal,
  type EngineContext,
  type EngineEvent,
  type EngineSpec,
} from '../../plugins/shared/engine/engine.ts';

/** What loading needs. */
export interface OwnEngineDeps {
  readonly opts: Dict;
  readonly grains: Dict;
}

/** @throws EngineRefusal when the file cannot be loaded, is no engine, or is not for this system */
export function loadOwnEngine(
  { name, path }: { readonly name: string; readonly path: string },
  { opts, grains }: OwnEngineDeps,
): EngineSpec {
  const own = readFile(path);
  const unavailable = whyUnavailable(own, opts, grains);
  if (unavailable !== undefined) throw new EngineRefusal(unavailable);
  return {
    name,
    doc: own.doc ?? '',
    ...(own.options === undefined ? {} : { params: paramsOf(own.options) }),
    start: async (ctx, options) => {
      try {
        await own.start(toRecord(new Map(Object.entries(options))), ownContext(ctx));
      } catch (error) {
        throw new Error(faultOf(error), { cause: error });
      }
    },
  };
}

function readFile(path: string): OwnSpec {
  try {
    return readOwnEngine(new FileLoader().load(path));
  } catch (error) {
    throw new EngineRefusal(`${path} cannot be loaded: ${faultOf(error)}`, { cause: error });
  }
}

function paramsOf(options: NonNullable<OwnSpec['options']>): NonNullable<EngineSpec['params']> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, default: fallback, doc }]) => [
      name,
      {
        ...(type === undefined ? {} : { type }),
        ...(doc === undefined ? {} : { doc }),
        ...(fallback === undefined ? {} : { default: fromData(fallback) }),
      },
    ]),
  );
}

function ownContext(ctx: EngineContext): OwnContext {
  const { role, id, log, signal, clock, master } = ctx;
  const keywords = (kwargs: { readonly [name: string]: Data }): Dict =>
    new Map(Object.entries(kwargs).map(([name, value]): [Value, Value] => [name, fromData(value)]));
  const positional = (args: readonly Data[]): Value[] => args.map((arg) => fromData(arg));
  return {
    role,
    id,
    opts: toRecord(ctx.opts),
    get grains() {
      return toRecord(ctx.grains);
    },
    get pillar() {
      return toRecord(ctx.pillar);
    },
    signal,
    sleep: (seconds) => clock.sleep(seconds * 1000, signal),
    log: {
      debug: (message) => log.debug(String(message)),
      info: (message) => log.info(String(message)),
      warning: (message) => log.warning(String(message)),
      error: (message) => log.error(String(message)),
    },
    call: async (fun, args = [], kwargs = {}) =>
      toData(await ctx.call(fun, positional(args), keywords(kwargs))),
    runner: async (fun, args = [], kwargs = {}) => {
      if (master === undefined) throw new Error(`${fun}: runners are there on a master only`);
      return toData(await master.runner(fun, positional(args), keywords(kwargs)));
    },
    fireEvent: (tag, data) => ctx.fire(tag, keywords(data)),
    events: (glob = '*') =>
      plainEvents(
        ctx,
        ctx.events((tag) => glob === '*' || fnmatch(tag, glob)),
      ),
  };
}

async function* plainEvents(
  ctx: EngineContext,
  events: AsyncIterable<EngineEvent>,
): AsyncGenerator<{ tag: string; data: Record<string, Data> }> {
  for await (const { tag, data } of events) {
    try {
      yield { tag, data: toRecord(data) };
    } catch (error) {
      ctx.log.debug(`The event ${tag} has no plain form: ${messageOf(error)}`);
    }
  }
}
