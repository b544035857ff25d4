/**
 * The nonce of a request, which the reply repeats: 32 hexadecimal characters, as every Salt makes it
 * (`uuid.uuid4().hex`: salt/crypt.py `minion_sign_in_payload` and salt/channel/client.py `_package_load`, 3006.16 and
 * 3007.8; so since 3004.1, which was the first to send one).
 */
import type { Value } from '../../python/values/value.ts';

const NONCE = /^[0-9a-f]{32}$/i;

/**
 * True for what a nonce may be. A master signs and seals what it repeats: a text of the peer's own choosing could be at
 * the same time another message of the master's, such as a publication.
 */
export function isNonce(value: Value | undefined): value is string {
  return typeof value === 'string' && NONCE.test(value);
}
