/**
 * State modules whose programs are missing say so as Salt's do, instead of failing within (3006.16 `__virtual__` of
 * salt/states).
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findProgram } from '../../../../src/host/which.ts';
import { cronModule } from '../../../../src/plugins/cron/module.ts';
import { dict } from '../../../../src/python/values/value.ts';

test('cron - is not there without crontab, and is when a package has brought it', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'crontab-'));
  const path = process.env['PATH'];
  t.after(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true });
  });
  const reason = (): string | undefined => cronModule.unavailable?.({ opts: dict(), grains: dict() });
  if (findProgram('crontab') === undefined)
    assert.equal(reason(), 'Cannot load cron module: crontab command not found');
  writeFileSync(join(folder, 'crontab'), '#!/bin/sh\n');
  chmodSync(join(folder, 'crontab'), 0o755);
  process.env['PATH'] = `${folder}:${path ?? ''}`;
  assert.equal(reason(), undefined);
});
