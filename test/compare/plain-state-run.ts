/** States of one SLS one after the other, without requisites: until there is `state.sls`. */
import { readFileSync } from 'node:fs';
import { formatTraceback, PythonError } from '../../src/loader/python-error.ts';
import type { ModuleContext, StateCall } from '../../src/loader/module.ts';
import { BrineError, messageOf } from '../../src/errors/errors.ts';
import { ModuleRegistry } from '../../src/loader/registry.ts';
import { stateTag } from '../../src/states/state-tag.ts';
import { STATE_TABLE } from '../../src/states/table.ts';
import { pyStr } from '../../src/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../src/values/value.ts';
import { loadYaml } from '../../src/yaml/load.ts';
import { runState } from '../support/state-context.ts';

/** Runs the states of an SLS file. */
export async function plainStateRun(
  base: ModuleContext,
  file: string,
  { sls, test, pillar }: { sls: string; test: boolean; pillar: Dict | undefined },
): Promise<Value> {
  const high = loadYaml(readFileSync(file, 'utf8')) as Dict;
  const running: Dict = new Map();
  const memory = new Map<string, Value>();
  const opts = new Map(base.opts).set('test', test);
  const registry = new ModuleRegistry({ opts, grains: base.grains, table: STATE_TABLE });
  let number = 0;
  for (const [id, body] of high)
    for (const [full, args] of isDict(body) ? body : new Map<Value, Value>([[body, []]])) {
      const [state = '', fun = ''] = pyStr(full).split('.');
      const low: Dict = dict({ state, name: id, __sls__: sls, __env__: 'base', __id__: id, fun });
      for (const item of (args ?? []) as Value[]) if (isDict(item)) for (const [k, v] of item) low.set(k, v);
      const names = low.get('names');
      low.delete('names');
      for (const name of Array.isArray(names) ? names : [low.get('name') as Value]) {
        const chunk = new Map(low).set('name', name);
        const call: StateCall = {
          test,
          low: chunk,
          lowstate: [],
          running,
          memory,
          find: (wanted) => registry.find(wanted),
          call: (wanted, kwargs) => runState(ctx, wanted, kwargs),
        };
        const ctx = Object.create(base, {
          opts: { value: opts },
          pillar: { value: pillar ?? base.pillar },
          state: { value: call },
        }) as ModuleContext & { state: StateCall };
        running.set(stateTag(chunk), await one(ctx, `${state}.${fun}`, chunk, number++));
      }
    }
  return running;
}

async function one(
  ctx: ModuleContext & { state: StateCall },
  full: string,
  chunk: Dict,
  number: number,
): Promise<Value> {
  const { spec } = await ctx.state.find(full);
  const internal = [
    'state',
    'fun',
    '__sls__',
    '__id__',
    '__env__',
    'order',
    'onlyif',
    'unless',
    'require',
    'watch',
    'runas',
    'umask',
    'saltenv',
  ];
  const kwargs = new Map(
    [...chunk].filter(([k]) => spec?.params?.[pyStr(k)] || !internal.includes(pyStr(k))),
  );
  let result: Dict;
  try {
    result = await runState(ctx, full, kwargs);
  } catch (error) {
    const type =
      error instanceof PythonError
        ? error.type
        : error instanceof BrineError
          ? `salt.exceptions.${error.name}`
          : 'Error';
    const text = formatTraceback(type, messageOf(error));
    result = dict({
      result: false,
      name: chunk.get('name'),
      changes: {},
      comment: `An exception occurred in this state: ${text}`,
    });
  }
  return new Map([
    ...result,
    ...dict({ __sls__: chunk.get('__sls__'), __id__: chunk.get('__id__'), __run_num__: number }),
  ]);
}
