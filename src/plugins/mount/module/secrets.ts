/**
 * Secrets among the options of a mount. Helpers like mount.cifs get all options as arguments, which every user of the
 * machine reads; what they can take another way goes that way. Salt (3006.16 salt/modules/mount.py) leaves them among
 * the arguments.
 */
import { rmSync } from 'node:fs';
import { makeTempFile } from '../../../host/file-operations.ts';
import type { Random } from '../../../host/random.ts';

/** What is mounted how. */
export interface MountRequest {
  readonly device: string | undefined;
  readonly fstype: string | undefined;
  readonly opts: readonly string[];
}

/** The same without secrets among the options. */
export interface HiddenSecrets {
  readonly opts: readonly string[];
  /** Variables for the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Removes what the helper has read. */
  release(): void;
}

const CIFS = /^(?:cifs|smb3|smbfs)$/;
/** mount.cifs takes a password from this variable. */
const CIFS_VARIABLE = 'PASSWD';
const CIFS_PASSWORD = /^pass(?:word)?=/;
const CEPH_SECRET = /^secret=/;

/** Takes the secrets that a helper can read elsewhere out of the options. */
export function hideSecrets(random: Random, { device, fstype, opts }: MountRequest): HiddenSecrets {
  if (fstype === undefined ? device?.startsWith('//') === true : CIFS.test(fstype)) return hideCifs(opts);
  return fstype === 'ceph' ? hideCeph(random, opts) : { opts, env: {}, release: () => undefined };
}

function hideCifs(opts: readonly string[]): HiddenSecrets {
  // of several the last one counts, as for mount.cifs
  const given = opts.findLast((option) => CIFS_PASSWORD.test(option));
  const env = given === undefined ? {} : { [CIFS_VARIABLE]: valueOf(given) };
  return { opts: opts.filter((option) => !CIFS_PASSWORD.test(option)), env, release: () => undefined };
}

function hideCeph(random: Random, opts: readonly string[]): HiddenSecrets {
  const given = opts.findLast((option) => CEPH_SECRET.test(option));
  if (given === undefined) return { opts, env: {}, release: () => undefined };
  const path = makeTempFile(random, { content: `${valueOf(given)}\n` });
  return {
    opts: [...opts.filter((option) => !CEPH_SECRET.test(option)), `secretfile=${path}`],
    env: {},
    release: () => rmSync(path, { force: true }),
  };
}

const valueOf = (option: string): string => option.slice(option.indexOf('=') + 1);
