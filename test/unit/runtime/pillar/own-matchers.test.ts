/**
 * A site's matchers in Python: top files of pillar and states, and `match.*`, as a real Salt 3006.16 answered with the
 * same files.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import { findOwnMatcher, matchersNotAsked } from '../../../../src/runtime/pillar/own-matchers.ts';
import { PillarService } from '../../../../src/runtime/pillar/service.ts';
import { StateCompiler } from '../../../../src/runtime/state/compile.ts';
import { fakeContext } from '../../../support/module-context.ts';

const MATCHERS = {
  'rack_match.py': `
import logging

log = logging.getLogger(__name__)


def match(tgt, opts=None, minion_id=None):
    if not opts:
        opts = __opts__
    log.debug("rack_match: %s", tgt)
    return tgt in (opts["grains"].get("rack"), opts.get("pillar", {}).get("rack"), "of " + opts["id"])
`,
  'glob_match.py':
    'def match(tgt, opts=None, minion_id=None):\n    return tgt == "mine" or minion_id == "x"\n',
  'bad_match.py': 'def match(tgt):\n    return {}[tgt]\n',
  'typed_match.ts': 'export default {};\n',
};
const SLS = Object.fromEntries(
  ['byrack', 'byid', 'byglob', 'no'].map((name) => [`${name}.sls`, `${name}: {test.nop: []}\n`]),
);
const PILLAR = { 'a.sls': 'rack: p1\n', 'b.sls': 'rack: r1\nfrom: grain\n' };

function site(t: TestContext, top: string, pillarTop: string): Dict {
  const root = mkdtempSync(join(tmpdir(), 'brine-matchers-'));
  t.after(() => rmSync(root, { recursive: true }));
  const below = (folder: string, files: Readonly<Record<string, string>>): [string, string][] =>
    Object.entries(files).map(([name, text]) => [join(root, folder, name), text]);
  const files = [
    ...below('ext/matchers', MATCHERS),
    ...below('srv', { ...SLS, 'top.sls': top }),
    ...below('pillar', { ...PILLAR, 'top.sls': pillarTop }),
  ];
  for (const [path, text] of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return dict({
    ...{ id: 'm', file_client: 'local', renderer: 'jinja|yaml', state_top: 'top.sls' },
    ...{ cachedir: join(root, 'cache'), extension_modules: join(root, 'ext') },
    file_roots: { base: [join(root, 'srv')] },
    pillar_roots: { base: [join(root, 'pillar')] },
  });
}

const grains = dict({ rack: 'r1' });

function pillarOf(opts: Dict): Promise<Dict> {
  return new PillarService({
    ...{ opts, clock: systemClock, random: systemRandom, log: silentLogger },
    functions: () => ({ has: () => false, call: () => null }),
  }).pillar({ minionId: 'm', grains, saltenv: null, pillarenv: null, override: dict() });
}

test('matchers of a site - top files of pillar and states ask them', async (t) => {
  const opts = site(
    t,
    "base:\n  'r1': [{match: rack}, byrack]\n  'of m': [{match: rack}, byid]\n  'r2': [{match: rack}, no]\n" +
      "  'mine': [{match: glob}, byglob]\n  'm': [{match: glob}, no]\n",
    "base: {'p1': [{match: rack}, a], 'r1': [{match: rack}, b]}\n",
  );
  assert.deepEqual(await pillarOf(opts), dict({ rack: 'r1', from: 'grain' }));
  const ctx = fakeContext({ id: 'm', opts, grains, clock: systemClock });
  const { data, errors } = await new StateCompiler(ctx, opts, new Map()).top();
  assert.deepEqual([data, errors], [dict({ base: ['byrack', 'byid', 'byglob'] }), []]);
  const match = (fun: string, ...words: string[]): unknown => ctx.functions.call(`match.${fun}`, words);
  assert.deepEqual(
    [await match('glob', 'mine'), await match('glob', 'm'), await match('glob', 'm', 'x')],
    [true, false, true],
  );
  assert.equal(await match('pcre', 'm'), true, 'one of ours');
});

test('matchers of a site - one that fails, and a kind that does not exist, fail the run and the pillar', async (t) => {
  for (const [kind, why] of [
    ['bad', /KeyError: 'q'|'q'/],
    ['none', /Unknown target type 'none'/],
    ['typed', /typed_match\.ts cannot be used: matchers of a site are run in Python only/],
  ] as const) {
    const top = `base: {'q': [{match: ${kind}}, no]}\n`;
    const opts = site(t, top, top);
    const ctx = fakeContext({ id: 'm', opts, grains, clock: systemClock });
    await assert.rejects(new StateCompiler(ctx, opts, new Map()).top(), why);
    assert.match(String((await pillarOf(opts)).get('_errors')), why);
  }
});

test('matchers of a site - those with the name of a kind that jobs have are named at the start', (t) => {
  const opts = site(t, '{}', '{}');
  assert.match(
    matchersNotAsked(opts) ?? '',
    /^The site's matchers glob_match count for top files and match\.\* only/,
  );
  assert.equal(matchersNotAsked(dict({ extension_modules: '/nonexistent' })), undefined);
  const deps = { clock: systemClock, log: silentLogger, owner: {} };
  assert.equal(findOwnMatcher(opts, 'grain', deps), undefined);
});
