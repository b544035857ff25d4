/** A daemon whose files were replaced while it runs, as an upgrade of the package does it. */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fleet } from '../support/fleet.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();

test('replaced programs - a minion whose parts are gone says that it is to be restarted', async (t) => {
  const fleet = await Fleet.create(t, ['auto_accept: True']);
  await fleet.startMaster();
  const copy = fleet.path('copy');
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const minion = await fleet.joinMinion('web1', [], { name: 'ours', folder: join(copy, 'bin') });
  for (const name of readdirSync(join(copy, 'dist')))
    if (name.startsWith('part-')) rmSync(join(copy, 'dist', name));

  for (const words of [['schedule.list'], ['cmd.run', 'id']]) {
    const { code, stdout } = await fleet.salt(['web1', ...words]);
    assert.match(
      stdout,
      /is not available: Brine was installed anew while this salt-minion \(PID \d+\) runs, and parts that it had not\s+loaded are gone. Restart salt-minion\./,
      words[0],
    );
    assert.notEqual(code, 0, words[0]);
  }
  await minion.logged('cannot be loaded: Brine was installed anew');
});
