/** The top files of the states: which SLS this minion gets (3006.16 salt/state.py `get_tops` to `top_matches`). */
import { messageOf } from '../../errors/errors.ts';
import type { ModuleContext } from '../loader/module.ts';
import { findOwnMatcher } from '../pillar/own-matchers.ts';
import { SaltRenderError } from '../renderers/renderer.ts';
import { matchMinion } from '../targeting/match-minion.ts';
import { nodegroupsOf } from '../targeting/nodegroups.ts';
import { parseTarget, unknownType } from '../targeting/parse-target.ts';
import { isTargetType } from '../targeting/target.ts';
import { filterNames } from '../../python/text/fnmatch.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import type { SaltEnvs } from './saltenvs.ts';
import { listAt, shownValue } from './high-data.ts';
import { mergeTops } from './merge-tops.ts';
import type { SlsFiles } from './sls-files.ts';
import type { SlsRenderer } from './sls-renderer.ts';

/** What top files are read with. */
export interface TopFilesDeps {
  /** The context of the run: its options, grains and pillar. */
  readonly ctx: ModuleContext;
  readonly files: SlsFiles;
  readonly renderer: SlsRenderer;
  readonly environments: SaltEnvs;
}

/** Reads the top files, joins them and picks the targets that mean this minion. */
export class TopFiles {
  readonly #deps: TopFilesDeps;

  constructor(deps: TopFilesDeps) {
    this.#deps = deps;
  }

  /** All top files joined: environment to targets, and each target's list. Empty when one cannot be rendered. */
  async read(): Promise<Dict> {
    const { log } = this.#deps.ctx;
    try {
      const tops = await this.#gather();
      const defaultTop = this.#option('default_top') ?? 'base';
      return mergeTops(
        tops,
        this.#option('top_file_merging_strategy') ?? 'merge',
        truthy(defaultTop) ? pyStr(defaultTop) : '',
        log,
      );
    } catch (error) {
      if (!(error instanceof SaltRenderError)) throw error;
      log.error(`Unable to render top file: ${error.message}`);
      return new Map();
    }
  }

  /**
   * The SLS for this minion, by environment.
   * @param top what {@link read} gave; items that were read are taken out of it
   */
  async matches(top: Dict): Promise<Dict> {
    const matches: Dict = new Map();
    const only = this.#option('saltenv');
    for (const [env, targets] of top) {
      if ((truthy(only) && env !== only) || !isDict(targets)) continue;
      for (const [target, list] of targets) await this.#match(env, target, list, matches);
    }
    return this.#withMasterTops(matches);
  }

