import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandExecutionError } from '../../../../src/errors/errors.ts';
import { MODULE_TABLE } from '../../../../src/plugins/registry/module/table.generated.ts';
import type { ModuleEntry } from '../../../../src/runtime/loader/module-entry.ts';
import { defineFunction, defineModule, type ModuleSpec } from '../../../../src/runtime/loader/module.ts';
import {
  ModuleRegistry,
  UnavailableModule,
  type CustomModule,
} from '../../../../src/runtime/loader/registry.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { fakeContext } from '../../../support/module-context.ts';
import { openly } from '../../../support/open-call.ts';

function moduleOf(name: string, file: string, extra: Partial<ModuleSpec> = {}): ModuleSpec {
  const where = defineFunction({ doc: 'Tells the file.', returns: 'text', run: () => file });
  return defineModule({ name, file, doc: 'A module.', functions: { where }, ...extra });
}

function entryOf(module: ModuleSpec, onLoad: () => void = () => undefined): ModuleEntry {
  const load = (): Promise<ModuleSpec> => {
    onLoad();
    return Promise.resolve(module);
  };
  return { name: module.name, file: module.file, load };
}

const TABLE = [
  entryOf(moduleOf('pkg', 'aptpkg')),
  entryOf(moduleOf('pkg', 'yumpkg')),
  entryOf(moduleOf('cmd', 'cmdmod')),
  entryOf(
    moduleOf('at', 'at', { unavailable: () => 'The at module could not be loaded: at command not found' }),
  ),
  entryOf(moduleOf('acl', 'linux_acl', { unavailable: () => 'The getfacl binary is not in the path' })),
];

function registry(opts = dict(), table: readonly ModuleEntry[] = TABLE): ModuleRegistry {
  return new ModuleRegistry({ opts, grains: new Map(), table });
}

test('registry - a file is imported on first use, and once', async () => {
  let loads = 0;
  const lazy = registry(dict(), [entryOf(moduleOf('a', 'a'), () => (loads += 1))]);
  assert.equal(loads, 0);
  await Promise.all([lazy.find('a.where'), lazy.find('a.where'), lazy.find('b.where')]);
  assert.equal(loads, 1);
});

test('registry - of a function that the table sends to a process the file is not imported', async () => {
  let loads = 0;
  const entry = { ...entryOf(moduleOf('a', 'a'), () => (loads += 1)), isolated: ['elsewhere'] };
  const lazy = registry(dict(), [entry]);
  assert.equal(await lazy.isIsolated('a.elsewhere'), true);
  assert.equal(await lazy.missing('a.elsewhere'), undefined);
  assert.equal(loads, 0);
  assert.equal(await lazy.isIsolated('a.where'), false);
  assert.equal(await lazy.isIsolated('b.elsewhere'), false);
  assert.equal(await lazy.missing('a.nope'), "'a.nope' is not available.");
  assert.equal(loads, 1);
  const disabled = registry(dict({ disable_modules: ['a'] }), [entry]);
  assert.equal(await disabled.isIsolated('a.elsewhere'), false);
  assert.equal(await disabled.missing('a.elsewhere'), "'a.elsewhere' is not available.");
});

test('registry - the table says of each module which functions run in a process, or of none', async () => {
  for (const { name, isolated, load } of MODULE_TABLE) {
    const { functions } = await load();
    const own = Object.keys(functions).filter((fun) => functions[fun]?.isolation === 'process');
    assert.deepEqual([...(isolated ?? [])].sort(), own.sort(), name);
  }
});

test('registry - missing functions are told in the words of Salt', async () => {
  const sentences: Record<string, string> = {
    'nope.x': "'nope.x' is not available.",
    'cmd.x': "'cmd.x' is not available.",
    'cmd.toString': "'cmd.toString' is not available.",
    'constructor.x': "'constructor.x' is not available.",
    cmd: "'cmd' is not available.",
    'at.x': "'at' __virtual__ returned False: The at module could not be loaded: at command not found",
    // of a file that has another name than its module, Salt does not know the reason
    'acl.x': "'acl.x' is not available.",
  };
  for (const [fun, sentence] of Object.entries(sentences)) {
    assert.equal((await registry().find(fun)).missing, sentence);
  }
});

test('registry - the first available file has the virtual name', async () => {
  assert.equal((await registry().module('pkg'))?.file, 'aptpkg');
  assert.equal((await registry(dict({ providers: { pkg: 'yumpkg' } })).module('pkg'))?.file, 'yumpkg');
  assert.equal((await registry(dict({ disable_modules: ['aptpkg'] })).module('pkg'))?.file, 'yumpkg');
});

