/** Private keys for repositories that are reached over SSH (3006.16 salt/modules/git.py `_git_run`). */
import { chmodSync, chownSync, rmSync } from 'node:fs';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { makeTempFile, readBytes } from '../../../host/file-operations.ts';
import { isFile } from '../../../python/paths.ts';
import { isOsError, osErrorText } from '../../../python/os-errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { userId } from '../../shared/file-names.ts';

/** What git starts in place of `ssh`: takes unknown hosts, never asks, and uses one key. */
const SSH_SCRIPT = `#!/bin/sh
exec ssh -oStrictHostKeyChecking=no -oPasswordAuthentication=no -oKbdInteractiveAuthentication=no \\
  -oChallengeResponseAuthentication=no -i "$GIT_IDENTITY" "$@"
`;

const SAME_GROUP = 0xffffffff;

/** A key that is ready to be used, with the script that uses it. */
export interface PreparedIdentity {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  /** Removes the files that were made for it. */
  release(): void;
}

/** Whose key, and from which environment of the file server it may come. */
export interface IdentityUse {
  readonly user: string | undefined;
  readonly saltenv: Value;
}

async function giveTo(path: string, user: string | undefined): Promise<void> {
  if (user === undefined) return;
  const uid = await userId(user);
  if (typeof uid === 'number') chownSync(path, uid, SAME_GROUP);
}

/** A key of the file server in a file of its own; undefined where there is none. */
async function fetchedKey(
  ctx: ModuleContext,
  url: string,
  { user, saltenv }: IdentityUse,
): Promise<string | undefined> {
  const path = makeTempFile(ctx.random);
  let isFetched = false;
  try {
    isFetched = truthy(await ctx.functions.call('cp.get_file', [url, path, saltenv]));
    if (!isFetched) return undefined;
    chmodSync(path, 0o600);
    await giveTo(path, user);
    return path;
  } catch (error) {
    isFetched = false;
    throw error;
  } finally {
    if (!isFetched) rmSync(path, { force: true });
  }
}

/**
 * Makes a key usable.
 * @returns undefined where there is no such key, which is logged
 */
export async function prepareIdentity(
  ctx: ModuleContext,
  given: string,
  use: IdentityUse,
): Promise<PreparedIdentity | undefined> {
  const isRemote = given.includes('salt://');
  const path = isRemote ? await fetchedKey(ctx, given, use) : isFile(given) ? given : undefined;
  if (path === undefined) {
    ctx.log.error(`identity ${given} does not exist.`);
    return undefined;
  }
  const script = makeTempFile(ctx.random, { content: SSH_SCRIPT });
  const release = (): void => {
    rmSync(script, { force: true });
    if (isRemote) rmSync(path, { force: true });
  };
  try {
    chmodSync(script, 0o500);
    await giveTo(script, use.user);
  } catch (error) {
    release();
    throw error;
  }
  return { path, env: { GIT_IDENTITY: path, GIT_SSH: script }, release };
}

/**
 * True for a private key that has a passphrase, which nobody could type.
 * @throws CommandExecutionError where it cannot be read, or is no private key
 */
export function needsPassphrase(path: string): boolean {
  let text: string;
  try {
    text = readBytes(path).toString('utf8');
  } catch (error) {
    if (!isOsError(error)) throw error;
    throw new CommandExecutionError(`The identity file ${path} cannot be read: ${osErrorText(error)}`);
  }
  if (!/BEGIN (?:\w+\s)*PRIVATE KEY/.test(text))
    throw new CommandExecutionError(`${path} is not a private key`);
  return text.includes('ENCRYPTED');
}

/** The keys that were given: one, or a list. */
export function identitiesOf(identity: Value | undefined): string[] {
  if (!truthy(identity)) return [];
  return (Array.isArray(identity) ? identity : [identity ?? '']).map(pyStr);
}
