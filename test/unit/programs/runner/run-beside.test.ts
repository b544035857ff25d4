/** Functions of the master for a program beside it. What Salt answers was seen on 3006.16 without a master. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { besideMaster, type BesideDeps } from '../../../../src/programs/runner/run-beside.ts';
import { PythonError } from '../../../../src/python/exceptions.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';

function minionBesideMaster(t: TestContext, lines: readonly string[] = []): BesideDeps {
  const folder = mkdtempSync(join(tmpdir(), 'brine-beside-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'etc'));
  writeFileSync(
    join(folder, 'etc', 'master'),
    [`root_dir: ${folder}`, 'id: m_master', ...lines, ''].join('\n'),
  );
  const opts = dict({ id: 'm', conf_file: join(folder, 'etc', 'minion') });
  return { opts, clock: systemClock, random: systemRandom, log: silentLogger };
}

async function returned(
  deps: BesideDeps,
  fun: string,
  arg: readonly Value[] = [],
): Promise<Value | undefined> {
  const ended = await besideMaster(deps).run({ kind: 'runner', fun, arg, kwarg: new Map() });
  assert.equal(ended.get('fun'), `runner.${fun}`);
  return ended.get('return');
}

test('run-beside - runners work on the files of the master, which need not be up', async (t) => {
  const deps = minionBesideMaster(t);
  assert.deepEqual(await returned(deps, 'mine.get', ['*', 'network.ip_addrs']), new Map());
  assert.equal(await returned(deps, 'config.get', ['id']), 'm_master');
});

test('run-beside - a runner that does not exist is a KeyError, as in Salt', async (t) => {
  const deps = minionBesideMaster(t);
  await assert.rejects(returned(deps, 'nosuch.minions'), new PythonError('KeyError', "'nosuch.minions'"));
});
