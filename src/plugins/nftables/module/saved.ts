/** The file in which the rules of nftables are kept (3006.16 salt/modules/nftables.py). */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { readBytes, writeInPlace } from '../../../host/file-operations.ts';
import { isDir } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { ALL_FAMILIES, tableTexts } from './programs.ts';

const WITH_A_FILE: readonly Value[] = ['RedHat', 'Arch', 'Debian'];

/** The file of this system. @throws CommandExecutionError where none is known */
function savedRulesPath(grains: Dict): string {
  if (WITH_A_FILE.includes(grains.get('os_family') ?? null) || grains.get('os') === 'Gentoo')
    return '/etc/nftables';
  throw new CommandExecutionError(
    `Where ${pyStr(grains.get('os') ?? null)} keeps the rules of nftables is not known; name the file.`,
  );
}

/** The lines of the file without comments and empty ones. @throws PythonError where it cannot be read */
export function savedLines(ctx: ModuleContext, file: string | undefined): string[] {
  const text = readBytes(file || savedRulesPath(ctx.grains)).toString('utf8');
  return text.split(/(?<=\n)/).filter((line) => line.trim() !== '' && !line.trim().startsWith('#'));
}

/**
 * Writes the rules of now into a file.
 * @returns what was written
 * @throws CommandExecutionError where it cannot be written
 */
export async function saveNft(ctx: ModuleContext, file: string | undefined): Promise<string> {
  const given = file || savedRulesPath(ctx.grains);
  let rules = '#! nft -f\n';
  for (const family of ALL_FAMILIES) {
    const texts = await tableTexts(ctx, family);
    if (texts.length > 0) rules += '\n';
    rules += texts.join('\n');
  }
  rules += '\n';
  const path = isDir(given) ? `${given}/salt-all-in-one.nft` : given;
  try {
    writeInPlace(path, rules);
  } catch (error) {
    throw new CommandExecutionError(`Problem writing to configuration file: ${messageOf(error)}`);
  }
  return rules;
}
