/** What the programs on the master's host have in common: options over the client configuration, logging, Ctrl-C. */
import { loadClientConfig } from '../../config/load.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { LOG_FORMS, logForms, setupLogging, type Logging } from '../../host/log-sinks.ts';
import type { Dict } from '../../python/values/value.ts';
import type { CommandIo } from '../terminal/io.ts';
import { readyOptions } from './ready-options.ts';
import { mergedOptions, type ParsedOptions } from '../command-line/optparse.ts';
import type { Program } from '../../config/unserved.ts';

/** A program that has read its configuration. */
export interface ClientProgram {
  readonly opts: MasterOptions;
  /** The configuration with the command line laid over it. */
  readonly merged: Dict;
  readonly logging: Logging;
}

/** Reads the configuration. @throws ConfigError; UnservedOptionError when the program is not to work with it */
export async function openClientProgram(
  parsed: ParsedOptions,
  io: CommandIo,
  name: string,
  program: Program,
): Promise<ClientProgram> {
  const console = { write: (text: string) => io.stderr.write(text), isTTY: io.stderr.isTTY === true };
  const early = setupLogging({ level: parsed.text('log_level') || 'warning', console, name: 'salt.config' });
  const config = loadClientConfig({
    configDir: parsed.text('config_dir'),
    env: io.env,
    log: early.logger,
    program,
  });
  const opts = await readyOptions(config, early.logger);
  early.close();
  const merged = mergedOptions(parsed, opts);
  const logging = setupLogging({
    name,
    level: textOf(merged, 'log_level') ?? 'warning',
    console,
    ...logForms((option) => merged.get(option)),
    // so that what both streams hold together is still YAML
    ...(merged.get('output') === 'yaml' ? { form: `# ${LOG_FORMS.console}` } : {}),
    // the master's own log file is the daemon's; a command writes only to one that it is given
    file: parsed.isExplicit('log_file') ? (textOf(merged, 'log_file') ?? null) : null,
    fileLevel: textOf(merged, 'log_level_logfile') ?? null,
  });
  return { opts, merged, logging };
}

function textOf(opts: Dict, key: string): string | undefined {
  const value = opts.get(key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
