/** Who a local program is to the master: a user name and the key file that proves it (docs/internals/keys-and-sessions.md#user-keys). */
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { MasterOptions } from '../../config/master-options.ts';
import { Secret } from '../../host/secret.ts';

/** A user and the key read for it; the key is empty when the file cannot be read. */
export interface UserCredentials {
  readonly user: string;
  readonly key: Secret;
}

/** Salt's rules for the name and the file (salt/client/__init__.py `__read_master_key`, salt/utils/user.py `get_specific_user`). */
export function userCredentials(opts: MasterOptions, env: NodeJS.ProcessEnv): UserCredentials {
  const running = userInfo().username;
  const master = opts.get('user');
  const sudo = env['SUDO_USER'];
  const isSudo = running === 'root' && sudo !== undefined && sudo !== '' && sudo !== 'root';
  const keyUser = running === 'root' || running === master || isSudo ? master : running;
  return { user: isSudo ? `sudo_${sudo}` : keyUser, key: new Secret(readKey(opts, keyUser)) };
}

function readKey(opts: MasterOptions, user: string): string {
  try {
    return readFileSync(join(opts.get('cachedir'), `.${user.replaceAll('\\', '_')}_key`), 'utf8');
  } catch {
    return '';
  }
}
