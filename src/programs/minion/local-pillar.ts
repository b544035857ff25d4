/**
 * Pillar without a master, of `salt-call --local` and of minions whose files are local: made here
 * (salt/pillar/__init__.py, 3006.16).
 */
import { extraMinionData } from '../../runtime/pillar/extra-minion-data.ts';
import { executionModules } from '../../plugins/registry/module/on-demand.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { masterBeside } from './master-beside.ts';
import { registrySources, type MinionStateDeps } from './state.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';

/** What the pillar is made with. */
export interface LocalPillarDeps {
  readonly opts: Dict;
  readonly id: string;
  /** Collects the grains; only asked when there is pillar to be made. */
  readonly grains: () => Promise<Dict>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The site's own modules, and those of an installed Salt; pillar files may call them. */
  readonly own?: Pick<MinionStateDeps, 'custom' | 'installed'>;
}

/** Whether pillar is made here and not asked of a master (salt/pillar/__init__.py `get_async_pillar`). */
export function isPillarLocal(opts: Dict): boolean {
  const isLocal = opts.get('file_client') === 'local';
  if (opts.get('master_type') === 'disable') return true;
  return isLocal && opts.get('use_master_when_local') !== true;
}

/**
 * True when the configuration gives pillar anything to be made of; most local calls have none, and are spared the work.
 */
function hasSources(opts: Dict): boolean {
  const external = opts.get('ext_pillar');
  if (Array.isArray(external) && external.length > 0) return true;
  if (opts.get('pillar_opts') === true) return true;
  const top = String((opts.get('state_top') as string | undefined) ?? 'top.sls').replace(
    /^salt:\/\/|^\//,
    '',
  );
  const roots = opts.get('pillar_roots');
  const folders = isDict(roots) ? [...roots.values()].flat() : [];
  return folders.some(
    (folder) => typeof folder === 'string' && (folder.includes('__env__') || existsSync(join(folder, top))),
  );
}

const textOrNull = (value: Value | undefined): string | null => (typeof value === 'string' ? value : null);

/** The pillar; an empty one where there is nothing to make it of. */
export async function localPillar(deps: LocalPillarDeps): Promise<Dict> {
  const { opts, id, clock, random, log } = deps;
  if (!hasSources(opts)) return new Map();
  const [{ PillarService }, { loadedFunctions }] = await Promise.all([
    import('../../runtime/pillar/service.ts'),
    import('../../runtime/pillar/functions.ts'),
  ]);
  const saltenv = textOrNull(opts.get('saltenv'));
  const own = registrySources(deps.own ?? {}, 'modules');
  const follows = opts.get('pillarenv_from_saltenv') === true;
  return new PillarService({
    opts,
    clock,
    random,
    log,
    isForOwnUse: true,
    functions: (made) =>
      loadedFunctions(made, {
        ...{ clock, random, log, own },
        modules: executionModules,
        masterBeside: masterBeside({ opts, clock, random, log }),
      }),
  }).pillar({
    minionId: id,
    grains: await deps.grains(),
    saltenv,
    pillarenv: textOrNull(opts.get('pillarenv')) ?? (follows ? saltenv : null),
    override: new Map(),
    extraMinionData: extraMinionData(opts),
  });
}
