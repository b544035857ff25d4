import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync, chmodSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { MODULE_TABLE } from '../../../../src/plugins/registry/module/table.generated.ts';
import type { ModuleEntry } from '../../../../src/runtime/loader/module-entry.ts';
import { defineFunction, defineModule } from '../../../../src/runtime/loader/module.ts';
import { ModuleRegistry } from '../../../../src/runtime/loader/registry.ts';
import {
  returnerNames,
  returnerRegistry,
  runReturners,
} from '../../../../src/plugins/registry/returner/run.ts';
import { OpenStores } from '../../../../src/plugins/shared/returner/open-stores.ts';
import { returnerTable } from '../../../../src/plugins/registry/returner/returners.ts';
import { dict, type Dict, type DictInit } from '../../../../src/python/values/value.ts';
import { decode } from '../../../../src/formats/wire/msgpack.ts';
import { fakeClock, fakeContext, type FakeContext } from '../../../support/module-context.ts';

const JID = '20261121000000000001';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'br-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function aReturn(more: DictInit = {}): Dict {
  return dict({
    success: true,
    return: 'grün',
    retcode: 0,
    jid: JID,
    fun: 'test.echo',
    fun_args: ['x'],
    id: 'm1',
    ...more,
  });
}

async function run(names: string[], ret: Dict, opts: DictInit): Promise<FakeContext> {
  const ctx = fakeContext({ opts: dict({ id: 'm1', hash_type: 'sha256', ...opts }) });
  const stores = new OpenStores({ clock: ctx.clock });
  await runReturners(returnerRegistry({ opts: ctx.opts, grains: ctx.grains }, stores), names, ret, ctx);
  await stores.close();
  return ctx;
}

function logged(ctx: FakeContext): string[] {
  return ctx.logged.map(({ level, message }) => `${level}: ${message}`);
}

test('returners - names come from texts and lists, each once', () => {
  assert.deepEqual(returnerNames('a,b', ['b', 'c, d'], '', null, undefined), ['a', 'b', 'c', 'd']);
  assert.deepEqual(returnerNames('', null), []);
});

