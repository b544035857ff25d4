/** The context of a job as custom functions see it: plain data, converted when it is looked at. */
import type { ModuleContext, StateCall as RunningCall } from '../loader/module.ts';
import { truthy } from '../../python/values/value.ts';
import type { Context, Data, StateCall } from './brine.d.ts';
import { fromData, toData, toRecord } from './convert.ts';

/** Makes the context. @param isTest the function was called with `test=True` */
export function ownContext(ctx: ModuleContext, isTest = false): Context {
  const late = <T>(make: () => T): (() => T) => {
    let value: T | undefined;
    return () => (value ??= make());
  };
  const [opts, grains, pillar] = [ctx.opts, ctx.grains, ctx.pillar].map((dict) =>
    late(() => toRecord(dict)),
  ) as [() => Record<string, Data>, () => Record<string, Data>, () => Record<string, Data>];
  return {
    id: ctx.id,
    get opts() {
      return opts();
    },
    get grains() {
      return grains();
    },
    get pillar() {
      return pillar();
    },
    test: isTest || (ctx.state?.test ?? truthy(ctx.opts.get('test'))),
    signal: ctx.signal,
    call: async (fun, args = [], kwargs = {}) => {
      const named = new Map(Object.entries(kwargs).map(([name, value]) => [name, fromData(value)] as const));
      return toData(
        await ctx.functions.call(
          fun,
          args.map((arg) => fromData(arg)),
          new Map(named),
        ),
      );
    },
    fireEvent: (tag, data) =>
      ctx.services.fireMaster(
        tag,
        new Map(Object.entries(data).map(([key, value]) => [key, fromData(value)])),
      ),
    log: {
      debug: (message) => ctx.log.debug(message),
      info: (message) => ctx.log.info(message),
      warning: (message) => ctx.log.warning(message),
      error: (message) => ctx.log.error(message),
    },
    setRetcode: (code) => ctx.setRetcode(code),
    ...(ctx.state === undefined ? {} : { state: ownStateCall(ctx.state) }),
  };
}

function ownStateCall(call: RunningCall): StateCall {
  return {
    low: toRecord(call.low),
    call: async (fun, args) => {
      const named = Object.entries(args).map(([name, value]) => [name, fromData(value)] as const);
      return toData(await call.call(fun, new Map(named)));
    },
  };
}
