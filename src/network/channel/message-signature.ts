/**
 * Signatures of what a minion says (`minion_sign_messages`; salt/minion.py `_send_req_sync`, salt/master.py `_return`,
 * 3006.16): PKCS1v15 with SHA1 over the load as msgpack with separate bytes, in the field `sig`.
 *
 * Salt compat: a minion of Salt signs before its event bus and its channel add the time, and a master of Salt checks
 * with both times in the load, so that the two never agree. Ours signs what a master of Salt checks, and takes both
 * forms.
 */
import { DEFAULT_SIGNING, type RsaPrivateKey, type RsaPublicKey } from '../crypto/rsa.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { asBytes, decode, encode } from '../../formats/wire/msgpack.ts';

/** The commands that Salt's minions and syndics sign; masters check the signatures of returns only. */
const SIGNED_COMMANDS: ReadonlySet<Value> = new Set(['_return', '_minion_event', '_syndic_return']);

/** What the channel adds, and takes off again before a handler sees the load. */
const OF_THE_CHANNEL = ['sig', 'nonce', 'tok'];

/** What a minion of Salt adds to a load that it has signed: its event bus the one, its channel the other. */
const AFTER_SALT_SIGNS = ['_stamp', 'ts'];

/** Whether a load is one of those that are signed. */
export function isSignedCommand(load: Dict): boolean {
  return SIGNED_COMMANDS.has(load.get('cmd') ?? null);
}

/** The signature of a load that has its `ts` and `id`. The nonce and the token are not part of what is signed. */
export function signMessage(load: Dict, key: RsaPrivateKey): Buffer {
  const signed = without(load, OF_THE_CHANNEL);
  // the other side signs what it reads: text and bytes are one family on the way
  return key.sign(encode(decode(encode(signed, 'network'), 'network'), 'local'), DEFAULT_SIGNING);
}

/** What a signature is worth. */
export type SignatureState = 'missing' | 'good' | 'wrong';

/** Checks the `sig` of a load. @param key of the minion that it says it is from; undefined when there is none */
export function checkMessage(load: Dict, key: RsaPublicKey | undefined): SignatureState {
  if (!load.has('sig')) return 'missing';
  const signature = asBytes(load.get('sig'));
  if (signature === undefined || key === undefined) return 'wrong';
  const isOver = (content: Dict): boolean => key.verify(encode(content, 'local'), signature, DEFAULT_SIGNING);
  const content = without(load, OF_THE_CHANNEL);
  return isOver(content) || isOver(without(content, AFTER_SALT_SIGNS)) ? 'good' : 'wrong';
}

function without(load: Dict, names: readonly Value[]): Dict {
  return new Map([...load].filter(([name]) => !names.includes(name)));
}
