/**
 * Starting a program as another user with exactly that user's groups, as `initgroups(3)` would set them. The minion's
 * own supplementary groups must never be left to the program (CVE-2013-6617).
 */
import { accessSync, constants } from 'node:fs';
import { CommandExecutionError } from '../errors/errors.ts';

/** Who a program runs as. */
export interface RunAs {
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
  /** The program that was asked for; `argv` may begin with helpers that become it. */
  readonly program: string;
  /** The names by which the helpers introduce their own error messages; none when there are no helpers. */
  readonly helpers: readonly string[];
}

/** Variables that steer the dynamic loader and the C library: the helper, still root, must not see a user's. */
const LOADER_VARIABLE =
  /^(LD_.*|GLIBC_TUNABLES|GCONV_PATH|GETCONF_DIR|HOSTALIASES|LOCALDOMAIN|LOCPATH|MALLOC_.*|NIS_PATH|NLSPATH|RESOLV_HOST_CONF|RES_OPTIONS|TZDIR)$/;

/** Folders where the helper is looked for: never a PATH that a user may have set. */
const TRUSTED_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/**
 * Decides how to give a program its credentials. Node sets user and primary group and drops every other group; where
 * the user has further groups, util-linux `setpriv` sets them and then becomes the program (same process, same pid).
 * @param findHelper the path of a program in a folder that only root can write to
 * @throws CommandExecutionError when further groups are needed and the helpers are missing
 */
export function planLaunch(
  argv: readonly string[],
  env: ReadonlyMap<string, string>,
  credentials: RunAs | undefined,
  findHelper: (name: string) => string | undefined = findTrusted,
): LaunchPlan {
  const direct = { argv, env, program: argv[0] ?? '', helpers: [] };
  if (!credentials || isOurs(credentials)) return direct;
  const { uid, gid } = credentials;
  const further = [...new Set(credentials.groups)].filter((id) => id !== gid);
  if (further.length === 0 || process.getuid?.() !== 0) return { ...direct, uid, gid };
  const helper = (name: string): string => {
    const path = findHelper(name);
    if (path !== undefined) return path;
    throw new CommandExecutionError(
      `User ${uid} is in the further groups ${further.join(', ')}; setting them needs the programs setpriv ` +
        `(package util-linux), env and nice (package coreutils), of which ${name} was not found.`,
    );
  };
  const groups = [gid, ...further].join(',');
  const change = ['--reuid', `${uid}`, '--regid', `${gid}`, '--groups', groups, '--inh-caps=-all', '--'];
  return {
    ...direct,
    argv: [helper('setpriv'), ...change, ...secondStage(direct.program, env, helper), ...argv],
    env: new Map([...env].filter(([name]) => !LOADER_VARIABLE.test(name))),
    helpers: ['setpriv', helper('env'), helper('nice')],
  };
}

// `setpriv` keeps root's capabilities until it becomes another program. So that is `env`, and only then comes the
// program: started with the user's own rights, and with the loader variables, which nobody with root's rights sees now.
function secondStage(
  program: string,
  env: ReadonlyMap<string, string>,
  helper: (name: string) => string,
): readonly string[] {
  const held = [...env]
    .filter(([name]) => LOADER_VARIABLE.test(name))
    .map(([name, value]) => `${name}=${value}`);
  // `env` would take a program with `=` in its name for one more variable
  const shield = program.includes('=') ? [helper('nice'), '-n', '0', '--'] : [];
  return [helper('env'), '--', ...held, ...shield];
}

// Without the right to change anything, asking for what we are already must not fail.
function isOurs(credentials: RunAs): boolean {
  return process.getuid?.() === credentials.uid && process.getgid?.() === credentials.gid;
}

/** The path of a helper in a folder that only root writes to; undefined where there is none. */
export function findTrusted(name: string): string | undefined {
  return TRUSTED_FOLDERS.map((folder) => `${folder}/${name}`).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
