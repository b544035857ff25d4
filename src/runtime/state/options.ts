/** The options that states are compiled with: the minion's, and the master's where states go by those. */
import { CommandExecutionError } from '../../errors/errors.ts';
import type { ModuleContext } from '../loader/module.ts';
import { SEVERAL_FILES } from '../../storage/fileserver/several.ts';
import type { FilesAhead } from './files-ahead.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';

/** What the master decides (3006.16 salt/state.py `__gen_opts`). */
const OF_MASTER = [
  ...[
    'renderer',
    'failhard',
    'state_top',
    'state_top_saltenv',
    'nodegroups',
    'state_auto_order',
    'file_roots',
  ],
  ...['top_file_merging_strategy', 'env_order', 'default_top'],
  ...['jinja_env', 'jinja_sls_env', 'jinja_lstrip_blocks', 'jinja_trim_blocks'],
];
/** What is on when the minion or the master says so. */
const OF_EITHER = ['state_events', 'state_aggregate'];

/**
 * The options of a run with those of the master in them.
 * @param ahead told when the master answers several questions about files in one request
 */
export async function withMasterOptions(
  ctx: Pick<ModuleContext, 'services'>,
  opts: Dict,
  ahead: Pick<FilesAhead, 'begin'>,
): Promise<Dict> {
  if (opts.get('file_client') === 'local' || truthy(opts.get('local_state'))) return opts;
  const given = await ctx.services.request(dict({ cmd: '_master_opts' }));
  const out: Dict = new Map(opts);
  if (!isDict(given)) {
    const fallback: Dict = dict({
      renderer: 'jinja|yaml',
      failhard: false,
      state_top: 'top.sls',
      nodegroups: {},
    });
    for (const [name, value] of fallback) out.set(name, value);
    return out;
  }
  if (given.get(SEVERAL_FILES) === true) ahead.begin();
  for (const name of OF_MASTER) {
    const value = given.get(name);
    if (value !== undefined) out.set(name, value);
  }
  for (const name of OF_EITHER) if (!truthy(out.get(name))) out.set(name, given.get(name) ?? false);
  return out;
}

/**
 * The options of a run, out of the keywords of its function: `saltenv` and `pillarenv` (3006.16 salt/utils/state.py
 * `get_sls_opts`).
 * @throws CommandExecutionError when `lock_saltenv` forbids another environment
 */
export function runOptions(opts: Dict, kwargs: Dict): Dict {
  const out: Dict = new Map(opts);
  const saltenv = kwargs.get('saltenv') ?? null;
  if (saltenv !== null) {
    if (truthy(opts.get('lock_saltenv')) && pyStr(saltenv) !== opts.get('saltenv'))
      throw new CommandExecutionError('lock_saltenv is enabled, saltenv cannot be changed');
    out.set('saltenv', saltenv);
  }
  if (kwargs.has('pillarenv') || truthy(opts.get('pillarenv_from_saltenv'))) {
    const given = [kwargs.get('pillarenv'), saltenv].find((env) => truthy(env)) ?? null;
    out.set('pillarenv', textOrNull(given));
  }
  return out;
}

function textOrNull(value: Value): Value {
  return value === null ? null : pyStr(value);
}
