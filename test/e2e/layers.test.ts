/** The built commands whose code comes in layers: usual runs do without the pack of all other modules. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test from 'node:test';
import { Fleet, ours, runProgram } from '../support/fleet.ts';

const DIST = join(dirname(ours.folder), 'dist');

/** The layers that a run loads, and what it prints. */
async function traced(
  program: string,
  args: readonly string[],
): Promise<{ layers: string[]; stdout: string }> {
  const env = { ...process.env, BRINE_LAYERS: '1' };
  const { code, stdout, stderr } = await runProgram(join(ours.folder, program), args, { env });
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /does not fit/);
  const layers = stderr.split('\n').filter((line) => line.endsWith('.cjs'));
  return { layers: layers.map((path) => basename(path)), stdout };
}

/** Modules that no usual run needs, once for all programs. */
const PACK = 'pack.cjs';

test('layers - a ping, a state run and a list of keys need no module of the pack', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMaster(['auto_accept: True', `file_roots: {base: [${fleet.path('srv')}]}`]);
  fleet.write(fleet.path('srv'), 'nothing.sls', ['nothing:', '  test.nop: []']);
  await fleet.startMaster();
  await fleet.joinMinion('m1');
  const runs: [program: string, args: string[], expected: RegExp][] = [
    ['salt', ['-c', fleet.masterDir, 'm1', 'test.ping'], /True/],
    ['salt', ['-c', fleet.masterDir, 'm1', 'state.apply', 'nothing'], /Succeeded:\s+1/],
    ['salt-call', ['-c', fleet.path('m1'), 'test.ping'], /True/],
    ['salt-call', ['-c', fleet.path('m1'), '--local', 'test.ping'], /True/],
    ['salt-call', ['-c', fleet.path('m1'), 'state.apply', 'nothing'], /Succeeded:\s+1/],
    ['salt-key', ['-c', fleet.masterDir, '-L'], /m1/],
  ];
  for (const [program, args, expected] of runs) {
    const { layers, stdout } = await traced(program, args);
    assert.match(stdout, expected);
    assert.equal(layers[0], `${program}.cjs`);
    assert.ok(!layers.includes(PACK), `${program} ${args.join(' ')} loads ${layers.join(', ')}`);
  }
});

test('layers - a function of the pack runs, with the values of the layers', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMinion('m1', ['file_client: local']);
  const { layers, stdout } = await traced('salt-call', [
    ...['-c', fleet.path('m1'), '--local', '--out=json'],
    ...['hashutil.digest', 'text', 'checksum=sha256'],
  ]);
  assert.match(stdout, /982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1/);
  assert.ok(layers.includes(PACK), layers.join(', '));
  assert.ok(existsSync(join(DIST, `${layers[0]}.cache`)), 'its first layer has no code cache');
});

test('layers - at the level debug a stack names the source', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMinion('m1', ['file_client: local']);
  const args = ['-c', fleet.path('m1'), '--local', '-l', 'debug', 'test.exception', 'x'];
  const { stderr } = await runProgram(join(ours.folder, 'salt-call'), args);
  assert.match(stderr, /^ {4}at .*\/src\/plugins\/test\/module\.ts:\d+:\d+\)$/m);
  assert.doesNotMatch(stderr, /^ {4}at .*\/dist\//m);
});
