/** What can be set about trust: signed master keys, other algorithms, topics, accepting by grains, open mode. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { namesIn, ours, type Daemon, type Fleet, type Programs } from '../support/fleet.ts';
import { createFleet, interop, restartMaster, untilAnswers } from './real-salt.ts';

const MINION_OPTIONS = [
  'verify_master_pubkey_sign: True',
  'sign_pub_messages: True',
  'encryption_algorithm: OAEP-SHA224',
  'signing_algorithm: PKCS1v15-SHA224',
  'zmq_filtering: True',
  'autosign_grains: [kernel]',
];

interop('our master and a real minion, with every strict option', (t, real) => strict(t, ours, real));
interop('a real master and our minion, with every strict option', (t, real) => strict(t, real, ours));

async function strict(t: TestContext, masters: Programs, minions: Programs): Promise<void> {
  const fleet = await createFleet(t);
  const grains = fleet.path('grains');
  mkdirSync(grains);
  writeFileSync(`${grains}/kernel`, '# who may come in by itself\nLinux\n');
  fleet.configureMaster([
    'master_sign_pubkey: True',
    'publish_signing_algorithm: PKCS1v15-SHA224',
    'zmq_filtering: True',
    `autosign_grains_dir: ${grains}`,
    'gather_job_timeout: 3',
  ]);
  await fleet.startMaster(masters);
  installVerificationKey(fleet, 'm1');
  let minion = await fleet.joinMinion('m1', MINION_OPTIONS, minions);
  await untilAnswers(fleet, 'm1', ours);
  assert.deepEqual(namesIn(fleet.path('m', 'pki', 'minions')), ['m1']);
  for (const target of [
    ['m*'],
    ['-L', 'm1,m9'],
    ['-E', 'm\\d'],
    ['-G', 'kernel:Linux'],
    ['-C', 'm1 and G@kernel:*'],
  ]) {
    const { stdout } = await fleet.salt(['-t', '3', '--out', 'txt', ...target, 'test.ping']);
    assert.match(stdout, /^m1: True$/m, target.join(' '));
  }
  await minion.stop();
  await t.test('a new master key is believed when it is signed', async () => {
    minion = await newMasterKey(fleet, masters, minions);
  });
  await minion.stop();
  await t.test('open mode takes any key', () => openMode(fleet, masters, minions));
}

function installVerificationKey(fleet: Fleet, id: string): void {
  mkdirSync(fleet.path(id, 'pki'), { recursive: true });
  copyFileSync(fleet.path('m', 'pki', 'master_sign.pub'), fleet.path(id, 'pki', 'master_sign.pub'));
}

/** The master comes back with another key pair, vouched for by the same signing key. */
async function newMasterKey(fleet: Fleet, masters: Programs, minions: Programs): Promise<Daemon> {
  const before = readFileSync(fleet.path('m1', 'pki', 'minion_master.pub'), 'utf8');
  for (const name of ['master.pem', 'master.pub']) rmSync(fleet.path('m', 'pki', name));
  await restartMaster(fleet, masters);
  const minion = await fleet.joinMinion('m1', MINION_OPTIONS, minions);
  await untilAnswers(fleet, 'm1', ours);
  const after = readFileSync(fleet.path('m1', 'pki', 'minion_master.pub'), 'utf8').trim();
  assert.notEqual(after, before.trim());
  assert.equal(after, readFileSync(fleet.path('m', 'pki', 'master.pub'), 'utf8').trim());
  return minion;
}

async function openMode(fleet: Fleet, masters: Programs, minions: Programs): Promise<void> {
  const known = fleet.path('m', 'pki', 'minions', 'm1');
  const before = readFileSync(known, 'utf8');
  fleet.configureMaster(['open_mode: True', 'gather_job_timeout: 3']);
  await restartMaster(fleet, masters);
  rmSync(fleet.path('m1', 'pki'), { recursive: true });
  await fleet.joinMinion('m1', [], minions);
  await untilAnswers(fleet, 'm1', ours);
  assert.notEqual(readFileSync(known, 'utf8').trim(), before.trim());
}
