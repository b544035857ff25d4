/** What the master keeps of the grains that minions bring with their requests for pillar. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { masterOptions } from '../../../../src/config/master-options.ts';
import { Options } from '../../../../src/config/option.ts';
import type { AesRequest } from '../../../../src/network/channel/door.ts';
import { pillarHandler, type PillarHandlerDeps } from '../../../../src/programs/master/commands/pillar.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import { MinionDataCache } from '../../../../src/storage/cache/minion-data.ts';

function master(t: TestContext): {
  ask: (grains: Dict) => Promise<void>;
  kept: () => unknown;
  said: string[];
} {
  const folder = mkdtempSync(join(tmpdir(), 'brine-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const cache = new MinionDataCache(folder);
  const said: string[] = [];
  const deps = {
    opts: new Options(masterOptions, dict({ grains_max_size: 1, minion_data_cache_events: false })),
    cache,
    keys: { get: () => undefined },
    compile: () => Promise.resolve(dict({ p: 1 })),
    turns: { run: <T>(work: () => Promise<T>) => work() },
    warn: (id: string, text: string) => said.push(`${id}: ${text}`),
  } as unknown as PillarHandlerDeps;
  const handler = pillarHandler(deps);
  return {
    ask: async (grains) => {
      await handler({ id: 'web1', load: dict({ cmd: '_pillar', grains }) } as AesRequest);
    },
    kept: () => (cache.read('web1', 'data')?.get('grains') as Dict | undefined)?.get('os'),
    said,
  };
}

test('grains - what is larger than grains_max_size is not kept, and what was kept stays', async (t) => {
  const { ask, kept, said } = master(t);
  await ask(dict({ os: 'Debian' }));
  assert.equal(kept(), 'Debian');
  await ask(dict({ os: 'x'.repeat(1024 * 1024) }));
  assert.equal(kept(), 'Debian');
  assert.match(
    said[0] ?? '',
    /^web1: Grains and pillar of web1 are not kept, .* grains_max_size allows \(1 MB\)\. Remove/,
  );
  await ask(dict({ os: 'Ubuntu' }));
  assert.equal(kept(), 'Ubuntu');
  assert.equal(said.length, 1);
});
