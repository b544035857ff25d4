/** `nftables`: tables, chains, rules and policies of the packet filter (3006.16 salt/states/nftables.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { manageRule, type RuleKind } from './state/rules.ts';
import { mayBeMade } from '../shared/made-earlier.ts';
import { emptyRefusal } from '../shared/name-check.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const FAMILY = {
  family: param.text({
    default: 'ipv4',
    doc: 'The family of addresses: ipv4, ipv6, inet, arp, bridge or netdev.',
  }),
} as const;
const TABLE = { table: param.text({ default: 'filter', doc: 'The table.' }) } as const;
const NAMED = { name: param.value({ type: 'str', doc: 'What this is called.' }) } as const;

/** An answer of a function of nftables. */
interface Answer {
  readonly isSo: boolean;
  readonly comment: string;
}

async function ask(
  ctx: StateContext,
  fun: string,
  args: readonly Value[],
  words: Dict = dict(),
): Promise<Answer> {
  const answer = await ctx.functions.call(`nftables.${fun}`, args, words);
  if (!isDict(answer)) return { isSo: truthy(answer), comment: '' };
  return { isSo: answer.get('result') === true, comment: pyStr(answer.get('comment') ?? '').trim() };
}

interface ChainGiven {
  readonly name: string;
  readonly table: string;
  readonly family: string;
}

async function chainPresent(
  ctx: StateContext,
  {
    name,
    table,
    family,
    ...base
  }: ChainGiven & { readonly table_type: Value; readonly hook: Value; readonly priority: Value },
): Promise<StateResult> {
  if ((await ask(ctx, 'check_chain', [table, name, family])).isSo)
    return outcome(name, true, `nftables ${name} chain is already exist in ${table} table for ${family}`);
  // Salt compat: there, test mode promises a chain in a table that is not there
  if (ctx.state.test && !mayBeMade(ctx) && !(await ask(ctx, 'check_table', [table, family])).isSo)
    return failure(
      name,
      `Failed to create ${name} chain in ${table} table: Table ${table} in family ${family} does not exist for ${family}`,
    );
  if (ctx.state.test)
    return outcome(
      name,
      null,
      `nftables chain ${name} would be created in table ${table} for family ${family}`,
    );
  const made = await ask(ctx, 'new_chain', [table, name], dict({ ...base, family }));
  if (!made.isSo)
    return failure(name, `Failed to create ${name} chain in ${table} table: ${made.comment} for ${family}`);
  const comment = `nftables ${name} chain in ${table} table create success for ${family}`;
  return outcome(name, true, comment, dict({ locale: name }));
}

/** Salt compat: Salt takes every answer for a yes, removes in test mode too, and ends with a traceback. */
async function chainAbsent(ctx: StateContext, { name, table, family }: ChainGiven): Promise<StateResult> {
  const at = [table, name, family];
  if (!(await ask(ctx, 'check_chain', at)).isSo)
    return outcome(name, true, `nftables ${name} chain is already absent in ${table} table for ${family}`);
  if (ctx.state.test)
    return outcome(name, null, `nftables ${name} chain in ${table} table needs to be removed for ${family}`);
  for (const [verb, fun] of [
    ['flush', 'flush'],
    ['delete', 'delete_chain'],
  ] as const) {
    const done = await ask(ctx, fun, at);
    if (!done.isSo)
      return failure(
        name,
        `Failed to ${verb} ${name} chain in ${table} table: ${done.comment} for ${family}`,
      );
  }
  const comment = `nftables ${name} chain in ${table} table delete success for ${family}`;
  return outcome(name, true, comment, dict({ locale: name }));
}

async function flushed(
  ctx: StateContext,
  {
    name,
    family,
    ignore_absence,
  }: { readonly name: Value; readonly family: string; readonly ignore_absence: boolean },
  kwargs: Dict,
): Promise<StateResult> {
  const [table, chain] = [pyStr(kwargs.get('table') ?? 'filter'), pyStr(kwargs.get('chain') ?? '')];
  const hasTable = (await ask(ctx, 'check_table', [table, family])).isSo;
  if (!ignore_absence && !hasTable)
    return failure(name, `Failed to flush table ${table} in family ${family}, table does not exist.`);
  const hasChain = chain === '' || (await ask(ctx, 'check_chain', [table, chain, family])).isSo;
  if (!ignore_absence && !hasChain)
    return failure(
      name,
      `Failed to flush chain ${chain} in table ${table} in family ${family}, chain does not exist.`,
    );
  // Salt compat: Salt calls a flush of what is not there a change.
  if (!hasTable || !hasChain)
    return outcome(
      name,
      true,
      `There are no nftables rules to flush in ${table} table ${chain} chain ${family} family`,
    );
  if (ctx.state.test) return outcome(name, null, 'nftables flush not performed in test mode.');
  const done = await ask(ctx, 'flush', [table, chain, family]);
  if (!done.isSo) return failure(name, 'Failed to flush nftables rules');
  const comment = `Flush nftables rules in ${table} table ${chain} chain ${family} family`;
  return outcome(name, true, comment, dict({ locale: name }));
}

