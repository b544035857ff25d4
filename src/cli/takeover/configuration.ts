/** What becomes of the options of a master or a minion. */
import { join } from 'node:path';
import { loadMasterConfig, loadMinionConfig } from '../../config/load.ts';
import { masterOptions } from '../../config/master-options.ts';
import { minionOptions } from '../../config/minion-options.ts';
import type { Options, OptionTable } from '../../config/option.ts';
import type { Environment } from '../../config/paths.ts';
import { readProgramFiles } from '../../config/program-files.ts';
import { findUnserved } from '../../config/start-check.ts';
import { BrineError } from '../../errors/errors.ts';
import { createLogger, LOG_LEVELS, silentLogger, type LogRecord } from '../../host/log.ts';
import type { Dict } from '../../python/values/value.ts';
import { configFiles, placeOf, type ConfigFile } from './config-files.ts';
import type { Remark, Subject } from './remark.ts';

/** A configuration that was looked at. */
export interface LookedAt {
  readonly role: 'master' | 'minion';
  readonly files: readonly ConfigFile[];
  readonly remarks: readonly Remark[];
  /** The options as the program would have them; absent when they cannot be read. */
  readonly options?: Options;
}

/**
 * Looks at the configuration of one program.
 * @returns undefined where the program has no configuration here
 */
export function lookAtConfiguration(
  role: 'master' | 'minion',
  configDir: string,
  env: Environment,
): LookedAt | undefined {
  const [table, otherTable]: readonly OptionTable[] =
    role === 'master' ? [masterOptions, minionOptions] : [minionOptions, masterOptions];
  if (table === undefined || otherTable === undefined) return undefined;
  const defaultInclude = table['default_include']?.default as string;
  const files = configFiles(join(configDir, role), defaultInclude, env);
  if (files.length === 0) return undefined;
  const subject: Subject = `configuration of the ${role}`;
  const broken = files.flatMap(({ path, fault }): Remark[] =>
    fault === undefined ? [] : [{ subject, verdict: 'missing', path, ...fault }],
  );
  if (broken.length > 0) return { role, files, remarks: broken };
  const remarks: Remark[] = [];
  const place = { configDir, env };
  const note = (verdict: Remark['verdict'], option: string, message: string): void =>
    void remarks.push({ subject, verdict, message, ...placeOf(files, option) });
  const { given, options, said } = loaded(role, place, defaultInclude);
  const compiles = role === 'master' || given.get('file_client') === 'local';
  const found = findUnserved({ program: `salt-${role}`, table, otherTable, given, compiles });
  for (const [name, why] of found.stops)
    note(
      'missing',
      name,
      `${name}: ${why}; the program does not start with it. Remove it, or name it in unserved_options.`,
    );
  for (const [name, why] of found.warnings) note('differs', name, `${name} has no effect: ${why}.`);
  for (const [name, hint] of found.unknown)
    note(
      'differs',
      name,
      `${name} is an option that nobody knows; it is kept for modules that ask for it.${hint}`,
    );
  for (const line of said) remarks.push({ subject, verdict: 'differs', message: line });
  if (typeof options !== 'string') return { role, files, remarks, options };
  return { role, files, remarks: [...remarks, { subject, verdict: 'missing', message: options }] };
}

/** What the files say, and the options as the program would have them, or why it would not start. */
interface Loaded {
  readonly given: Dict;
  readonly options: Options | string;
  readonly said: readonly string[];
}

function loaded(
  role: 'master' | 'minion',
  place: { readonly configDir: string; readonly env: Environment },
  defaultInclude: string,
): Loaded {
  const said: string[] = [];
  const write = ({ message }: LogRecord): void => void said.push(message);
  const log = createLogger('brine', [{ level: LOG_LEVELS.warning, write }]);
  let given: Dict = new Map();
  try {
    given = readProgramFiles(role, place, defaultInclude, silentLogger, false);
    const load = role === 'master' ? loadMasterConfig : loadMinionConfig;
    return { given, options: load({ ...place, log }), said };
  } catch (error) {
    if (!(error instanceof BrineError)) throw error;
    return { given, options: `The program does not start: ${error.message}`, said };
  }
}
