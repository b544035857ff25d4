/** `iptables`: rules, chains and policies of the packet filter (3006.16 salt/states/iptables.py). */
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { aggregateRules } from './state/aggregate.ts';
import { chainAbsent, chainPresent } from './state/chains.ts';
import { manageRule, RULE_STATES, type RulePlace } from './state/rules.ts';
import { emptyRefusal, otherThan } from '../shared/name-check.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const FAMILY = {
  table: param.value({ default: 'filter', type: 'str', doc: 'The table.' }),
  family: param.text({ default: 'ipv4', doc: 'The family of addresses: ipv4 or ipv6.' }),
} as const;
const CHAIN = { name: param.value({ type: 'str', doc: 'The chain.' }), ...FAMILY } as const;
const NAMED = { name: param.value({ type: 'str', doc: 'What this rule is called.' }), ...FAMILY } as const;

const TABLES = ['filter', 'nat', 'mangle', 'raw', 'security'];
/** All but the last stand for IPv4, as with Salt, to which any other word would, too. */
const FAMILIES = ['ipv4', 'ip4', 'ip', 'inet', 'None', '', 'ipv6'];

/**
 * Why there can be no such rule or chain. Salt compat: there, another family is IPv4, and a table that is none is left
 * to iptables, whose complaint is taken for a rule that is there.
 */
function placeRefusal({ table, family }: Pick<RulePlace, 'table' | 'family'>): string | undefined {
  return (
    otherThan(TABLES, table, { what: 'iptables has no table', plural: 'the tables' }) ??
    (FAMILIES.includes(family)
      ? undefined
      : otherThan(['ipv4', 'ipv6'], family, { what: 'iptables has no family', plural: 'the families' }))
  );
}

/** Why there can be no such chain. */
const chainRefusal = (chain: RulePlace): string | undefined =>
  emptyRefusal('A chain', chain.name) ??
  (/\s/.test(pyStr(chain.name))
    ? `The name of a chain has no blanks: ${pyRepr(chain.name)}`
    : placeRefusal(chain));

async function setPolicy(
  ctx: StateContext,
  { name, table, family }: RulePlace,
  kwargs: Dict,
): Promise<StateResult> {
  const [chain, policy, save] = ['chain', 'policy', 'save'].map((key) => kwargs.get(key) ?? null);
  if (!kwargs.has('chain') || !kwargs.has('policy'))
    return failure(name, 'A policy needs its `chain` and its `policy`.');
  const [inChain, wanted] = [pyStr(chain ?? null), pyStr(policy ?? null)];
  if ((await ctx.functions.call('iptables.get_policy', [table, chain ?? null, family])) === policy)
    return outcome(
      name,
      true,
      `iptables default policy for chain ${inChain} on table ${pyStr(table)} for ${family} already set to ${wanted}`,
    );
  if (ctx.state.test)
    return outcome(
      name,
      null,
      `iptables default policy for chain ${inChain} on table ${pyStr(table)} for ${family} needs to be set to ${wanted}`,
    );
  const args = [table, chain ?? null, policy ?? null, family];
  if (truthy(await ctx.functions.call('iptables.set_policy', args)))
    return failure(name, 'Failed to set iptables default policy');
  const saves = truthy(save ?? null);
  if (saves) await ctx.functions.call('iptables.save', [], { filename: save === true ? null : save, family });
  return outcome(
    name,
    true,
    `${saves ? 'Set and saved' : 'Set'} default policy for ${inChain} to ${wanted} family ${family}`,
    dict({ locale: name }),
  );
}

async function flush(
  ctx: StateContext,
  { name, table, family }: RulePlace,
  chain: Value,
): Promise<StateResult> {
  if (ctx.state.test)
    return outcome(
      name,
      null,
      `iptables rules in ${pyStr(name)} table ${pyStr(table)} chain ${family} family needs to be flushed`,
    );
  if (truthy(await ctx.functions.call('iptables.flush', [table, chain, family])))
    return failure(name, 'Failed to flush iptables rules');
  return outcome(
    name,
    true,
    `Flush iptables rules in ${pyStr(table)} table ${pyStr(chain)} chain ${family} family`,
    dict({ locale: name }),
  );
}

function ruleState(kind: 'append' | 'insert' | 'delete', doc: string): ReturnType<typeof defineState> {
  return defineState({
    doc,
    params: NAMED,
    kwargs: 'kwargs',
    refuses: placeRefusal,
    run: (ctx, place, kwargs) => manageRule(ctx, RULE_STATES[kind], place, kwargs),
  });
}

/** The states of `iptables`. */
export const iptablesStates = defineModule({
  name: 'iptables',
  file: 'iptables',
  doc: "Rules of the kernel's packet filter.",
  needs: { fun: 'iptables.version', otherwise: 'iptables module could not be loaded' },
  functions: {
    chain_present: defineState({
      doc: 'Makes sure that a table has a chain.',
      params: CHAIN,
      refuses: chainRefusal,
      run: (ctx, chain) => chainPresent(ctx, chain),
    }),
    chain_absent: defineState({
      doc: 'Makes sure that a table does not have a chain.',
      params: CHAIN,
      refuses: chainRefusal,
      run: (ctx, chain) => chainAbsent(ctx, chain),
    }),
    append: ruleState('append', 'Makes sure that a chain has a rule; a new one is put at its end.'),
    insert: ruleState('insert', 'Makes sure that a chain has a rule; a new one is put at `position`.'),
    delete: ruleState('delete', 'Makes sure that a chain does not have a rule.'),
    set_policy: defineState({
      doc: 'Makes sure of what a chain does with what no rule is for.',
      params: NAMED,
      kwargs: 'kwargs',
      refuses: placeRefusal,
      run: (ctx, place, kwargs) => setPolicy(ctx, place, kwargs),
    }),
    flush: defineState({
      doc: 'Removes all rules of a chain, or of all chains of a table.',
      params: NAMED,
      kwargs: 'kwargs',
      refuses: placeRefusal,
      run: (ctx, place, kwargs) => flush(ctx, place, kwargs.get('chain') ?? ''),
    }),
    mod_aggregate: defineFunction({
      doc: 'Joins the rules of several states.',
      params: {
        low: param.mapping({ doc: 'The chunk that runs.' }),
        chunks: param.list({ doc: 'All chunks.' }),
        running: param.mapping({ doc: 'The results so far.' }),
      },
      returns: 'the chunk',
      run: (_ctx, { low, chunks, running }) => aggregateRules(low, chunks.filter(isDict), running),
    }),
  },
});
