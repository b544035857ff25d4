import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { dict } from '../../../../src/python/values/value.ts';
import { callState } from '../../../support/state-context.ts';

test('file.keyvalue - a value, a key or a separator with a line end adds no line of its own', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-keyvalue-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const name = join(folder, 'sshd_config');
  const text = 'PermitRootLogin no\n';
  for (const [more, said] of [
    [{ key: 'PermitRootLogin', value: 'no\nPermitEmptyPasswords yes' }, /value of PermitRootLogin cannot/],
    [{ key_values: dict({ 'A\nB': 'c' }) }, /A key cannot have a line end/],
    [{ key_values: dict({ A: ['b\rc'] }), separator: '\n' }, /separator cannot have a line end/],
  ] as const) {
    writeFileSync(name, text);
    const args = dict({ name, separator: ' ', append_if_not_found: true, ...more });
    await assert.rejects(async () => callState('file.keyvalue', args), said);
    assert.equal(readFileSync(name, 'utf8'), text);
  }
});