async function setPolicy(
  ctx: StateContext,
  { name, table, family }: { readonly name: Value; readonly table: string; readonly family: string },
  kwargs: Dict,
): Promise<StateResult> {
  if (!kwargs.has('chain') || !kwargs.has('policy'))
    return failure(name, 'A policy needs its `chain` and its `policy`.');
  const [chain, policy] = [pyStr(kwargs.get('chain') ?? null), pyStr(kwargs.get('policy') ?? null)];
  const now = await ctx.functions.call('nftables.get_policy', [table, chain, family]);
  const what = `nftables default policy for chain ${chain} on table ${table} for ${family}`;
  if (pyStr(now).toLowerCase() === policy.toLowerCase())
    return outcome(name, true, `${what} already set to ${policy}`);
  if (ctx.state.test) return outcome(name, null, `${what} needs to be set to ${policy}`);
  if (!(await ask(ctx, 'set_policy', [table, chain, policy.toLowerCase(), family])).isSo)
    return failure(name, 'Failed to set nftables default policy');
  const isSaved = truthy(kwargs.get('save'));
  if (isSaved)
    await ctx.functions.call('nftables.save', [], { filename: kwargs.get('save_filename') ?? null, family });
  const verb = isSaved ? 'Set and saved' : 'Set';
  const comment = `${verb} default policy for ${chain} to ${policy} family ${family}`;
  return outcome(name, true, comment, dict({ locale: name }));
}

async function tablePresent(ctx: StateContext, given: Value, family: string): Promise<StateResult> {
  const name = pyStr(given);
  if ((await ask(ctx, 'check_table', [given, family])).isSo)
    return outcome(given, true, `nftables table ${name} already exists in family ${family}`);
  if (ctx.state.test)
    return outcome(given, null, `nftables table ${name} would be created in family ${family}`);
  if (!(await ask(ctx, 'new_table', [given, family])).isSo)
    return failure(given, `Failed to create table ${name} for family ${family}`);
  const comment = `nftables table ${name} successfully created in family ${family}`;
  return outcome(given, true, comment, dict({ locale: given }));
}

async function tableAbsent(ctx: StateContext, given: Value, family: string): Promise<StateResult> {
  const name = pyStr(given);
  if (!(await ask(ctx, 'check_table', [given, family])).isSo)
    return outcome(given, true, `nftables table ${name} is already absent from family ${family}`);
  if (ctx.state.test)
    return outcome(given, null, `nftables table ${name} would be deleted from family ${family}`);
  if (!(await ask(ctx, 'delete_table', [given, family])).isSo)
    return failure(given, `Failed to delete table ${name} from family ${family}`);
  const comment = `nftables table ${name} successfully deleted from family ${family}`;
  return outcome(given, true, comment, dict({ locale: given }));
}

function ruleState(kind: RuleKind, doc: string): ReturnType<typeof defineState> {
  return defineState({
    doc,
    params: { ...NAMED, ...FAMILY },
    kwargs: 'kwargs',
    run: (ctx, given, kwargs) => manageRule(ctx, kind, given, kwargs),
  });
}

/** The states of `nftables`. */
export const nftablesStates = defineModule({
  name: 'nftables',
  file: 'nftables',
  doc: "Tables, chains and rules of the kernel's packet filter.",
  needs: { fun: 'nftables.version', otherwise: 'nftables module could not be loaded' },
  functions: {
    chain_present: defineState({
      doc: 'Makes sure that a table has a chain.',
      params: {
        name: param.text({ doc: 'The chain.' }),
        ...TABLE,
        table_type: param.value({ default: null, type: 'str', doc: 'What it does: filter, nat or route.' }),
        hook: param.value({ default: null, type: 'str', doc: 'Where packets come to it: input, output …' }),
        priority: param.value({ default: null, type: 'int', doc: 'Its place among others there.' }),
        ...FAMILY,
      },
      refuses: (given) => {
        const { name, table, family, table_type, hook, priority } = given;
        const said = [table_type, hook, priority].filter((one) => one !== null).length;
        if (said === 0 || said === 3) return emptyRefusal('A chain', name);
        return `Failed to create ${name} chain in ${table} table: Table_type, hook, and priority required. for ${family}`;
      },
      run: (ctx, given) => chainPresent(ctx, given),
    }),
    chain_absent: defineState({
      doc: 'Makes sure that a table does not have a chain.',
      params: { name: param.text({ doc: 'The chain.' }), ...TABLE, ...FAMILY },
      run: (ctx, given) => chainAbsent(ctx, given),
    }),
    append: ruleState('append', 'Makes sure that a chain has a rule; a new one is put at its end.'),
    insert: ruleState(
      'insert',
      'Makes sure that a chain has a rule; a new one is put before the rule with the handle `position`, or at the beginning.',
    ),
    delete: ruleState('delete', 'Makes sure that a chain does not have a rule.'),
    flush: defineState({
      doc: 'Removes all rules of a chain, or of all chains of a table.',
      params: {
        ...NAMED,
        ...FAMILY,
        ignore_absence: param.flag({
          default: false,
          doc: 'A table or chain that is not there is no failure.',
        }),
      },
      kwargs: 'kwargs',
      run: (ctx, given, kwargs) => flushed(ctx, given, kwargs),
    }),
    set_policy: defineState({
      doc: 'Makes sure of what a chain does with what no rule is for.',
      params: { ...NAMED, ...TABLE, ...FAMILY },
      kwargs: 'kwargs',
      run: (ctx, given, kwargs) => setPolicy(ctx, given, kwargs),
    }),
    table_present: defineState({
      doc: 'Makes sure that there is a table.',
      params: { name: param.value({ type: 'str', doc: 'The table.' }), ...FAMILY },
      kwargs: 'kwargs',
      run: (ctx, { name, family }) => tablePresent(ctx, name, family),
    }),
    table_absent: defineState({
      doc: 'Makes sure that there is no such table.',
      params: { name: param.value({ type: 'str', doc: 'The table.' }), ...FAMILY },
      kwargs: 'kwargs',
      run: (ctx, { name, family }) => tableAbsent(ctx, name, family),
    }),
  },
});
