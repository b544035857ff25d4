import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SourcePlaces } from '../../../src/host/source-places.ts';

/** A folder with `dist`, and a map of `dist/salt.cjs`. */
function checkout(t: TestContext, map: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'brine-places-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'build/maps'), { recursive: true });
  writeFileSync(join(folder, 'build/maps/salt.cjs.map'), map);
  return folder;
}

/** In the second line `a` at the first column is called `greet` in the source, and `b` at the 17th `wave`. */
const MAP = JSON.stringify({
  version: 3,
  sources: ['../src/host/clock.ts'],
  names: ['greet', 'wave'],
  mappings: ';AAEIA,gBACAC',
});
const BUILT = '\nawait a(1);await b(2);c(3);await d.e(4);\n';

test('source places - a built file with a map is told by its source', (t) => {
  const folder = checkout(t, MAP);
  const places = new SourcePlaces(join(folder, 'dist'));
  const stack = [
    'Error: x',
    `    at Object.run (${folder}/dist/salt.cjs:2:7)`,
    `    at ${folder}/dist/salt.cjs:2:1`,
  ];
  assert.equal(
    places.of(stack.join('\n')),
    [
      'Error: x',
      `    at Object.run (${folder}/src/host/clock.ts:3:5)`,
      `    at ${folder}/src/host/clock.ts:3:5`,
    ].join('\n'),
  );
});

test('source places - a function whose name was made short is told by what its caller calls', (t) => {
  const folder = checkout(t, MAP);
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/salt.cjs'), BUILT);
  const places = new SourcePlaces(join(folder, 'dist'));
  const built = `${folder}/dist/salt.cjs`;
  const source = `${folder}/src/host/clock.ts`;
  const stack = [
    `    at a (${built}:2:7)`,
    '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
    `    at async b (${built}:2:1)`,
    `    at async d (${built}:2:12)`,
    `    at async f (${built}:2:28)`,
    `    at new #g (${built}:2:17)`,
  ].join('\n');
  assert.equal(
    places.of(stack),
    [
      `    at greet (${source}:3:5)`,
      '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
      `    at async wave (${source}:3:5)`,
      `    at async ${source}:3:5`,
      `    at async wave (${source}:4:5)`,
      `    at new ${source}:4:5`,
    ].join('\n'),
  );
});

test('source places - what has no map, and what is no map, stays as it is', (t) => {
  const folder = checkout(t, '{"version": 3, "sources": [');
  const places = new SourcePlaces(join(folder, 'dist'));
  const stack = [
    `    at run (${folder}/dist/salt.cjs:2:7)`,
    `    at run (${folder}/dist/pack.cjs:1:1)`,
    '    at node:fs:1:1',
    '    at run (/elsewhere/salt.cjs:1:1)',
  ].join('\n');
  assert.equal(places.of(stack), stack);
});
