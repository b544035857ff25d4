/** A key is revoked on a master that dies before it has made a new shared key. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingServers } from '../../scripts/database-programs.mjs';
import { CHOICE_MS, killMaster, startMembers, startNats, untilAllAnswer } from '../support/cluster/stage.ts';
import { namesIn, until } from '../support/fleet.ts';

const skip = missingServers(['nats']).length > 0 ? 'did not run: nats-server is not installed' : false;

test(
  'faults - a minion whose key was revoked by a master that died is shut out by the others',
  { skip },
  async (t) => {
    const [dying, other] = await startMembers(t, await startNats(t, 1), ['a', 'b']);
    assert.ok(dying !== undefined && other !== undefined);
    const [a, b] = [dying.fleet, other.fleet];
    const masters = `master: [${[a, b].map(({ retPort }) => `'127.0.0.1:${retPort}'`).join(', ')}]`;
    for (const id of ['gone', 'stays']) a.startMinion(id, [masters]);
    await until('the keys wait', () => namesIn(a.path('m', 'pki', 'minions_pre')).length === 2);
    await a.run('salt-key', ['-y', '-A']);
    for (const fleet of [a, b]) await untilAllAnswer(fleet, ['gone', 'stays'], CHOICE_MS);

    const maintenance = a.master?.children().get('salt-master Maintenance');
    assert.ok(maintenance !== undefined);
    process.kill(maintenance, 'SIGSTOP');
    await a.run('salt-key', ['-y', '-d', 'gone']);
    await until('b knows of it', () => !namesIn(b.path('m', 'pki', 'minions')).includes('gone'));
    await killMaster(dying);
    await b.master?.logged('the key of gone was revoked on another master');
    await untilAllAnswer(b, ['stays'], CHOICE_MS);
    await b.run('salt', ['*', 'cmd.run', `echo {{ grains.id }} >> ${b.path('ran')}`, 'template=jinja']);
    assert.deepEqual(
      (
        await b.run('salt', ['stays', 'cmd.run', `cat ${b.path('ran')}`, '--out=newline_values_only'])
      ).stdout.trim(),
      'stays',
    );
  },
);