test('registry - a file that cannot be imported makes its module unavailable, and the reason is told', async () => {
  const broken = { name: 'b', file: 'b', load: () => Promise.reject(new Error('no such library')) };
  const { missing } = await registry(dict(), [broken]).find('b.c');
  assert.equal(missing, "'b.c' is not available: no such library");
  // by the name of the file it would be one for another machine
  const { missing: other } = await registry(dict(), [{ ...broken, file: 'bmod' }]).find('b.c');
  assert.equal(other, "'b.c' is not available: no such library");
});

test('registry - disable_modules goes by the name of the file', async () => {
  const disabled = registry(dict({ disable_modules: ['cmdmod', 'pkg'] }));
  assert.deepEqual([...(await disabled.modules()).keys()], ['pkg']);
  assert.equal((await disabled.find('cmd.where')).missing, "'cmd.where' is not available.");
});

test('registry - whitelist_modules leaves everything else out', async () => {
  assert.deepEqual([...(await registry(dict({ whitelist_modules: ['cmd'] })).modules()).keys()], ['cmd']);
  assert.deepEqual([...(await registry(dict({ whitelist_modules: ['cmdmod'] })).modules()).keys()], ['cmd']);
});

test('registry - files that are not in use are listed', async () => {
  assert.deepEqual(await registry(dict({ disable_modules: ['cmdmod'] })).notLoaded(), [
    'at',
    'cmdmod',
    'linux_acl',
    'yumpkg',
  ]);
});

test('registry - modules call each other by full name', async () => {
  const ctx = fakeContext({ registry: { table: TABLE } });
  assert.equal(await openly(ctx.functions.call)('cmd.where'), 'cmdmod');
  assert.equal(await ctx.functions.has('cmd.where'), true);
  assert.equal(await ctx.functions.has('at.where'), false);
  await assert.rejects(
    openly(ctx.functions.call)('no.such'),
    new CommandExecutionError("'no.such' is not available."),
  );
});

test('registry - every function of every module is described', async () => {
  for (const entry of MODULE_TABLE) {
    const module = await entry.load();
    assert.deepEqual([module.name, module.file], [entry.name, entry.file]);
    assert.match(module.doc, /\.$/, `${entry.name} has no documentation`);
    for (const [name, spec] of Object.entries(module.functions)) {
      const fun = `${module.name}.${name}`;
      assert.match(name, /^[A-Za-z][A-Za-z0-9_]*$/, fun);
      assert.match(spec.doc, /^[A-Z].*\.$/s, `${fun}: doc is one or more sentences`);
      assert.ok(spec.returns.length > 0, `${fun}: returns is empty`);
      checkParams(fun, spec.params ?? {}, [spec.varargs, spec.kwargs]);
    }
  }
});

function checkParams(
  fun: string,
  params: NonNullable<ModuleSpec['functions'][string]['params']>,
  others: (string | undefined)[],
): void {
  let optional = false;
  for (const [name, param] of Object.entries(params)) {
    assert.match(name, /^[a-z_][a-z0-9_]*$/i, `${fun}: ${name}`);
    assert.ok(!others.includes(name), `${fun}: ${name} twice`);
    assert.ok(param.type !== undefined || param.doc !== undefined, `${fun}: ${name} is not described`);
    if (param.keywordOnly) continue;
    assert.ok(!(optional && param.default === undefined), `${fun}: ${name} is required after optional ones`);
    optional ||= param.default !== undefined;
  }
}

test('registry - a module of the user that cannot be loaded says why, and leaves a built-in one in its place', async () => {
  const registry = new ModuleRegistry({
    opts: new Map(),
    grains: new Map(),
    table: [entryOf(moduleOf('kept', 'kept'))],
    custom: () =>
      Promise.resolve([
        { file: 'bad', name: 'bad', broken: '/m/bad.js cannot be loaded: Error: at load' },
        { file: 'kept', name: 'kept', broken: '/m/kept.js cannot be loaded: Error: at load' },
      ]),
  });
  const { missing } = await registry.find('bad.f');
  assert.equal(missing, "'bad.f' is not available: /m/bad.js cannot be loaded: Error: at load");
  assert.notEqual(await registry.module('kept'), undefined);
});

