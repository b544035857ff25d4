/** What ours makes of SLS, in this process. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../src/errors/errors.ts';
import { PythonError } from '../../src/python/exceptions.ts';
import type { ModuleContext } from '../../src/runtime/loader/module.ts';
import { prepareRun } from '../../src/plugins/state/module/prepare.ts';
import { dict, isDict, type Value } from '../../src/python/values/value.ts';
import { directContexts } from './own-modules.ts';
import {
  FOLDER,
  PLAIN_MINION,
  TOP,
  pillarTop,
  type Compilation,
  type MinionOfCases,
  type StateCase,
} from './compile-case.ts';

/** @param folder with the files and the pillar of the minion */
export async function ownCompilations(
  folder: string,
  cases: readonly StateCase[],
  { lines, synced }: MinionOfCases = PLAIN_MINION,
): Promise<Compilation[]> {
  const options = { test: false, minion: lines, withExtensions: synced };
  if (synced) {
    const { contextFor } = await directContexts(folder, options);
    await contextFor('saltutil.sync_all').functions.call('saltutil.sync_all', [], dict({ refresh: false }));
  }
  const { contextFor } = await directContexts(folder, options);
  const out: Compilation[] = [];
  for (const at of cases) {
    writeFileSync(join(folder, 'pillar', 'top.sls'), pillarTop(at));
    const began = process.cpuUsage();
    const low = await answer(() => lowOf(contextFor('state.show_low_sls'), at.sls));
    const full = await answer(() => fullOf(contextFor('state.show_lowstate'), at.sls));
    const { user, system } = process.cpuUsage(began);
    const ms = (user + system) / 1000;
    out.push({ low: placeless(low, folder), full: placeless(full, folder), ms });
  }
  return out;
}

function lowOf(ctx: ModuleContext, sls: string): Promise<Value> {
  if (sls === TOP) return ctx.functions.call('state.show_lowstate', [], new Map());
  return ctx.functions.call('state.show_low_sls', [sls], dict({ pillar: { compared: true } }));
}

async function fullOf(ctx: ModuleContext, sls: string): Promise<Value> {
  if (sls === TOP) return ctx.functions.call('state.show_highstate', [], new Map());
  const kwargs = dict({ pillar: { compared: true }, saltenv: 'base' });
  const { compiler, pillarErrors } = await prepareRun(ctx, kwargs);
  if (pillarErrors.length > 0) return 'pillar';
  const { data, errors } = await compiler.lowToLookAt(await compiler.slsHigh([sls], 'base'));
  return errors.length > 0 ? [...errors] : [...data];
}

async function answer(call: () => Promise<Value>): Promise<Value> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof PythonError) return `${error.type.split('.').at(-1) ?? ''}: ${error.message}`;
    return `${error instanceof Error ? error.name : 'Error'}: ${messageOf(error)}`;
  }
}

/** A value in which the folder of the minion has a name that is always the same. */
function placeless(value: Value, folder: string): Value {
  if (typeof value === 'string') return value.replaceAll(folder, FOLDER);
  if (Array.isArray(value)) return value.map((item) => placeless(item, folder));
  if (!isDict(value)) return value;
  return new Map([...value].map(([key, item]) => [placeless(key, folder), placeless(item, folder)]));
}
