import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGrainsContext } from '../../../../src/plugins/grains/core/context.ts';
import {
  distributionGrains,
  osReleaseGrains,
} from '../../../../src/plugins/grains/core/core/distribution.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import type { Value } from '../../../../src/python/values/value.ts';
import { fakeHost } from './fake-host.ts';
import { readVectors, toPlain } from './vectors.ts';

type Samples = Record<string, { files: Record<string, string>; grains: Record<string, unknown> }>;

test('grains - recorded distributions get the grains that Salt gives them', async () => {
  const samples = Object.entries(readVectors<Samples>('distributions.json'));
  assert.ok(samples.length > 200);
  const got: Record<string, unknown> = {};
  for (const [name, { files }] of samples) {
    const ctx = createGrainsContext(fakeHost({ files }), new Map(), silentLogger, systemClock);
    const grains = await distributionGrains(ctx);
    const release = grains.get('osrelease') ?? '';
    const all = new Map<Value, Value>(grains);
    if (release !== '') {
      const more = osReleaseGrains(grains.get('os') ?? '', grains.get('osfullname') ?? '', release);
      for (const [key, value] of more) all.set(key, value);
    }
    got[name] = toPlain(all);
  }
  assert.deepEqual(got, Object.fromEntries(samples.map(([name, { grains }]) => [name, grains])));
});

test('grains - a machine without any release file is still described', async () => {
  const ctx = createGrainsContext(fakeHost({}), new Map(), silentLogger, systemClock);
  const grains = await distributionGrains(ctx);
  assert.equal(grains.get('osfullname'), '');
  assert.equal(grains.get('osrelease'), '');
});
