/**
 * Values that an option of the sample takes by its type and that have no effect, or not the one that was meant. Not
 * here: what is said when it is first used, by a minion that has a master (a beacon, a returner, an external pillar
 * that there is not).
 */
import { dict } from '../../src/python/values/value.ts';
import type { OptionCase } from './sample-options.ts';

const jinja = dict({ trim_bloks: true });
const both: readonly OptionCase[] = [
  { name: 'ssl', value: dict({ certfle: '/x' }) },
  { name: 'ssl', value: dict({ certfile: '/x', keyfile: '/y' }) },
  { name: 'jinja_env', value: jinja },
  { name: 'jinja_sls_env', value: jinja },
  { name: 'jinja_env', value: dict({ extensions: ['x'] }) },
  { name: 'event_match_type', value: 'nosuch' },
  { name: 'event_match_type', value: 'regex' },
  { name: 'tcp_keepalive_cnt', value: 5 },
  { name: 'tcp_keepalive_intvl', value: 5 },
  { name: 'hash_type', value: 'sha3' },
  { name: 'renderer', value: 'makko|yaml' },
  { name: 'transport', value: 'udp' },
  { name: 'top_file_merging_strategy', value: 'marge' },
  { name: 'pillar_source_merging_strategy', value: 'marge' },
  { name: 'ipc_mode', value: 'pipe' },
  { name: 'state_output', value: 'ful' },
];

/** By program. */
export const WRONG_VALUES: Readonly<Record<'master' | 'minion', readonly OptionCase[]>> = {
  master: [
    ...both,
    { name: 'fileserver_backend', value: ['root'] },
    { name: 'external_auth', value: dict({ nosuch: dict({ fred: ['.*'] }) }) },
    { name: 'master_tops', value: dict({ nosuch: true }) },
    { name: 'event_return', value: ['nosuch'] },
    { name: 'master_job_cache', value: 'nosuch' },
    { name: 'engines', value: [dict({ nosuch: dict() })] },
    { name: 'queue_dirs', value: 'text' },
  ],
  minion: [
    ...both,
    { name: 'module_executors', value: ['direct_cal'] },
    { name: 'module_executors', value: ['docker'] },
    { name: 'providers', value: dict({ pkg: 'nosuch' }) },
    { name: 'providers', value: dict({ nosuch: 'yumpkg' }) },
    { name: 'disabled_requisites', value: ['requier'] },
    { name: 'disabled_requisites', value: 'requier' },
    { name: 'backup_mode', value: 'minon' },
    { name: 'file_client', value: 'locl' },
    { name: 'startup_states', value: 'highstat' },
    { name: 'master_type', value: 'failovr' },
    { name: 'engines', value: [dict({ nosuch: dict() })] },
  ],
};
