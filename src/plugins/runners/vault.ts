/** `vault.*`: what minions may read in HashiCorp Vault (salt/runners/vault.py, 3006.16). Tokens are not made here. */
import { pathsOf } from '../../runtime/pillar/ext/vault-pattern.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineRunner, defineRunners, type RunnerContext } from './runner.ts';

const DEFAULT_POLICIES = ['saltstack/minion/{minion}', 'saltstack/minions'];

/** The vault runner. */
export const vaultRunners = defineRunners({
  name: 'vault',
  doc: 'HashiCorp Vault, as far as it is read.',
  functions: {
    show_policies: defineRunner({
      doc: 'Gives the policies that the option `vault:policies` means for a minion, with its grains and pillar.',
      params: {
        minion_id: param.text({ doc: 'The minion.' }),
        refresh_pillar: param.flagIfGiven({
          default: null,
          doc: 'Make the pillar anew; False takes the cached one; default: vault:policies_refresh_pillar, or only when none is cached.',
        }),
        expire: { default: null, type: 'int', doc: 'Has no effect: nothing is kept.' },
      },
      returns: 'list of policies',
      examples: ['salt-run vault.show_policies myminion'],
      run: (ctx, { minion_id, refresh_pillar }) => policiesOf(ctx, minion_id, refresh_pillar),
    }),
  },
});

async function policiesOf(ctx: RunnerContext, id: string, refresh: boolean | undefined): Promise<Value> {
  const given = ctx.settings.get('vault');
  const config: Dict = isDict(given) ? given : new Map();
  const known = ctx.cache.read(id, 'data');
  const grains = known?.get('grains') ?? dict({ id });
  const cached = known?.get('pillar');
  const configured = config.get('policies_refresh_pillar');
  const isFresh = refresh ?? (typeof configured === 'boolean' ? configured : !isDict(cached));
  const pillar = isFresh ? await ctx.call('pillar.show_pillar', [id]) : (cached ?? new Map());
  const fields = new Map<string, Value>([
    ['minion', id],
    ['grains', grains],
    ['pillar', pillar],
  ]);
  const patterns = config.get('policies') ?? DEFAULT_POLICIES;
  return (Array.isArray(patterns) ? patterns : [patterns]).flatMap((pattern) => {
    const policies = pathsOf(pyStr(pattern), fields);
    if (policies === undefined)
      ctx.log.warning(`Could not resolve policy pattern ${pyStr(pattern)} for minion ${id}`);
    // Vault knows them in small letters
    return (policies ?? []).map((policy) => policy.toLowerCase());
  });
}
