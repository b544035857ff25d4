/** The temporary files that hold a script or code while it runs (CVE-2014-3563: random name, final mode at once). */
import { chownSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import { createFile } from '../../host/files.ts';
import type { User } from '../../host/users.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';

/** A file that exists only while `use` runs. */
export interface TempFile {
  readonly content: Uint8Array | string;
  readonly mode: number;
  /** Where; default: the system's folder for temporary files. */
  readonly folder?: string | undefined;
  /** End of the name, such as `.sh`. */
  readonly suffix?: string;
  /** Who shall own it; default: we. */
  readonly owner?: User | undefined;
  /** What is run removes the file when it ends, since nobody waits for it. */
  readonly removesItself?: boolean;
}

/**
 * Creates the file, hands its path to `use` and removes it afterwards.
 * @param label names the caller in an error line
 */
export async function withTempFile<T>(
  ctx: ModuleContext,
  label: string,
  file: TempFile,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const name = `__salt.tmp.${ctx.random.bytes(9).toString('base64url')}${file.suffix ?? ''}`;
  const path = join(file.folder ?? tmpdir(), name);
  try {
    createFile(path, file.content, { mode: file.mode });
  } catch (error) {
    throw new CommandExecutionError(
      `${label}: Unable to create the temporary file ${path}: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  }
  let isLeft = false;
  try {
    if (file.owner) chownSync(path, file.owner.uid, -1);
    const value = await use(path);
    isLeft = file.removesItself === true;
    return value;
  } finally {
    if (!isLeft) remove(ctx, label, path);
  }
}

function remove(ctx: ModuleContext, label: string, path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    ctx.log.error(`${label}: Unable to clean tempfile '${path}': ${messageOf(error)}`);
  }
}
