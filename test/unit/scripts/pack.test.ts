/** The pack of modules, as the build writes it and `bin/launch.cjs` reads it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { writePack } from '../../../scripts/pack.mjs';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const STAMP = '/*0123456789abcdef*/';
const MAP = JSON.stringify({ version: 3, sources: ['../src/a.ts'], names: [], mappings: 'AAAA' });

/** A Brine of one program, whose first layer is this text, and of a pack with three modules. */
function installed(
  t: TestContext,
  first: string,
): { run: () => { stdout: string; stderr: string }; pack: string } {
  const folder = mkdtempSync(join(tmpdir(), 'brine-pack-'));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  for (const name of ['bin', 'dist']) mkdirSync(join(folder, name));
  cpSync(join(ROOT, 'bin/launch.cjs'), join(folder, 'bin/launch.cjs'));
  writeFileSync(join(folder, 'bin/salt.cjs'), "require('./launch.cjs')('salt');");
  writeFileSync(join(folder, 'dist/salt.cjs'), `${STAMP}${first}`);
  const pack = join(folder, 'dist/pack.cjs');
  const units = new Map([
    [1, { text: '"use strict";var{b:x}=__brineModule(3);__brineExports({a:`${x}\n!`});\n', map: MAP }],
    [3, { text: 'var c=require("node:crypto");__brineExports({b:typeof c.createHash});\n', map: MAP }],
    [4, { text: 'throw new Error("here");\n', map: MAP }],
  ]);
  writePack(pack, units, 5, STAMP);
  const run = (): { stdout: string; stderr: string } =>
    spawnSync(process.execPath, [join(folder, 'bin/salt.cjs')], { encoding: 'utf8' });
  return { run, pack };
}

test('pack - a module has what it imports from another, and one place in the file', (t) => {
  const { run, pack } = installed(t, '__load(1).then(({a})=>console.log(a));');
  assert.deepEqual(run().stdout, 'function\n!\n');
  const { sections } = JSON.parse(readFileSync(`${pack}.map`, 'utf8')) as {
    sections: { offset: { line: number } }[];
  };
  const lines = readFileSync(pack, 'utf8').split('\n');
  assert.deepEqual(
    sections.map(({ offset }) => lines[offset.line]?.slice(0, 12)),
    ['"use strict"', 'var c=__defe', 'throw new Er'],
  );
});

test('pack - a stack names the line of the file, and a module that failed fails again', (t) => {
  const first = 'for(const at of [1,2])try{__brineModule(4)}catch(e){console.log(e.stack.split("\\n")[1])}';
  const { stdout } = installed(t, first).run();
  assert.match(stdout, /^(?: +at .*\/dist\/pack\.cjs:5:7\)?\n){2}$/);
});

test('pack - one of another build, one that is cut off, one that is gone, and a number of no module are told', (t) => {
  const { run, pack } = installed(t, '__brineModule(1)');
  const whole = readFileSync(pack);
  truncateSync(pack, whole.length - 20);
  assert.equal(run().stderr, '', 'the modules that are asked for are whole');
  truncateSync(pack, 150);
  assert.match(run().stderr, /ends too soon\. Install Brine anew\./);
  writeFileSync(pack, whole.toString().replace('0123', '9876'));
  assert.match(run().stderr, /Brine was installed anew while this salt .* Run salt again\./);
  rmSync(pack);
  assert.match(run().stderr, /pack\.cjs is missing\. Install Brine anew\./);
  assert.match(installed(t, '__brineModule(2)').run().stderr, /no layer of salt has the module 2/);
});

test('pack - a daemon reads on from the one that it was started with', (t) => {
  const first =
    '__brineModules({},[],true);const fs=require("node:fs"),p=__dirname+"/pack.cjs";fs.rmSync(p);console.log(__brineModule(3).b)';
  assert.equal(installed(t, first).run().stdout, 'function\n');
});
