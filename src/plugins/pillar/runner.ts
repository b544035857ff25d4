/** `pillar.*`: what minions' pillar looks like on the master (salt/runners/pillar.py, 3006.16). */
import { executionModules } from '../registry/module/on-demand.ts';
import { pillarCache } from '../../runtime/pillar/cache.ts';
import type { PillarRequest } from '../../runtime/pillar/request.ts';
import type { PillarService } from '../../runtime/pillar/service.ts';
import { forecast } from '../../runtime/targeting/forecast.ts';
import { parseTarget } from '../../runtime/targeting/parse-target.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineRunner, defineRunners, type RunnerContext, type RunnerSpec } from '../shared/runner/runner.ts';
import { param } from '../../runtime/loader/params.ts';

const minionParam = { minion: param.text({ default: '*', doc: 'The minion.' }) } as const;
const targetParam = { minion: param.text({ default: '*', doc: 'The minions, as a glob.' }) } as const;

const textOrNull = (value: Value | undefined): string | null => (typeof value === 'string' ? value : null);

async function service(ctx: RunnerContext): Promise<PillarService> {
  const [{ PillarService: Service }, { loadedFunctions }] = await Promise.all([
    import('../../runtime/pillar/service.ts'),
    import('../../runtime/pillar/functions.ts'),
  ]);
  const { settings, clock, random, log } = ctx;
  return new Service({
    opts: settings,
    clock,
    random,
    log,
    functions: (made, own) =>
      loadedFunctions(made, {
        ...{ clock, random, log, own },
        modules: executionModules,
        masterBeside: ctx,
      }),
  });
}

/** The first minion of which anything is known, for functions that are asked about no minion. */
function anyMinion(ctx: RunnerContext): string | undefined {
  return [...ctx.keys.list('accepted')].sort().find((id) => ctx.cache.read(id, 'data') !== undefined);
}

/** What is asked of a pillar: the minion with its grains as the master remembers them. */
function requestFor(ctx: RunnerContext, minion: string, kwargs: Dict): PillarRequest {
  const known = ctx.cache.read(minion, 'data')?.get('grains');
  const grains: Dict = known !== undefined && isDict(known) ? new Map(known) : dict({ fqdn: minion });
  for (const [key, value] of kwargs) if (key !== 'saltenv' && key !== 'pillarenv') grains.set(key, value);
  return {
    minionId: minion,
    grains,
    saltenv: textOrNull(kwargs.get('saltenv')) ?? 'base',
    pillarenv: textOrNull(kwargs.get('pillarenv')),
    override: new Map(),
  };
}

/** What the functions of the pillar cache do with each minion. */
function cacheFunction(name: string, doc: string, clears: boolean): RunnerSpec {
  return defineRunner({
    doc,
    params: targetParam,
    kwargs: 'kwargs',
    returns: 'mapping of minion to the pillar that is kept; False without pillar_cache',
    examples: [`salt-run pillar.${name}`, `salt-run pillar.${name} 'web*' pillarenv=dev`],
    run: (ctx, { minion }, _rest, kwargs) => {
      const cache = pillarCache(ctx.settings, ctx.clock);
      if (!cache) {
        ctx.log.info('The pillar_cache is set to False or not enabled.');
        return false;
      }
      const out: Dict = new Map();
      const { minions } = forecast(parseTarget(minion, 'glob'), ctx.fleet, { greedy: true });
      for (const id of [...minions].sort()) {
        if (clears) {
          cache.clear(id);
          continue;
        }
        const kept = cache.show(id);
        if (kept.size > 0) out.set(id, kept.get(textOrNull(kwargs.get('pillarenv'))) ?? null);
      }
      return out;
    },
  });
}

/** The pillar runner. */
export const pillarRunners = defineRunners({
  name: 'pillar',
  doc: 'Pillar on the master.',
  failsWith: { false: ['clear_pillar_cache', 'show_pillar_cache'], list: ['show_top'] },
  functions: {
    show_top: defineRunner({
      doc: 'Gives the pillar top data: environments, targets and their SLS.',
      params: {
        minion: param.textIfGiven({ default: null, doc: 'The minion whose grains the top file sees.' }),
        saltenv: { default: 'base', type: 'str', doc: 'The environment.' },
      },
      returns: 'a mapping; the list of errors when the top file cannot be used',
      examples: ['salt-run pillar.show_top', 'salt-run pillar.show_top minion=web1'],
      run: async (ctx, { minion, saltenv }) => {
        const id = minion !== undefined ? minion : (anyMinion(ctx) ?? ctx.id);
        const { top, errors } = await (await service(ctx)).top(requestFor(ctx, id, dict({ saltenv })));
        if (errors.length === 0) return top;
        await ctx.progress(dict({ data: errors, outputter: 'nested' }));
        return errors;
      },
    }),
    show_pillar: defineRunner({
      doc: 'Makes the pillar of a minion on the master, with the grains that the master remembers; further keywords are grains.',
      params: minionParam,
      kwargs: 'kwargs',
      returns: 'a mapping',
      examples: [
        "salt-run pillar.show_pillar 'www.example.com'",
        'salt-run pillar.show_pillar foo=bar os=Debian',
      ],
      run: async (ctx, { minion }, _rest, kwargs) =>
        (await service(ctx)).compile(requestFor(ctx, minion, kwargs)),
    }),
    show_pillar_cache: cacheFunction('show_pillar_cache', 'Gives the cached pillar of minions.', false),
    clear_pillar_cache: cacheFunction('clear_pillar_cache', 'Forgets the cached pillar of minions.', true),
  },
});
