import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { dict } from '../../../../src/python/values/value.ts';
import { callState } from '../../../support/state-context.ts';

test('grains.list_present - a grain without a value becomes a list', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-grains-list-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const empty of [null, '']) {
    const grains = dict({ roles: empty });
    const opts = dict({ id: 'm', hash_type: 'sha256', conf_file: join(folder, 'minion'), cachedir: folder });
    const done = await callState('grains.list_present', dict({ name: 'roles', value: 'web' }), {
      opts,
      grains,
    });
    assert.equal(done.get('result'), true, String(done.get('comment')));
    assert.deepEqual(grains.get('roles'), ['web']);
    const again = await callState('grains.list_present', dict({ name: 'roles', value: 'web' }), {
      opts,
      grains,
    });
    assert.deepEqual([again.get('result'), again.get('changes')], [true, dict()]);
  }
});
