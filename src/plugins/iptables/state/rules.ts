/** `iptables.append`, `insert` and `delete`: rules in chains (3006.16 salt/states/iptables.py). */
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
import { outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';

/** What a state is called and where its rule belongs. */
export interface RulePlace {
  readonly name: Value;
  readonly table: Value;
  readonly family: string;
}

/** A rule in all its forms. */
interface Rule extends RulePlace {
  /** The name as text. */
  readonly label: string;
  readonly chain: Value;
  /** As iptables takes it, and as a whole command. */
  readonly text: string;
  readonly command: string;
  readonly position: Value | undefined;
  readonly save: Value;
}

/** How one of the three states does its work and speaks of it. */
export interface RuleState {
  /** The command of iptables. */
  readonly letter: string;
  readonly isThere: boolean;
  /** What is said: nothing is to do, it is foretold, it is done, it is done and saved, it has failed. */
  readonly said: (rule: Rule) => Readonly<Record<'right' | 'foretold' | 'done' | 'saved' | 'failed', string>>;
  /** @returns whether it has worked */
  run(ctx: StateContext, rule: Rule): Promise<boolean>;
}

const NO_CHAIN = 'A rule needs the `chain` that it belongs to.';

/** The three states. */
export const RULE_STATES: Readonly<Record<'append' | 'insert' | 'delete', RuleState>> = {
  append: {
    letter: 'A',
    isThere: true,
    said: ({ label: name, command, family }) => ({
      right: `iptables rule for ${name} already set (${command}) for ${family}`,
      foretold: `iptables rule for ${name} needs to be set (${command}) for ${family}`,
      done: `Set iptables rule for ${name} to: ${command} for ${family}`,
      saved: `Set and saved iptables rule ${name} for ${family}\n${command}`,
      failed: `Failed to set iptables rule for ${name}.\nAttempted rule was ${command} for ${family}`,
    }),
    run: async (ctx, { table, chain, text, family }) =>
      truthy(await ctx.functions.call('iptables.append', [table, chain, text, family])),
  },
  insert: {
    letter: 'I',
    isThere: true,
    said: ({ label: name, command, family }) => ({
      right: `iptables rule for ${name} already set for ${family} (${command})`,
      foretold: `iptables rule for ${name} needs to be set for ${family} (${command})`,
      done: `Set iptables rule for ${name} to: ${command} for ${family}`,
      saved: `Set and saved iptables rule ${name} for ${family}\n${command}`,
      failed: `Failed to set iptables rule for ${name}.\nAttempted rule was ${command}`,
    }),
    run: async (ctx, { table, chain, text, family, position = null }) =>
      !truthy(await ctx.functions.call('iptables.insert', [table, chain, position, text, family])),
  },
  delete: {
    letter: 'D',
    isThere: false,
    said: ({ label: name, command, family }) => ({
      right: `iptables rule for ${name} already absent for ${family} (${command})`,
      foretold: `iptables rule for ${name} needs to be deleted for ${family} (${command})`,
      done: `Delete iptables rule for ${name} ${command}`,
      saved: `Deleted and saved iptables rule ${name} for ${family}\n${command}`,
      failed: `Failed to delete iptables rule for ${name}.\nAttempted rule was ${command}`,
    }),
    run: async (ctx, { table, chain, text, family, position }) => {
      const which = position === undefined ? { rule: text } : { position };
      return !truthy(await ctx.functions.call('iptables.delete', [table, chain], { family, ...which }));
    },
  },
};

async function ruleOf(ctx: StateContext, state: RuleState, place: RulePlace, kwargs: Dict): Promise<Rule> {
  const { name, table, family } = place;
  const words: Dict = new Map([...kwargs, ...dict({ name, table, family })]);
  const text = pyStr(await ctx.functions.call('iptables.build_rule', [], words));
  const full = new Map([...words, ...dict({ full: true, command: state.letter })]);
  const command = pyStr(await ctx.functions.call('iptables.build_rule', [], full)).trim();
  const [chain = null, save = null] = [kwargs.get('chain'), kwargs.get('save')];
  return { ...place, label: pyStr(name), chain, text, command, position: kwargs.get('position'), save };
}

/** Keeps the rules of now for the next start. */
function saveAll(ctx: StateContext, save: Value, family: string): Promise<Value> {
  return ctx.functions.call('iptables.save', [], { filename: save === true ? null : save, family });
}

function ruleLists(tables: Value): Value[] {
  const inner = (value: Value): Value[] => (isDict(value) ? [...value.values()] : []);
  return inner(tables)
    .flatMap(inner)
    .map((chain) => (isDict(chain) ? (chain.get('rules') ?? null) : null));
}

/** Whether the rules of now are those that are kept. Salt compat: where no file is, Salt ends with a traceback. */
async function isSaved(ctx: StateContext, { save, family }: Rule): Promise<boolean> {
  const words = dict({ conf_file: save === true ? null : save, family });
  const kept = await ctx.functions.call('iptables.get_saved_rules', [], words).catch(() => null);
  const now = await ctx.functions.call('iptables.get_rules', [], { family });
  return kept !== null && valuesEqual(ruleLists(kept), ruleLists(now));
}

async function manageOne(
  ctx: StateContext,
  state: RuleState,
  place: RulePlace,
  kwargs: Dict,
): Promise<StateResult> {
  if (!kwargs.has('chain')) return outcome(place.name, false, NO_CHAIN);
  const rule = await ruleOf(ctx, state, place, kwargs);
  const { name, table, family, chain, text } = rule;
  const said = state.said(rule);
  const found = await ctx.functions.call('iptables.check', [table, chain, text, family]);
  if ((found === true) === state.isThere && (state.isThere || rule.position === undefined)) {
    // Salt compat: Salt saves in test mode, too.
    if (!state.isThere || !truthy(rule.save) || ctx.state.test || (await isSaved(ctx, rule)))
      return outcome(name, true, said.right);
    const out = await saveAll(ctx, rule.save, family);
    const comment = `${said.right}\nSaved iptables rule ${rule.label} for ${family}\n${rule.command}\n${pyStr(out)}`;
    return outcome(name, true, comment);
  }
  if (ctx.state.test) return outcome(name, null, said.foretold);
  if (!(await state.run(ctx, rule))) return outcome(name, false, said.failed);
  const changes = dict({ locale: name });
  if (!truthy(rule.save)) return outcome(name, true, said.done, changes);
  const out = await saveAll(ctx, rule.save, family);
  return outcome(name, true, `${said.saved}\n${pyStr(out)}`, changes);
}

/**
 * The result of several: false where one failed, null where one would be changed. Salt compat: Salt takes that of the
 * last.
 */
function resultOfAll(results: readonly StateResult[]): boolean | null {
  if (results.some(({ result }) => result === false)) return false;
  return results.some(({ result }) => result === null) ? null : true;
}

/** The rules of states that were joined, one after the other; they are saved once. */
async function manageJoined(
  ctx: StateContext,
  state: RuleState,
  place: RulePlace,
  rules: readonly Value[],
): Promise<StateResult> {
  const results: StateResult[] = [];
  let save: Value = null;
  for (const rule of rules) {
    if (!isDict(rule)) continue;
    save = truthy(rule.get('save') ?? null) ? (rule.get('save') ?? null) : save;
    const [name = place.name, table = 'filter', family = 'ipv4'] = ['name', 'table', 'family'].map((key) =>
      rule.get(key),
    );
    const own = { name, table, family: pyStr(family) };
    const words = new Map([...rule].filter(([key]) => key !== 'rules' && key !== 'save'));
    results.push(await manageOne(ctx, state, own, words));
  }
  if (truthy(save) && !ctx.state.test) await saveAll(ctx, save, place.family);
  const changed = results.flatMap(({ changes }) => changes.get('locale') ?? []);
  const changes = changed.length === 0 ? dict() : dict({ locale: changed });
  const comment = results.map((result) => pyStr(result.comment)).join('\n');
  return outcome(place.name, resultOfAll(results), comment, changes);
}

/** Makes sure that a chain has a rule, or has none like it. */
export function manageRule(
  ctx: StateContext,
  state: RuleState,
  place: RulePlace,
  kwargs: Dict,
): Promise<StateResult> {
  const rules = kwargs.get('rules');
  return Array.isArray(rules) ? manageJoined(ctx, state, place, rules) : manageOne(ctx, state, place, kwargs);
}
