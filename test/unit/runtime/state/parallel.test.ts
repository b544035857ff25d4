/** Parallel states that require parallel states: only those wait, and not the run. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { defineFunction, defineModule } from '../../../../src/runtime/loader/module.ts';
import { ModuleRegistry } from '../../../../src/runtime/loader/registry.ts';
import { testStates } from '../../../../src/plugins/test/state.ts';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext, type FakeContext } from '../../../support/module-context.ts';
import { runOptions } from '../../../support/state-runs.ts';

const folder = mkdtempSync(join(tmpdir(), 'state-parallel-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));
/** A run that waits for what it must not wait for never ends. */
const options = { timeout: 30_000 };

/** States `own.step`, which end when the state that they name in `until` has begun, and note what begins and ends. */
function steps(parallelMax: number): { ctx: FakeContext; seen: string[] } {
  const seen: string[] = [];
  const waiting = new Map<string, () => void>();
  const step = defineFunction({
    ...{
      doc: '',
      params: { name: {}, until: { default: null }, fails: { default: false } },
      kwargs: 'kwargs',
      returns: '',
    },
    run: async (_ctx, { name, until, fails }) => {
      seen.push(`+${String(name)}`);
      waiting.get(String(name))?.();
      if (typeof until === 'string' && !seen.includes(`+${until}`))
        await new Promise<void>((resolve) => waiting.set(until, resolve));
      seen.push(`-${String(name)}`);
      return dict({ name: name ?? null, result: fails !== true, changes: {}, comment: '' });
    },
  });
  const own = defineModule({ name: 'own', file: 'own', doc: '', functions: { step } });
  const table = [testStates, own].map((module) => ({
    ...{ name: module.name, file: module.file },
    load: () => Promise.resolve(module),
  }));
  const ctx = fakeContext({
    opts: new Map([...runOptions(folder), ['state_max_parallel', parallelMax]]),
    registry: {
      states: (context) => Promise.resolve(new ModuleRegistry({ ...context, table, kind: 'states' })),
    },
  });
  return { ctx, seen };
}

async function applied(
  sls: string,
  kwargs: Dict = new Map(),
  parallelMax = 0,
): Promise<{ seen: string[]; results: Value[] }> {
  const { ctx, seen } = steps(parallelMax);
  const results = await ctx.functions.call('state.template_str', [sls], kwargs);
  if (!isDict(results)) throw new Error(`nothing was run: ${JSON.stringify(results)}`);
  return {
    seen,
    results: [...results.values()].filter(isDict).map((result) => result.get('result') ?? null),
  };
}

const one = (id: string, ...more: string[]): string =>
  `${id}:\n  own.step:\n${['parallel: true', ...more].map((line) => `    - ${line}\n`).join('')}`;

test(
  'parallel states - one that requires another does not keep the others from starting',
  options,
  async () => {
    const sls = one('a', 'until: c') + one('b', 'require: [{own: a}]') + one('c');
    const { seen, results } = await applied(sls);
    assert.deepEqual(results, [true, true, true]);
    assert.ok(seen.indexOf('-a') < seen.indexOf('+b'), seen.join(' '));
  },
);

test('parallel states - a chain of them waits, and what comes after starts', options, async () => {
  const chain = one('a', 'until: d') + one('b', 'require: [{own: a}]') + one('c', 'require: [{own: b}]');
  const { seen, results } = await applied(chain + one('d'));
  assert.deepEqual(results, [true, true, true, true]);
  assert.ok(
    seen.indexOf('-a') < seen.indexOf('+b') && seen.indexOf('-b') < seen.indexOf('+c'),
    seen.join(' '),
  );
  // also where the last of the chain is written first
  const turned = one('c', 'require: [{own: b}]') + one('b', 'require: [{own: a}]') + one('a', 'until: d');
  assert.deepEqual((await applied(turned + one('d'))).results, [true, true, true, true]);
});

test('parallel states - one whose requisite fails beside the run does not start', options, async () => {
  const sls = one('a', 'until: c', 'fails: true') + one('b', 'require: [{own: a}]') + one('c');
  const { seen } = await applied(sls);
  assert.equal(seen.includes('+b'), false);
});

test('parallel states - one that is not parallel waits for what it requires', options, async () => {
  const last = 'd:\n  own.step:\n    - require: [{own: b}]\n';
  const sls = one('a', 'until: c') + one('b', 'require: [{own: a}]') + one('c') + last;
  const { seen, results } = await applied(sls);
  assert.deepEqual(results, [true, true, true, true]);
  assert.ok(seen.indexOf('-b') < seen.indexOf('+d'), seen.join(' '));
});

test(
  'parallel states - no more than state_max_parallel at a time, and the run goes on meanwhile',
  options,
  async () => {
    const sls =
      one('a', 'until: z') +
      one('b', 'until: y') +
      one('c') +
      one('d') +
      'z:\n  own.step: []\ny:\n  own.step: []\n';
    const { seen, results } = await applied(sls, new Map(), 2);
    assert.deepEqual(results, [true, true, true, true, true, true]);
    let going = 0;
    for (const step of seen.filter((each) => !/[yz]$/.test(each))) {
      going += step.startsWith('+') ? 1 : -1;
      assert.ok(going <= 2, seen.join(' '));
    }
    assert.ok(seen.indexOf('+y') < seen.indexOf('+c'), seen.join(' '));
    // one after the other, and what another state requires is waited for
    const needy = 'y:\n  own.step:\n    - require: [{own: c}]\n';
    const chain = await applied(one('a') + one('c') + needy, new Map(), 1);
    assert.deepEqual(chain.seen, ['+a', '-a', '+c', '-c', '+y', '-y']);
  },
);
