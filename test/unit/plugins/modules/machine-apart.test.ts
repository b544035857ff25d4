/** A recording whose program was taken away, since whoever started it was ended, writes nothing. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertStillBuilt } from '../../../compare/apart.ts';

test('recordings - nothing is written by a program that is not there any more', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-apart-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'record-machine.mjs');
  writeFileSync(program, '');
  assertStillBuilt(program);
  rmSync(program);
  assert.throws(
    () => assertStillBuilt(program),
    /^Error: Nothing is written: whoever started this was ended/,
  );
});
