/**
 * Requests to a running reactor, which are events (salt/runners/reactor.py, 3006.16). Salt's carry the key of the
 * master's user, for every reader of the bus to see; a reactor of ours is shown a proof made with it instead.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../host/secret.ts';
import type { Dict } from '../../python/values/value.ts';
import { encode } from '../../formats/wire/msgpack.ts';

/** The end of every such tag but one word. */
export const REACTOR_MANAGE = 'salt/reactors/manage';
const PROOF = 'proof';

/** @returns the fields with the proof that whoever sends them has the key. @param what `list`, `add` and so on */
export function withProof(key: Secret, what: string, fields: Dict): Dict {
  return new Map([...fields, [PROOF, proofOf(key, what, fields)]]);
}

/** Whether a request shows that its sender has the key: by the key itself, as Salt's programs do, or by a proof. */
export function isProved(key: Secret, what: string, data: Dict): boolean {
  const given = data.get('key');
  if (typeof given === 'string') return isSame(given, key.reveal());
  const proof = data.get(PROOF);
  const fields: Dict = new Map([...data].filter(([name]) => name !== PROOF && name !== '_stamp'));
  return typeof proof === 'string' && isSame(proof, proofOf(key, what, fields));
}

function proofOf(key: Secret, what: string, fields: Dict): string {
  return createHmac('sha256', key.reveal()).update(`${what}\0`).update(encode(fields, 'local')).digest('hex');
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return b.length > 0 && a.length === b.length && timingSafeEqual(a, b);
}
