/** `nftables.append`, `insert` and `delete`: rules in chains (3006.16 salt/states/nftables.py). */
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { failure, outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';

/** What is done with a rule. */
export type RuleKind = 'append' | 'insert' | 'delete';

interface Rule {
  readonly name: string;
  readonly family: string;
  readonly table: Value;
  readonly chain: Value;
  readonly text: string;
  readonly position: Value;
}

/** What is said: nothing is to do, it is foretold, it is done, it is done and saved. */
type Said = Readonly<Record<'right' | 'foretold' | 'done' | 'saved', string>>;

function saidOf(kind: RuleKind, { name, family, text }: Rule): Said {
  const set = { done: `Set nftables rule for ${name} to: ${text} for ${family}` };
  const saved = { saved: `Set and Saved nftables rule for ${name} to: ${text} for ${family}` };
  if (kind === 'append')
    return {
      right: `nftables rule for ${name} already set (${text}) for ${family}`,
      foretold: `nftables rule for ${name} needs to be set (${text}) for ${family}`,
      ...set,
      ...saved,
    };
  if (kind === 'insert')
    return {
      right: `nftables rule for ${name} already set for ${family} (${text})`,
      foretold: `nftables rule for ${name} needs to be set for ${family} (${text})`,
      ...set,
      ...saved,
    };
  return {
    right: `nftables rule for ${name} already absent for ${family} (${text})`,
    foretold: `nftables rule for ${name} needs to be deleted for ${family} (${text})`,
    done: `Delete nftables rule for ${name} ${text}`,
    saved: `Deleted and Saved nftables rule for ${name} for ${text}${family}`,
  };
}

function failedText(kind: RuleKind, { name, family, text }: Rule, why: string): string {
  const verb = kind === 'delete' ? 'delete' : 'set';
  const behind = kind === 'append' ? ` for ${family}.\n${why}` : '';
  return `Failed to ${verb} nftables rule for ${name}.\nAttempted rule was ${text}${behind}`;
}

function change(ctx: StateContext, kind: RuleKind, rule: Rule): Promise<Value> {
  const { table, chain, text, family, position } = rule;
  const place = kind === 'insert' ? [position] : [];
  if (kind !== 'delete')
    return ctx.functions.call(`nftables.${kind}`, [table, chain, ...place, text, family]);
  const which = position === null ? { rule: text } : { position };
  return ctx.functions.call('nftables.delete', [table, chain], { family, ...which });
}

const isSo = (answer: Value): boolean => isDict(answer) && answer.get('result') === true;
const commentOf = (answer: Value): string => pyStr((isDict(answer) && answer.get('comment')) || '');

/** Makes sure that a chain has a rule, or has none like it. */
export async function manageRule(
  ctx: StateContext,
  kind: RuleKind,
  given: { readonly name: Value; readonly family: string },
  kwargs: Dict,
): Promise<StateResult> {
  const { name, family } = given;
  if (!kwargs.has('chain')) return failure(name, 'A rule needs the `chain` that it belongs to.');
  const words = new Map([...kwargs].filter(([key]) => key !== 'table' && key !== 'chain'));
  const built = await ctx.functions.call('nftables.build_rule', [], new Map([...words, ['family', family]]));
  const text = isDict(built) ? pyStr(built.get('rule') ?? '') : '';
  const [table = 'filter', chain = null, position = null] = ['table', 'chain', 'position'].map((key) =>
    kwargs.get(key),
  );
  const rule: Rule = { name: pyStr(name), family, table, chain, text, position };
  const said = saidOf(kind, rule);
  const isWanted = kind !== 'delete';
  // a rule without words of its own is removed by its handle, so that there is nothing to look for
  const isByHandle = !isWanted && text === '' && position !== null;
  const found = isByHandle || isSo(await ctx.functions.call('nftables.check', [table, chain, text, family]));
  if (found === isWanted) return outcome(name, true, said.right);
  if (ctx.state.test) return outcome(name, null, said.foretold);
  const done = await change(ctx, kind, rule);
  if (!isSo(done)) return failure(name, failedText(kind, rule, commentOf(done)));
  const changes = dict({ locale: name });
  if (!truthy(kwargs.get('save'))) return outcome(name, true, said.done, changes);
  await ctx.functions.call('nftables.save', [], { filename: null, family });
  return outcome(name, true, said.saved, changes);
}
