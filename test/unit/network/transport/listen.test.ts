import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { listen } from '../../../../src/network/transport/listen.ts';
import { folder } from '../../../support/attacker.ts';

test('listen - a socket path that the system would cut is refused, and sock_dir named', async (t) => {
  const path = join(folder(t), 's'.repeat(100));
  await assert.rejects(
    listen({ address: { path } }, () => undefined),
    /set sock_dir to a shorter one/,
  );
});

test('listen - a port in use is named, exit 4; a socket left behind by a dead process is replaced', async (t) => {
  const first = await listen({ address: { host: '127.0.0.1', port: 0 } }, () => undefined);
  t.after(() => first.server.close());
  await assert.rejects(
    listen({ address: first.address }, () => undefined),
    { name: 'ListenError', exitCode: 4 },
  );
  const path = join(folder(t), 'x.ipc');
  const alive = await listen({ address: { path } }, (socket) => socket.destroy());
  await assert.rejects(
    listen({ address: { path } }, () => undefined),
    /another program is using it/,
  );
  await new Promise((resolve) => alive.server.close(resolve));
  const stale = createServer();
  await new Promise<void>((resolve) => stale.listen(path, resolve));
  await new Promise((resolve) => stale.close(resolve));
  const second = await listen({ address: { path } }, () => undefined);
  await new Promise((resolve) => second.server.close(resolve));
});
