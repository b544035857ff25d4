import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outputOptions } from '../../../../src/plugins/outputters/options.ts';
import { displayOutput, OUTPUTTER_NAMES } from '../../../../src/plugins/outputters/registry.ts';
import type { Value } from '../../../../src/python/values/value.ts';
import { readVectors, revive } from '../../python/values/vectors.ts';

/** Data and options, and by outputter what Salt 3006.16's `salt.output` made of them. */
interface Vector {
  readonly v: unknown;
  readonly opts: Record<string, unknown>;
  readonly kw: { readonly _retcode?: number };
  readonly [outputter: string]: unknown;
}

for (const fixture of ['outputters', 'highstate', 'shaped']) {
  test(`outputters - recorded texts are the same byte for byte: ${fixture}`, async () => {
    for (const vector of readVectors<Vector>(`outputters/${fixture}.json`)) {
      const opts = new Map(
        Object.entries(vector.opts).map(([name, raw]): [Value, Value] => [name, revive(raw)]),
      );
      const options = outputOptions(opts, {
        color: vector.opts['color'] === true,
        retcode: vector.kw._retcode ?? 0,
      });
      for (const [name, expected] of Object.entries(vector)) {
        if (!OUTPUTTER_NAMES.includes(name)) continue;
        assert.equal(await displayOutput(revive(vector.v), name, options), expected, name);
      }
    }
  });
}
