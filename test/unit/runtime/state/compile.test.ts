/**
 * Small trees of SLS, compiled; the expectations were recorded from a real Salt 3006 (`test/compare/record-states.ts`).
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { StateCompiler } from '../../../../src/runtime/state/compile.ts';
import type { Compiled } from '../../../../src/runtime/state/compiled.ts';
import { verifyHigh } from '../../../../src/runtime/state/verify-high.ts';
import { dict, isDict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext, type FakeContext } from '../../../support/module-context.ts';
import { valueFromJson } from '../../../support/module-calls.ts';
import { STATE_TREES, TREE_GRAINS, TREE_PILLAR, type StateTree } from '../../../support/state-trees.ts';
import { plainMappings } from '../../../support/plain-mappings.ts';

const recorded = JSON.parse(readFileSync('test/fixtures/state/compiled.json', 'utf8')) as Record<
  string,
  { first: unknown; low: unknown }
>;
const scratch = mkdtempSync(join(tmpdir(), 'brine-compile-'));
after(() => rmSync(scratch, { recursive: true }));
let trees = 0;

/** A compiler over a tree of files. */
function compilerOf({ files, opts = {}, sls }: Omit<StateTree, 'name'>): {
  compiler: StateCompiler;
  ctx: FakeContext;
} {
  const folder = join(scratch, String(trees++));
  const roots: Record<string, string[]> = {};
  for (const [path, text] of Object.entries(files)) {
    const full = join(folder, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    const env = path.split('/')[0] ?? 'base';
    roots[env] = [join(folder, env)];
  }
  const all = dict({
    id: TREE_GRAINS.id,
    file_client: 'local',
    cachedir: join(folder, 'cache'),
    extension_modules: join(folder, 'ext'),
    file_roots: roots,
    ...(sls === undefined ? {} : { saltenv: 'base' }),
    ...(opts as DictInit),
  });
  const pillar = dict(TREE_PILLAR);
  const ctx = fakeContext({ id: TREE_GRAINS.id, opts: all, grains: dict(TREE_GRAINS), pillar });
  return { compiler: new StateCompiler(ctx, all, pillar), ctx };
}

const outcome = ({ data, errors }: Compiled<Value>): Value => (errors.length > 0 ? [...errors] : data);

/** What `show_sls` or `show_top` gives. */
async function first(tree: StateTree): Promise<Value> {
  const { compiler } = compilerOf(tree);
  if (tree.sls === undefined) return outcome(await compiler.top());
  const { data, errors } = await compiler.slsHigh(tree.sls, 'base');
  return outcome({ data, errors: [...errors, ...verifyHigh(data)] });
}

async function lowChunks(tree: StateTree): Promise<Value> {
  const { compiler } = compilerOf(tree);
  if (tree.sls === undefined) {
    const { data, errors } = await compiler.lowstate();
    return outcome({ data: [...data], errors });
  }
  const high = await compiler.slsHigh(tree.sls, 'base');
  const low = await compiler.low(high.data);
  return outcome({ data: [...low.data], errors: [...high.errors, ...low.errors] });
}

/**
 * Where Salt ends with an exception, ours only has to end with something else. Python's tracebacks and paths do not
 * count.
 */
function assertSame(actual: Value, expected: Value): void {
  if (isDict(expected) && expected.has('raised')) return;
  assert.deepStrictEqual(plainMappings(comparable(actual)), comparable(expected));
}

function comparable(value: Value): Value {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'string') return value;
  const text = value.replaceAll(/\/\S+\/base\//g, '');
  return text.includes('Traceback') || text.startsWith("Rendering SLS 'base:a' failed: Jinja error")
    ? (text.split(/\n|; line/)[0] ?? '')
    : text;
}

for (const tree of STATE_TREES) {
  test(`compiling - ${tree.name}`, async () => {
    const expected = recorded[tree.name];
    assert.ok(expected, 'not recorded yet: node scripts/run-ts.mjs test/compare/record-states.ts');
    const made = await first(tree);
    if (tree.clearer === undefined) assertSame(made, fromRecord(expected.first));
    else assert.deepEqual(made, tree.clearer);
    assertSame(await lowChunks(tree), fromRecord(expected.low));
  });
}

function fromRecord(json: unknown): Value {
  const isRaised = typeof json === 'object' && json !== null && 'raised' in json;
  return isRaised ? dict({ raised: true }) : valueFromJson(json);
}
