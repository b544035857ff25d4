/**
 * Who a local program is to the master: a user name and the key file that proves it
 * (docs/internals/keys-and-sessions.md#user-keys).
 */
import { thisUser } from '../../host/own-account.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MasterOptions } from '../../config/master-options.ts';
import { closedFolder } from './own-events.ts';
import { Secret } from '../../host/secret.ts';

/** A user and the key read for it; the key is empty when the file cannot be read. */
export interface UserCredentials {
  readonly user: string;
  readonly key: Secret;
  /** Whose key it is; `sudo_…` shows that of the master's user. */
  readonly keyUser: string;
}

/**
 * Salt's rules for the name and the file (salt/client/__init__.py `__read_master_key`, salt/utils/user.py
 * `get_specific_user`).
 */
export function userCredentials(opts: MasterOptions, env: NodeJS.ProcessEnv): UserCredentials {
  const running = thisUser();
  const master = opts.get('user');
  const sudo = env['SUDO_USER'];
  const isSudo = running === 'root' && sudo !== undefined && sudo !== '' && sudo !== 'root';
  const keyUser = running === 'root' || running === master || isSudo ? master : running;
  return { user: isSudo ? `sudo_${sudo}` : keyUser, key: new Secret(readKey(opts, keyUser)), keyUser };
}

/** Why the key of a user cannot be read, in a sentence with what to do; undefined when it can be. */
export function missingKey(opts: MasterOptions, user: string): string | undefined {
  const path = keyPath(opts, user);
  try {
    readFileSync(path);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT')
      return (
        `The master has made no key for the user ${user} (${path} is not there): name him in publisher_acl and restart the master, ` +
        'or log in with -a.'
      );
    return closedFolder(path) ?? `The user ${thisUser()} may not read ${path}, the key of ${user}.`;
  }
}

function readKey(opts: MasterOptions, user: string): string {
  try {
    return readFileSync(keyPath(opts, user), 'utf8');
  } catch {
    return '';
  }
}

function keyPath(opts: MasterOptions, user: string): string {
  return join(opts.get('cachedir'), `.${user.replaceAll('\\', '_')}_key`);
}
