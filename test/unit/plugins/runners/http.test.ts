import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpRunners } from '../../../../src/plugins/http/runner.ts';
import { saltRunners } from '../../../../src/plugins/salt/runner.ts';
import type {
  ExecuteOptions,
  RunnerContext,
  RunnerSpec,
} from '../../../../src/plugins/shared/runner/runner.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';

/** A context that tells what is run. */
function recording(): { calls: unknown[]; ctx: RunnerContext } {
  const calls: unknown[] = [];
  const ctx = {
    id: 'm_master',
    log: { warning: (text: string) => calls.push(text) },
    call: (fun: string, args: Value[], kwargs: Dict) => {
      calls.push([fun, args, Object.fromEntries(kwargs)]);
      return Promise.resolve(dict({ colour: 'red' }));
    },
    execute: (fun: string, args: Value[], kwargs: Dict, options?: ExecuteOptions) => {
      const pillar = options?.pillar;
      calls.push([fun, args, Object.fromEntries(kwargs), pillar && Object.fromEntries(pillar)]);
      return Promise.resolve(dict({ os: 'Debian' }));
    },
  } as unknown as RunnerContext;
  return { calls, ctx };
}

test('runners - http.query hands its keywords to the execution function', async () => {
  const { calls, ctx } = recording();
  const query = httpRunners.functions['query'] as RunnerSpec;
  const kwargs = dict({ method: 'POST', node: 'master', __pub_user: 'root' });
  await query.run(ctx, { url: 'http://a/', output: false }, [], kwargs);
  assert.deepEqual(calls, [
    'Output option has been deprecated. Please use --quiet.',
    ['http.query', ['http://a/'], { method: 'POST' }, undefined],
  ]);
});

test('runners - salt.cmd makes the pillar of the master when it is asked to', async () => {
  const { calls, ctx } = recording();
  const cmd = saltRunners.functions['cmd'] as RunnerSpec;
  await cmd.run(ctx, { fun: 'my.fun' }, [1], dict({ with_pillar: true, a: 2 }));
  assert.deepEqual(calls, [
    ['grains.items', [], {}, undefined],
    ['pillar.show_pillar', ['m_master'], { os: 'Debian' }],
    ['my.fun', [1], { a: 2 }, { colour: 'red' }],
  ]);
});
