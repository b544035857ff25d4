/** `ipset`: sets of addresses and what is in them (3006.16 salt/states/ipset.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { ipsetFamily } from './module.ts';
import { createOptions } from './module/set-types.ts';
import { emptyRefusal } from '../shared/name-check.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const FAMILY = {
  family: param.text({ default: 'ipv4', doc: 'The family of addresses: ipv4 or ipv6.' }),
} as const;
const SET = { name: param.value({ type: 'str', doc: 'The set.' }) } as const;
const entriesOf = (value: Value): string[] => {
  if (!truthy(value)) return [];
  return (Array.isArray(value) ? value : [value]).map(pyStr);
};
const ENTRY = {
  entry: param.by(entriesOf, { default: null, type: 'str or list', doc: 'The entry, or several; required.' }),
} as const;

/** Why there can be no such set. @throws SaltInvocationError for a family that there is not */
function setRefusal({ name, family }: SetGiven): string | undefined {
  ipsetFamily(family);
  return emptyRefusal('A set', name);
}

interface SetGiven {
  readonly name: Value;
  readonly family: string;
}

async function setPresent(
  ctx: StateContext,
  { name, family, set_type }: SetGiven & { readonly set_type: string },
  kwargs: Dict,
): Promise<StateResult> {
  if ((await ctx.functions.call('ipset.check_set', [name])) === true)
    return outcome(name, true, `ipset set ${pyStr(name)} already exists for ${family}`);
  if (ctx.state.test) return outcome(name, null, `ipset set ${pyStr(name)} would be added for ${family}`);
  const made = await ctx.functions.call('ipset.new_set', [name, set_type, family], kwargs);
  if (made !== true)
    return failure(name, `Failed to create set ${pyStr(name)} for ${family}: ${pyStr(made).trim()}`);
  return outcome(
    name,
    true,
    `ipset set ${pyStr(name)} created successfully for ${family}`,
    dict({ locale: name }),
  );
}

async function setAbsent(ctx: StateContext, { name, family }: SetGiven): Promise<StateResult> {
  if (!truthy(await ctx.functions.call('ipset.check_set', [name, family])))
    return outcome(name, true, `ipset set ${pyStr(name)} for ${family} is already absent`);
  if (ctx.state.test) return outcome(name, null, `ipset set ${pyStr(name)} for ${family} would be removed`);
  // Salt compat: Salt ends with a traceback here.
  if (!truthy(await ctx.functions.call('ipset.flush', [name, family])))
    return failure(name, `Failed to flush set ${pyStr(name)} for ${family}`);
  const done = await ctx.functions.call('ipset.delete_set', [name, family]);
  if (done !== true)
    return failure(name, `Failed to delete set ${pyStr(name)} for ${family}: ${pyStr(done).trim()}`);
  const comment = `ipset set ${pyStr(name)} deleted successfully for family ${family}`;
  return outcome(name, true, comment, dict({ locale: name }));
}

/** An entry with the options that the state gives all its entries. */
interface FullEntry {
  readonly address: string;
  readonly whole: string;
}

function fullEntry(given: string, kwargs: Dict): FullEntry {
  const at = given.indexOf(' ');
  const address = at < 0 ? given : given.slice(0, at);
  let options = at < 0 ? '' : given.slice(at + 1);
  if (kwargs.has('timeout') && !options.includes('timeout'))
    options = `timeout ${pyStr(kwargs.get('timeout') ?? null)} ${options}`;
  if (kwargs.has('comment') && !options.includes('comment'))
    options = `${options} comment ${pyStr(kwargs.get('comment') ?? null)}`;
  return { address, whole: [address, options].join(' ') };
}

/** What became of the entries of a state: a failure stays one. */
class EntriesOutcome {
  result: boolean | null = true;
  comment = '';
  isChanged = false;

  foretell(comment: string): void {
    if (this.result !== false) this.result = null;
    this.comment += comment;
  }

  change(comment: string): void {
    this.isChanged = true;
    this.comment += comment;
  }

  fail(comment: string): void {
    this.comment = this.result === false ? `${this.comment}\n${comment}` : comment;
    this.result = false;
  }

  of(name: Value): StateResult {
    return outcome(name, this.result, this.comment, this.isChanged ? dict({ locale: name }) : dict());
  }
}

interface EntriesGiven {
  readonly name: Value;
  readonly entry: readonly string[];
  readonly family: string;
}

const NO_ENTRY = 'ipset entry must be specified';
const NO_SET_NAME = 'An entry needs the `set_name` of the set that it belongs to.';

