/** `--config-dump`: the master's configuration as it is in force, in YAML. */
import { loadMasterConfig } from '../../config/load.ts';
import { silentLogger } from '../../host/log.ts';
import { dumpYaml } from '../../formats/yaml/dump.ts';
import type { CommandIo } from '../terminal/io.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';

/** @returns the text to print. @throws ConfigError */
export function dumpConfig(parsed: ParsedOptions, io: CommandIo): string {
  const opts = loadMasterConfig({ configDir: parsed.text('config_dir'), env: io.env, log: silentLogger });
  return dumpYaml(opts.toDict());
}
