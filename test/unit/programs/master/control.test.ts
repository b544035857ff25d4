/** Calls of functions of the master: who is asked, what is handed on, what is bounded. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  runnerHandler,
  wheelHandler,
  type ControlDecision,
  type ControlDeps,
} from '../../../../src/programs/master/commands/control.ts';
import type { MasterQuestion } from '../../../../src/runtime/access/question.ts';
import type { RunOrder } from '../../../../src/programs/runner/run-order.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import { JidSource } from '../../../../src/storage/jobs/jid.ts';
import { fakeClock } from '../../../support/module-context.ts';

interface Made {
  readonly deps: ControlDeps;
  readonly asked: MasterQuestion[];
  readonly orders: { fun: string; low: Dict; user: string }[];
}

function made(decision: ControlDecision = { user: 'fred' }, more: Partial<ControlDeps> = {}): Made {
  const asked: MasterQuestion[] = [];
  const orders: { fun: string; low: Dict; user: string }[] = [];
  const deps: ControlDeps = {
    decide: (_load, call) => {
      asked.push(call);
      return Promise.resolve(decision);
    },
    runners: { take: (order: RunOrder) => orders.push(order) > 0 } as unknown as ControlDeps['runners'],
    fireEvent: () => undefined,
    wheel: (order) => {
      orders.push(order);
      return Promise.resolve(dict({ return: 'done', success: true }));
    },
    jids: new JidSource(fakeClock()),
    jobs: { job: () => Promise.resolve(undefined) },
    clock: fakeClock(),
    ...more,
  };
  return { deps, asked, orders };
}

const REFUSED = { error: { name: 'UserAuthenticationError', message: 'no' } };

test('control - a refused call is neither run nor given a job id', async () => {
  const { deps, orders } = made(REFUSED);
  assert.deepEqual(await runnerHandler(deps)(dict({ fun: 'test.arg' }), 'x'), REFUSED);
  assert.deepEqual(await wheelHandler(deps)(dict({ fun: 'key.list_all' }), 'x'), REFUSED);
  assert.deepEqual(orders, []);
});

test('control - a request that names no function is refused before anybody is asked', async () => {
  const { deps, asked } = made();
  for (const fun of [undefined, 1, ['test.arg'], null])
    for (const handler of [runnerHandler(deps), wheelHandler(deps)])
      assert.match(JSON.stringify(await handler(dict({ fun: fun ?? null }), 'x')), /SaltInvocationError/);
  assert.match(
    JSON.stringify(await runnerHandler(deps)(dict({ fun: 'a.b', kwarg: 'x' }), 'x')),
    /Check syntax/,
  );
  assert.deepEqual(asked, []);
});

test('control - who decides sees the arguments in one form, and no function sees credentials', async () => {
  const { deps, asked, orders } = made();
  const secret = { key: 's3cret', token: 's3cret', password: 's3cret', eauth: 'pam', username: 'fred' };
  await wheelHandler(deps)(dict({ cmd: 'wheel', fun: 'key.accept', match: 'a*', ...secret }), 'x');
  await wheelHandler(deps)(
    dict({ cmd: 'wheel', fun: 'key.accept', arg: ['a*'], kwarg: dict({ include_denied: true }), ...secret }),
    'x',
  );
  await runnerHandler(deps)(dict({ fun: 'config.get', kwarg: dict({ key: 'id' }), ...secret }), 'x');
  assert.deepEqual(
    asked.map(({ args }) => args),
    [
      [dict({ match: 'a*', __kwarg__: true })],
      ['a*', dict({ include_denied: true, __kwarg__: true })],
      [dict({ key: 'id', __kwarg__: true })],
    ],
  );
  assert.deepEqual(orders[2]?.low, dict({ key: 'id' }));
  for (const { low } of orders) assert.ok(![...low.values()].includes('s3cret'));
});

test('control - wheel functions at a time, and runners that wait, are bounded', async () => {
  const { deps } = made({ user: 'root' }, { wheel: () => new Promise<Dict>(() => undefined) });
  const handler = wheelHandler(deps);
  const load = dict({ fun: 'key.list_all' });
  for (let i = 0; i < 50; i++) void handler(load, 'x');
  assert.match(JSON.stringify(await handler(load, 'x')), /Too many functions/);
  const runners = { take: () => false } as unknown as ControlDeps['runners'];
  const full = made({ user: 'root' }, { runners }).deps;
  assert.match(
    JSON.stringify(await runnerHandler(full)(dict({ fun: 'test.arg' }), 'x')),
    /Too many functions/,
  );
});

test('control - functions whose return is for a terminal are refused before they do anything', async () => {
  const { deps, orders } = made();
  const load = dict({ fun: 'auth.token_create', kwarg: dict({ name: 'ci' }) });
  assert.match(
    JSON.stringify(await runnerHandler(deps)(load, 'x')),
    /shows its token on a terminal only, and no token was made/,
  );
  assert.deepEqual(orders, []);
});

test('control - a job id that somebody chooses for a wheel function is one of the present', async () => {
  const { deps, orders } = made();
  const now = new JidSource(fakeClock()).next();
  for (const jid of ['99991231235959999999', '00010101000000000000', 'undated', '20261399000000000000'])
    assert.match(
      JSON.stringify(await wheelHandler(deps)(dict({ fun: 'key.list_all', __jid__: jid }), 'x')),
      /no job id of the present/,
    );
  assert.equal(orders.length, 0);
  await wheelHandler(deps)(dict({ fun: 'key.list_all', __jid__: now }), 'x');
  assert.equal(orders.length, 1);
});
