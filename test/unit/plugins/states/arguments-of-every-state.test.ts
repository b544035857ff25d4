/** Arguments of another type than a state takes, over all states: refused before anything is asked or done. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STATE_TABLE } from '../../../../src/plugins/registry/state/table.generated.ts';
import type { FunctionSpec } from '../../../../src/runtime/loader/module.ts';
import { runState, thrownResult } from '../../../../src/runtime/state/call-state.ts';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeStateContext } from '../../../support/state-context.ts';

type Described = readonly [full: string, spec: FunctionSpec];

async function allStates(): Promise<Described[]> {
  const modules = await Promise.all(
    STATE_TABLE.map(async (entry) => [entry.name, await entry.load()] as const),
  );
  return modules.flatMap(([name, { functions }]) =>
    Object.entries(functions)
      .filter(([fun]) => !fun.startsWith('mod_'))
      .map(([fun, spec]): Described => [`${name}.${fun}`, spec]),
  );
}

/** Calls a state with one argument, and all others as they are without being given. @returns its result */
async function resultWith(
  [full, spec]: Described,
  name: string,
  value: Value,
  isTest: boolean,
): Promise<Dict> {
  const low = dict({ name: 'x' });
  const ctx = fakeStateContext({ test: isTest });
  const reached = (): never => assert.fail(`${full} asks or does something with ${name}`);
  const functions = { ...ctx.functions, call: reached, has: reached };
  const context = Object.create(ctx, { functions: { value: functions } }) as typeof ctx;
  const args = Object.fromEntries(
    Object.entries(spec.params ?? {}).map(([key, param]): [string, Value] => [
      key,
      key === name ? value : (param.default ?? (key === 'name' || param.default === undefined ? 'x' : null)),
    ]),
  );
  const state = { full, spec, low, bound: { args, kwargs: new Map<Value, Value>() } };
  try {
    const result = await runState(state, context);
    return isDict(result) ? result : assert.fail(`${full} gives no result`);
  } catch (error) {
    return thrownResult(state, error, context);
  }
}

const WRONG: Readonly<Record<string, readonly Value[]>> = {
  text: [['a'], dict({ k: 'v' })],
  list: ['a,b', 5, dict({ k: 'v' })],
  mapping: ['k=v', 5, ['a']],
  number: ['many', ['a'], dict({ k: 'v' })],
};

test('states - a list, a mapping or a number in place of another type is refused, in test mode, too', async () => {
  let tried = 0;
  for (const described of await allStates())
    for (const [name, { takes, type }] of Object.entries(described[1].params ?? {})) {
      if (takes === undefined || (takes === 'text' && type !== 'str')) continue;
      for (const value of WRONG[takes] ?? [])
        for (const isTest of [true, false]) {
          const result = await resultWith(described, name, value, isTest);
          assert.equal(result.get('result'), false, `${described[0]} ${name}`);
          assert.match(
            String(result.get('comment')),
            /^\S+ must be (?:a (?:text|list|mapping|number)|the name of a (?:user|group)), not /,
          );
          tried++;
        }
    }
  assert.ok(tried > 2000, `${tried} calls`);
});

test('states - two lines are refused by states whose arguments become words, in test mode, too', async () => {
  let tried = 0;
  for (const described of await allStates()) {
    const [full, { words, params }] = described;
    if (words === undefined || words.lines === 'any') continue;
    for (const name of Object.keys(params ?? {})) {
      if (words.lines?.includes(name) === true) continue;
      const result = await resultWith(described, name, 'a\nb', true);
      assert.equal(result.get('result'), false, `${full} ${name}`);
      const shown = /passw|secret/.test(name) ? 'a str that is not shown here' : String.raw`'a\nb'`;
      assert.equal(
        result.get('comment'),
        `The argument ${name} of ${full} cannot have a line end or a NUL in it: ${shown}`,
      );
      tried++;
    }
  }
  assert.ok(tried > 150, `${tried} calls`);
});
