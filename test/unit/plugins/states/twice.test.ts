/**
 * Every state function with its parameters: test mode writes nothing and foretells, and what is applied a second time
 * changes nothing.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { STATE_TABLE } from '../../../../src/plugins/registry/state/table.generated.ts';
import { OwnMachine } from '../../../support/machine-calls.ts';
import {
  applyTwice,
  givenParameters,
  isPlayable,
  keepingMachine,
  OF_ALL,
  parameterScenes,
  twiceScenes,
  uncoveredParameters,
} from '../../../support/twice.ts';

const skip = process.getuid?.() === 0 ? false : 'only root may do this';
const scenes = twiceScenes();
const parameters = parameterScenes(scenes);
const HOW = 'test/fixtures/README.md says what one looks like';
let shared: OwnMachine | undefined;

function machineOfAll(): OwnMachine {
  return (shared ??= new OwnMachine(keepingMachine()));
}

after(() => shared?.remove());

/** The parameters of a module's functions that an SLS can call, by their full names. */
async function parametersOf(name: string): Promise<Map<string, string[]>> {
  const modules = await Promise.all(
    STATE_TABLE.filter((entry) => entry.name === name).map((entry) => entry.load()),
  );
  const all = modules.flatMap(({ functions }) => Object.entries(functions));
  return new Map(
    all
      .filter(([fun]) => !fun.startsWith('mod_'))
      .map(([fun, { params }]) => [`${name}.${fun}`, Object.keys(params ?? {})]),
  );
}

let all: Promise<Map<string, string[]>> | undefined;

/** Those of all modules. A file that waited for them outside of a test would register its tests inside of another's. */
function knownFunctions(): Promise<Map<string, string[]>> {
  const names = [...new Set(STATE_TABLE.map((entry) => entry.name))];
  return (all ??= Promise.all(names.map(parametersOf)).then(
    (found) => new Map(found.flatMap((one) => [...one])),
  ));
}

for (const [fun, scene] of scenes)
  test(
    `states twice - ${fun}: test mode writes nothing, and a second time changes nothing`,
    { skip },
    async (t) => {
      if (scene.excuses.has('elsewhere')) return;
      if (!isPlayable(scene)) return t.skip(`${String(scene.needs)} is not installed`);
      const faults: string[] = [];
      for (const one of [scene, ...(parameters.get(fun)?.cases ?? [])])
        if (!one.excuses.has('elsewhere')) faults.push(...(await applyTwice(machineOfAll(), one)));
      assert.equal(faults.join('\n'), '');
    },
  );

test('states twice - each function has a line', async () => {
  const without = [...(await knownFunctions()).keys()].filter((fun) => !scenes.has(fun));
  assert.deepEqual(without, [], `no line in test/fixtures/machine/subjects: ${HOW}`);
});

test('states twice - no line is of a function that does not exist', async () => {
  const known = await knownFunctions();
  assert.deepEqual(
    [...scenes.keys(), ...parameters.keys()].filter((fun) => fun !== OF_ALL && !known.has(fun)),
    [],
  );
});

test('states twice - each parameter is given in a case, or a reason says why not', async () => {
  const known = await knownFunctions();
  const left = [...known].flatMap(([fun, params]) => {
    const scene = scenes.get(fun);
    const missing = scene === undefined ? params : uncoveredParameters(scene, params, parameters);
    return missing.map((param) => `${fun} ${param}`);
  });
  assert.deepEqual(left, [], `no case in test/fixtures/machine/subjects: ${HOW}`);
});

test('states twice - no reason is for a parameter that is given, or that there is not', async () => {
  const known = await knownFunctions();
  const idle = [...parameters].flatMap(([fun, own]) => {
    const scene = scenes.get(fun);
    const given = scene === undefined ? new Set<string>() : givenParameters(scene, own);
    const names = fun === OF_ALL ? [...known.values()].flat() : (known.get(fun) ?? []);
    return [...own.without.keys()]
      .filter((param) => given.has(param) || !names.includes(param))
      .map((param) => `${fun} ${param}`);
  });
  assert.deepEqual(idle, []);
});

test('states twice - no reason is that a case is still to come', () => {
  const open = [...parameters].flatMap(([fun, { without }]) =>
    [...without].flatMap(([param, reason]) => (reason === 'has no case yet' ? [`${fun} ${param}`] : [])),
  );
  assert.deepEqual(open, []);
});
