/** Pillars made by real Salt 3006.16 out of small trees of files: ours are the same. */
import { executionModules } from '../../../../src/plugins/registry/module/on-demand.ts';
import { loadedFunctions } from '../../../../src/runtime/pillar/functions.ts';
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { PillarService } from '../../../../src/runtime/pillar/service.ts';
import { parseJson, toJson } from '../../../../src/formats/json/text.ts';
import { copyValue, dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const fixture = parseJson(readFileSync(join(ROOT, 'test/fixtures/pillar/vectors.json'), 'utf8')) as Dict;

function writeTree(root: string, files: Dict): void {
  for (const [path, text] of files) {
    const full = join(root, path as string);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text as string);
  }
}

function rootsOf(entry: Dict, root: string): Dict {
  const envs = entry.get('envs') as string[] | undefined;
  const given = entry.get('roots');
  if (isDict(given))
    return new Map(
      [...given].map(([env, list]) => [env, (list as string[]).map((folder) => join(root, folder))]),
    );
  return new Map((envs ?? ['base']).map((env) => [env, [join(root, env)]]));
}

/** The options of a case, with the recording's folder replaced by this run's. */
function optionsOf(entry: Dict, root: string): Dict {
  const text = toJson(entry.get('opts') as Dict).replaceAll(fixture.get('root') as string, root);
  return new Map<Value, Value>([
    ['renderer', 'jinja|yaml'],
    ['state_top', 'salt://top.sls'],
    ['on_demand_ext_pillar', []],
    ['pillar_roots', rootsOf(entry, root)],
    ...(parseJson(text) as Dict),
  ]);
}

const unordered = (value: Value): string => toJson(value, { sortKeys: true, indent: 1 });

const machine = { clock: systemClock, random: systemRandom, log: silentLogger };

for (const entry of fixture.get('cases') as Dict[]) {
  test(`pillar - ${String(entry.get('name'))}: as Salt makes it`, async () => {
    const root = mkdtempSync(join(tmpdir(), 'brine-pillar-'));
    try {
      writeTree(root, entry.get('files') as Dict);
      const made = (isForOwnUse: boolean): Promise<Dict> =>
        new PillarService({
          opts: optionsOf(entry, root),
          ...machine,
          isForOwnUse,
          functions: (around) => loadedFunctions(around, { ...machine, modules: executionModules }),
        }).pillar({
          minionId: 'web01',
          grains: copyValue(fixture.get('grains') as Dict),
          saltenv: null,
          pillarenv: (entry.get('pillarenv') as string | undefined) ?? null,
          override: isDict(override) ? copyValue(override) : dict(),
        });
      const override = entry.get('override');
      const pillar = await made(false);
      const wanted = entry.get('pillar') as Dict;
      if (entry.get('name') === 'top fault') {
        // a master's names the file, and gives the place of the reason only
        assert.equal(unordered(await made(true)), unordered(wanted));
        const [text] = pillar.get('_errors') as string[];
        assert.match(
          text ?? '',
          /^Rendering Primary Top file failed, render error:\ndid not find expected key; line 3/,
        );
        return;
      }
      assert.equal(unordered(pillar), unordered(wanted));
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
}
