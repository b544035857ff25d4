/** Results of state runs by our own code, within this process. */
import { spawnSync } from 'node:child_process';
import type { ModuleContext } from '../../src/runtime/loader/module.ts';
import { messageOf } from '../../src/errors/errors.ts';
import { dict, type Value } from '../../src/python/values/value.ts';
import { casePillar, placed, runsOf, type PlacedCase, type RunOutcome } from '../support/state-cases.ts';
import { directContexts } from './own-modules.ts';

/** Runs cases in order. @param folder the minion's */
export async function ownOutcomes(folder: string, cases: readonly PlacedCase[]): Promise<RunOutcome[]> {
  const minion = await directContexts(folder, { test: false });
  const outcomes: RunOutcome[] = [];
  for (const at of cases) {
    process.chdir('/');
    shell(placed(at.given.setup ?? '', at));
    const runs: Value[] = [];
    for (const kind of runsOf(at.given)) {
      if (at.given.grains === true) await minion.refreshGrains();
      runs.push(await result(minion.contextFor('state.sls'), at, kind));
    }
    outcomes.push({ runs, after: shell(placed(at.given.after ?? '', at)) });
  }
  return outcomes;
}

async function result(ctx: ModuleContext, at: PlacedCase, kind: 'test' | 'apply'): Promise<Value> {
  try {
    const kwargs = dict({ test: kind === 'test', pillar: casePillar(at) });
    return await ctx.functions.call('state.sls', [`${at.name}.case`], kwargs);
  } catch (error) {
    return messageOf(error);
  }
}

function shell(command: string): string {
  const { stdout } = spawnSync('/bin/bash', ['-c', `exec 2>&1; ${command}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return stdout.toString();
}
