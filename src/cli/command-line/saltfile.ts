/** The Saltfile: defaults for command-line options in a file (`SaltfileMixIn` in salt/utils/parsers.py). */
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError, UsageError, messageOf } from '../../errors/errors.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import { allOptions, isDefault, type ParsedOptions } from './optparse.ts';
import { isRuledOut } from './option-rules.ts';
import { isFile } from '../../python/paths.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where a Saltfile is looked for. */
export interface SaltfilePlaces {
  readonly env: Env;
  /** Working folder; undefined when it does not exist any more. */
  readonly cwd: string | undefined;
  /** Told why a Saltfile is left out. */
  readonly warn: (message: string) => void;
}

/**
 * Gives options that are still at their default the value of the program's section: from `--saltfile`,
 * `SALT_SALTFILE`, `./Saltfile` or `~/.salt/Saltfile`, the first that there is.
 * @throws UsageError when a named file does not exist; ConfigError when it cannot be read
 */
export async function applySaltfile(parsed: ParsedOptions, places: SaltfilePlaces): Promise<void> {
  if (!allOptions(parsed.program).some((option) => option.dest === 'saltfile')) return;
  const path = findSaltfile(parsed, places);
  if (path === undefined) return;
  parsed.set('saltfile', path, parsed.isExplicit('saltfile'));
  const section = (await readSaltfile(path)).get(parsed.program.name);
  if (!isDict(section)) return;
  const options = new Map(allOptions(parsed.program).map((option) => [option.dest, option]));
  for (const [dest, value] of section) {
    if (typeof dest !== 'string') continue;
    const option = options.get(dest);
    if (option === undefined) parsed.set(dest, value, false);
    else if (isDefault(parsed, option, places.env) && !isRuledOut(parsed, dest))
      parsed.setFromSaltfile(dest, value);
  }
}

function findSaltfile(parsed: ParsedOptions, { env, cwd, warn }: SaltfilePlaces): string | undefined {
  const named = parsed.text('saltfile') || env['SALT_SALTFILE'];
  if (named) {
    if (!isFile(named)) throw new UsageError(`'${named}' file does not exist.\n`);
    return resolve(named);
  }
  const local = cwd === undefined ? undefined : join(cwd, 'Saltfile');
  if (local !== undefined && isFile(local)) {
    if (isTrusted(local)) return local;
    warn(
      `WARNING: ${local} is left out: others than you and root can write to it. Name it with --saltfile to use it.`,
    );
  }
  const own = join(env['HOME'] ?? homedir(), '.salt', 'Saltfile');
  return isFile(own) ? own : undefined;
}

/** A file that just lies in the working folder counts only if nobody else could have put it there. */
function isTrusted(path: string): boolean {
  const { uid, mode } = statSync(path);
  return (uid === 0 || uid === process.getuid?.()) && (mode & 0o002) === 0;
}

async function readSaltfile(path: string): Promise<Dict> {
  const { loadYaml } = await import('../../formats/yaml/load.ts');
  try {
    const content = loadYaml(readFileSync(path, 'utf8'), { source: path });
    return isDict(content) ? content : new Map();
  } catch (cause) {
    throw new ConfigError(`Error parsing configuration file: ${path} - ${messageOf(cause)}`, {
      cause,
      code: 'config-unreadable',
    });
  }
}
