import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import {
  checkMessage,
  isSignedCommand,
  signMessage,
} from '../../../../src/network/channel/message-signature.ts';
import { DEFAULT_SIGNING, RsaPrivateKey } from '../../../../src/network/crypto/rsa.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import { decode, encode } from '../../../../src/formats/wire/msgpack.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = RsaPrivateKey.parse(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());

function load(): Dict {
  return dict({
    cmd: '_return',
    id: 'm',
    return: { grün: [1, null] },
    jid: '1',
    raw: new Uint8Array([0xff, 1]),
    ts: 5,
  });
}

/** What the master reads of what was sent. */
function received(sent: Dict): Dict {
  return decode(encode(sent, 'network'), 'network') as Dict;
}

test('message signature - ours is over all but the nonce, the token and itself, as a master of Salt checks it', () => {
  const sent = load()
    .set('nonce', 'n')
    .set('tok', new Uint8Array([1]));
  const sig = signMessage(sent, key);
  const checked = received(load());
  assert.equal(key.publicKey.verify(encode(checked, 'local'), sig, DEFAULT_SIGNING), true);
  sent.set('sig', sig);
  assert.equal(checkMessage(received(sent), key.publicKey), 'good');
});

test("message signature - one of a minion of Salt's is over what there was before the two times were added", () => {
  const signed = load();
  signed.delete('ts');
  const sig = key.sign(encode(received(signed), 'local'), DEFAULT_SIGNING);
  const sent = new Map(signed).set('sig', sig).set('_stamp', '2026-01-01').set('ts', 5);
  assert.equal(checkMessage(received(sent), key.publicKey), 'good');
});

test('message signature - a changed load, a missing key and no signature', () => {
  const sent = load();
  sent.set('sig', signMessage(sent, key));
  assert.equal(checkMessage(received(new Map(sent).set('jid', '2')), key.publicKey), 'wrong');
  assert.equal(checkMessage(received(sent), undefined), 'wrong');
  assert.equal(checkMessage(received(new Map(sent).set('sig', 7)), key.publicKey), 'wrong');
  assert.equal(checkMessage(received(load()), key.publicKey), 'missing');
});

test('message signature - returns and events are signed, requests for files are not', () => {
  assert.equal(isSignedCommand(dict({ cmd: '_return' })), true);
  assert.equal(isSignedCommand(dict({ cmd: '_serve_file' })), false);
});
