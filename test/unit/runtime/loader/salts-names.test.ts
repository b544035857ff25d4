/**
 * The lists of what Salt has and Brine does not: nothing in them is there, or a slip of the pen would be taken for
 * something that is missing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MODULE_TABLE } from '../../../../src/plugins/registry/module/table.generated.ts';
import { isSaltsRunner, missingRunnerText } from '../../../../src/plugins/registry/runner/salts-runners.ts';
import { RUNNER_TABLE } from '../../../../src/plugins/registry/runner/table.generated.ts';
import { STATE_TABLE } from '../../../../src/plugins/registry/state/table.generated.ts';
import type { ModuleDescription } from '../../../../src/runtime/loader/module.ts';
import { isSaltsFunction, missingFunctionText } from '../../../../src/runtime/loader/salts-modules.ts';
import { isSaltsState } from '../../../../src/runtime/loader/salts-states.ts';

/** The full names of what some modules have, and a slip in each module. */
async function namesIn(
  loads: Iterable<readonly [string, () => Promise<ModuleDescription>]>,
): Promise<string[]> {
  const names: string[] = [];
  for (const [module, load] of loads)
    names.push(`${module}.nosuch`, ...Object.keys((await load()).functions).map((fun) => `${module}.${fun}`));
  return names;
}

test("salt's names - no execution function of ours is among those that are missing", async () => {
  const names = await namesIn(MODULE_TABLE.map(({ name, load }) => [name, load] as const));
  assert.deepEqual(names.filter(isSaltsFunction), []);
  assert.equal(missingFunctionText('pip.nosuch'), "'pip.nosuch' is not available.");
  assert.match(missingFunctionText('zypper.nosuch.x'), /not available/);
  assert.match(missingFunctionText('vsphere.list_hosts'), /Brine does not have Salt's module vsphere/);
});

test("salt's names - no state of ours is among those that are missing", () => {
  assert.deepEqual(
    STATE_TABLE.filter(({ name }) => isSaltsState(name)).map(({ name }) => name),
    [],
  );
  assert.ok(isSaltsState('boto_ec2'));
});

test("salt's names - no runner of ours is among those that are missing", async () => {
  assert.deepEqual((await namesIn(RUNNER_TABLE)).filter(isSaltsRunner), []);
  assert.match(missingRunnerText('venafi.request'), /Brine does not have Salt's runner module venafi/);
});
