/**
 * Authentications as fast as a master answers them. The requests are those of real minions. Of each reply the signature
 * and the nonce are checked; the keys in it are opened for one in {@link OPENED_EVERY}, because two to three private
 * operations for each reply would measure this side and not the master.
 */
import { createHash } from 'node:crypto';
import { generateKeyString, isKeyString } from '../../src/network/crypto/crypticle.ts';
import {
  DEFAULT_ENCRYPTION,
  DEFAULT_SIGNING,
  RsaPublicKey,
  type RsaPrivateKey,
} from '../../src/network/crypto/rsa.ts';
import { systemClock } from '../../src/host/clock.ts';
import { systemRandom } from '../../src/host/random.ts';
import { keyOf, swarmId } from '../../src/programs/swarm/key-pairs.ts';
import { Requester } from '../../src/network/transport/zmtp/requester.ts';
import { isDict, type Dict } from '../../src/python/values/value.ts';
import { PROTOCOL_VERSION } from '../../src/formats/wire/envelope.ts';
import { asBytes, decode, encode } from '../../src/formats/wire/msgpack.ts';
import type { LoadTarget, Storm, StormResult } from './messages.ts';
import { runStorm } from './storm.ts';

const OPENED_EVERY = 16;
const CONNECTIONS = 64;
const TIMEOUT_MS = 30_000;

/** @param again with the token that a minion sends when it knows its master's key already */
export async function authStorm(
  target: LoadTarget & Storm,
  keys: readonly RsaPrivateKey[],
  again: boolean,
): Promise<StormResult> {
  const requesters = Array.from({ length: CONNECTIONS }, () => requesterTo(target));
  try {
    const masterKey = await learnMasterKey(target, keys, requesters[0] as Requester);
    const token = again
      ? masterKey.encrypt(Buffer.from(generateKeyString().reveal()), DEFAULT_ENCRYPTION)
      : undefined;
    return await runStorm(target, async (n) => {
      const index = n % target.count;
      const key = keyOf(keys, index);
      const { nonce, body } = authRequest(swarmId(target.prefix, index), key, token);
      const reply = await (requesters[n % CONNECTIONS] as Requester).request(body, TIMEOUT_MS);
      checkReply(reply, nonce, masterKey, n % OPENED_EVERY === 0 ? key : undefined);
    });
  } finally {
    for (const requester of requesters) requester.close();
  }
}

function requesterTo({ host, port }: LoadTarget): Requester {
  return new Requester({
    address: () => ({ host, port }),
    messageBytesMax: 1024 * 1024,
    pendingMax: 10_000,
    reconnectMs: { min: 100, max: 1000 },
    clock: systemClock,
    random: systemRandom,
  });
}

async function learnMasterKey(
  target: LoadTarget,
  keys: readonly RsaPrivateKey[],
  requester: Requester,
): Promise<RsaPublicKey> {
  const { body } = authRequest(swarmId(target.prefix, 0), keyOf(keys, 0), undefined);
  const { load } = openReply(await requester.request(body, TIMEOUT_MS));
  const pem = load.get('pub_key');
  if (typeof pem !== 'string') throw new Error('the master does not accept the simulated minions');
  return RsaPublicKey.parse(pem);
}

function authRequest(
  id: string,
  key: RsaPrivateKey,
  token: Buffer | undefined,
): { nonce: string; body: Buffer } {
  const nonce = systemRandom.bytes(16).toString('hex');
  const load = {
    cmd: '_auth',
    id,
    nonce,
    enc_algo: DEFAULT_ENCRYPTION,
    sig_algo: DEFAULT_SIGNING,
    pub: key.publicKey.pem,
    token,
  };
  return { nonce, body: encode({ enc: 'clear', load, version: PROTOCOL_VERSION }, 'network') };
}

function openReply(bytes: Buffer): { load: Dict; signed: Buffer; sig: Buffer } {
  const outer = decode(bytes, 'network');
  const signed = isDict(outer) ? asBytes(outer.get('load')) : undefined;
  const sig = isDict(outer) ? asBytes(outer.get('sig')) : undefined;
  if (signed === undefined || sig === undefined) throw new Error('the reply is not signed');
  const load = decode(signed, 'network');
  if (!isDict(load)) throw new Error('the reply is no map');
  return { load, signed, sig };
}

function checkReply(
  bytes: Buffer,
  nonce: string,
  masterKey: RsaPublicKey,
  opener: RsaPrivateKey | undefined,
): void {
  const { load, signed, sig } = openReply(bytes);
  if (!masterKey.verify(signed, sig, DEFAULT_SIGNING)) throw new Error('the signature does not fit');
  if (load.get('nonce') !== nonce) throw new Error('the nonce is another request’s');
  if (load.get('enc') !== 'pub') throw new Error(`the master answered ${String(load.get('ret'))}`);
  if (opener === undefined) return;
  const open = (name: string): string =>
    opener.decrypt(asBytes(load.get(name)) ?? Buffer.alloc(0), DEFAULT_ENCRYPTION)?.toString('latin1') ?? '';
  const shared = open('aes');
  const digest = createHash('sha256').update(shared).digest('hex');
  if (!isKeyString(shared) || !isKeyString(open('session'))) throw new Error('a key cannot be opened');
  if (!masterKey.opensTo(asBytes(load.get('sig')) ?? Buffer.alloc(0), Buffer.from(digest)))
    throw new Error('the shared key is not signed');
}
