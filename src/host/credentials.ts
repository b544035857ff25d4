/**
 * Starting a program as another user with exactly that user's groups, as `initgroups(3)` would set them. The minion's
 * own supplementary groups must never be left to the program (CVE-2013-6617).
 */
import { accessSync, constants } from 'node:fs';
import { CommandExecutionError } from '../errors/errors.ts';

/** Who a program runs as. */
export interface Credentials {
  readonly uid: number;
  readonly gid: number;
  /** All supplementary groups; the primary one may be among them. */
  readonly groups: readonly number[];
}

/** What to spawn, and with which of Node's own options, so that the program has the credentials. */
export interface LaunchPlan {
  readonly argv: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  readonly uid?: number;
  readonly gid?: number;
  /** True when a helper program takes the place of the program first. */
  readonly viaHelper: boolean;
}

/** Variables that steer the dynamic loader and the C library: the helper, still root, must not see a user's. */
const LOADER_VARIABLE =
  /^(LD_.*|GLIBC_TUNABLES|GCONV_PATH|GETCONF_DIR|HOSTALIASES|LOCALDOMAIN|LOCPATH|MALLOC_.*|NIS_PATH|NLSPATH|RESOLV_HOST_CONF|RES_OPTIONS|TZDIR)$/;

/** Folders where the helper is looked for: never a PATH that a user may have set. */
const TRUSTED_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/**
 * Decides how to give a program its credentials. Node sets user and primary group and drops every other group; where
 * the user has further groups, util-linux `setpriv` sets them and then becomes the program (same process, same pid).
 * @throws CommandExecutionError when further groups are needed and there is no `setpriv`
 */
export function planLaunch(
  argv: readonly string[],
  env: ReadonlyMap<string, string>,
  credentials: Credentials | undefined,
  findHelper: (name: string) => string | undefined = findTrusted,
): LaunchPlan {
  if (!credentials || isOurs(credentials)) return { argv, env, viaHelper: false };
  const { uid, gid } = credentials;
  const further = [...new Set(credentials.groups)].filter((id) => id !== gid);
  if (further.length === 0 || process.getuid?.() !== 0) return { argv, env, uid, gid, viaHelper: false };
  const setpriv = findHelper('setpriv');
  if (setpriv === undefined) {
    throw new CommandExecutionError(
      `User ${uid} is in the further groups ${further.join(', ')}; setting them needs the program setpriv ` +
        '(package util-linux), which was not found.',
    );
  }
  const held = [...env].filter(([name]) => LOADER_VARIABLE.test(name));
  const program = held.length === 0 ? argv : [...reinstating(held, findHelper), ...argv];
  return {
    argv: [
      setpriv,
      '--reuid',
      `${uid}`,
      '--regid',
      `${gid}`,
      '--groups',
      [gid, ...further].join(','),
      '--',
      ...program,
    ],
    env: held.length === 0 ? env : new Map([...env].filter(([name]) => !LOADER_VARIABLE.test(name))),
    viaHelper: true,
  };
}

// Loader variables come back when root's rights are gone already.
function reinstating(
  variables: readonly (readonly [string, string])[],
  findHelper: (name: string) => string | undefined,
): string[] {
  const env = findHelper('env');
  if (env === undefined)
    throw new CommandExecutionError('The program env (package coreutils) was not found.');
  return [env, '--', ...variables.map(([name, value]) => `${name}=${value}`)];
}

// Without the right to change anything, asking for what we are already must not fail.
function isOurs(credentials: Credentials): boolean {
  return process.getuid?.() === credentials.uid && process.getgid?.() === credentials.gid;
}

function findTrusted(name: string): string | undefined {
  return TRUSTED_FOLDERS.map((folder) => `${folder}/${name}`).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
