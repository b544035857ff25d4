/**
 * `_master_opts`: the part of the master's configuration that minions work with (salt/master.py `_master_opts`,
 * 3006.16).
 */
import type { AesHandler } from '../../../network/channel/door.ts';
import type { MasterOptions } from '../../../config/master-options.ts';
import { isDict, type Dict } from '../../../python/values/value.ts';
import { SEVERAL_FILES } from '../../../storage/fileserver/several.ts';

const ENVIRONMENT_OPTIONS = ['top_file_merging_strategy', 'env_order', 'default_top'];
const STATE_OPTIONS = [
  'renderer',
  'failhard',
  'state_top',
  'state_top_saltenv',
  'nodegroups',
  'state_auto_order',
  'state_events',
  'state_aggregate',
  'jinja_env',
  'jinja_sls_env',
  'jinja_lstrip_blocks',
  'jinja_trim_blocks',
];

/** Serves `_master_opts`: paths stay hidden, environments are named. */
export function masterOptionsHandler(opts: MasterOptions): AesHandler {
  return ({ load }) => {
    const out: Dict = new Map();
    const roots = opts.raw('file_roots');
    const hidden: Dict = new Map();
    if (roots !== undefined && isDict(roots)) for (const env of roots.keys()) hidden.set(env, []);
    out.set('file_roots', hidden);
    const names =
      load.get('env_only') === true ? ENVIRONMENT_OPTIONS : [...ENVIRONMENT_OPTIONS, ...STATE_OPTIONS];
    for (const name of names) out.set(name, opts.raw(name) ?? null);
    // ours: a minion may ask for several files in one request (storage/fileserver/several.ts)
    out.set(SEVERAL_FILES, true);
    return { value: out };
  };
}
