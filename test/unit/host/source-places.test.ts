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

/** The first column of the second line is the fifth of the third line of `src/host/clock.ts`. */
const MAP = JSON.stringify({ version: 3, sources: ['../src/host/clock.ts'], names: [], mappings: ';AAEI' });

test('source places - a built file with a map is told by its source', (t) => {
  const folder = checkout(t, MAP);
  const places = new SourcePlaces(join(folder, 'dist'));
  const stack = [
    'Error: x',
    `    at run (${folder}/dist/salt.cjs:2:7)`,
    `    at ${folder}/dist/salt.cjs:2:1`,
  ];
  assert.equal(
    places.of(stack.join('\n')),
    [
      'Error: x',
      `    at run (${folder}/src/host/clock.ts:3:5)`,
      `    at ${folder}/src/host/clock.ts:3:5`,
    ].join('\n'),
  );
});

test('source places - what has no map, and what is no map, stays as it is', (t) => {
  const folder = checkout(t, '{"version": 3, "sources": [');
  const places = new SourcePlaces(join(folder, 'dist'));
  const stack = [
    `    at run (${folder}/dist/salt.cjs:2:7)`,
    `    at run (${folder}/dist/part-A.cjs:1:1)`,
    '    at node:fs:1:1',
    '    at run (/elsewhere/salt.cjs:1:1)',
  ].join('\n');
  assert.equal(places.of(stack), stack);
});
