/**
 * The external pillars gpg and nacl: the pillar so far with its secrets decrypted (3006.16 salt/pillar/gpg.py,
 * salt/pillar/nacl.py).
 */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { copyValue, isDict } from '../../../python/values/value.ts';
import type { ExtPillar } from './ext-pillar.ts';

/**
 * Salt compat: a secret that cannot be decrypted fails the pillar, as `gpg_decrypt_must_succeed` says, and what a
 * minion has sent is not decrypted for it.
 */
export function decryptingPillar(renderer: 'gpg' | 'nacl'): ExtPillar {
  return async (_, { pillar, decrypt }) => {
    const data = await decrypt?.(renderer, copyValue(pillar));
    if (data === undefined || !isDict(data)) throw new CommandExecutionError(`${renderer} gives no mapping`);
    return data;
  };
}
