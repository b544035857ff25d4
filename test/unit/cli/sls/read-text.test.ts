/** Why a file that is named on the command line of `brine-sls` has no text. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readText, whyUnread } from '../../../../src/cli/sls/read-text.ts';

test('brine-sls - a file of grains or pillar that cannot be read has a reason', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-sls-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [binary, large] = [join(folder, 'binary'), join(folder, 'large')];
  writeFileSync(binary, Buffer.from([0xff, 0xfe, 0x80]));
  writeFileSync(large, '');
  truncateSync(large, 17 * 1024 * 1024);
  for (const [path, why] of [
    [join(folder, 'nosuch.json'), 'there is no such file'],
    [join(binary, 'below'), 'there is no such file'],
    [folder, 'it is a folder'],
    ['/dev/null', 'it is no regular file'],
    [binary, 'it is no text in UTF-8'],
    [large, 'it is larger than 16 MiB'],
  ] as const) {
    assert.equal(readText(path), undefined, path);
    assert.equal(whyUnread(path), why, path);
  }
});
