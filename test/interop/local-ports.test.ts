/** `ipc_mode: tcp`: the programs of one host meet on ports in place of unix sockets. */
import assert from 'node:assert/strict';
import { freePort } from '../support/fleet.ts';
import { createFleet, interop } from './real-salt.ts';

interop("a real salt command hears our master's event bus on a port", async (t, real) => {
  const fleet = await createFleet(t);
  const [pub, pull] = [await freePort(), await freePort()];
  fleet.configureMaster([
    'ipc_mode: tcp',
    `tcp_master_pub_port: ${pub}`,
    `tcp_master_pull_port: ${pull}`,
    'auto_accept: True',
    'gather_job_timeout: 3',
  ]);
  const master = fleet.start('salt-master', ['-c', fleet.masterDir, '-l', 'info']);
  await master.logged('Worker 0 is ready');
  await fleet.joinMinion('m1');
  for (const programs of [undefined, real]) {
    const { stdout } = await fleet.salt(['-t', '5', '--out', 'txt', 'm1', 'test.ping'], programs);
    assert.match(stdout, /^m1: True$/m);
  }
});
