/** `iptables.chain_present` and `chain_absent` (3006.16 salt/states/iptables.py). */
import { pyStr } from '../../../python/values/repr.ts';
import { dict, truthy, type Value } from '../../../python/values/value.ts';
import { failure, outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';

/** A chain of a table. */
export interface Chain {
  readonly name: Value;
  readonly table: Value;
  readonly family: string;
}

/** Makes sure that there is a chain. */
export async function chainPresent(ctx: StateContext, { name, table, family }: Chain): Promise<StateResult> {
  const args = [table, name, family];
  if ((await ctx.functions.call('iptables.check_chain', args)) === true)
    return outcome(
      name,
      true,
      `iptables ${pyStr(name)} chain is already exist in ${pyStr(table)} table for ${family}`,
    );
  if (ctx.state.test)
    return outcome(
      name,
      null,
      `iptables ${pyStr(name)} chain in ${pyStr(table)} table needs to be set for ${family}`,
    );
  const done = await ctx.functions.call('iptables.new_chain', args);
  if (done !== true)
    return failure(
      name,
      `Failed to create ${pyStr(name)} chain in ${pyStr(table)} table: ${pyStr(done).trim()} for ${family}`,
    );
  return outcome(
    name,
    true,
    `iptables ${pyStr(name)} chain in ${pyStr(table)} table create success for ${family}`,
    dict({ locale: name }),
  );
}

/** Makes sure that there is no such chain. */
export async function chainAbsent(ctx: StateContext, { name, table, family }: Chain): Promise<StateResult> {
  const args = [table, name, family];
  if (!truthy(await ctx.functions.call('iptables.check_chain', args)))
    return outcome(
      name,
      true,
      `iptables ${pyStr(name)} chain is already absent in ${pyStr(table)} table for ${family}`,
    );
  if (ctx.state.test)
    return outcome(
      name,
      null,
      `iptables ${pyStr(name)} chain in ${pyStr(table)} table needs to be removed ${family}`,
    );
  const failed = (verb: string, why: string): StateResult =>
    failure(
      name,
      `Failed to ${verb} ${pyStr(name)} chain in ${pyStr(table)} table: ${why.trim()} for ${family}`,
    );
  const flushed = await ctx.functions.call('iptables.flush', args);
  if (truthy(flushed)) return failed('flush', pyStr(flushed));
  const done = await ctx.functions.call('iptables.delete_chain', args);
  if (done !== true) return failed('delete', pyStr(done));
  return outcome(
    name,
    true,
    `iptables ${pyStr(name)} chain in ${pyStr(table)} table delete success for ${family}`,
    dict({ locale: name }),
  );
}
