/**
 * What templates make of values that are not there: handed to functions, and in filters that are lazy. Recorded from
 * 3006.16.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { dict } from '../../../../src/python/values/value.ts';
import { fakeContext } from '../../../support/module-context.ts';

interface Recorded {
  readonly template: string;
  readonly text?: string;
  readonly error?: string;
}

const RECORDED = JSON.parse(
  readFileSync(join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/jinja/handed-on-and-lazy.json'), 'utf8'),
) as Recorded[];

for (const { template, text, error } of RECORDED)
  test(`jinja - ${template}`, async () => {
    const pillar = dict({ a: { b: 1, c: { d: 2 } } });
    const opts = dict({ id: 'm1', file_client: 'local', pillar_roots: {}, file_roots: {} });
    const grains = dict({ os: 'Debian', os_family: 'Debian' });
    const { functions } = fakeContext({ id: 'm1', opts, grains, pillar });
    const rendered = functions.call(
      'slsutil.renderer',
      [],
      dict({ string: template, default_renderer: 'jinja' }),
    );
    if (error === undefined) assert.equal(await rendered, text);
    else
      await assert.rejects(rendered, (thrown: Error) => {
        assert.equal(thrown.message.split('\n')[0]?.replace(/; line 1$/, ''), error);
        return true;
      });
  });