  #option(name: string): Value | undefined {
    return this.#deps.ctx.opts.get(name);
  }

  async #gather(): Promise<Map<string, Dict[]>> {
    const only = this.#option('saltenv');
    const strategy = this.#option('top_file_merging_strategy');
    if (strategy === 'same' && !truthy(only) && !truthy(this.#option('default_top') ?? 'base'))
      throw new SaltRenderError(
        "top_file_merging_strategy set to 'same', but no default_top configuration option was set",
      );
    const path = pyStr(this.#option('state_top') ?? 'top.sls').replace(/^(salt:\/\/|\/)/, '');
    const tops = new Map<string, Dict[]>();
    for (const env of await this.#topEnvironments(only)) {
      const file = await this.#deps.files.read(path, env);
      tops.set(env, [file === undefined ? new Map() : await this.#render(file, env)]);
    }
    this.#warnOfOrder(tops, only);
    for (const [env, files] of tops) files.push(...(await this.#includes(files, env)));
    return tops;
  }

  async #topEnvironments(only: Value | undefined): Promise<readonly string[]> {
    const wanted = [only, this.#option('state_top_saltenv')].find((env) => truthy(env));
    return wanted === undefined ? this.#deps.environments.names() : [pyStr(wanted)];
  }

  #warnOfOrder(tops: ReadonlyMap<string, readonly Dict[]>, only: Value | undefined): void {
    const isOpen =
      this.#option('top_file_merging_strategy') === 'merge' && !truthy(this.#option('env_order'));
    const found = [...tops.values()].filter(([file]) => file !== undefined && file.size > 0);
    if (truthy(only) || !isOpen || found.length < 2) return;
    this.#deps.ctx.log.warning(
      "top_file_merging_strategy is set to 'merge' and multiple top files were found. Merging order is not deterministic, " +
        "it may be desirable to either set top_file_merging_strategy to 'same' or use the 'env_order' configuration " +
        'parameter to specify the merging order.',
    );
  }

  /** The files that top files include. Salt compat: what those include in turn does not count. */
  async #includes(files: readonly Dict[], env: string): Promise<Dict[]> {
    const out: Dict[] = [];
    const done = new Set<string>();
    for (const file of files) {
      const patterns = file.get('include');
      file.delete('include');
      if (patterns === undefined) continue;
      if (!Array.isArray(patterns))
        throw new SaltRenderError(`include in the top file of saltenv ${env} is not formed as a list`);
      const names = await this.#deps.environments.states(env);
      for (const sls of patterns.flatMap((pattern) => this.#included(pattern, names, env))) {
        if (done.has(sls)) continue;
        done.add(sls);
        const found = await this.#deps.files.sls(sls, env);
        if (found !== undefined) out.push(await this.#render(found, env));
      }
    }
    return out;
  }

  #included(pattern: Value, names: readonly string[], env: string): readonly string[] {
    const found = filterNames(names, pyStr(pattern));
    const words = `include in the top file of saltenv ${env} names '${pyStr(pattern)}', and there is no such SLS`;
    if (found.length === 0) this.#deps.ctx.log.error(words);
    return found;
  }

  async #render(file: { readonly text: string; readonly path: string }, saltenv: string): Promise<Dict> {
    const top = await this.#deps.renderer.render(file.text, { saltenv, sls: '', path: file.path });
    return isDict(top) ? top : new Map();
  }

  async #match(env: Value, target: Value, list: Value, matches: Dict): Promise<void> {
    const items = Array.isArray(list) ? list : [list];
    if (!(await this.#isMeant(pyStr(target), items))) return;
    listAt(matches, env);
    for (const item of items) {
      if (typeof item === 'string') listAt(matches, env).push(item);
      if (!isDict(item)) continue;
      const inner = item.get('subfilter');
      item.delete('subfilter');
      if (isDict(inner))
        for (const [innerTarget, innerList] of inner) await this.#match(env, innerTarget, innerList, matches);
      // the last of `{match: kind}` is no environment, too
      const [other, sls] = [...item].at(-1) ?? [];
      if (other === undefined || sls === undefined) continue;
      if (await this.#deps.environments.has(pyStr(other))) listAt(matches, other).push(sls);
    }
  }

  async #isMeant(target: string, items: readonly Value[]): Promise<boolean> {
    const { id, grains, pillar, opts, clock, log, job } = this.#deps.ctx;
    const kinds = items.filter(isDict).flatMap((item) => item.get('match') ?? []);
    const kind = pyStr(kinds.at(-1) ?? 'compound');
    const own = findOwnMatcher(opts, kind, { clock, log, owner: job });
    if (own !== undefined)
      return own(target, { opts, grains, pillar }).catch((error: unknown) => {
        const why = `The matcher ${kind} of the site failed for the target '${target}' of the top file: ${messageOf(error)}`;
        throw new SaltRenderError(why, { cause: error });
      });
    // a kind that nobody knows fails the run, as in Salt (an empty one is told with the other faults): what it would
    // have assigned must not be missing in silence
    if (kind !== '' && !isTargetType(kind))
      throw new SaltRenderError(`The target '${target}' of the top file: ${unknownType(kind).message}`);
    try {
      const nodegroups = nodegroupsOf(this.#option('nodegroups'));
      const parsed = parseTarget(target, kind, ':', nodegroups);
      return matchMinion(parsed, { id, grains, pillar }, (fault) => log.error(fault.message));
    } catch (error) {
      log.error(`The target '${target}' of the top file matches nothing: ${messageOf(error)}`);
      return false;
    }
  }

  /** What the master's `master_tops` give is put behind, or first with `master_tops_first`. */
  async #withMasterTops(matches: Dict): Promise<Dict> {
    for (const [env, names] of await this.#masterTops()) {
      if (!Array.isArray(names)) continue;
      const own = matches.get(env);
      const lists = [Array.isArray(own) ? own : [], names];
      if (truthy(this.#option('master_tops_first'))) lists.reverse();
      const [first = [], second = []] = lists;
      matches.set(env, [...first, ...second.filter((name) => !first.includes(name))]);
    }
    return matches;
  }

  async #masterTops(): Promise<Dict> {
    const { id, opts, grains, pillar, services } = this.#deps.ctx;
    if (opts.get('file_client') === 'local') return new Map();
    const seen = new Map([...opts, ['grains', grains], ['pillar', pillar]]);
    const tops = await services.request(dict({ cmd: '_master_tops', id, opts: seen }));
    if (isDict(tops)) return tops;
    // a master answers with an empty text when it could not: states that it assigns would be left out
    throw new SaltRenderError(
      'The master could not say what its master_tops assign to this minion; its log says why.',
    );
  }
}

/** What is wrong with the joined top files (3006.16 salt/state.py `verify_tops`). */
export function verifyTop(top: Dict): string[] {
  const errors: string[] = [];
  for (const [env, targets] of top) {
    if (env === 'include') continue;
    const name = pyStr(env);
    if (typeof env !== 'string') errors.push(`Environment ${name} in top file is not formed as a string`);
    if (env === '') errors.push('Empty saltenv statement in top file');
    if (!isDict(targets)) {
      errors.push(`The top file matches for saltenv ${name} are not formatted as a dict`);
      continue;
    }
    for (const [target, list] of targets) verifyList({ env: name, target: pyStr(target) }, list, errors);
  }
  return errors;
}

/** Salt compat: 3006.16 names neither the environment nor the target. */
function verifyList(
  { env, target }: { readonly env: string; readonly target: string },
  list: Value,
  errors: string[],
): void {
  if (!Array.isArray(list)) {
    const what = list === null ? 'nothing' : shownValue(list);
    errors.push(
      `Malformed topfile: the states of the target '${target}' in saltenv '${env}' are not formed as a list, but are ${what}`,
    );
    return;
  }
  for (const item of list) {
    if (item === '') errors.push(`Environment ${env} contains an empty sls index for the target '${target}'`);
    if (!isDict(item)) continue;
    for (const value of item.values()) {
      if (!truthy(value))
        errors.push(
          `Improperly formatted top file matcher in saltenv ${env} for the target '${target}': ${shownValue(item)}: ${shownValue(value)} file`,
        );
    }
  }
}
