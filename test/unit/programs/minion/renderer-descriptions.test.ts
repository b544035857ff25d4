/** Which renderers `sys.list_renderers` tells (salt/modules/sysmod.py, 3006.16). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RENDERERS } from '../../../../src/config/renderer-names.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { rendererDescriptions } from '../../../../src/programs/minion/renderer-descriptions.ts';
import { dict } from '../../../../src/python/values/value.ts';
import type { ModuleDescription } from '../../../../src/runtime/loader/module.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const skip = spawnSync('/usr/bin/python3', ['--version']).status === 0 ? false : 'there is no python3';

// what runs in Python is looked for beside the code that starts it, which is built into this file
const GUEST = fileURLToPath(new URL('python', import.meta.url));
if (!existsSync(GUEST)) symlinkSync(join(ROOT, 'src/runtime/python-host/guest'), GUEST);

/** What is told with these files in the folder of the site's renderers. */
function described(
  t: TestContext,
  files: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, ModuleDescription>> {
  const folder = mkdtempSync(join(tmpdir(), 'brine-renderers-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'renderers'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'renderers', name), text);
  const opts = dict({ extension_modules: folder });
  return rendererDescriptions({ opts, grains: dict(), clock: systemClock, log: silentLogger });
}

test('renderers - all that are built in are told, each with what it does', async (t) => {
  const found = await described(t);
  for (const name of RENDERERS) assert.ok((found.get(name)?.doc ?? '') !== '', name);
});

test(
  'renderers - those of the site are told by the names they give themselves, and not those that are unavailable',
  { skip },
  async (t) => {
    const found = await described(t, {
      'mine.py': 'def render(data, **kwargs):\n    """Mine."""\n    return data\n',
      'file_name.py':
        '__virtualname__ = "named"\n\ndef __virtual__():\n    return __virtualname__\n\ndef render(data, **kwargs):\n    return data\n',
      'away.py':
        'def __virtual__():\n    return False, "no engine"\n\ndef render(data, **kwargs):\n    return data\n',
    });
    assert.equal(found.get('mine')?.doc.trim(), 'Mine.');
    assert.ok(found.has('named'));
    for (const name of ['file_name', 'away']) assert.ok(!found.has(name), name);
  },
);
