/** Why a minion that was named cannot take part: what its key says. */
import type { MasterOptions } from '../../config/master-options.ts';
import { KeyStore } from '../../storage/keys/store.ts';
import type { Outcome } from './outcome.ts';

/** @returns the outcome of a minion without an accepted key */
export async function keyOutcome(opts: MasterOptions, id: string): Promise<Outcome> {
  try {
    const state = new KeyStore(opts.get('pki_dir')).state(id);
    return state === undefined ? { kind: 'not known' } : { kind: 'key not accepted', state };
  } catch (error) {
    // the keys are for the master's user to see; a user of publisher_acl has only been told that there is none that is
    // accepted
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    return { kind: 'key not accepted', state: 'missing or waiting' };
  }
}
