/**
 * What an external pillar may give: a source that gives too much, or something too deep, is refused with a sentence.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { createLogger } from '../../../../src/host/log.ts';
import { cmdJson, cmdYaml } from '../../../../src/runtime/pillar/ext/command.ts';
import type { ExtPillarContext } from '../../../../src/runtime/pillar/ext/ext-pillar.ts';
import { fileTree } from '../../../../src/runtime/pillar/ext/file-tree.ts';
import { httpJson } from '../../../../src/runtime/pillar/ext/http-json.ts';
import type { RenderPipe } from '../../../../src/runtime/renderers/pipe.ts';
import { dict } from '../../../../src/python/values/value.ts';

const MIB = 1024 * 1024;
const said: string[] = [];
const context: ExtPillarContext = {
  minionId: 'm1',
  grains: new Map(),
  pillar: new Map(),
  opts: new Map(),
  log: createLogger('t', [{ level: 30, write: ({ message }) => void said.push(message) }]),
  errors: [],
};

test('external pillar - a command that prints too much is refused, not cut', async () => {
  const run = async () => cmdJson(systemClock)(`head -c ${17 * MIB} /dev/zero`, context);
  await assert.rejects(run(), /'head -c 17825792 \/dev\/zero' gives more than 16 MiB/);
});

test('external pillar - what is nested too deep is refused with a sentence, and the master goes on', async () => {
  for (const [make, said_] of [
    [cmdJson, /JSON data from .* failed to parse .*Too many levels of nesting/],
    [cmdYaml, /YAML data from .* failed to parse .*nesting is deeper than 1000 levels/],
  ] as const) {
    said.length = 0;
    assert.deepEqual(await make(systemClock)(`head -c 100000 /dev/zero | tr '\\0' '['`, context), new Map());
    assert.match(said.join('\n'), said_);
  }
});

test('external pillar - a web service that does not end is left', async (t) => {
  let sentBytes = 0;
  const server = createServer((_, response) => {
    const more = (): void => {
      while (!response.destroyed && sentBytes < 200 * MIB) {
        sentBytes += MIB;
        if (!response.write(Buffer.alloc(MIB, 0x20))) {
          response.once('drain', more);
          return;
        }
      }
    };
    more();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const run = async () => httpJson()(`http://127.0.0.1:${port}/`, context);
  await assert.rejects(run(), /127\.0\.0\.1:\d+\/ gives more than 16 MiB/);
  assert.ok(sentBytes < 100 * MIB, `${sentBytes} bytes were taken`);
});

test('external pillar - a tree of files is measured before it is read', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'brine-tree-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'hosts', 'm1'), { recursive: true });
  writeFileSync(join(root, 'hosts', 'm1', 'a'), 'x');
  const tree = async () => fileTree({} as RenderPipe)(root, context);
  assert.deepEqual(await tree(), dict({ a: 'x' }));
  // without a byte on the disk
  writeFileSync(join(root, 'hosts', 'm1', 'big'), '');
  truncateSync(join(root, 'hosts', 'm1', 'big'), 1024 ** 4);
  await assert.rejects(tree(), /file_tree, with .*\/big, gives more than 16 MiB/);
});
