import { systemRandom } from '../../../../src/host/random.ts';
import { MODULE_TABLE } from '../../../../src/plugins/registry/module/table.generated.ts';
import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { transform } from 'sucrase';
import { CommandExecutionError } from '../../../../src/errors/errors.ts';
import { fromData, toData, toTyped } from '../../../../src/runtime/extensions/convert.ts';
import { extensionHost } from '../../../../src/network/ipc/contracts/extension-host.ts';
import { describeTried, triedOf } from '../../../../src/runtime/extensions/description.ts';
import { extensionFiles, extensionsVersion } from '../../../../src/runtime/extensions/folder.ts';
import { FileLoader } from '../../../../src/runtime/extensions/load-file.ts';
import { tryModule } from '../../../../src/runtime/extensions/load-modules.ts';
import { syncExtensions } from '../../../../src/runtime/extensions/sync.ts';
import { openFileClient } from '../../../../src/storage/fileclient/open.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { createLogger } from '../../../../src/host/log.ts';
import { ModuleRegistry, type CustomModule } from '../../../../src/runtime/loader/registry.ts';
import { dict, PyFloat, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext } from '../../../support/module-context.ts';
import { openly } from '../../../support/open-call.ts';

const compile = (source: string, path: string): string =>
  transform(source, {
    transforms: path.endsWith('ts') ? ['typescript', 'imports'] : ['imports'],
    disableESTransforms: true,
  }).code;

function folder(t: TestContext, files: Readonly<Record<string, string>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'bx-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return path;
}

/** The modules of a folder, for a registry. */
function customOf(root: string, grains: Dict = dict({ kernel: 'Linux' })): () => Promise<CustomModule[]> {
  return async () => {
    const opts = dict({ extension_modules: root });
    const loader = new FileLoader(compile);
    return extensionFiles(opts, 'modules').flatMap((file): CustomModule[] => {
      const tried = tryModule(loader, file, { opts, grains });
      if ('broken' in tried) return [];
      if ('unavailable' in tried) return [tried];
      return [{ file: tried.file, name: tried.module.name, load: async () => tried.module }];
    });
  };
}

const GREET = `
import { CommandExecutionError, defineFunction, defineModule } from 'brine';
import { loud } from '../utils/voice';
interface Made { text: string }
export default defineModule({
  doc: 'Greets.',
  functions: {
    hello: defineFunction({
      doc: 'Says hello.',
      params: { name: { type: 'str', default: 'world' }, times: { type: 'int', default: 1 } },
      run: async ({ name, times }, ctx): Promise<Made & { os: unknown }> => {
        if (times === 0) throw new CommandExecutionError('not at all');
        return { text: loud(name.repeat(times)), os: ctx.grains['os'] };
      },
    }),
    all: defineFunction({ doc: 'Everything.', varargs: 'words', kwargs: 'more',
      run: ({ words, more }) => ({ words, more }) }),
    echo: defineFunction({ doc: 'Calls.', params: { what: {} }, run: async ({ what }, ctx) => ctx.call('test.echo', [what]) }),
    broken: defineFunction({ doc: 'Fails.', run: () => { throw new RangeError('too far'); } }),
    _hidden: defineFunction({ doc: 'No.', run: () => 1 }),
  },
  aliases: { hi: 'hello' },
});
`;

function greeting(t: TestContext): ReturnType<typeof fakeContext> {
  const root = folder(t, {
    'modules/greet.ts': GREET,
    'utils/voice.ts': 'export const loud = (text: string) => text.toUpperCase();',
  });
  return fakeContext({ grains: dict({ os: 'Debian' }), registry: { custom: customOf(root) } });
}

test('own modules - functions in TypeScript are called with checked arguments and give plain data', async (t) => {
  const { functions } = greeting(t);
  assert.deepEqual(
    await openly(functions.call)('greet.hello', ['bob', 2]),
    dict({ text: 'BOBBOB', os: 'Debian' }),
  );
  assert.deepEqual(await openly(functions.call)('greet.hi', [5]), dict({ text: '5', os: 'Debian' }));
  assert.deepEqual(
    await openly(functions.call)('greet.all', [1, 'b'], dict({ k: [1], __pub_jid: 'x' })),
    dict({ words: [1, 'b'], more: { k: [1] } }),
  );
  assert.equal(await openly(functions.call)('greet.echo', ['text']), 'text');
  assert.equal(await functions.has('greet._hidden'), false);
  await assert.rejects(
    openly(functions.call)('greet.hello', ['x', 'many']),
    /greet\.hello: times must be an int, not 'many'/,
  );
});

test('own modules - errors keep their kind and name the place in the file', async (t) => {
  const { functions } = greeting(t);
  await assert.rejects(openly(functions.call)('greet.hello', ['x', 0]), CommandExecutionError);
  await assert.rejects(openly(functions.call)('greet.broken'), {
    type: 'RangeError',
    message: /^too far \(.*greet\.ts:\d+\)$/,
  });
});

