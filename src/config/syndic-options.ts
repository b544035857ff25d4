/**
 * The configuration of a syndic: the master's that it stands beside, and the minion's that it is to the masters above
 * (salt/config/__init__.py `syndic_config`, 3006.16).
 */
import { join } from 'node:path';
import { loadMasterConfig, loadMinionConfig, type LoadMinionConfigInput } from './load.ts';
import { masterOptions, type MasterOptions } from './master-options.ts';
import type { MinionOptions } from './minion-options.ts';
import { pathOptions } from './option.ts';
import { prependRootDir } from './paths.ts';
import { truthy, type Dict, type Value } from '../python/values/value.ts';

/** Both halves. */
export interface SyndicConfig {
  /** What a minion of the masters above would be configured with; its folders are the lower master's. */
  readonly upper: MinionOptions;
  /** The configuration of the master beside it. */
  readonly lower: MasterOptions;
}

/** Loads both files. @throws ConfigError naming the file and what is wrong */
export function loadSyndicConfig(input: LoadMinionConfigInput): SyndicConfig {
  const lower = loadMasterConfig(input);
  const { overrides: _, ...ownFile } = input;
  const minion = loadMinionConfig(ownFile);
  const paths: Dict = new Map<Value, Value>([
    ['root_dir', lower.get('root_dir')],
    ['syndic_pidfile', input.overrides?.get('pidfile') ?? lower.get('syndic_pidfile')],
    ['syndic_log_file', lower.get('syndic_log_file')],
  ]);
  prependRootDir(paths, pathOptions(masterOptions, 'salt-syndic'));
  const changes: Dict = new Map<Value, Value>([
    ['__role', 'syndic'],
    ['master', lower.get('syndic_master')],
    ['master_type', 'str'],
    ['master_port', portOf(lower.get('syndic_master_port')) ?? minion.get('master_port')],
    ['user', lower.get('syndic_user') ?? lower.get('user')],
    ['cachedir', lower.get('cachedir')],
    ['pidfile', paths.get('syndic_pidfile') as Value],
    ['log_file', paths.get('syndic_log_file') as Value],
    ['master_finger', fingerOf(minion, lower)],
    ['return_spool_size', lower.get('syndic_spool_size')],
    ['return_spool_days', lower.get('syndic_spool_days')],
  ]);
  for (const name of ['log_level', 'log_level_logfile']) changes.set(name, lower.raw(name) ?? null);
  return { upper: minion.with(changes), lower };
}

/** Where a syndic keeps what must survive it. */
export function syndicFolder(cachedir: string): string {
  return join(cachedir, 'syndic');
}

function portOf(value: Value): number | undefined {
  const port = typeof value === 'string' ? Number(value) : value;
  return typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65536 ? port : undefined;
}

/** Salt compat: Salt reads `syndic_finger` from the minion's file only; the master's is where its other options are. */
function fingerOf(minion: MinionOptions, lower: MasterOptions): string {
  const own = minion.get('syndic_finger');
  if (own !== '') return own;
  const beside = lower.raw('syndic_finger');
  return truthy(beside) ? String(beside) : '';
}
