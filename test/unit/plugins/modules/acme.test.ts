/**
 * `acme`, its module and its state: what certbot is told, and what is made of its answer, as a real Salt 3006.16 did
 * with the same answers.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson, toJson } from '../../../../src/formats/json/text.ts';
import { acmeModule } from '../../../../src/plugins/acme/module.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { pyStr } from '../../../../src/python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { acmeStates } from '../../../../src/plugins/acme/state.ts';
import { bindCall } from '../../../../src/runtime/loader/bind.ts';
import { bindState } from '../../../../src/runtime/state/bind-state.ts';
import { callSpec } from '../../../../src/runtime/loader/execute.ts';
import { recordedCases } from '../../../support/recorded-services.ts';
import { fakeStateContext, type FakeStateContext } from '../../../support/state-context.ts';

async function call(
  ctx: FakeStateContext,
  fun: string,
  args: readonly Value[],
  kwargs: Dict,
): Promise<Value> {
  const spec = acmeModule.functions[fun];
  assert.ok(spec, fun);
  const bound = bindCall(`acme.${fun}`, spec, { positional: args, keywords: kwargs });
  return spec.run(ctx, bound.args, bound.rest, bound.kwargs);
}

/** A state, called without asking whether its program is here. */
async function state(ctx: FakeStateContext, fun: string, kwargs: Dict): Promise<Value> {
  const spec = acmeStates.functions[fun];
  assert.ok(spec, fun);
  const bound = bindState(`acme.${fun}`, spec, kwargs);
  return spec.run(ctx, bound.args, [], bound.kwargs);
}

/** A machine with or without the certificate, on which certbot ends as it did. */
function machineOf(one: Dict): { readonly ctx: FakeStateContext; readonly ran: string[] } {
  const ran: string[] = [];
  const runs = [...(one.get('runs') as Value[])];
  const own = (fun: string) => (args: readonly Value[], kwargs: Dict) => call(ctx, fun, args, kwargs);
  const names = ['cert', 'has', 'info', 'needs_renewal'];
  const ctx: FakeStateContext = fakeStateContext({
    clock: systemClock,
    test: one.get('test') === true,
    functions: {
      ...Object.fromEntries(names.map((fun) => [`acme.${fun}`, own(fun)])),
      'file.file_exists': one.get('has') ?? null,
      'tls.cert_info': () =>
        dict({
          not_after: one.get('after') ?? null,
          subject: dict({ CN: 'a' }),
          extensions: dict({ keyUsage: 'x', subjectAltName: 'y' }),
        }),
      'file.check_perms': ([, made]) => [made ?? null, dict()],
      'cmd.run_all': ([command]) => {
        assert.ok(Array.isArray(command), 'certbot is told words, not a line');
        ran.push(
          command
            .map(pyStr)
            .join(' ')
            .replace(/^\S*\//, ''),
        );
        return runs.shift() ?? null;
      },
    },
  });
  return { ctx, ran };
}

/** Times are local. */
const timeless = (text: string): string => text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g, 'TIME');
const shown = (value: Value): string => timeless(toJson(value, { sortKeys: true }));

test('acme - certbot is told what Salt tells it, and the same comes of it', async () => {
  const wrong: string[] = [];
  for (const one of recordedCases('acme')) {
    const [called, kwargs] = [pyStr(one.get('call') ?? ''), one.get('with')];
    const fun = called.replace('acme.', '');
    assert.ok(isDict(kwargs));
    const { ctx, ran } = machineOf(one);
    const made = dict();
    try {
      const gave = fun.startsWith('state ')
        ? await state(ctx, 'cert', kwargs)
        : await call(ctx, fun, [], kwargs);
      made.set('gave', gave);
    } catch (error) {
      assert.ok(error instanceof Error);
      made.set('raised', `${error.name}: ${error.message}`);
    }
    made.set('ran', ran);
    const kept = ['gave', 'raised', 'ran'];
    const salts: Dict = new Map([...one].filter(([key]) => kept.includes(pyStr(key))));
    const ours = one.get('ours');
    const [is, shouldBe] = [shown(made), shown(isDict(ours) ? ours : salts)];
    if (is !== shouldBe) wrong.push(`${shown(one)}\n  ${is}\n  not\n  ${shouldBe}`);
  }
  assert.equal(wrong.join('\n'), '');
});

test('acme - a name is no path, and no word is an option', async () => {
  const { ctx } = machineOf(parseJson('{"runs": [], "has": true, "after": 1}') as Dict);
  await assert.rejects(call(ctx, 'info', ['../../etc'], new Map()), /is no name of a certificate/);
  await assert.rejects(call(ctx, 'has', ['..'], new Map()), /is no name of a certificate/);
  const spec = acmeModule.functions['cert'];
  assert.ok(spec);
  await assert.rejects(
    async () =>
      callSpec('acme.cert', spec, ctx, {
        positional: ['a.example'],
        keywords: dict({ webroot: '--pre-hook=reboot' }),
      }),
    /cannot begin with '-'/,
  );
});