test('own modules - a function hides the built-in one, the others of the module stay', async (t) => {
  const root = folder(t, {
    'modules/mine.js': `import { defineModule } from 'brine';
      export default defineModule({ name: 'test', functions: { ping: { doc: 'Ours.', run: () => 'pong' } } });`,
    'modules/config.js': `module.exports = { functions: { only: { doc: 'Ours.', run: () => 1 } } };`,
    'modules/elsewhere.ts': `import { defineModule } from 'brine';
      export default defineModule({ platforms: ['Windows'], functions: { f: { doc: 'F.', run: () => 1 } } });`,
    'modules/why.mjs': `export default { available: () => 'there is no disk', functions: { f: { doc: 'F.', run: () => 1 } } };`,
  });
  const registry = (opts: DictInit = {}): ModuleRegistry =>
    new ModuleRegistry({ opts: dict(opts), grains: new Map(), table: MODULE_TABLE, custom: customOf(root) });
  const all = registry();
  assert.equal((await all.find('test.ping')).spec?.doc, 'Ours.');
  assert.ok((await all.find('test.echo')).spec);
  assert.ok((await all.find('config.only')).spec, 'a file of the name of a built-in one');
  assert.equal((await all.find('config.get')).spec, undefined, 'stands for it whole');
  assert.equal(
    (await all.find('elsewhere.f')).missing,
    "'elsewhere' __virtual__ returned False: it is for Windows, and this is Linux",
  );
  assert.equal((await all.find('why.f')).missing, "'why' __virtual__ returned False: there is no disk");
  assert.ok((await all.modules()).has('test'));
  assert.equal(
    (await registry({ disable_modules: ['mine'] }).find('test.ping')).spec?.doc === 'Ours.',
    false,
  );
  assert.equal(
    (await registry({ whitelist_modules: ['sys'] }).find('why.f')).missing,
    "'why.f' is not available.",
  );
});

