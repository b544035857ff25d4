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
import { createLogger, LOG_LEVELS, silentLogger } from '../../host/log.ts';
import { pyStr } from '../../python/values/repr.ts';
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
  const files = configFiles(join(configDir, role), table['default_include']?.default as string);
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
  const given = readProgramFiles(
    role,
    place,
    table['default_include']?.default as string,
    silentLogger,
    false,
  );
  const own = new Set(files.flatMap(({ options }) => [...options.keys()]));
  for (const name of [...given.keys()]) if (!own.has(name)) given.delete(name);
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
  const { options, said } = loaded(role, place);
  for (const line of said) remarks.push({ subject, verdict: 'differs', message: line });
  if (typeof options !== 'string') return { role, files, remarks, options };
  return { role, files, remarks: [...remarks, { subject, verdict: 'missing', message: options }] };
}

/** Loads it as the program would. @returns the options, or why it would not start */
function loaded(
  role: 'master' | 'minion',
  place: { readonly configDir: string; readonly env: Environment },
): { readonly options: Options | string; readonly said: readonly string[] } {
  const said: string[] = [];
  const sink = {
    level: LOG_LEVELS.warning,
    write: ({ message }: { message: string }) => void said.push(message),
  };
  const log = createLogger('brine', [sink]);
  try {
    const load = role === 'master' ? loadMasterConfig : loadMinionConfig;
    return { options: load({ ...place, log }), said };
  } catch (error) {
    if (!(error instanceof BrineError)) throw error;
    return { options: `The program does not start: ${pyStr(error.message)}`, said };
  }
}
