/**
 * A real master signs any nonce, also one that makes its refusal a publication (issue 9, row 1). Our minion tells them
 * apart; the real master's own flaw stays, which is why masters of ours sign no such nonce.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { RsaPublicKey } from '../../src/network/crypto/rsa.ts';
import { systemClock } from '../../src/host/clock.ts';
import { isDict, type Dict } from '../../src/python/values/value.ts';
import { asBytes, type Encodable } from '../../src/formats/wire/msgpack.ts';
import { Attacker, authLoad, clearBytes, keyPair, replyThatIsAPublication } from '../support/attacker.ts';
import { ours } from '../support/fleet.ts';
import { PublishRelay } from '../support/publish-relay.ts';
import { createFleet, interop, untilAnswers } from './real-salt.ts';

interop('our minion takes no signed reply of a real master for a publication', async (t, real) => {
  const fleet = await createFleet(t, ['auto_accept: True']);
  await fleet.startMaster(real);
  const relay = await PublishRelay.open(t, fleet.publishPort);
  const minion = await fleet.joinMinion('o1', [`publish_port: ${relay.port}`]);
  await untilAnswers(fleet, 'o1', ours);
  const rogue = new Attacker(t, 'rogue', fleet.retPort);
  assert.equal((await rogue.authenticate()).kind, 'accepted');
  const { shared } = rogue.credentials as NonNullable<typeof rogue.credentials>;
  const trap = fleet.path('trap');
  const { nonce, reply } = replyThatIsAPublication(shared.keyString.reveal(), false, {
    ...{ fun: 'cmd.run', arg: [`touch ${trap}`], tgt: '*', tgt_type: 'glob', ret: '' },
    ...{ jid: '20261122000000000001', serial: systemClock.nowMs() },
  });
  const load = Object.fromEntries(authLoad('rogue', keyPair('another').key.publicKey.pem).entries());
  const answer = (await rogue.send(clearBytes({ ...(load as Record<string, Encodable>), nonce }))) as Dict;
  const signed = isDict(answer) ? asBytes(answer.get('load')) : undefined;
  const sig = isDict(answer) ? asBytes(answer.get('sig')) : undefined;
  assert.ok(signed !== undefined && sig !== undefined, 'the real master signs it');
  const masterKey = RsaPublicKey.parse(readFileSync(fleet.path('m', 'pki', 'master.pub'), 'utf8'));
  assert.ok(masterKey.verify(reply, sig, 'PKCS1v15-SHA1') && reply.equals(signed));
  relay.publish({ load: signed, sig_algo: 'PKCS1v15-SHA1', sig });
  await minion.logged("the master's signature is that of a reply");
  await untilAnswers(fleet, 'o1', ours);
  assert.equal(existsSync(trap), false);
});
