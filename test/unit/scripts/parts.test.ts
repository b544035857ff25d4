/** How daemons load their parts, and the code caches of these. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();

/** Loads parts in a process of its own, and evaluates an expression of what the first one has. */
function evaluated(dist: string, expression: string, env: NodeJS.ProcessEnv = {}): string {
  const code = `
    const load = require(${JSON.stringify(join(ROOT, 'bin/parts.cjs'))})(${JSON.stringify(dist)}, 'daemon', require);
    const first = () => load('./part-A1.cjs');
    process.stdout.write(String(${expression}));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', code], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...env },
  });
  return stdout + stderr;
}

function dist(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'brine-parts-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const PAIR = {
  'part-A1.cjs':
    'exports.name="a";const b=require("./part-B2.cjs");exports.both=()=>b.name()+require("node:path").sep;',
  'part-B2.cjs': 'const a=require("./part-A1.cjs");exports.name=()=>a.name+"b";',
};

test('parts - they need each other, and the modules of Node', (t) => {
  assert.equal(evaluated(dist(t, PAIR), 'first().both() + (first() === first())'), 'ab/true');
});

test('parts - an error names the place in the file', (t) => {
  const folder = dist(t, {
    'part-A1.cjs': 'exports.fail=()=>{\n  throw new Error("no");};exports.at=new Error("at").stack;',
  });
  assert.match(evaluated(folder, 'first().at'), /part-A1\.cjs:2:38\)/);
  assert.match(evaluated(folder, 'first().fail()'), /part-A1\.cjs:2\n/);
});

test('parts - one that is gone is what Node says of it', (t) => {
  const folder = dist(t, { 'part-A1.cjs': 'exports.later=()=>require("./part-C3.cjs");' });
  assert.match(
    evaluated(folder, 'first().later()'),
    /Cannot find module '\.\/part-C3\.cjs'[\s\S]*MODULE_NOT_FOUND/,
  );
});

test('parts - a code cache is written and taken, and one that is of no use is left', (t) => {
  const folder = dist(t, PAIR);
  const cache = join(folder, 'daemon.parts.cache');
  assert.equal(evaluated(folder, 'first().both()', { BRINE_WRITE_CODE_CACHE: '1' }), 'ab/');
  assert.ok(existsSync(cache));
  const counted = `(() => {
    const { Script } = require('node:vm');
    let taken = 0;
    const run = Script.prototype.runInThisContext;
    Script.prototype.runInThisContext = function (...args) {
      if (this.cachedDataRejected === false) taken++;
      return run.apply(this, args);
    };
    return first().both() + taken;
  })()`;
  assert.equal(evaluated(folder, counted), 'ab/2');
  for (const bytes of [1000, 30, 3, 0]) {
    truncateSync(cache, bytes);
    assert.match(evaluated(folder, counted), /^ab\/[01]$/, String(bytes));
  }
});
