/**
 * `_mine`, `_mine_get`, `_mine_delete`, `_mine_flush`: what minions leave for each other (salt/daemons/masterapi.py,
 * 3006.16).
 */
import type { MinionDataCache } from '../../../storage/cache/minion-data.ts';
import type { AesHandler } from '../../../network/channel/door.ts';
import type { MasterOptions } from '../../../config/master-options.ts';
import { asksReason, refusal } from '../../../network/channel/refusal.ts';
import { mineRefusal, readMine, type MineAccessDeps } from '../../../runtime/targeting/mine-access.ts';
import type { Fleet } from '../../../runtime/targeting/target.ts';
import { isDict, type Dict } from '../../../python/values/value.ts';

/** What serving the mine needs. */
export interface MineHandlerDeps {
  readonly opts: MasterOptions;
  readonly cache: MinionDataCache;
  readonly fleet: Fleet;
  /** Told of each minion whose data are refused. */
  readonly warn: (id: string, text: string) => void;
}

/**
 * The handlers by command. A minion changes its own mine only: the id is the one the request was authenticated with.
 */
export function mineHandlers(deps: MineHandlerDeps): [string, AesHandler][] {
  const { opts, cache } = deps;
  const isKept = opts.get('minion_data_cache') || opts.get('enforce_mine_cache');
  return [
    ['_mine_get', ({ id, load }) => ({ value: get(deps, id, load) })],
    [
      '_mine',
      ({ id, load }) => {
        const data = load.get('data');
        if (data === undefined) return { value: {} };
        if (!isDict(data)) return { value: false };
        // Salt compat: with `clear` Salt's master fails and keeps nothing; here the new data replaces the old
        const old = load.get('clear') === true ? undefined : cache.read(id, 'mine');
        return { value: !isKept || keep(deps, id, new Map([...(old ?? []), ...data])) };
      },
    ],
    [
      '_mine_delete',
      ({ id, load }) => {
        const fun = load.get('fun');
        if (fun === undefined) return { value: {} };
        const mine = isKept ? cache.read(id, 'mine') : new Map();
        if (mine === undefined) return { value: false };
        if (mine.has(fun)) cache.write(id, 'mine', new Map([...mine].filter(([name]) => name !== fun)));
        return { value: true };
      },
    ],
    [
      '_mine_flush',
      ({ id }) => {
        if (isKept) cache.remove(id, 'mine');
        return { value: true };
      },
    ],
  ];
}

/** @returns false when a minion leaves more than it may; what it left before stays */
function keep({ opts, cache, warn }: MineHandlerDeps, id: string, mine: Dict): boolean {
  const megabytes = opts.get('mine_max_size');
  if (cache.write(id, 'mine', mine, megabytes * 1024 * 1024)) return true;
  warn(
    id,
    `The mine of ${id} is not changed: it would have more than mine_max_size allows (${megabytes} MB). ` +
      'Have the minion leave less (mine_functions), or raise the option',
  );
  return false;
}

function get({ opts, cache, fleet }: MineHandlerDeps, id: string, load: Dict): Dict {
  const [tgt, fun] = [load.get('tgt'), load.get('fun')];
  if (tgt === undefined || fun === undefined) return new Map();
  const tgtType = load.get('tgt_type') ?? load.get('expr_form') ?? 'glob';
  const query = { id, tgt, fun, tgtType: typeof tgtType === 'string' ? tgtType : 'glob' };
  const deps: MineAccessDeps = {
    fleet,
    nodegroups: opts.get('nodegroups'),
    allowed: mineRules(opts),
    read: (minion) => cache.read(minion, 'mine'),
  };
  const found = readMine(query, deps);
  if (found.size > 0 || !asksReason(load)) return found;
  const reason = mineRefusal(query, deps);
  return reason === undefined ? found : refusal(reason);
}

/** `mine_get` where it is set. Salt compat: an empty mapping is as good as none; Salt then refuses everything. */
function mineRules(opts: MasterOptions): ReturnType<MasterOptions['raw']> {
  const rules = opts.raw('mine_get');
  return isDict(rules) && rules.size === 0 ? undefined : rules;
}