test('registry - an installed Salt is asked last, by name, and once', async () => {
  const asked: string[] = [];
  const custom = (module: ModuleSpec) => ({
    file: module.file,
    name: module.name,
    load: () => Promise.resolve(module),
  });
  const refuse = (error: Error) => ({ file: 'f', name: 'f', load: () => Promise.reject(error) });
  const found: Record<string, CustomModule[]> = {
    xml: [custom(moduleOf('other', 'xml')), custom(moduleOf('xml', 'xml2'))],
    cmd: [
      custom({
        ...moduleOf('cmd', 'cmdmod'),
        functions: { further: moduleOf('x', 'of Salt').functions['where']! },
      }),
    ],
    dig: [refuse(new UnavailableModule('no dig'))],
    bad: [refuse(new CommandExecutionError('bad.py cannot be loaded'))],
    none: [{ file: 'none', name: 'none', broken: 'there is no Salt' }],
  };
  const modules = new ModuleRegistry({
    ...{ opts: dict(), grains: new Map(), table: TABLE },
    installed: (name) => {
      asked.push(name);
      return Promise.resolve(found[name] ?? []);
    },
  });
  const say = async (fun: string) => {
    const { spec, missing } = await modules.find(fun);
    return spec === undefined ? missing : String(await spec.run(fakeContext(), {}, [], new Map()));
  };
  assert.equal(await say('pkg.where'), 'aptpkg');
  assert.deepEqual(asked, []);
  assert.equal(await say('xml.where'), 'xml2');
  assert.equal(await say('xml.where'), 'xml2');
  assert.equal(await say('cmd.where'), 'cmdmod');
  assert.equal(await say('cmd.further'), 'of Salt');
  assert.deepEqual(asked, ['xml', 'cmd']);
  assert.equal(await say('dig.where'), "'dig' __virtual__ returned False: no dig");
  assert.equal(await say('bad.where'), "'bad.where' is not available: bad.py cannot be loaded");
  assert.equal(await say('none.where'), "'none.where' is not available: there is no Salt");
  assert.equal(await say('nope.where'), "'nope.where' is not available.");
});

test("registry - a site's module that is not for this machine leaves its name to an installed Salt's", async () => {
  const modules = new ModuleRegistry({
    ...{ opts: dict(), grains: new Map(), table: TABLE },
    custom: () => Promise.resolve([{ file: 'drbdmod', name: 'drbd', unavailable: 'no drbdadm' }]),
    installed: (name) =>
      Promise.resolve(
        name === 'drbd'
          ? [{ file: 'drbd', name, load: () => Promise.resolve(moduleOf('drbd', 'of Salt')) }]
          : [],
      ),
  });
  assert.equal((await modules.find('drbd.where')).missing, undefined);
  assert.equal((await modules.module('drbd'))?.name, 'drbd');
});

test('registry - of custom files in Python only those are loaded that Salt would look at', async () => {
  const asked: (string | undefined)[] = [];
  const files = { own: 'own', service: 'service', mypkg: 'pkg', renamed: 'user', other: 'cmd' };
  const modules = Object.entries(files).map(([file, name]): CustomModule => {
    const { functions } = moduleOf(name, file);
    const module = { ...moduleOf(name, file), functions: { ...functions, further: functions['where']! } };
    return { file, name, isPython: true, load: () => Promise.resolve(module) };
  });
  const registryWith = (customFiles?: ReadonlySet<string>) =>
    new ModuleRegistry({
      ...{ opts: dict(), grains: new Map() },
      table: [
        entryOf(moduleOf('test', 'test')),
        entryOf(moduleOf('user', 'useradd')),
        entryOf(moduleOf('pkg', 'aptpkg')),
        entryOf(moduleOf('service', 'systemd_service')),
        entryOf(moduleOf('cmd', 'cmdmod')),
      ],
      custom: (_, file) => {
        asked.push(file);
        return Promise.resolve(modules.filter((one) => file === undefined || one.file === file));
      },
      customFiles: () => customFiles,
    });
  const said = async (registry: ModuleRegistry, fun: string) => {
    const { spec } = await registry.find(fun);
    return spec && String(await spec.run(fakeContext(), {}, [], new Map()));
  };
  const lazy = registryWith(new Set(Object.keys(files)));
  // the file of this program that has the name, or has it in its name, hides what is looked at later
  for (const [fun, file] of [
    ['test.where', 'test'],
    ['user.where', 'useradd'],
    ['cmd.where', 'cmdmod'],
  ] as const)
    assert.equal(await said(lazy, fun), file);
  assert.deepEqual(asked, []);
  assert.equal(await said(lazy, 'own.where'), 'own');
  assert.equal(await said(lazy, 'service.where'), 'service');
  assert.deepEqual(asked, ['own', 'service']);
  // what decides nothing has all of them loaded, once
  assert.equal(await said(lazy, 'pkg.where'), 'mypkg');
  assert.equal(await said(lazy, 'cmd.further'), 'other');
  assert.equal(await said(lazy, 'test.further'), undefined);
  assert.deepEqual(asked, ['own', 'service', undefined]);
  // looked up in whatever way, it is the same function
  const all = registryWith(undefined);
  for (const fun of ['test.where', 'user.where', 'cmd.where', 'pkg.where', 'service.where', 'own.where'])
    assert.equal(await said(all, fun), await said(lazy, fun), fun);
});
