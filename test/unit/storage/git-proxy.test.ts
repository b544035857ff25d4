/** `gitfs_proxy`, `git_pillar_proxy`, and the proxy of a single remote. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../../src/host/clock.ts';
import { dict } from '../../../src/python/values/value.ts';
import { RemoteOptions } from '../../../src/storage/git/remote-options.ts';
import { runGit } from '../../../src/storage/git/run-git.ts';

const ADDRESS = 'http://repository.invalid/x.git';

test('git remotes - a proxy of the configuration is asked, that of the remote before that of all', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-git-proxy-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  t.after(() => proxy.close());
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  const own = `http://127.0.0.1:${port}`;
  for (const [role, entry, opts] of [
    ['gitfs', ADDRESS, dict({ gitfs_proxy: own })],
    ['git_pillar', ADDRESS, dict({ git_pillar_proxy: own })],
    ['gitfs', dict({ [ADDRESS]: [dict({ proxy: own })] }), dict({ gitfs_proxy: 'http://127.0.0.1:9' })],
  ] as const) {
    asked.splice(0);
    const access = new RemoteOptions(entry, role, { opts, known: [] }).access(ADDRESS);
    await assert.rejects(
      runGit(['ls-remote', '--', ADDRESS], { clock: systemClock, folder, access }),
      /repository '.*' not found/,
    );
    assert.deepEqual(asked, [`${ADDRESS}/info/refs?service=git-upload-pack`], role);
  }
});
