/** The functions and states of `etcd` on a real server, of both versions, as a real Salt 3006.16 did with one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { toJson } from '../../src/formats/json/text.ts';
import { pyStr } from '../../src/python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { startDatabase } from '../support/database-servers.ts';
import { recordedCases } from '../support/recorded-services.ts';
import { fakeStateContext, runState } from '../support/state-context.ts';

const shown = (value: Value): string => toJson(value, { sortKeys: true });

/** The options of the profiles that the recorded calls name. */
const profiles = (port: number): Dict => {
  const place = { 'etcd.host': '127.0.0.1', 'etcd.port': port };
  const third = { ...place, 'etcd.require_v2': false };
  return dict({
    my: dict(place),
    v3: dict(third),
    plain: dict({ ...third, 'etcd.encode_values': false }),
    keys: dict({ ...third, 'etcd.encode_keys': true }),
    gone: dict({ ...place, 'etcd.port': 1 }),
    gone3: dict({ ...third, 'etcd.port': 1 }),
  });
};

test('etcd - functions and states of version 2 and 3 give what a real Salt gives', async (t) => {
  const { port } = await startDatabase(t, 'etcd');
  const opts = new Map([...dict({ id: 'm', hash_type: 'sha256' }), ...profiles(port)]);
  const [real, testing] = [false, true].map((isTest) =>
    fakeStateContext({ opts, clock: systemClock, test: isTest }),
  );
  assert.ok(real !== undefined && testing !== undefined);
  const wrong: string[] = [];
  for (const one of recordedCases('etcd')) {
    const [call, given] = [pyStr(one.get('call') ?? ''), one.get('with')];
    assert.ok(isDict(given));
    const kwargs: Dict = new Map([...given].map(([key, value]) => [key, value === 'PORT' ? port : value]));
    const ctx = one.get('test') === true ? testing : real;
    const made: Dict = new Map();
    try {
      const gave = call.startsWith('state ')
        ? await runState(ctx, call.slice('state '.length), kwargs)
        : await ctx.functions.call(call, [], kwargs);
      made.set('gave', isDict(gave) && gave.has('mIndex') ? new Map([...gave, ['mIndex', 'N']]) : gave);
    } catch (error) {
      made.set('raised', error instanceof Error ? error.message : '');
    }
    const wanted = one.get('ours') ?? new Map([...one].filter(([key]) => key === 'gave' || key === 'raised'));
    const [is, shouldBe] = [shown(made).replaceAll(`127.0.0.1:${port}`, 'HOST'), shown(wanted)];
    if (is !== shouldBe) wrong.push(`${call} ${shown(given)}\n  ${is}\n  not\n  ${shouldBe}`);
  }
  assert.equal(wrong.join('\n'), '');
});

test('etcd - waiting for a change ends when there is one, and with its job', async (t) => {
  const { port } = await startDatabase(t, 'etcd');
  const opts = new Map([...dict({ id: 'm', hash_type: 'sha256' }), ...profiles(port)]);
  const ctx = fakeStateContext({ opts, clock: systemClock });
  const call = (fun: string, kwargs: Dict): Promise<Value> => ctx.functions.call(`etcd.${fun}`, [], kwargs);
  for (const profile of ['my', 'v3']) {
    const waiting = call('watch', dict({ key: '/w', profile, recurse: true }));
    // the wait has to have begun; setting goes on until it has been seen
    let isOver = false;
    void waiting.finally(() => (isOver = true));
    while (!isOver) await call('set', dict({ key: '/w/x', value: 'new', profile }));
    const seen = await waiting;
    assert.ok(isDict(seen));
    assert.deepEqual([seen.get('key'), seen.get('value'), seen.get('changed')], ['/w/x', 'new', true]);
    const ending = new AbortController();
    const ended = fakeStateContext({ opts, clock: systemClock, signal: ending.signal });
    const hanging = ended.functions.call('etcd.watch', [], dict({ key: '/never', profile }));
    ending.abort(15);
    assert.equal(await hanging, null);
  }
});
