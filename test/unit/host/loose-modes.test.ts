import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readMainFile } from '../../../src/config/read-file.ts';
import { warnOfOpenFolders } from '../../../src/programs/daemon/open-folders.ts';
import { closeToOthers, requirePrivate } from '../../../src/host/loose-modes.ts';
import { openSqlite } from '../../../src/storage/jobs/sqlite.ts';
import { dict } from '../../../src/python/values/value.ts';
import { folder, keptLog } from '../../support/attacker.ts';

function made(path: string, mode: number): string {
  writeFileSync(path, 'a: 1\n');
  chmodSync(path, mode);
  return path;
}

test('permissions - a configuration that every user may write is named with its chmod, and its folder', (t) => {
  const { log, lines } = keptLog();
  const place = folder(t);
  readMainFile(made(join(place, 'closed'), 0o644), log);
  assert.deepEqual(
    lines.filter((line) => line.startsWith('warning')),
    [],
  );
  const path = made(join(place, 'open'), 0o666);
  chmodSync(place, 0o777);
  readMainFile(path, log);
  const warnings = lines.filter((line) => line.startsWith('warning')).join('\n');
  assert.match(
    warnings,
    new RegExp(`configuration file ${path} can be changed by every user.*chmod o-w ${path}`),
  );
  assert.match(warnings, new RegExp(`folder of the configuration, ${place} can be`));
});

test('permissions - roots and folders of modules that every user may write are named', (t) => {
  const { log, lines } = keptLog();
  const place = folder(t);
  const named = ['states', 'pillar', 'modules'].map((name) => join(place, name));
  for (const path of named) mkdirSync(path);
  const [states = '', pillar = '', modules = ''] = named;
  chmodSync(pillar, 0o777);
  chmodSync(modules, 0o777);
  const roots = { file_roots: dict({ base: [states] }), pillar_roots: dict({ base: [pillar] }) };
  warnOfOpenFolders(dict({ ...roots, extension_modules: modules, module_dirs: ['/nowhere'] }), log);
  assert.equal(lines.length, 2);
  assert.match(
    lines.join('\n'),
    new RegExp(`pillar root ${pillar} can.*\\n.*extension modules ${modules} can`),
  );
});

test('permissions - a private key that every user can reach is refused, with its chmod', (t) => {
  const place = folder(t);
  const path = made(join(place, 'master.pem'), 0o644);
  requirePrivate(path); // the folder is closed
  chmodSync(place, 0o755);
  assert.throws(
    () => requirePrivate(path),
    /private key .*master\.pem can be read by every user.*chmod 0400/,
  );
  chmodSync(path, 0o400);
  requirePrivate(path);
});

test('permissions - a database is its owner’s alone, with what lies beside it, also one of before', (t) => {
  const path = join(folder(t), 'jobs.db');
  const modes = (): string[] =>
    ['', '-wal', '-shm'].map((end) => (statSync(path + end).mode & 0o777).toString(8));
  for (let again = 0; again < 2; again++) {
    const db = openSqlite(path);
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t (x); INSERT INTO t VALUES (1)');
    assert.deepEqual(modes(), ['600', '600', '600']);
    db.close();
    chmodSync(path, 0o644);
  }
  closeToOthers(path);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});
