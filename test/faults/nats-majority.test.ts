/** A master that starts while NATS has a server and no majority: it waits, and says for whom. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingServers } from '../../scripts/database-programs.mjs';
import { killMaster, startMembers, startNats, untilComplete } from '../support/cluster/stage.ts';

const skip = missingServers(['nats']).length > 0 ? 'did not run: nats-server is not installed' : false;

test(
  'faults - a master that starts as NATS loses its majority waits for it',
  { skip, timeout: 300_000 },
  async (t) => {
    const servers = await startNats(t, 3);
    const [a] = await startMembers(t, servers, ['a']);
    assert.ok(a !== undefined);
    await untilComplete(servers);
    await killMaster(a);

    const [, second, third] = servers;
    await Promise.all([second?.kill(), third?.kill()]);
    const master = a.fleet.start('salt-master', ['-c', a.fleet.masterDir, '-l', 'info']);
    await master.logged('This master waits for the cluster');
    assert.match(master.log, /JetStream|NATS/);
    assert.doesNotMatch(master.log, /nats-server -js/);
    await second?.start();
    await master.logged('is the member a of the cluster');
    await third?.start();
    await master.stop();
  },
);
