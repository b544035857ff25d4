/** What compiling asks of a master, and how it ends what would not end. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemRandom } from '../../../../src/host/random.ts';
import { openFileServer } from '../../../../src/storage/fileserver/open.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { StateCompiler } from '../../../../src/runtime/state/compile.ts';
import { runOptions } from '../../../../src/runtime/state/options.ts';
import { dict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { fakeClock, fakeContext } from '../../../support/module-context.ts';

/** A compiler whose files come from a master. @param answers what the master answers to other requests */
function withMaster(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  answers: DictInit,
  options: DictInit = {},
): { compiler: StateCompiler; asked: readonly Dict[] } {
  const folder = mkdtempSync(join(tmpdir(), 'brine-compiler-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'srv', path)), { recursive: true });
    writeFileSync(join(folder, 'srv', path), text);
  }
  const served = dict({
    cachedir: join(folder, 'master'),
    file_roots: { base: [join(folder, 'srv')] },
    fileserver_list_cache_time: 0,
  });
  const server = openFileServer({
    opts: served,
    clock: fakeClock(),
    random: systemRandom,
    log: silentLogger,
  });
  const request = async (load: Dict): Promise<Value> => {
    const command = String(load.get('cmd'));
    const serve = server.commands.get(command);
    return serve === undefined ? (dict(answers).get(command) ?? new Map()) : serve(load);
  };
  const opts = dict({ id: 'm', cachedir: join(folder, 'cache'), extension_modules: folder, ...options });
  const asked: Dict[] = [];
  const ctx = fakeContext({
    id: 'm',
    opts,
    services: {
      request: (load) => {
        asked.push(load);
        return request(load);
      },
    },
  });
  return { compiler: new StateCompiler(ctx, opts, new Map()), asked };
}

const requestsFor = (asked: readonly Dict[], name: string): number =>
  asked.filter((load) => load.get('path') === name).length;

test('compiling - asks the master once for a file, however many SLS import it', async (t) => {
  const sls = '{% from "map.jinja" import m %}\nin-{{ sls }}: test.nop\n';
  const files = { 'map.jinja': '{% set m = 1 %}', 'a.sls': sls, 'b.sls': sls, 'c/init.sls': sls };
  const { compiler, asked } = withMaster(t, files, {});
  const { data, errors } = await compiler.slsHigh(['a', 'b', 'c'], 'base');
  assert.deepEqual([errors, data.size], [[], 3]);
  assert.equal(requestsFor(asked, 'map.jinja'), 1);
  assert.equal(requestsFor(asked, 'c/init.sls'), 1);
  assert.equal(asked.filter((load) => load.get('cmd') === '_file_list').length, 1);
});

test('compiling - goes by the options of the master where Salt does', async (t) => {
  const { compiler } = withMaster(
    t,
    { 'first.sls': "base: {'*': [a]}", 'top.sls': "base: {'*': [b]}" },
    {
      _master_opts: { state_top: 'first.sls', state_auto_order: false, renderer: 'yaml', state_events: true },
    },
    { state_top: 'top.sls', renderer: 'jinja|yaml', state_aggregate: true },
  );
  assert.deepEqual(await compiler.topMatches(), dict({ base: ['a'] }));
  const opts = await compiler.options();
  const names = ['renderer', 'state_events', 'state_aggregate', 'state_auto_order'];
  assert.deepEqual(
    names.map((name) => opts.get(name)),
    ['yaml', true, true, false],
  );
});

test('compiling - puts what master_tops give behind the top file, each SLS once', async (t) => {
  const files = { 'top.sls': "base: {'*': [a, b]}" };
  const answers = { _master_tops: { base: ['c', 'b'], dev: ['d'] } };
  const behind = withMaster(t, files, answers).compiler;
  assert.deepEqual(await behind.topMatches(), dict({ base: ['a', 'b', 'c'], dev: ['d'] }));
  const first = withMaster(t, files, answers, { master_tops_first: true }).compiler;
  assert.deepEqual(await first.topMatches(), dict({ base: ['c', 'b', 'a'], dev: ['d'] }));
});

test('compiling - ends with an error where an SLS includes itself under ever new names', async (t) => {
  const { compiler } = withMaster(
    t,
    { 'a/b.sls': 'include: ["."]\nx: test.nop\n', 'a/init.sls': 'include: ["."]\n' },
    {},
  );
  const { errors } = await compiler.slsHigh(['a.b'], 'base');
  assert.match(errors[0] ?? '', /^The include of '\S+' within SLS 'base:\S+' is nested too deep$/);
});

test('options of a run - saltenv and pillarenv come from the keywords', () => {
  const of = (opts: DictInit, kwargs: DictInit): Value[] => {
    const run = runOptions(dict(opts), dict(kwargs));
    return [run.get('saltenv') ?? null, run.get('pillarenv') ?? null];
  };
  assert.deepEqual(of({}, {}), [null, null]);
  assert.deepEqual(of({ saltenv: 'qa', pillarenv: 'qa' }, { saltenv: 'dev' }), ['dev', 'qa']);
  assert.deepEqual(of({ pillarenv_from_saltenv: true }, { saltenv: 'dev' }), ['dev', 'dev']);
  assert.deepEqual(of({ pillarenv: 'qa' }, { pillarenv: 'dev' }), [null, 'dev']);
  assert.deepEqual(of({ saltenv: 'qa', lock_saltenv: true }, { saltenv: 'qa' }), ['qa', null]);
  assert.throws(() => of({ saltenv: 'qa', lock_saltenv: true }, { saltenv: 'dev' }), {
    message: 'lock_saltenv is enabled, saltenv cannot be changed',
  });
});
