/** Every state function: test mode writes nothing and foretells, and what is applied a second time changes nothing. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { STATE_TABLE } from '../../../../src/plugins/states/table.ts';
import { OwnMachine } from '../../../support/machine-calls.ts';
import {
  applyTwice,
  isPlayable,
  keepingMachine,
  parameterScenes,
  twiceScenes,
} from '../../../support/twice.ts';

const skip = process.getuid?.() === 0 ? false : 'only root may do this';
const scenes = twiceScenes();
const parameters = parameterScenes(scenes);
let shared: OwnMachine | undefined;

function machineOfAll(): OwnMachine {
  return (shared ??= new OwnMachine(keepingMachine()));
}

after(() => shared?.remove());

/** The names of a module's functions that an SLS can call. */
async function functionsOf(name: string): Promise<string[]> {
  const modules = await Promise.all(
    STATE_TABLE.filter((entry) => entry.name === name).map((entry) => entry.load()),
  );
  const short = modules
    .flatMap(({ functions }) => Object.keys(functions))
    .filter((fun) => !fun.startsWith('mod_'));
  return [...new Set(short)].map((fun) => `${name}.${fun}`);
}

for (const name of new Set(STATE_TABLE.map((entry) => entry.name)))
  test(
    `states twice - ${name}: test mode writes nothing, and a second time changes nothing`,
    { skip },
    async (t) => {
      const all: string[] = [];
      for (const fun of await functionsOf(name)) {
        const scene = scenes.get(fun);
        assert.ok(
          scene,
          `${fun} has no line in test/fixtures/machine/twice.yaml, which says what one looks like`,
        );
        if (scene.excuses.has('elsewhere')) continue;
        if (!isPlayable(scene)) {
          t.diagnostic(`${fun} is left out: ${String(scene.needs)} is not installed`);
          continue;
        }
        for (const one of [scene, ...(parameters.get(fun)?.cases ?? [])])
          all.push(...(await applyTwice(machineOfAll(), one)));
      }
      assert.equal(all.join('\n'), '');
    },
  );

test('states twice - no line is of a function that does not exist', async () => {
  const names = await Promise.all([...new Set(STATE_TABLE.map((entry) => entry.name))].map(functionsOf));
  const known = new Set(names.flat());
  assert.deepEqual(
    [...scenes.keys(), ...parameters.keys()].filter((fun) => !known.has(fun)),
    [],
  );
});