test('returners - rawfile_json adds a line for each return, in the order of its fields; a new file is private', async (t) => {
  const path = join(folder(t), 'events');
  await run(['rawfile_json'], aReturn(), { 'rawfile_json.filename': path });
  await run(['rawfile_json'], aReturn({ return: { a: [1, 2.5, null] } }), {
    rawfile_json: { filename: path },
  });
  assert.equal(
    readFileSync(path, 'utf8'),
    `{"success": true, "return": "grün", "retcode": 0, "jid": "${JID}", "fun": "test.echo", "fun_args": ["x"], "id": "m1"}\n` +
      `{"success": true, "return": {"a": [1, 2.5, null]}, "retcode": 0, "jid": "${JID}", "fun": "test.echo", "fun_args": ["x"], "id": "m1"}\n`,
  );
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('returners - ret_config chooses other options, ret_kwargs come before all', async (t) => {
  const at = (name: string): string => join(path, name);
  const path = folder(t);
  const opts = {
    'rawfile_json.filename': at('usual'),
    'other.rawfile_json.filename': at('other'),
    'nested.rawfile_json': { filename: at('nested') },
  };
  await run(['rawfile_json'], aReturn({ ret_config: 'other' }), opts);
  await run(['rawfile_json'], aReturn({ ret_config: 'nested' }), opts);
  await run(['rawfile_json'], aReturn({ ret_config: 'unknown' }), opts);
  await run(['rawfile_json'], aReturn({ ret_config: 'other', ret_kwargs: { filename: at('kwargs') } }), opts);
  assert.deepEqual(readdirSync(path).sort(), ['kwargs', 'nested', 'other', 'usual']);
});

test('returners - one that is missing, throws, or is disabled is a line in the log, and the others get the return', async (t) => {
  const path = join(folder(t), 'events');
  const opts = { 'rawfile_json.filename': path, disable_returners: ['local_cache'], cachedir: folder(t) };
  const ctx = await run(['nowhere', 'local_cache', 'rawfile_json'], aReturn(), opts);
  assert.deepEqual(logged(ctx), [
    "error: Returner nowhere.returner could not be loaded: 'nowhere.returner' is not available. Nothing is written there.",
    "error: Returner local_cache.returner could not be loaded: 'local_cache.returner' is not available. Nothing is written there.",
  ]);
  assert.equal(readFileSync(path, 'utf8').split('\n').length, 2);
  const failing = await run(['rawfile_json'], aReturn(), { 'rawfile_json.filename': '/nowhere/at/all' });
  assert.deepEqual(
    logged(failing).map((line) => line.replace(/ENOENT.*/, 'ENOENT')),
    [
      'error: Could not write to rawdata_json file /nowhere/at/all',
      `error: The return failed for job ${JID}: rawfile_json: ENOENT`,
    ],
  );
});

test('returners - one that changes what it gets changes it for nobody else', async () => {
  const seen: unknown[] = [];
  const entry = (name: string): ModuleEntry => ({
    name,
    file: name,
    load: async () =>
      defineModule({
        name,
        file: name,
        doc: '',
        functions: {
          returner: defineFunction({
            doc: '',
            params: { ret: {} },
            returns: '',
            run: (_ctx, { ret }) => {
              seen.push((ret as Dict).get('return'));
              (ret as Dict).set('return', 'spoilt');
              return null;
            },
          }),
        },
      }),
  });
  const ctx = fakeContext({});
  const registry = new ModuleRegistry({
    opts: ctx.opts,
    grains: ctx.grains,
    table: [entry('a'), entry('b')],
  });
  const ret = aReturn();
  await runReturners(registry, ['a', 'b'], ret, ctx);
  assert.deepEqual([seen, ret.get('return')], [['grün', 'grün'], 'grün']);
});

test('returners - local_cache has the layout of the job cache, keeps the first return, and cannot be led elsewhere', async (t) => {
  const cachedir = folder(t);
  await run(['local_cache'], aReturn({ out: 'nested' }), { cachedir });
  const again = await run(['local_cache'], aReturn({ return: 'second' }), { cachedir });
  assert.match(logged(again)[0] ?? '', /An extra return was detected from minion m1/);
  const hash = createHash('sha256').update(JID).digest('hex');
  const place = join(cachedir, 'jobs', hash.slice(0, 2), hash.slice(2));
  assert.equal(readFileSync(join(place, 'jid'), 'utf8'), JID);
  const kept = decode(readFileSync(join(place, 'm1', 'return.p')), 'local');
  assert.deepEqual(kept, dict({ success: true, return: 'grün', retcode: 0 }));
  assert.equal(decode(readFileSync(join(place, 'm1', 'out.p')), 'local'), 'nested');
  for (const more of [{ id: '../../m1' }, { jid: '../x' }]) {
    const ctx = await run(['local_cache'], aReturn(more), { cachedir });
    assert.match(logged(ctx)[0] ?? '', /The return failed for job/);
  }
  assert.deepEqual(readdirSync(cachedir), ['jobs']);
});

test('returners - syslog hands JSON to the log with level, facility and tag; bad options are told', async (t) => {
  const bin = folder(t);
  const told = join(bin, 'told');
  writeFileSync(join(bin, 'logger'), `#!/bin/sh\necho "$@" >> ${told}\ncat >> ${told}\n`);
  chmodSync(join(bin, 'logger'), 0o755);
  const path = process.env['PATH'];
  process.env['PATH'] = `${bin}:${path}`;
  t.after(() => (process.env['PATH'] = path));
  const opts = { syslog: { level: 'LOG_ERR', facility: 'LOG_DAEMON', tag: 'mine' } };
  await run(['syslog'], aReturn({ ret_kwargs: { level: 'LOG_DEBUG' } }), opts);
  const [words = '', json = ''] = readFileSync(told, 'utf8').split('\n');
  assert.match(words, /--priority daemon\.debug --tag=mine --size=\d+/);
  assert.equal((JSON.parse(json) as { return: string }).return, 'grün');
  const faults: readonly (readonly [DictInit, string])[] = [
    [{ level: 'LOUD' }, 'syslog has no attribute LOUD'],
    [{ options: ['LOG_NONSENSE'] }, 'syslog has no attribute LOG_NONSENSE'],
    [{ tag: 'x'.repeat(33) }, 'tag size is limited to 32 characters'],
  ];
  for (const [bad, message] of faults) {
    const ctx = await run(['syslog'], aReturn(), { syslog: bad });
    assert.deepEqual(logged(ctx), [`error: ${message}`]);
  }
  assert.equal(readFileSync(told, 'utf8').split('\n').length, 3);
});

test('returners - every one has the name of its entry, and none the name of two', async () => {
  const table = returnerTable(new OpenStores({ clock: fakeClock() }));
  for (const entry of table) {
    const module = await entry.load();
    assert.deepEqual([module.name, module.file], [entry.name, entry.file]);
    assert.ok(Object.hasOwn(module.functions, 'returner'));
  }
  assert.equal(new Set(table.map(({ name }) => name)).size, table.length);
  assert.ok(!MODULE_TABLE.some(({ file }) => file === 'rawfile_json'));
});
