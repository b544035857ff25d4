/**
 * The environments in which the top file of the states has something for this minion: where `saltutil.sync_*` looks
 * (salt/modules/saltutil.py `_get_top_file_envs`, salt/state.py `get_top`, `top_matches`, 3006.16).
 */
import { readFileSync } from 'node:fs';
import { messageOf } from '../../errors/errors.ts';
import type { FileClient } from '../../fileclient/client.ts';
import type { ModuleContext } from '../../loader/module.ts';
import { matchMinion } from '../../targeting/match-minion.ts';
import { nodegroupsOf } from '../../targeting/nodegroups.ts';
import { parseTarget } from '../../targeting/parse-target.ts';
import { filterNames } from '../../text/fnmatch.ts';
import { pyStr } from '../../values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../values/value.ts';
import { SlsRenderer } from '../slsutil/render.ts';
import { mergeTops, type MergedTops } from './merge-tops.ts';

/** @returns the environments in the order of the top file, those of `master_tops` last; `base` when there are none */
export async function topEnvironments(ctx: ModuleContext, client: FileClient): Promise<string[]> {
  try {
    const finder = new TopFinder(ctx, client, await effectiveOptions(ctx));
    const found = finder.matching(await finder.top());
    for (const env of await masterTops(ctx)) if (!found.includes(env)) found.push(env);
    return found.length > 0 ? found : ['base'];
  } catch (error) {
    ctx.log.error(`Unable to render top file: ${messageOf(error)}`);
    return ['base'];
  }
}

const OF_MASTER = [
  ...['renderer', 'state_top', 'state_top_saltenv', 'nodegroups', 'file_roots', 'top_file_merging_strategy'],
  ...['env_order', 'default_top', 'jinja_env', 'jinja_sls_env', 'jinja_lstrip_blocks', 'jinja_trim_blocks'],
];

/** The minion's options, with those of its master where states go by the master's. */
async function effectiveOptions(ctx: ModuleContext): Promise<Dict> {
  if (ctx.opts.get('file_client') === 'local') return ctx.opts;
  const given = await ctx.services.request(dict({ cmd: '_master_opts' }));
  if (!isDict(given)) return new Map([...ctx.opts, ['renderer', 'jinja|yaml'], ['state_top', 'top.sls']]);
  const opts: Dict = new Map(ctx.opts);
  for (const name of OF_MASTER) {
    const value = given.get(name);
    if (value !== undefined) opts.set(name, value);
  }
  return opts;
}

/** Environments that the master's `master_tops` name. */
async function masterTops(ctx: ModuleContext): Promise<string[]> {
  if (ctx.opts.get('file_client') === 'local') return [];
  const load = dict({ cmd: '_master_tops', id: ctx.id, opts: new Map(ctx.opts) });
  const tops = await ctx.services.request(load);
  return isDict(tops) ? [...tops.keys()].map(pyStr) : [];
}

class TopFinder {
  readonly #ctx: ModuleContext;
  readonly #client: FileClient;
  readonly #opts: Dict;
  readonly #renderer: SlsRenderer;
  #available: readonly string[] = [];

  constructor(ctx: ModuleContext, client: FileClient, opts: Dict) {
    this.#ctx = ctx;
    this.#client = client;
    this.#opts = opts;
    this.#renderer = new SlsRenderer(ctx, opts);
  }

  async top(): Promise<MergedTops> {
    const name = pyStr(this.#opts.get('state_top') ?? 'top.sls').replace(/^(salt:\/\/|\/)/, '');
    const tops = new Map<string, Dict[]>();
    const environments = await this.#environments();
    this.#available = await this.#client.source.environments();
    for (const env of environments) {
      const first = await this.#render(name, env, '');
      const files = [first];
      await this.#includes(first, env, files);
      tops.set(env, files);
    }
    const text = (option: string, fallback: string): string => {
      const value = this.#opts.get(option);
      return typeof value === 'string' && value !== '' ? value : fallback;
    };
    const strategy = text('top_file_merging_strategy', 'merge');
    return mergeTops(tops, strategy, text('default_top', 'base'), this.#ctx.log);
  }

  /** The environments in which a target means this minion, in the order of the top file. */
  matching(top: MergedTops): string[] {
    const found: string[] = [];
    const only = this.#saltenv();
    for (const [env, targets] of top) {
      if (only !== undefined && env !== only) continue;
      for (const [target, list] of targets) this.#match(env, target, list, found);
    }
    return found;
  }

  #match(env: string, target: Value, list: Value, found: string[]): void {
    const items = Array.isArray(list) ? list : [list];
    if (!this.#isMeant(pyStr(target), items)) return;
    if (!found.includes(env)) found.push(env);
    for (const item of items.filter(isDict)) {
      const further = item.get('subfilter');
      if (isDict(further))
        for (const [inner, innerList] of further) this.#match(env, inner, innerList, found);
      for (const name of [...item.keys()].map(pyStr))
        if (this.#available.includes(name) && !found.includes(name)) found.push(name);
    }
  }

  #isMeant(target: string, items: readonly Value[]): boolean {
    const { id, grains, pillar, log } = this.#ctx;
    const kinds = items.filter(isDict).flatMap((item) => item.get('match') ?? []);
    try {
      const kind = pyStr(kinds.at(-1) ?? 'compound');
      const parsed = parseTarget(target, kind, ':', nodegroupsOf(this.#opts.get('nodegroups')));
      return matchMinion(parsed, { id, grains, pillar }, (fault) => log.error(fault.message));
    } catch (error) {
      log.error(`The target '${target}' of the top file matches nothing: ${messageOf(error)}`);
      return false;
    }
  }

  #saltenv(): string | undefined {
    const saltenv = this.#opts.get('saltenv');
    return typeof saltenv === 'string' && saltenv !== '' ? saltenv : undefined;
  }

  async #environments(): Promise<string[]> {
    const only = this.#saltenv() ?? this.#opts.get('state_top_saltenv');
    if (truthy(only)) return [pyStr(only ?? null)];
    const served = await this.#client.source.environments();
    const wanted = this.#opts.get('env_order');
    const order = Array.isArray(wanted) ? [...new Set(wanted.map(pyStr))] : [];
    if (order.length > 0) return served.length > 0 ? order.filter((env) => served.includes(env)) : order;
    const roots = this.#opts.get('file_roots');
    return [...new Set(['base', ...(isDict(roots) ? [...roots.keys()].map(pyStr) : []), ...served])];
  }

  async #includes(from: Dict, env: string, files: Dict[]): Promise<void> {
    const done = new Set<string>();
    const queue: Dict[] = [from];
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const names = file.get('include');
      file.delete('include');
      if (!Array.isArray(names)) continue;
      const states = await this.#client.listStates(env);
      for (const sls of names.flatMap((name) => filterNames(states, pyStr(name)))) {
        if (done.has(sls)) continue;
        done.add(sls);
        const path = sls.replaceAll('.', '/');
        const found = (await this.#client.source.describe(`${path}.sls`, env)) !== undefined;
        const included = await this.#render(found ? `${path}.sls` : `${path}/init.sls`, env, sls);
        files.push(included);
        queue.push(included);
      }
    }
  }

  /** A top file as data; empty when the environment has none. */
  async #render(path: string, saltenv: string, sls: string): Promise<Dict> {
    const file = await this.#client.cacheFile(`salt://${path}`, { saltenv });
    if (file === false) return new Map();
    const top = await this.#renderer.render(readFileSync(file, 'utf8'), { saltenv, sls, path: file });
    return isDict(top) ? top : new Map();
  }
}
