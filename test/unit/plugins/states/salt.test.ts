/** The states of `salt` with the returns of real minions: what they make of them is what a real Salt made of them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { fixtureValue } from '../../../support/module-vectors.ts';
import {
  callState,
  fakeStateContext,
  runState,
  type FunctionDouble,
} from '../../../support/state-context.ts';

/** One step of an orchestration of a real Salt 3006.16. */
interface Recorded {
  readonly case: string;
  readonly low: Readonly<Record<string, unknown>>;
  /** What was told on the bus before the job was published; absent where none was. */
  readonly told?: unknown;
  /** What the publishing function gave. */
  readonly answer?: unknown;
  readonly expected: unknown;
}

const { vectors } = JSON.parse(
  readFileSync(join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/orchestration/steps.json'), 'utf8'),
) as { vectors: readonly Recorded[] };

const mapping = (json: unknown): Dict => {
  const value = fixtureValue(json);
  assert.ok(isDict(value));
  return value;
};

/** Salt says that a function ran on minions that did not return, too: in these recordings, that named `gone`. */
function withoutSilent(result: Dict): Dict {
  const comment = result.get('comment');
  if (typeof comment === 'string')
    result.set('comment', comment.replace(' ran on min-a, gone.', ' ran on min-a.'));
  return result;
}

test('salt states - make of returns what a real Salt makes of them', async () => {
  for (const vector of vectors) {
    const low = mapping(vector.low);
    const told: Dict[] = [];
    const publish: FunctionDouble = () => fixtureValue(vector.answer ?? {});
    const ctx = fakeStateContext({ low, functions: { 'saltutil.cmd': publish } });
    Object.defineProperty(ctx, 'master', {
      value: { user: 'root', fire: (_tag: string, data: Dict) => Promise.resolve(told.push(data) > 0) },
    });
    const isInternal = (key: Value): boolean =>
      String(key).startsWith('__') || ['state', 'fun'].includes(String(key));
    const kwargs: Dict = new Map([...low].filter(([key]) => !isInternal(key)));
    const where = `${vector.case}: ${String(low.get('__id__'))}`;
    assert.deepEqual(
      await runState(ctx, `salt.${String(low.get('fun'))}`, kwargs),
      withoutSilent(mapping(vector.expected)),
      where,
    );
    const expected = vector.told === undefined ? [] : [mapping(vector.told)];
    for (const data of expected) {
      const args = data.get('args');
      if (isDict(args)) args.delete('roster'); // it has no meaning without SSH, and is not passed on
    }
    assert.deepEqual(told, expected, where);
  }
  assert.ok(vectors.length >= 50);
});

test('salt states - SSH is refused, and a wait elsewhere than on a master says so', async () => {
  const functions = { 'saltutil.cmd': dict({ one: { ret: true } }) };
  for (const fun of ['salt.state', 'salt.function']) {
    const result = await callState(fun, dict({ name: 'test.ping', tgt: '*', sls: 'a', ssh: true }), {
      functions,
    });
    assert.equal(result.get('result'), false);
    assert.match(String(result.get('comment')), /^The option ssh is not available/);
  }
  const waited = await callState('salt.wait_for_event', dict({ name: 'a/*', id_list: ['x'] }));
  assert.equal(waited.get('comment'), 'Only a master hears these events: use it in an orchestration.');
});

test('salt.parallel_runners - fails when one of them has failed, and merges what orchestrations changed', async () => {
  const step = (result: boolean): Dict =>
    dict({ a: { result, changes: { out: 'highstate', ret: { one: { b: { changes: { c: 1 } } } } } } });
  const orchestration = (result: boolean): Dict =>
    dict({
      return: { data: { m_master: step(result) }, outputter: 'highstate', retcode: result ? 0 : 1 },
      success: result,
    });
  const runner: FunctionDouble = (args) => orchestration(args[0] !== 'bad');
  const functions = { 'saltutil.runner': runner };
  const runners = dict({ x: [dict({ name: 'good' }), dict({ kwarg: { mods: 'a' } })], good: null });
  const good = await callState('salt.parallel_runners', dict({ name: 'p', runners }), { functions });
  assert.equal(good.get('comment'), 'All runner functions executed successfully.');
  const changed = { m_master: { a: { one: { b: { changes: { c: 1 } } } } } };
  assert.deepEqual(good.get('changes'), dict({ x: changed, good: changed }));
  const bad = await callState('salt.parallel_runners', dict({ name: 'p', runners: 'bad' }), { functions });
  assert.equal(bad.get('result'), false);
  assert.match(String(bad.get('comment')), /^Runner bad failed with return value:\n/);
});
