/** `cache.*`: what the master remembers of minions, and named values in banks (salt/runners/cache.py, 3006.16). */
import type { Banks } from '../../storage/cache/cache-server.ts';
import { RIGHTS_PILLAR, type MinionBank } from '../../storage/cache/minion-data.ts';
import { forecast } from '../../runtime/targeting/forecast.ts';
import { parseTarget } from '../../runtime/targeting/parse-target.ts';
import { pyRepr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { withBanks } from '../registry/cache/open.ts';
import { clearGitLocks } from './runner/git-locks.ts';
import {
  defineRunner,
  defineRunners,
  refusing,
  type RunnerContext,
  type RunnerSpec,
} from '../shared/runner/runner.ts';
import { param } from '../../runtime/loader/params.ts';

const tgtParams = {
  tgt: param.valueIfGiven({
    default: null,
    type: 'str',
    doc: 'The minions; without it all of which something is known.',
  }),
  tgt_type: param.text({ default: 'glob', doc: 'What kind of target that is.' }),
} as const;
const bankParam = {
  bank: param.text({ doc: 'The bank: names of folders, separated by slashes.' }),
} as const;
const cachedirParam = {
  cachedir: param.textOrNone({
    default: null,
    doc: "Folder to look in, in place of the master's cachedir; with `cache: localfs`.",
  }),
} as const;

/** What is cleared for each of the minions. */
interface Clearing {
  readonly pillar?: boolean;
  readonly grains?: boolean;
  readonly mine?: boolean;
}

function clearFunction(name: string, what: string, clearing: Clearing): RunnerSpec {
  return defineRunner({
    doc: `Forgets the cached ${what} of minions.`,
    params: { ...tgtParams, tgt: { default: null, type: 'str', doc: 'The minions.' } },
    returns: 'True; False without a target',
    examples: [`salt-run cache.${name} '*'`],
    run: (ctx, { tgt, tgt_type }) => {
      if (tgt === null) return false;
      const ids = matching(ctx, tgt, tgt_type);
      if (ids.length === 0) sayNothingForgotten(ctx, name, `the target ${pyRepr(tgt)} matches no minion`);
      return clear(ctx, ids, clearing);
    },
  });
}

/** The cache runner. */
export const cacheRunners = defineRunners({
  name: 'cache',
  doc: 'The caches of the master.',
  failsWith: {
    false: ['clear_pillar', 'clear_grains', 'clear_mine', 'clear_mine_func', 'clear_all', 'flush'],
    empty: ['grains', 'pillar', 'fetch'],
  },
  functions: {
    grains: defineRunner({
      doc: 'Gives the cached grains of minions.',
      params: { tgt: { type: 'str', doc: 'The minions.' }, tgt_type: tgtParams.tgt_type },
      kwargs: 'kwargs',
      returns: 'mapping of minion to grains',
      examples: ["salt-run cache.grains '*'"],
      run: (ctx, { tgt, tgt_type }) => cachedPart(ctx, matching(ctx, tgt, tgt_type), 'grains'),
    }),
    pillar: defineRunner({
      doc: 'Gives the cached pillar of minions.',
      params: tgtParams,
      kwargs: 'kwargs',
      returns: 'mapping of minion to pillar',
      examples: ['salt-run cache.pillar'],
      run: (ctx, { tgt, tgt_type }) => {
        const ids = tgt !== undefined ? matching(ctx, tgt, tgt_type) : ctx.cache.ids();
        return cachedPart(ctx, ids, 'pillar');
      },
    }),
    mine: defineRunner({
      doc: 'Gives the cached mine data of minions.',
      params: tgtParams,
      kwargs: 'kwargs',
      returns: 'mapping of minion to mine data',
      examples: ['salt-run cache.mine'],
      run: (ctx, { tgt, tgt_type }) => {
        // Salt compat: for a target that matches nobody Salt gives what all minions have left
        const ids = tgt !== undefined && tgt !== null ? matching(ctx, tgt, tgt_type) : ctx.cache.ids();
        return new Map(ids.map((id): [Value, Value] => [id, ctx.cache.read(id, 'mine') ?? new Map()]));
      },
    }),
    clear_pillar: clearFunction('clear_pillar', 'pillar', { pillar: true }),
    clear_grains: clearFunction('clear_grains', 'grains', { grains: true }),
    clear_mine: clearFunction('clear_mine', 'mine data', { mine: true }),
    clear_mine_func: defineRunner({
      doc: 'Forgets one function in the cached mine data of minions.',
      params: {
        tgt: { default: null, type: 'str', doc: tgtParams.tgt.doc },
        tgt_type: tgtParams.tgt_type,
        clear_mine_func_flag: { default: null, type: 'str', doc: 'The function.' },
      },
      returns: 'True; False without a target or a function',
      examples: ["salt-run cache.clear_mine_func tgt='*' clear_mine_func_flag='network.interfaces'"],
      run: (ctx, { tgt, tgt_type, clear_mine_func_flag: fun }) => {
        if (tgt === null || fun === null) return false;
        const ids = matching(ctx, tgt, tgt_type);
        const cleared = ids.filter((id) => {
          const mine = ctx.cache.read(id, 'mine');
          const isThere = mine?.delete(fun) === true;
          if (isThere) ctx.cache.write(id, 'mine', mine);
          return isThere;
        });
        if (ids.length === 0)
          sayNothingForgotten(ctx, 'clear_mine_func', `the target ${pyRepr(tgt)} matches no minion`);
        else if (cleared.length === 0)
          sayNothingForgotten(ctx, 'clear_mine_func', `no mine of ${ids.join(', ')} has ${pyRepr(fun)}`);
        return true;
      },
    }),
    clear_all: clearFunction('clear_all', 'pillar, grains and mine data', {
      pillar: true,
      grains: true,
      mine: true,
    }),
    clear_git_lock: defineRunner({
      doc: 'Removes the locks that keep repositories from being fetched (`fileserver.lock`, or what a killed Salt has left).',
      params: {
        role: param.text({ doc: '`gitfs` or `git_pillar`; of `winrepo` there are no repositories.' }),
        remote: param.textOrNone({ default: null, doc: 'Only repositories whose address contains this.' }),
        type: { default: null, type: 'str or list', doc: 'Kinds of locks; here there is `update` alone.' },
      },
      returns: 'mapping with the locks that were removed, or a sentence',
      examples: [
        'salt-run cache.clear_git_lock gitfs',
        'salt-run cache.clear_git_lock git_pillar remote=github',
      ],
      run: (ctx, { role, remote, type }) => clearGitLocks(ctx, { role, remote, type }),
    }),
    store: defineRunner({
      doc: 'Keeps a value under a key of a bank.',
      params: {
        ...bankParam,
        key: param.text({ doc: 'The key.' }),
        data: { type: 'any', doc: 'The value.' },
        ...cachedirParam,
      },
      returns: 'None',
      examples: ["salt-run cache.store mycache mykey 'The time has come the walrus said'"],
      run: async (ctx, { bank, key, data, cachedir }) => {
        await inBanks(ctx, cachedir, (banks) => banks.store(bank, key, data));
        return null;
      },
    }),
    list: defineRunner({
      doc: 'Lists the keys of a bank, and the banks in it.',
      pythonName: 'list_',
      params: { ...bankParam, ...cachedirParam },
      returns: 'list of names',
      examples: ['salt-run cache.list cloud/active/ec2/myec2 cachedir=/var/cache/salt/'],
      run: (ctx, { bank, cachedir }) => inBanks(ctx, cachedir, (banks) => banks.list(bank)),
    }),
    fetch: defineRunner({
      doc: 'Gives the value under a key of a bank.',
      params: { ...bankParam, key: param.text({ doc: 'The key.' }), ...cachedirParam },
      returns: 'the value; an empty mapping when there is none',
      examples: ['salt-run cache.fetch cloud/active/ec2/myec2 myminion cachedir=/var/cache/salt/'],
      run: (ctx, { bank, key, cachedir }) => inBanks(ctx, cachedir, (banks) => banks.fetch(bank, key)),
    }),
    flush: defineRunner({
      doc: 'Removes a key of a bank; without one the bank with all that is in it.',
      params: {
        ...bankParam,
        key: param.textOrNone({ default: null, doc: 'The key.' }),
        ...cachedirParam,
      },
      returns: 'True; False when there was nothing to remove',
      examples: ['salt-run cache.flush cloud/active/ec2/myec2 myminion cachedir=/var/cache/salt/'],
      run: (ctx, { bank, key, cachedir }) => inBanks(ctx, cachedir, (banks) => banks.flush(bank, key)),
    }),
  },
});

/** Salt compat: Salt answers True, and so does this. */
function sayNothingForgotten({ log }: RunnerContext, name: string, why: string): void {
  log.warning(`cache.${name}: ${why}; nothing was forgotten.`);
}

/** The minions that a target means, as the master forecasts them; for none the run falls short. @throws TargetError */
function matching(ctx: RunnerContext, tgt: Value, tgtType: string): string[] {
  const { minions } = forecast(parseTarget(tgt, tgtType), ctx.fleet, { greedy: true });
  if (minions.length === 0) ctx.fallShort('none matched');
  return [...minions].sort();
}

function cachedPart(ctx: RunnerContext, ids: readonly string[], part: 'grains' | 'pillar'): Dict {
  return new Map(
    ids.map((id) => {
      const value = ctx.cache.read(id, 'data')?.get(part);
      return [id, isDict(value) ? value : new Map()];
    }),
  );
}

function clear(ctx: RunnerContext, ids: readonly string[], clearing: Clearing): boolean {
  for (const id of ids) {
    if (clearing.pillar === true || clearing.grains === true) {
      const data = ctx.cache.read(id, 'data');
      const keeps = (['grains', 'pillar'] as const).filter(
        (part) => clearing[part] !== true && truthy(data?.get(part)),
      );
      if (keeps.length === 0) remove(ctx, id, 'data');
      else {
        const kept = dict(Object.fromEntries(keeps.map((part) => [part, data?.get(part)])));
        const forRights = data?.get(RIGHTS_PILLAR);
        if (forRights !== undefined && keeps.includes('pillar')) kept.set(RIGHTS_PILLAR, forRights);
        ctx.cache.write(id, 'data', kept);
      }
    }
    if (clearing.mine === true) remove(ctx, id, 'mine');
  }
  return true;
}

function remove(ctx: RunnerContext, id: string, bank: MinionBank): void {
  ctx.cache.remove(id, bank);
}

/** Where the option `cache` has the banks. */
function inBanks<T>(
  { settings: opts, clock, opts: options }: RunnerContext,
  cachedir: string | undefined,
  run: (banks: Banks) => T | Promise<T>,
): Promise<T> {
  return refusing(() => withBanks({ opts, clock }, cachedir ?? options.get('cachedir'), run));
}
