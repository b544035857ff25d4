/** Units of Salt that start Brine: what systemctl is told, and the drop-in. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { dropIn, SystemdManager, unitOf } from '../../../../src/cli/takeover/systemd-manager.ts';
import { recordedDaemon } from './recorded-daemon.ts';

interface Made {
  readonly manager: SystemdManager;
  readonly units: string;
  readonly told: string[];
}

function managerOf(t: TestContext, fails: (words: string) => boolean = () => false): Made {
  const units = mkdtempSync(join(tmpdir(), 'brine-units-'));
  t.after(() => rmSync(units, { recursive: true, force: true }));
  const told: string[] = [];
  const run = (...words: string[]): Promise<{ code: number; text: string }> => {
    told.push(words.join(' '));
    return Promise.resolve({ code: fails(words.join(' ')) ? 1 : 0, text: 'said' });
  };
  const place = {
    configDir: '/etc/salt',
    command: (name: string) => [`/usr/libexec/brine/${name}`],
  };
  return { manager: new SystemdManager(place, run, units), units, told };
}

test('takeover units - a drop-in starts Brine, and goes on the way back', async (t) => {
  const { manager, units, told } = managerOf(t);
  const daemon = recordedDaemon('minion', { unit: 'salt-minion.service', options: ['-l', 'info'] });
  const path = join(units, 'salt-minion.service.d/brine.conf');
  assert.deepEqual(manager.filesOf(daemon), [path]);
  await manager.stop(daemon);
  await manager.startBrine(daemon);
  const text = readFileSync(path, 'utf8');
  assert.match(text, /^Type=notify$/m);
  assert.match(text, /^ExecStart=\nExecStart=\/usr\/libexec\/brine\/salt-minion -l info$/m);
  await manager.stop(daemon);
  await manager.startSalt(daemon);
  assert.ok(!existsSync(path));
  assert.deepEqual(told, [
    'stop salt-minion.service',
    ...['daemon-reload', 'reset-failed salt-minion.service', 'start salt-minion.service'],
    'stop salt-minion.service',
    ...['daemon-reload', 'reset-failed salt-minion.service', 'start salt-minion.service'],
  ]);
  // again is as once
  await manager.startSalt(daemon);
});

test('takeover units - a start that fails is told with what systemd says', async (t) => {
  const { manager } = managerOf(t, (words) => words.startsWith('start'));
  const daemon = recordedDaemon('master', { unit: 'salt-master.service' });
  await assert.rejects(() => manager.startBrine(daemon), {
    message: /^systemctl start salt-master\.service failed: said/,
  });
});

test('takeover units - words that systemd would read otherwise are quoted', () => {
  assert.match(dropIn(['/a b/node', '-c', '/x%y$z']), /^ExecStart="\/a b\/node" -c \/x%%y\$\$z$/m);
});

test('takeover units - a process is of a unit when it is the main one', async () => {
  const run = (): Promise<{ code: number; text: string }> => Promise.resolve({ code: 0, text: '77\n' });
  assert.equal(await unitOf(77, 'minion', run), 'salt-minion.service');
  assert.equal(await unitOf(78, 'minion', run), undefined);
});
