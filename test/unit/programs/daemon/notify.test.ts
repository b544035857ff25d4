import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock, type Timer } from '../../../../src/host/clock.ts';
import { serviceManager } from '../../../../src/programs/daemon/notify.ts';
import { keptLog } from '../../../support/attacker.ts';

/** A `systemd-notify` that writes down what it is told, and a clock whose periods are run by hand. */
function listener(t: TestContext, exit = 0) {
  const folder = mkdtempSync(join(tmpdir(), 'brine-notify-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const said = join(folder, 'said');
  writeFileSync(
    join(folder, 'systemd-notify'),
    `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >>${said}\necho no >&2\nexit ${exit}\n`,
  );
  chmodSync(join(folder, 'systemd-notify'), 0o755);
  const periods: { ms: number; run: () => void; isOver: boolean }[] = [];
  const every = (ms: number, run: () => void): Timer => {
    const period = { ms, run, isOver: false };
    periods.push(period);
    return { cancel: () => void (period.isOver = true) };
  };
  const { log, lines } = keptLog();
  const clock = { ...systemClock, every };
  const read = (): string[] => (existsSync(said) ? readFileSync(said, 'utf8').trim().split('\n') : []);
  const PATH = `${folder}:${process.env['PATH'] ?? ''}`;
  return { clock, log, lines, read, periods, env: { PATH, NOTIFY_SOCKET: '/run/x' } };
}

test('service manager - is told that the daemon is up, and often enough that it is alive', async (t) => {
  const { env: base, clock, log, lines, read, periods } = listener(t);
  const env: NodeJS.ProcessEnv = { ...base, WATCHDOG_USEC: '120000000', WATCHDOG_PID: '42' };
  const manager = serviceManager(env, { clock, log, pid: 42 });
  assert.equal(manager.isThere, true);
  assert.deepEqual(Object.keys(env), ['PATH'], 'what it starts could speak in its name');
  assert.equal(periods.length, 0, 'it is not alive before it is up');
  await manager.ready();
  assert.deepEqual(read(), ['/run/x --pid=42 READY=1']);
  assert.deepEqual(
    periods.map(({ ms }) => ms),
    [48_000],
  );
  manager.stopping();
  assert.equal(periods[0]?.isOver, true);
  assert.deepEqual(lines, []);
});

test('service manager - one that watches another process, or none, is not fed', async (t) => {
  const { env: base, clock, log, periods } = listener(t);
  for (const watch of [
    { WATCHDOG_USEC: '120000000', WATCHDOG_PID: '7' },
    { WATCHDOG_USEC: '0' },
    { WATCHDOG_USEC: 'soon' },
    {},
  ])
    await serviceManager({ ...base, ...watch }, { clock, log, pid: 42 }).ready();
  assert.equal(periods.length, 0);
});

test('service manager - nobody is told anything where there is none, and one that is deaf is named', async (t) => {
  const { env, clock, log, lines, read } = listener(t, 1);
  const nobody = serviceManager({ PATH: env.PATH }, { clock, log });
  await nobody.ready();
  nobody.stopping();
  assert.equal(nobody.isThere, false);
  assert.deepEqual(read(), []);
  await serviceManager({ ...env }, { clock, log }).ready();
  assert.match(lines.join(), /systemd-notify READY=1 failed: no/);
});
