/** What Python compiles of Brine's own files: kept below `cachedir`, and never beside them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const skip = spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3';

/** A copy of the program in Python, and a folder for what is compiled. */
function installed(t: TestContext): { readonly guest: string; readonly kept: string } {
  const folder = mkdtempSync(join(tmpdir(), 'brine-own-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const guest = join(folder, 'python');
  cpSync(join(ROOT, 'src/runtime/python-host/guest'), guest, {
    recursive: true,
    filter: (path) => !path.endsWith('__pycache__'),
  });
  return { guest, kept: join(folder, 'kept') };
}

/** Starts the program as it is started. It imports what it always needs, and ends because its connection is none. */
function start(guest: string, kept: string): void {
  const { stderr } = spawnSync('python3', [join(guest, 'brine_host.py'), '0', kept], {
    stdio: ['ignore', 'ignore', 'pipe', 'ignore', 'ignore'],
    env: { PATH: process.env['PATH'] },
    encoding: 'utf8',
  });
  assert.match(stderr, /link = Link/);
}

/** Files that Python has compiled, beside their sources. */
const compiledBeside = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes('__pycache__'));
/** One of those that are kept. */
const fileIn = (kept: string): string => join(kept, 'brine_guest.link.pyc');

test("python's own files - what is compiled is kept, and nothing is written beside them", { skip }, (t) => {
  const { guest, kept } = installed(t);
  start(guest, kept);
  assert.deepEqual(compiledBeside(guest), []);
  const first = statSync(fileIn(kept)).ino;
  start(guest, kept);
  assert.equal(statSync(fileIn(kept)).ino, first, 'it was compiled again');
});

test("python's own files - another text with the same time and size is compiled again", { skip }, (t) => {
  const { guest, kept } = installed(t);
  const path = join(guest, 'brine_guest/link.py');
  const text = readFileSync(path, 'utf8');
  const write = (mark: string): void => {
    writeFileSync(path, `${text}\n# ${mark}\nMARK = "${mark}"\n`);
    utimesSync(path, 1, 1); // npm gives every file of a package the same time
  };
  for (const mark of ['one', 'two']) {
    write(mark);
    start(guest, kept);
    assert.equal(readFileSync(fileIn(kept)).includes(mark), true);
  }
  writeFileSync(fileIn(kept), readFileSync(fileIn(kept)).subarray(0, 40));
  start(guest, kept);
  assert.equal(readFileSync(fileIn(kept)).includes('two'), true, 'half a file was believed');
});

test("python's own files - a folder in which others may write is not used", { skip }, (t) => {
  const { guest, kept } = installed(t);
  mkdirSync(kept);
  chmodSync(kept, 0o777);
  start(guest, kept);
  assert.deepEqual([readdirSync(kept), compiledBeside(guest)], [[], []]);
});

test("python's own files - without a folder above, and with none, nothing is written", { skip }, (t) => {
  const { guest, kept } = installed(t);
  for (const folder of [join(kept, 'below'), '']) start(guest, folder);
  assert.deepEqual([existsSync(kept), compiledBeside(guest)], [false, []]);
});
