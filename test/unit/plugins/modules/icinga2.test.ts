/**
 * `icinga2`, its module and its states: what icinga2 is told, and what is made of its answer, as a real Salt 3006.16
 * did with the same answers.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toJson } from '../../../../src/formats/json/text.ts';
import { icinga2Module } from '../../../../src/plugins/icinga2/module.ts';
import { pyStr } from '../../../../src/python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { icinga2States } from '../../../../src/plugins/icinga2/state.ts';
import { bindCall } from '../../../../src/runtime/loader/bind.ts';
import { bindState } from '../../../../src/runtime/state/bind-state.ts';
import { recordedCases } from '../../../support/recorded-services.ts';
import { fakeStateContext, type FakeStateContext } from '../../../support/state-context.ts';

async function call(
  ctx: FakeStateContext,
  fun: string,
  args: readonly Value[],
  kwargs: Dict,
): Promise<Value> {
  const spec = icinga2Module.functions[fun];
  assert.ok(spec, fun);
  const bound = bindCall(`icinga2.${fun}`, spec, { positional: args, keywords: kwargs });
  return spec.run(ctx, bound.args, bound.rest, bound.kwargs);
}

/** A state, called without asking whether its program is here. */
async function state(ctx: FakeStateContext, fun: string, kwargs: Dict): Promise<Value> {
  const spec = icinga2States.functions[fun];
  assert.ok(spec, fun);
  const bound = bindState(`icinga2.${fun}`, spec, kwargs);
  return spec.run(ctx, bound.args, [], bound.kwargs);
}

/** A machine on which icinga2 2.13 ends as it did. */
function machineOf(one: Dict): {
  readonly ctx: FakeStateContext;
  readonly ran: Value[];
  readonly set: Value[];
} {
  const [ran, set]: [Value[], Value[]] = [[], []];
  const grains = one.get('grains') ?? null;
  assert.ok(isDict(grains));
  const own = (fun: string) => (args: readonly Value[], kwargs: Dict) => call(ctx, fun, args, kwargs);
  const ctx: FakeStateContext = fakeStateContext({
    test: one.get('test') === true,
    functions: {
      ...Object.fromEntries(Object.keys(icinga2Module.functions).map((fun) => [`icinga2.${fun}`, own(fun)])),
      'grains.ls': () => [...grains.keys()],
      'grains.get': ([name]) => grains.get(name ?? null) ?? '',
      'grains.setval': ([name, value]) => set.push([name ?? null, value ?? null]),
      'cmd.run_all': ([command]) => {
        assert.ok(Array.isArray(command));
        if (command.at(-1) === '--version')
          return dict({ retcode: 0, stdout: 'version: r2.13.6-1', stderr: '' });
        ran.push(command);
        return one.get('run') ?? null;
      },
    },
  });
  return { ctx, ran, set };
}

const shown = (value: Value): string => toJson(value, { sortKeys: true });

test('icinga2 - the program is told what Salt tells it, and the same comes of it', async () => {
  const wrong: string[] = [];
  for (const one of recordedCases('icinga2')) {
    const [fun, kwargs] = [pyStr(one.get('call') ?? ''), one.get('with')];
    assert.ok(isDict(kwargs));
    const { ctx, ran, set } = machineOf(one);
    const gave = fun.startsWith('state ')
      ? await state(ctx, fun.slice('state icinga2.'.length), kwargs)
      : await call(ctx, fun.slice('icinga2.'.length), [], kwargs);
    const kept = ['gave', 'ran', 'set'];
    const salts: Dict = new Map([...one].filter(([key]) => kept.includes(pyStr(key))));
    const ours = one.get('ours');
    const [is, shouldBe] = [shown(dict({ gave, ran, set })), shown(isDict(ours) ? ours : salts)];
    if (is !== shouldBe) wrong.push(`${shown(one)}\n  ${is}\n  not\n  ${shouldBe}`);
  }
  assert.equal(wrong.join('\n'), '');
});

test('icinga2 - a name is no path', async () => {
  const { ctx } = machineOf(dict({ grains: dict() }));
  await assert.rejects(call(ctx, 'generate_cert', ['../../root/x'], new Map()), /is no name of a node/);
});
