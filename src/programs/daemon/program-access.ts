/**
 * Whether the configured account can read what it is to run: parts of a program are read long after root has become
 * that account.
 */
import { closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError } from '../../errors/errors.ts';
import { asUser } from '../../host/as-user.ts';
import type { User } from '../../host/users.ts';

/** The configured account cannot read the program. */
export class UnreadableProgramError extends BrineError {
  static override readonly errorCode: ErrorCode = 'program-not-readable';
  override readonly name = 'UnreadableProgramError';
}

/**
 * Says so before anything is touched.
 * @param paths what the account must be able to read, without links; by default what this process runs
 * @throws UnreadableProgramError when we are root, shall become another account, and that one cannot read one of them
 */
export async function requireReadablePrograms(user: User, paths = ownPrograms()): Promise<void> {
  if (process.getuid?.() !== 0 || user.uid === 0) return;
  const closed = await asUser(user, () => paths.map(firstClosed));
  const at = closed.findIndex((path) => path !== undefined);
  if (at < 0) return;
  throw new UnreadableProgramError(
    `The user ${user.name} cannot read the program ${paths[at] ?? ''}: ${closed[at] ?? ''} is closed to that account. ` +
      'Install the program where the account can read it, or name another account in the option user.',
  );
}

/** What was called, what it loads, and Node. */
function ownPrograms(): string[] {
  const called = realpathSync(process.argv[1] ?? process.execPath);
  const loaded = join(dirname(called), '..', 'dist', `${basename(called)}.cjs`);
  return [called, ...(existsSync(loaded) ? [loaded] : []), realpathSync(process.execPath)];
}

/** The folder that keeps us from a file, or the file itself; undefined when it can be read. */
function firstClosed(path: string): string | undefined {
  const folder = dirname(path);
  if (folder !== path && !isDone(() => statSync(path))) return firstClosed(folder) ?? folder;
  return isDone(() => {
    closeSync(openSync(path, 'r'));
  })
    ? undefined
    : path;
}

function isDone(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
