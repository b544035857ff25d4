/** Packages that zypper leaves alone: its locks. Follows 3006.16 salt/modules/zypperpkg.py. */
import { existsSync, readFileSync } from 'node:fs';
import { CommandExecutionError } from '../../../../errors/errors.ts';
import { compilePattern } from '../../../../python/regex/pattern.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import type { ModuleContext } from '../../../../runtime/loader/module.ts';
import { callZypper, elementsOf, zypperXml } from './zypper.ts';
import { holdsWanted } from './zypper-changes.ts';
import { below, searchZypper } from './zypper-lists.ts';

const LOCKS = '/etc/zypp/locks';

/** `pkg.list_locks`: name to what else the lock says. */
export function listLocks(root: Value): Map<string, Dict> {
  const file = below(root, LOCKS);
  const out = new Map<string, Dict>();
  if (!existsSync(file)) return out;
  for (const part of readFileSync(file, 'utf8').split('\n\n')) {
    const lock: Dict = new Map();
    for (const line of part.split('\n')) {
      const at = line.indexOf(':');
      if (at >= 0) lock.set(line.slice(0, at).trim(), line.slice(at + 1).trim());
    }
    const name = lock.get('solvable_name');
    lock.delete('solvable_name');
    if (truthy(name)) out.set(pyStr(name ?? ''), lock);
  }
  return out;
}

/** `pkg.clean_locks` */
export async function cleanLocks(ctx: ModuleContext, root: Value): Promise<Dict> {
  if (!existsSync(below(root, LOCKS))) return dict({ removed: 0 });
  const said = elementsOf(await zypperXml(ctx, ['cl'], { root }), 'message')
    .map(({ text }) => text.toLowerCase())
    .find((text) => text.startsWith('removed'));
  return dict({ removed: said?.split(' ')[1] ?? 0 });
}

/** `pkg.hold` */
export async function holdZypper(ctx: ModuleContext, name: Value, pkgs: Value, root: Value): Promise<Dict> {
  const locks = listLocks(root);
  const out: Dict = new Map();
  const added: string[] = [];
  for (const [target, version] of holdsWanted(name, pkgs)) {
    const isHeld = (locks.get(target)?.size ?? 0) > 0;
    const changes = isHeld ? dict() : dict({ new: 'hold', old: '' });
    const comment = isHeld ? 'is already set to be held' : 'is now being held';
    out.set(target, dict({ name: target, changes, result: true, comment: `Package ${target} ${comment}.` }));
    if (!isHeld) added.push(version === null ? target : `${target}=${version}`);
  }
  if (added.length > 0) await callZypper(ctx, ['al', ...added], { root });
  return out;
}

/** `pkg.unhold` */
export async function unholdZypper(ctx: ModuleContext, name: Value, pkgs: Value, root: Value): Promise<Dict> {
  const locks = listLocks(root);
  const out: Dict = new Map();
  const removed: string[] = [];
  for (const [target, version] of holdsWanted(name, pkgs)) {
    const entry = dict({ name: target, changes: {}, result: true, comment: '' });
    out.set(target, entry);
    const lock = locks.get(target);
    if (lock === undefined || lock.size === 0) {
      entry.set('comment', `Package ${target} was already unheld.`);
      continue;
    }
    const held = lock.has('version') ? pyStr(lock.get('version') ?? '').replace(/^[= ]+/, '') : '';
    if (version !== null && held !== version) {
      const comment = `Unable to unhold package ${target} as it is held with the other version.`;
      entry.set('result', false).set('comment', comment);
      continue;
    }
    removed.push(held === '' ? target : `${target}=${held}`);
    entry.set('changes', dict({ new: '', old: 'hold' }));
    entry.set('comment', `Package ${target} is no longer held.`);
  }
  if (removed.length > 0) await callZypper(ctx, ['rl', ...removed], { root });
  return out;
}

/** `pkg.list_holds`: the installed packages that locks mean. */
export async function listHolds(
  ctx: ModuleContext,
  {
    pattern,
    full,
    root,
  }: { readonly pattern: string | undefined; readonly full: boolean; readonly root: Value },
): Promise<string[]> {
  const editions = new Map<string, readonly Value[]>();
  for (const [name, lock] of listLocks(root)) {
    if ((lock.get('type') ?? 'package') !== 'package') continue;
    for (const found of await lockedNames(ctx, name, lock, root)) {
      if (editions.has(found)) continue;
      const words = dict({ attr: 'edition,epoch', all_versions: true, root });
      const info = await ctx.functions.call('pkg.info_installed', [found], words);
      for (const [known, each] of isDict(info) ? info : [])
        editions.set(pyStr(known), Array.isArray(each) ? each : [each]);
    }
  }
  const wanted = pattern !== undefined ? compilePattern(`${pattern}-\\S+`) : undefined;
  const out = [...editions].flatMap(([name, all]) =>
    all.filter(isDict).map((info) => {
      const [epoch, edition] = [info.get('epoch') ?? 0, info.get('edition') ?? null];
      return full ? `${name}-${pyStr(epoch)}:${pyStr(edition)}.*` : name;
    }),
  );
  return [...new Set(out)].filter((one) => wanted?.test(one) ?? true);
}

async function lockedNames(ctx: ModuleContext, name: string, lock: Dict, root: Value): Promise<string[]> {
  const isSensitive = (lock.get('case_sensitive') ?? 'on') === 'on';
  const words = dict({
    root,
    match: name.includes('*') ? null : 'exact',
    case_sensitive: isSensitive,
    installed_only: true,
    details: true,
  });
  try {
    return [...(await searchZypper(ctx, name, words)).keys()].map(pyStr);
  } catch (error) {
    if (error instanceof CommandExecutionError) return [];
    throw error;
  }
}