test('own modules - what is wrong with a file is said with the file and the reason', (t) => {
  const faults: Readonly<Record<string, [string, RegExp]>> = {
    'syntax.ts': ['export default {', /SyntaxError: .*\(/],
    'empty.ts': ['', /it has no `functions`/],
    'nodoc.ts': ['export default { functions: { f: { run: () => 1 } } };', /the function f has no `doc`/],
    'norun.ts': ['export default { functions: { f: { doc: "x" } } };', /the function f has no `run`/],
    'type.ts': [
      'export default { functions: { f: { doc: "x", run: () => 1, params: { a: { type: "text" } } } } };',
      /the parameter a has the type "text"; there are str, int/,
    ],
    'alias.ts': [
      'export default { functions: {}, aliases: { a: "b" } };',
      /the alias a names the function b/,
    ],
    'throws.ts': [
      '\nthrow new Error("at once");',
      /throws\.ts cannot be loaded: Error: at once \(.*throws\.ts:2\)/,
    ],
    'import.ts': [
      'import { x } from "./none.ts";\nexport default { functions: { x } };',
      /imports \.\/none\.ts, which does not exist/,
    ],
  };
  const root = folder(
    t,
    Object.fromEntries(Object.entries(faults).map(([name, [text]]) => [`modules/${name}`, text])),
  );
  const loader = new FileLoader(compile);
  const context = { opts: dict({ extension_modules: root }), grains: new Map<Value, Value>() };
  for (const file of extensionFiles(context.opts, 'modules')) {
    const tried = tryModule(loader, file, context);
    const [, expected] = faults[`${file.name}.ts`] ?? [];
    assert.ok(expected !== undefined && 'broken' in tried, file.name);
    assert.match(tried.broken, expected);
  }
});

test('own modules - the folders of module_dirs come before the synced ones, and names must be names', (t) => {
  const root = folder(t, {
    'ext/modules/a.ts': '',
    'ext/modules/b.js': '',
    'ext/modules/types.d.ts': '',
    'ext/modules/bad-name.ts': '',
    'ext/modules/p.py': '',
    'dir/_modules/a.js': '',
    'dir2/modules/c.cjs': '',
  });
  const opts = dict({
    extension_modules: join(root, 'ext'),
    module_dirs: [join(root, 'dir'), join(root, 'dir2')],
  });
  assert.deepEqual(
    extensionFiles(opts, 'modules').map(({ path }) => path.slice(root.length + 1)),
    ['dir/_modules/a.js', 'ext/modules/b.js', 'dir2/modules/c.cjs'],
  );
  const version = extensionsVersion(opts, ['modules']);
  utimesSync(join(root, 'ext/modules/b.js'), 1, 1);
  assert.notEqual(extensionsVersion(opts, ['modules']), version);
  assert.equal(extensionsVersion(dict({ extension_modules: '/none' }), ['modules', 'grains']), '');
});

test('own modules - values cross as plain data and back', () => {
  const value: Value = new Map<Value, Value>([
    ['a', [1, null, true, 'x', new PyFloat(8)]],
    ['m', new Map<Value, Value>([[1, 'one']])],
  ]);
  assert.deepEqual(toData(value), { a: [1, null, true, 'x', 8], m: new Map([[1, 'one']]) });
  assert.deepEqual(
    fromData({ a: [undefined, 1n], skip: undefined, s: new Set([1]), d: new Date(0) }),
    dict({ a: [null, 1n], s: [1], d: '1970-01-01T00:00:00.000Z' }),
  );
  const endless: unknown[] = [];
  endless.push(endless);
  for (const bad of [() => 1, Symbol('x'), new (class Own {})(), endless])
    assert.throws(() => fromData(bad), TypeError);
  assert.equal(Object.getPrototypeOf(toData(new Map([['__proto__', 1]]))), Map.prototype);
  assert.equal(toTyped('12', 'int', 'f: a'), 12);
  assert.equal(toTyped(1.5, 'str', 'f: a'), '1.5');
  assert.equal(toTyped(null, 'int', 'f: a'), null);
  for (const [given, type] of [
    ['x', 'int'],
    [1, 'bool'],
    ['a', 'list'],
    [[], 'dict'],
    ['x', 'float'],
    [[], 'str'],
  ] as const)
    assert.throws(() => toTyped(given as Value, type, 'f: a'), /^SaltInvocationError: f: a must be/);
});

test('own modules - a description crosses to another process', async (t) => {
  const root = folder(t, { 'modules/greet.ts': GREET, 'utils/voice.ts': 'export const loud = String;' });
  const opts = dict({ extension_modules: root });
  const [file] = extensionFiles(opts, 'modules');
  assert.ok(file);
  const tried = tryModule(new FileLoader(compile), file, { opts, grains: new Map() });
  const { tryModule: message } = extensionHost.messages;
  const described = message.answers.read(Buffer.concat(message.answers.pack(describeTried(tried))));
  assert.ok(described.kind !== 'needs grains');
  const read = triedOf(described, (fun) => () => fun);
  assert.ok('module' in read && 'module' in tried);
  const { hello, all } = read.module.functions;
  assert.deepEqual(Object.keys(read.module.functions), Object.keys(tried.module.functions));
  assert.deepEqual(hello?.params, tried.module.functions['hello']?.params);
  assert.equal(all?.kwargs, 'more');
  assert.equal(hello?.isolation, 'process');
  assert.equal(await hello?.run(fakeContext(), {}, [], new Map()), 'greet.hello');
});

test('sync - sources are copied, changed ones again, those that are gone removed; Python comes along and is said once', async (t) => {
  const root = folder(t, {
    'roots/_thorium/a.ts': 'one',
    'roots/_thorium/sub/b.js': 'b',
    'roots/_thorium/old.py': 'x',
    'roots/_thorium/types.d.ts': '',
    'dev/_thorium/c.ts': 'c',
    'ext/thorium/gone.ts': '',
    'ext/thorium/deep/gone.ts': '',
  });
  const logged: string[] = [];
  const log = createLogger('t', [{ level: 0, write: ({ message }) => logged.push(message) }]);
  const opts = dict({
    file_client: 'local',
    cachedir: join(root, 'cache'),
    extension_modules: join(root, 'ext'),
    fileserver_list_cache_time: 0,
    file_roots: { base: [join(root, 'roots')], dev: [join(root, 'dev')] },
  });
  const request = (): Promise<Value> => Promise.reject(new Error('not asked'));
  const sync = async (
    environments = ['base'],
    lists: { whitelist?: Value; blacklist?: Value } = {},
  ): Promise<string[]> => {
    const client = openFileClient({
      opts,
      services: { request },
      clock: systemClock,
      random: systemRandom,
      log,
    });
    const job = {
      client,
      opts,
      kind: 'thorium',
      environments,
      whitelist: null,
      blacklist: null,
      log,
      ...lists,
    };
    return (await syncExtensions(job)).changed.sort();
  };
  assert.deepEqual(await sync(), ['thorium.a', 'thorium.old', 'thorium.sub.b']);
  assert.deepEqual(readdirSync(join(root, 'ext/thorium')).sort(), ['a.ts', 'old.py', 'sub']);
  assert.equal(logged.filter((text) => text.includes('old.py')).length, 1);
  assert.deepEqual(await sync(), []);
  writeFileSync(join(root, 'roots/_thorium/a.ts'), 'two!');
  assert.deepEqual(await sync(['base', 'dev']), ['thorium.a', 'thorium.c']);
  assert.equal(readFileSync(join(root, 'ext/thorium/a.ts'), 'utf8'), 'two!');
  assert.deepEqual(await sync(['base', 'dev'], { whitelist: dict({ thorium: ['c'] }) }), []);
  assert.deepEqual(readdirSync(join(root, 'ext/thorium')), ['c.ts']);
  assert.deepEqual(await sync(['base', 'dev'], { blacklist: 'c,a' }), ['thorium.old', 'thorium.sub.b']);
  assert.equal(logged.filter((text) => text.includes('old.py')).length, 2, 'said each time that it is new');
  const whole = { blacklist: 'c,a', isWhole: true };
  assert.deepEqual(await sync(['base', 'dev'], whole), []);
  assert.match(logged.at(-1) ?? '', /^thorium\.old is here and is not loaded: .*old\.py/);
});
