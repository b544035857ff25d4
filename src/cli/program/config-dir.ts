/** The option `-c` of every program: where the configuration is. */
import { resolve } from 'node:path';
import { configFileFault, missingConfigDirWarning } from '../../config/program-files.ts';
import { UsageError } from '../../errors/errors.ts';
import { expandUser } from '../../host/expand-user.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';
import type { CommandIo } from '../terminal/io.ts';

/**
 * Makes `config_dir` absolute, and warns when there is no such folder.
 * @throws UsageError when it is a file
 */
export function settleConfigDir(parsed: ParsedOptions, io: CommandIo): void {
  const typed = expandUser(parsed.text('config_dir'), io.env);
  const folder = resolve(typed);
  const fault = configFileFault(folder);
  if (fault !== undefined) throw new UsageError(fault);
  const warning = missingConfigDirWarning(folder, typed);
  if (warning !== undefined) io.stderr.write(`${warning}\n`);
  parsed.set('config_dir', folder, parsed.isExplicit('config_dir'));
}
