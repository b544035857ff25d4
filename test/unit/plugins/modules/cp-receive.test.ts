import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { receiveFiles } from '../../../../src/plugins/cp/module/receive.ts';
import { dict } from '../../../../src/python/values/value.ts';

test('cp.recv - a file that cannot be written comes with its reason, the others arrive', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-recv-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'file'), '');
  const two = dict({ '/x/..': 'lost', '/x/b': 'kept' });
  assert.deepEqual(
    receiveFiles(two, folder),
    dict({
      [join(folder, '..')]: `[Errno 21] Is a directory: '${join(folder, '..')}'`,
      [join(folder, 'b')]: true,
    }),
  );
  assert.equal(readFileSync(join(folder, 'b'), 'utf8'), 'kept');
  assert.equal(receiveFiles(dict({ '/x/b': '' }), join(folder, 'file/b/c')), 'Destination unavailable');
});
