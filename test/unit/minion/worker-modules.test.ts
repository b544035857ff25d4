import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ExtensionsHere, findingsVersion, packFindings } from '../../../src/extensions/here.ts';
import { systemClock } from '../../../src/host/clock.ts';
import { createLogger } from '../../../src/host/log.ts';
import { workerModules } from '../../../src/minion/worker-modules.ts';
import { dict } from '../../../src/values/value.ts';

test('own modules in a worker - what the minion knows holds until a file is another', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'bw-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const opts = dict({ extension_modules: root });
  const path = join(root, 'states/note.ts');
  mkdirSync(join(root, 'states'));
  writeFileSync(path, 'never loaded here');
  const known = [{ file: 'note', path, name: 'note' }];
  const own = dict({ states: packFindings({ known, version: findingsVersion(opts, 'states') }) });
  const log = createLogger('t', []);
  const find = workerModules(new ExtensionsHere(), own, { clock: systemClock, log });
  const names = async (): Promise<string[]> =>
    (await find({ opts, grains: dict({}) }, 'states')).map(({ name }) => name);
  assert.deepEqual(await names(), ['note']);
  rmSync(path);
  assert.deepEqual(await names(), []);
});
