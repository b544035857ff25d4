/**
 * State runs in two steps: tried and noted first, run when somebody has looked (3006.16 salt/modules/state.py
 * `request`).
 */
import { rmSync } from 'node:fs';
import { PythonError } from '../../../python/exceptions.ts';
import { defineFunction, type FunctionSpec, type ModuleContext } from '../../../runtime/loader/module.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { param } from '../../../runtime/loader/params.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { runApply } from './sls.ts';
import { cachePath, keep, kept } from './cached.ts';

const FILE = 'req_state.p';
const SHOWN = { outputter: 'highstate', isolation: 'process' } as const;

function requests(ctx: ModuleContext): Dict {
  return kept(ctx, FILE) ?? new Map();
}

async function request(ctx: ModuleContext, mods: Value, given: Dict): Promise<Value> {
  const kwargs: Dict = new Map<Value, Value>([...given, ['test', true]]);
  const ret = await runApply(ctx, mods, kwargs);
  const all = requests(ctx);
  all.set(kwargs.get('name') ?? 'default', dict({ test_run: ret, mods, kwargs }));
  keep(ctx, FILE, all);
  return ret;
}

async function runRequest(ctx: ModuleContext, name: Value, given: Dict): Promise<Value> {
  const wanted = requests(ctx).get(name);
  const kwargs = isDict(wanted) ? wanted.get('kwargs') : undefined;
  // Salt compat: Salt's answer is an empty mapping, and the job a success
  if (!isDict(wanted) || !wanted.has('mods') || !isDict(kwargs)) {
    ctx.setRetcode(1);
    return [
      `No run was requested as '${pyStr(name)}': state.request notes one, and state.check_request shows what is noted`,
    ];
  }
  const all: Dict = new Map([...kwargs, ...given]);
  all.delete('test');
  const ret = await runApply(ctx, wanted.get('mods') ?? null, all);
  rmSync(cachePath(ctx, FILE), { force: true });
  return ret;
}

function clearRequest(ctx: ModuleContext, name: Value): boolean {
  const all = kept(ctx, FILE);
  if (all === undefined) return true;
  if (!truthy(name)) {
    rmSync(cachePath(ctx, FILE), { force: true });
    return true;
  }
  if (!all.delete(name)) return false;
  keep(ctx, FILE, all);
  return true;
}

/** `state.request`, and the functions that check, clear and run what was requested. */
export const requestFunctions: Readonly<Record<string, FunctionSpec>> = {
  request: defineFunction({
    doc: 'Tries SLS in test mode and notes them, to be run later with `state.run_request`.',
    params: {
      mods: param.value({
        default: null,
        type: 'str or list of str',
        doc: 'Names of SLS; none: the highstate.',
      }),
    },
    kwargs: 'kwargs',
    returns: 'mapping of tag to result, of the test run',
    ...SHOWN,
    examples: ["salt '*' state.request", "salt '*' state.request core,edit.vim name=later"],
    run: (ctx, { mods }, _rest, kwargs) => request(ctx, mods, kwargs),
  }),
  check_request: defineFunction({
    doc: 'Shows what was noted with `state.request`.',
    params: { name: param.valueIfGiven({ default: null, type: 'str', doc: 'One of them.' }) },
    returns: 'mapping of name to `{test_run, mods, kwargs}`, or that of one name',
    outputter: 'highstate',
    run: (ctx, { name }) => {
      const all = requests(ctx);
      if (name === undefined || all.size === 0) return all;
      const one = all.get(name);
      if (one === undefined) throw new PythonError('KeyError', pyRepr(name));
      return one;
    },
  }),
  run_request: defineFunction({
    doc: 'Runs what was noted with `state.request`, and forgets it.',
    params: { name: param.value({ default: 'default', type: 'str', doc: 'Which.' }) },
    kwargs: 'kwargs',
    returns: 'mapping of tag to result; a list with a sentence when nothing was noted',
    ...SHOWN,
    run: (ctx, { name }, _rest, kwargs) => runRequest(ctx, name, kwargs),
  }),
  clear_request: defineFunction({
    doc: 'Forgets what was noted with `state.request`.',
    params: { name: param.value({ default: null, type: 'str', doc: 'One of them; all when left out.' }) },
    returns: 'bool: False when there is none of that name',
    run: (ctx, { name }) => clearRequest(ctx, name),
  }),
};
