/** `_mine`, `_mine_get`, `_mine_delete`, `_mine_flush`: what minions leave for each other (salt/daemons/masterapi.py, 3006.16). */
import type { MinionDataCache } from '../../cache/minion-data.ts';
import type { AesHandler } from '../../channel/door.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { readMine } from '../../targeting/mine-access.ts';
import type { Fleet } from '../../targeting/target.ts';
import { isDict, type Dict } from '../../values/value.ts';

/** What serving the mine needs. */
export interface MineHandlerParts {
  readonly opts: MasterOptions;
  readonly cache: MinionDataCache;
  readonly fleet: Fleet;
}

/** The handlers by command. A minion changes its own mine only: the id is the one the request was authenticated with. */
export function mineHandlers(parts: MineHandlerParts): [string, AesHandler][] {
  const { opts, cache } = parts;
  const isKept = opts.get('minion_data_cache') || opts.get('enforce_mine_cache');
  return [
    ['_mine_get', ({ id, load }) => ({ value: get(parts, id, load) })],
    [
      '_mine',
      ({ id, load }) => {
        const data = load.get('data');
        if (data === undefined) return { value: {} };
        if (!isDict(data)) return { value: false };
        // Salt compat: with `clear` Salt's master fails and keeps nothing; here the new data replaces the old
        const old = load.get('clear') === true ? undefined : cache.read(id, 'mine');
        if (isKept) cache.write(id, 'mine', new Map([...(old ?? []), ...data]));
        return { value: true };
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

function get({ opts, cache, fleet }: MineHandlerParts, id: string, load: Dict): Dict {
  const [tgt, fun] = [load.get('tgt'), load.get('fun')];
  if (tgt === undefined || fun === undefined) return new Map();
  const tgtType = load.get('tgt_type') ?? load.get('expr_form') ?? 'glob';
  return readMine(
    { id, tgt, fun, tgtType: typeof tgtType === 'string' ? tgtType : 'glob' },
    {
      fleet,
      nodegroups: opts.get('nodegroups'),
      allowed: mineRules(opts),
      read: (minion) => cache.read(minion, 'mine'),
    },
  );
}

/** `mine_get` where it is set. Salt compat: an empty mapping is as good as none; Salt then refuses everything. */
function mineRules(opts: MasterOptions): ReturnType<MasterOptions['raw']> {
  const rules = opts.raw('mine_get');
  return isDict(rules) && rules.size === 0 ? undefined : rules;
}
