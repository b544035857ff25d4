/** Processes: found, described and ended, on this machine; the shapes are those of a real 3006.16 with psutil 5.9. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext } from '../../../support/module-context.ts';

/** A word that no other process of this machine is started with. */
const MARK = `brine-ps-test-${process.pid}`;

/** A process that waits until it is ended. */
async function waiting(t: TestContext): Promise<{ readonly child: ChildProcess; readonly pid: number }> {
  const script = "process.stdout.write('up'); process.stdin.resume()";
  const child = spawn(process.execPath, ['-e', script, MARK], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return { child, pid: child.pid ?? 0 };
}

const call = (fun: string, args: readonly Value[] = [], kwargs: Dict = dict()): Promise<Value> =>
  fakeContext().functions.call(`ps.${fun}`, args, kwargs);

test('ps - a process is found by its words, described, and ended by its words', async (t) => {
  const { child, pid } = await waiting(t);
  const full = dict({ full: true });
  assert.deepEqual(await call('pgrep', [MARK], full), [pid]);
  assert.deepEqual(
    await call('pgrep', ['^\\S+ -e .*brine-ps-test-\\d+$'], dict({ full: true, pattern_is_regex: true })),
    [pid],
  );
  assert.equal(await call('pgrep', [MARK]), null, 'its name is another');
  assert.equal(await call('pgrep', [MARK], dict({ full: true, user: 'nosuch' })), null);
  assert.deepEqual(
    await call('proc_info', [pid], dict({ attrs: ['pid', 'ppid', 'cwd', 'exe'] })),
    dict({ pid, ppid: process.pid, cwd: process.cwd(), exe: process.execPath }),
  );
  const ended = once(child, 'exit');
  assert.deepEqual(await call('pkill', [MARK], full), dict({ killed: [pid] }));
  assert.deepEqual(await ended, [null, 'SIGTERM']);
  assert.equal(await call('pkill', [MARK], full), null);
  assert.equal(await call('kill_pid', [pid]), false);
});

test('ps - a number that would reach a group of processes is refused, and what is not known is named', async () => {
  for (const pid of [0, -1]) await assert.rejects(call('kill_pid', [pid]), /is no number of a process/);
  await assert.rejects(
    call('proc_info', [process.pid], dict({ attrs: ['memory_maps'] })),
    /'memory_maps' of a process/,
  );
  await assert.rejects(call('status', ['']), /Filter is required for ps\.status/);
});

test('ps - figures of the machine have the names and the sums of psutil', async () => {
  const memory = await call('virtual_memory');
  assert.ok(memory instanceof Map);
  assert.deepEqual(
    [...memory.keys()],
    [
      'total',
      'available',
      'percent',
      'used',
      'free',
      'active',
      'inactive',
      'buffers',
      'cached',
      'shared',
      'slab',
    ],
  );
  assert.equal(memory.get('total'), await call('total_physical_memory'));
  const disk = await call('disk_usage', ['/']);
  assert.ok(disk instanceof Map);
  assert.ok(Number(disk.get('used')) + Number(disk.get('free')) <= Number(disk.get('total')));
  assert.equal(await call('network_io_counters', ['nosuch']), false);
  assert.match(String(await call('boot_time', ['%Y-%m-%d'])), /^\d{4}-\d\d-\d\d$/);
});
