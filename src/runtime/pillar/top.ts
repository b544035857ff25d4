/**
 * The top files of pillar: which minion gets which SLS (3006.16 salt/pillar/__init__.py `get_tops` to `top_matches`).
 */
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError, messageOf } from '../../errors/errors.ts';
import type { Logger } from '../../host/log.ts';
import { matchMinion } from '../targeting/match-minion.ts';
import { parseTarget } from '../targeting/parse-target.ts';
import type { Subject } from '../targeting/target.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';

/** One target of one environment. */
interface TopEntry {
  readonly target: string;
  /** How the target is meant; compound unless the file says otherwise. */
  readonly match: string;
  readonly order: number;
  readonly sls: readonly string[];
  /** What says how the target is meant, as the file has it. */
  readonly kinds: readonly Dict[];
}

/** The top files joined. */
export interface MergedTop {
  readonly environments: ReadonlyMap<string, readonly TopEntry[]>;
  /** SLS of each environment that may be missing. */
  readonly ignored: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A top file is no mapping of mappings of lists. */
class TopFileError extends BrineError {
  static override readonly errorCode: ErrorCode = 'pillar-top-invalid';
  override readonly name = 'TopFileError';
}

function readEntry(target: Value, list: Value): { entry: TopEntry; ignores: boolean } {
  // Salt goes through a mapping as well, which makes `{}` nothing and of other mappings their keys
  const items = isDict(list) ? [...list.keys()] : list;
  if (!Array.isArray(items))
    throw new TopFileError(
      `The pillar top file gives ${pyStr(target)} no list of SLS files, but ${pyRepr(list)}. Write: '${pyStr(target)}': [name]`,
    );
  let match = 'compound';
  let order = 0;
  let ignores = false;
  const sls: string[] = [];
  const kinds: Dict[] = [];
  for (const item of items) {
    if (typeof item === 'string') sls.push(item);
    if (!isDict(item)) continue;
    const kind = item.get('match');
    if (kind !== undefined) kinds.push(item);
    if (typeof kind === 'string') match = kind;
    const given = item.get('order');
    if (given !== undefined) order = Number.isInteger(Number(given)) ? Number(given) : 0;
    if (truthy(item.get('ignore_missing'))) ignores = true;
  }
  return { entry: { target: pyStr(target), match, order, sls: [...new Set(sls)], kinds }, ignores };
}

/** Joins top files; of a target that occurs twice in an environment the last one counts. @throws TopFileError */
export function mergeTops(tops: readonly Dict[]): MergedTop {
  const environments = new Map<string, Map<string, TopEntry>>();
  const ignored = new Map<string, Set<string>>();
  for (const top of tops) {
    for (const [env, targets] of top) {
      if (env === 'include') continue;
      const name = pyStr(env);
      if (!isDict(targets))
        throw new TopFileError(`Environment ${name} of the pillar top file is no mapping`);
      const entries = environments.get(name) ?? new Map<string, TopEntry>();
      environments.set(name, entries);
      for (const [target, list] of targets) {
        const { entry, ignores } = readEntry(target, list);
        entries.set(entry.target, entry);
        if (!ignores) continue;
        const names = ignored.get(name) ?? new Set();
        entry.sls.forEach((sls) => names.add(sls));
        ignored.set(name, names);
      }
    }
  }
  const sorted = new Map(
    [...environments].map(([name, entries]) => [
      name,
      [...entries.values()].sort((a, b) => a.order - b.order),
    ]),
  );
  return { environments: sorted, ignored };
}

/** Joined top files as data: environments, targets, and for each target how it is meant and its SLS. */
export function topData(top: MergedTop): Dict {
  const targets = (entries: readonly TopEntry[]): Dict =>
    new Map(entries.map(({ target, kinds, sls }) => [target, [...kinds, ...sls]]));
  return new Map([...top.environments].map(([env, entries]) => [env, targets(entries)]));
}

/** How targets are matched. */
export interface TopMatching {
  readonly nodegroups: Dict;
  /** The only environment that counts, or null. */
  readonly pillarenv: string | null;
  readonly log: Logger;
  /** The site's own way for a kind of target. */
  readonly own: (kind: string) => ((target: string) => Promise<boolean>) | undefined;
}

/** The SLS that a minion gets, by environment, each once. */
export async function matchTop(
  top: MergedTop,
  subject: Subject,
  matching: TopMatching,
): Promise<Map<string, string[]>> {
  const { pillarenv } = matching;
  const out = new Map<string, string[]>();
  for (const [env, entries] of top.environments) {
    if (pillarenv !== null && env !== pillarenv) continue;
    for (const entry of entries) {
      if (!(await isMeant(entry, subject, matching))) continue;
      const list = out.get(env) ?? [];
      out.set(env, list);
      for (const sls of entry.sls) if (!list.includes(sls)) list.push(sls);
    }
  }
  return out;
}

async function isMeant(
  { target, match }: TopEntry,
  subject: Subject,
  { nodegroups, log, own }: TopMatching,
): Promise<boolean> {
  const ofSite = own(match);
  if (ofSite !== undefined) return ofSite(target);
  try {
    return matchMinion(parseTarget(target, match, ':', nodegroups), subject, (fault) =>
      log.error(fault.message),
    );
  } catch (error) {
    if (!(error instanceof BrineError)) throw error;
    log.error(
      `The target '${target}' (${match}) of the pillar top file matches nothing: ${messageOf(error)}`,
    );
    return false;
  }
}