async function present(
  ctx: StateContext,
  { name, entry, family }: EntriesGiven,
  kwargs: Dict,
): Promise<StateResult> {
  if (entry.length === 0) return failure(name, NO_ENTRY);
  if (!kwargs.has('set_name')) return failure(name, NO_SET_NAME);
  const set = pyStr(kwargs.get('set_name') ?? null);
  const made = new EntriesOutcome();
  for (const given of entry) {
    const { address, whole } = fullEntry(given, kwargs);
    const text = whole.replace(/ +/, ' ').trim();
    if ((await ctx.functions.call('ipset.check', [set, text, family])) === true) {
      made.comment += `entry for ${address} already in set ${set} for ${family}\n`;
    } else if (ctx.state.test) {
      made.foretell(`entry ${address} would be added to set ${set} for family ${family}\n`);
    } else {
      const said = pyStr(await ctx.functions.call('ipset.add', [set, text, family], kwargs));
      if (said.includes('Error'))
        made.fail(`Failed to add to entry ${text} to set ${set} for family ${family}.\n${said}`);
      else made.change(`entry ${text} added to set ${set} for family ${family}\n`);
    }
  }
  return made.of(name);
}

async function absent(
  ctx: StateContext,
  { name, entry, family }: EntriesGiven,
  kwargs: Dict,
): Promise<StateResult> {
  if (entry.length === 0) return failure(name, NO_ENTRY);
  if (!kwargs.has('set_name')) return failure(name, NO_SET_NAME);
  const set = pyStr(kwargs.get('set_name') ?? null);
  const made = new EntriesOutcome();
  for (const given of entry) {
    const { address, whole } = fullEntry(given, kwargs);
    const text = whole.trim();
    if ((await ctx.functions.call('ipset.check', [set, text, family])) !== true) {
      made.comment += `ipset entry for ${text} not present in set ${set} for ${family}\n`;
    } else if (ctx.state.test) {
      made.foretell(`ipset entry ${address} would be removed from set ${set} for ${family}\n`);
    } else {
      const said = pyStr(await ctx.functions.call('ipset.delete', [set, address, family], kwargs));
      if (said.includes('Error'))
        made.fail(
          `Failed to delete ipset entry from set ${set} for ${family}. Attempted entry was ${text}.\n${said}\n`,
        );
      else made.change(`ipset entry ${text} removed from set ${set} for ${family}\n`);
    }
  }
  return made.of(name);
}

async function flushed(ctx: StateContext, { name, family }: SetGiven): Promise<StateResult> {
  if ((await ctx.functions.call('ipset.check_set', [name])) === false)
    return failure(name, `ipset set ${pyStr(name)} does not exist for ${family}`);
  if (ctx.state.test)
    return outcome(name, null, `ipset entries in set ${pyStr(name)} for ${family} would be flushed`);
  if (!truthy(await ctx.functions.call('ipset.flush', [name, family])))
    return failure(name, `Failed to flush ipset entries from set ${pyStr(name)} for ${family}`);
  return outcome(
    name,
    true,
    `Flushed ipset entries from set ${pyStr(name)} for ${family}`,
    dict({ locale: name }),
  );
}

/** The states of `ipset`. */
export const ipsetStates = defineModule({
  name: 'ipset',
  file: 'ipset',
  doc: 'Sets of addresses for the packet filter, and their entries.',
  needs: { fun: 'ipset.version', otherwise: 'ipset module could not be loaded' },
  words: { lines: ['name'], dashes: ['name'] },
  functions: {
    set_present: defineState({
      doc: 'Makes sure that there is a set; options of ipset are given beside its type: range, timeout, comment and others.',
      params: { ...SET, set_type: param.text({ doc: 'Its type, as hash:ip.' }), ...FAMILY },
      kwargs: 'kwargs',
      refuses: (given) =>
        setRefusal(given) ??
        (createOptions(given.set_type) === undefined
          ? `Failed to create set ${pyStr(given.name)} for ${given.family}: Error: Set Type is invalid`
          : undefined),
      run: (ctx, given, kwargs) => setPresent(ctx, given, kwargs),
    }),
    set_absent: defineState({
      doc: 'Makes sure that there is no such set.',
      params: { ...SET, ...FAMILY },
      kwargs: 'kwargs',
      refuses: setRefusal,
      run: (ctx, given) => setAbsent(ctx, given),
    }),
    present: defineState({
      doc: 'Makes sure that a set (`set_name`) has entries; `comment` and `timeout` are for all of them.',
      params: { name: param.value({ type: 'str', doc: 'What this is called.' }), ...ENTRY, ...FAMILY },
      kwargs: 'kwargs',
      run: (ctx, given, kwargs) => present(ctx, given, kwargs),
    }),
    absent: defineState({
      doc: 'Makes sure that a set (`set_name`) does not have entries.',
      params: {
        name: param.value({ type: 'str', doc: 'What this is called.' }),
        ...ENTRY,
        entries: param.value({ default: null, type: 'list', doc: 'Takes no effect, as in Salt.' }),
        ...FAMILY,
      },
      kwargs: 'kwargs',
      run: (ctx, given, kwargs) => absent(ctx, given, kwargs),
    }),
    flush: defineState({
      doc: 'Removes all entries of a set.',
      params: { ...SET, ...FAMILY },
      kwargs: 'kwargs',
      refuses: setRefusal,
      run: (ctx, given) => flushed(ctx, given),
    }),
  },
});
