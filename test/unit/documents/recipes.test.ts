/** The recipes of CONTRIBUTING.md: their code fits the code that is there, and works. */
import { build } from 'esbuild';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { ModuleSpec } from '../../../src/runtime/loader/module.ts';
import type { RendererSpec } from '../../../src/runtime/renderers/renderer.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const PAGE = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');

/** The files that a recipe has its reader write, by their path. */
const recipes = new Map(
  [...PAGE.matchAll(/^`(src\/[\w./-]+\.ts)`[^\n]*\n(?:[^\n`]+\n)?\n```ts\n(.*?)^```/gms)].map(
    ([, path = '', code = '']) => [path, code],
  ),
);

/** What a file of a recipe exports, when it lies where it is said to. */
async function exportsOf(path: string, folder: string): Promise<Record<string, unknown>> {
  const contents = recipes.get(path);
  assert.ok(contents !== undefined, `CONTRIBUTING.md has the file ${path}`);
  // the folder of the file is not there, so that nothing can be looked up from it
  const absolute = contents.replace(/(?<= from ')\.[^']*/g, (name) => join(ROOT, dirname(path), name));
  const { outputFiles } = await build({
    stdin: { contents: absolute, resolveDir: ROOT, loader: 'ts', sourcefile: path },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    logLevel: 'silent',
  });
  const file = join(folder, `${path.replaceAll('/', '-')}.mjs`);
  writeFileSync(file, outputFiles[0]?.text ?? '');
  return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
}

test('recipes - each of CONTRIBUTING.md is written against the code that is there', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-recipes-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const names = await Promise.all([...recipes.keys()].map((path) => exportsOf(path, folder)));
  assert.deepEqual(names.flatMap((each) => Object.keys(each)).sort(), [
    ...['greetModule', 'greetRenderer', 'greetReturner', 'greetRoutes', 'greetRunners', 'greetStates'],
  ]);

  const { greetModule } = (await exportsOf('src/plugins/greet/module.ts', folder)) as {
    greetModule: ModuleSpec;
  };
  const { run } = greetModule.functions['hello'] ?? {};
  assert.equal(await run?.(undefined as never, { name: 'Anna' }, [], new Map()), 'Hello Anna!');
  const { greetRenderer } = (await exportsOf('src/runtime/renderers/further/greet.ts', folder)) as {
    greetRenderer: RendererSpec;
  };
  const render = greetRenderer.make(undefined as never);
  assert.deepEqual(await render('#!greet\nAnna\nBert\n', undefined as never, ''), [
    'Hello Anna!',
    'Hello Bert!',
  ]);
});

test('recipes - the programs and tables that they name have those names', () => {
  for (const [path, name] of [
    ['src/programs/api/v2/table.ts', 'export const ROUTES:'],
    ['src/config/minion-options.ts', 'option('],
  ] as const)
    assert.ok(readFileSync(join(ROOT, path), 'utf8').includes(name), `${path} has ${name}`);
});
