/** TLS to PostgreSQL, as libpq's `sslmode` says. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { checkServerIdentity, type ConnectionOptions } from 'node:tls';
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import type { DatabaseOptions } from './options.ts';

/** The options by which libpq, and so Salt, is told of TLS. */
export const POSTGRES_TLS = ['sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslcrl'] as const;

/** Where libpq looks for the authorities that `verify-ca` and `verify-full` need. */
const USERS_ROOTS = ['.postgresql', 'root.crt'];

/**
 * The kinds of connection of `sslmode`, in the order in which libpq tries them; `prefer` when nothing is said.
 * @throws CommandExecutionError for a mode that there is not, and for files that cannot be used
 */
export function tlsKinds(options: DatabaseOptions): readonly (false | ConnectionOptions)[] {
  const mode = options.text('sslmode') ?? 'prefer';
  if ((options.text('host') ?? '').startsWith('/')) return [false];
  switch (mode) {
    case 'disable':
      return [false];
    case 'allow':
      return [false, tlsOf(options, mode)];
    case 'prefer':
      return [tlsOf(options, mode), false];
    case 'require':
    case 'verify-ca':
    case 'verify-full':
      return [tlsOf(options, mode)];
    default:
      throw new CommandExecutionError(
        `${options.setting('sslmode')}: ${mode} is none of disable, allow, prefer, require, verify-ca, verify-full.`,
      );
  }
}

function tlsOf(options: DatabaseOptions, mode: string): ConnectionOptions {
  const crl = options.file('sslcrl');
  // libpq takes `require` for `verify-ca` where there are authorities
  const wantsRoots =
    mode.startsWith('verify-') || (mode === 'require' && options.text('sslrootcert') !== undefined);
  return {
    ...(wantsRoots ? rootsOf(options, mode) : { rejectUnauthorized: false }),
    ...options.shown('sslcert', 'sslkey'),
    ...(crl === undefined ? {} : { crl }),
  };
}

function rootsOf(options: DatabaseOptions, mode: string): ConnectionOptions {
  const host = options.text('host') ?? 'localhost';
  // left to itself, the driver takes an address for localhost
  const identity: ConnectionOptions = {
    checkServerIdentity: (_, certificate) =>
      mode === 'verify-full' ? checkServerIdentity(host, certificate) : undefined,
  };
  if (options.text('sslrootcert') === 'system') return { rejectUnauthorized: true, ...identity };
  const users = join(homedir(), ...USERS_ROOTS);
  const ca = options.authorities('sslrootcert') ?? (existsSync(users) ? readFileSync(users) : undefined);
  if (ca === undefined)
    throw new CommandExecutionError(
      `${options.setting('sslmode')}: ${mode} needs ${options.setting('sslrootcert')}, the certificates of the authorities.`,
    );
  return { ca, rejectUnauthorized: true, ...identity };
}

/** True for a server that has no TLS, or takes nothing else. */
export function isAboutTls(error: unknown): boolean {
  return /does not support SSL|no pg_hba.conf entry|SSL/.test(messageOf(error));
}
