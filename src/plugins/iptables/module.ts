/** `iptables`: rules of the kernel's packet filter. Follows 3006.16 salt/modules/iptables.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, pyTypeName, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { parseRules } from './module/parse.ts';
import {
  changeIptables,
  iptablesPath,
  printedRules,
  runIptables,
  waitOption,
  withoutIptables,
} from './module/programs.ts';
import { ruleText } from './module/rule.ts';
import { savedRules, saveRules } from './module/saved.ts';
import { runStdout } from '../shared/program.ts';

const FAMILY = {
  family: param.text({ default: 'ipv4', doc: 'The family of addresses: ipv4 or ipv6.' }),
} as const;
const TABLE = { table: param.text({ default: 'filter', doc: 'The table.' }) } as const;
const CHAIN = { chain: param.textIfGiven({ default: null, doc: 'The chain; required.' }) } as const;
const RULE = {
  rule: param.textIfGiven({ default: null, doc: 'The rule, as on the command line of iptables.' }),
} as const;
const FILE = {
  conf_file: param.textIfGiven({
    default: null,
    doc: 'The file; where this system keeps the rules without it.',
  }),
} as const;
const POSITION = {
  position: param.valueIfGiven({
    default: null,
    type: 'int',
    doc: 'Its number in the chain; the first is 1.',
  }),
} as const;
const NO_CHAIN = 'Error: Chain needs to be specified';
const NO_RULE = 'Error: Rule needs to be specified';
const noCommand = (value: Value): string =>
  `'in <string>' requires string as left operand, not ${pyTypeName(value)}`;
const COMPLAINT = 'what the program complains of; empty where it worked';

/** A command as it would be typed (`full`). */
async function commandText(
  ctx: ModuleContext,
  given: {
    table: string | undefined;
    chain: string | undefined;
    command: string | undefined;
    position: string;
    family: string;
  },
  rule: string,
): Promise<string> {
  const { table, chain, position, family } = given;
  if (table === undefined) return 'Error: Table needs to be specified';
  if (chain === undefined) return NO_CHAIN;
  const { command = '' } = given;
  if (command === '') return 'Error: Command needs to be specified';
  const flag = `${'ACDIRLSFZNXPE'.includes(command) ? '-' : '--'}${command}`;
  const wait = await waitOption(ctx, family);
  return `${iptablesPath(family)} ${wait} -t ${table} ${flag} ${chain} ${position} ${rule}`;
}

function policyIn(rules: Dict, table: string, chain: string): Value {
  const chains = rules.get(table);
  const found = isDict(chains) ? chains.get(chain) : undefined;
  return isDict(found) ? (found.get('policy') ?? null) : null;
}

/** Whether a chain has a rule. Salt compat: an iptables before 1.4.11, which cannot tell, is not served. */
async function hasRule(ctx: ModuleContext, at: RuleAt): Promise<boolean> {
  return (await runIptables(ctx, at.family, `-t ${at.table} -C ${at.chain} ${at.rule}`)).retcode === 0;
}

interface RuleAt {
  readonly table: string;
  readonly chain: string;
  readonly rule: string;
  readonly family: string;
}

/**
 * The number in the chain that a place counted from its end has.
 * @throws CommandExecutionError where there is no such chain
 */
async function placeInChain(ctx: ModuleContext, at: RuleAt, position: Value): Promise<Value> {
  const number = toNumber(position);
  if (number === undefined || number >= 0) return position;
  const chains = parseRules(await printedRules(ctx, at.family)).get(at.table);
  const chain = isDict(chains) ? chains.get(at.chain) : undefined;
  const rules = isDict(chain) ? chain.get('rules') : undefined;
  if (!Array.isArray(rules))
    throw new CommandExecutionError(`Table ${at.table} has no chain ${at.chain} (${at.family}).`);
  return rules.length + number + 1 || 1;
}

async function insert(ctx: ModuleContext, at: RuleAt, position: Value): Promise<Value> {
  const place = await placeInChain(ctx, at, position);
  if (await hasRule(ctx, at)) return false;
  return changeIptables(ctx, at.family, `-t ${at.table} -I ${at.chain} ${pyStr(place)} ${at.rule}`);
}

function ruleOrPlace(position: Value | undefined, rule: string | undefined): string {
  return position === undefined ? (rule ?? 'None') : pyStr(position);
}

/** True, or what the program complains of. */
async function changed(ctx: ModuleContext, family: string, text: string): Promise<Value> {
  const complaint = await changeIptables(ctx, family, text);
  return complaint === '' ? true : complaint;
}

const reading = {
  version: defineFunction({
    doc: 'Returns the version of iptables.',
    params: FAMILY,
    returns: 'text',
    examples: ["salt '*' iptables.version"],
    run: async (ctx, { family }) => {
      const said = await runStdout(ctx, [iptablesPath(family), '--version']);
      const version = said.split(/\s+/)[1];
      if (version === undefined) throw new CommandExecutionError(`iptables says no version: ${said}`);
      return version;
    },
  }),
  build_rule: defineFunction({
    doc: 'Makes a rule out of keywords: the long options of iptables, `connstate` for `--state`, `if` and `of` for interfaces.',
    params: {
      table: param.textIfGiven({ default: 'filter', doc: 'The table.' }),
      chain: param.textIfGiven({ default: null, doc: 'The chain.' }),
      command: param.textOnlyOrNone(noCommand, {
        default: null,
        doc: 'What is done with it: A or append, I, D …',
      }),
      position: param.text({ default: '', type: 'int', doc: 'The number in the chain.' }),
      full: param.flag({ default: null, doc: 'Return a whole command; needs table, chain and command.' }),
      ...FAMILY,
    },
    kwargs: 'kwargs',
    // it only makes a text; what it says is read where the rule is used
    words: { dashes: 'any' },
    returns: 'the rule, or a sentence that begins with `Error:`',
    examples: ["salt '*' iptables.build_rule match=state connstate=RELATED,ESTABLISHED jump=ACCEPT"],
    run: (ctx, { full, ...given }, _rest, kwargs) => {
      const rule = ruleText(kwargs);
      return full && !rule.startsWith('Error:') ? commandText(ctx, given, rule) : rule;
    },
  }),
  get_rules: defineFunction({
    doc: 'Returns the rules of now.',
    params: FAMILY,
    returns: 'mapping of table to chain to policy, counters and rules',
    examples: ["salt '*' iptables.get_rules"],
    run: async (ctx, { family }) => parseRules(await printedRules(ctx, family)),
  }),
  get_saved_rules: defineFunction({
    doc: 'Returns the rules that are kept in a file.',
    params: { ...FILE, ...FAMILY },
    returns: 'mapping of table to chain to policy, counters and rules',
    examples: ["salt '*' iptables.get_saved_rules"],
    run: (ctx, { conf_file, family }) => parseRules(savedRules(ctx, conf_file, family)),
  }),
  get_policy: defineFunction({
    doc: 'Returns what a chain does with what no rule is for.',
    params: { ...TABLE, ...CHAIN, ...FAMILY },
    returns: 'text; nothing where there is no such chain',
    examples: ["salt '*' iptables.get_policy filter INPUT"],
    run: async (ctx, { table, chain, family }) =>
      chain === undefined ? NO_CHAIN : policyIn(parseRules(await printedRules(ctx, family)), table, chain),
  }),
  get_saved_policy: defineFunction({
    doc: 'Returns the same as it is kept in a file.',
    params: { ...TABLE, ...CHAIN, ...FILE, ...FAMILY },
    returns: 'text; nothing where there is no such chain',
    examples: ["salt '*' iptables.get_saved_policy filter INPUT"],
    run: (ctx, { table, chain, conf_file, family }) =>
      chain === undefined ? NO_CHAIN : policyIn(parseRules(savedRules(ctx, conf_file, family)), table, chain),
  }),
  check: defineFunction({
    doc: 'Returns whether a chain has a rule.',
    params: { ...TABLE, ...CHAIN, ...RULE, ...FAMILY },
    returns: 'true or false',
    examples: ["salt '*' iptables.check filter INPUT rule='-m state --state RELATED,ESTABLISHED -j ACCEPT'"],
    run: async (ctx, { chain, rule, ...at }) => {
      if (chain === undefined) return NO_CHAIN;
      return rule === undefined ? NO_RULE : hasRule(ctx, { ...at, chain, rule });
    },
  }),
  check_chain: defineFunction({
    doc: 'Returns whether a table has a chain.',
    params: { ...TABLE, ...CHAIN, ...FAMILY },
    returns: 'true or false',
    examples: ["salt '*' iptables.check_chain filter INPUT"],
    run: async (ctx, { table, chain, family }) =>
      chain === undefined
        ? NO_CHAIN
        : (await printedRules(ctx, family, ['-t', table])).includes(`:${chain} `),
  }),
};

const changing = {
  set_policy: defineFunction({
    doc: 'Says what a chain does with what no rule is for.',
    params: {
      ...TABLE,
      ...CHAIN,
      policy: param.textIfGiven({ default: null, doc: 'ACCEPT or DROP; required.' }),
      ...FAMILY,
    },
    returns: COMPLAINT,
    examples: ["salt '*' iptables.set_policy filter INPUT ACCEPT"],
    run: async (ctx, { table, chain, policy, family }) => {
      if (chain === undefined) return NO_CHAIN;
      if (policy === undefined) return 'Error: Policy needs to be specified';
      return changeIptables(ctx, family, `-t ${table} -P ${chain} ${policy}`);
    },
  }),
  save: defineFunction({
    doc: 'Keeps the rules of now for the next start.',
    params: {
      filename: param.textIfGiven({
        default: null,
        doc: 'The file; where this system keeps the rules without it.',
      }),
      ...FAMILY,
    },
    returns: 'a sentence',
    examples: ["salt '*' iptables.save /etc/sysconfig/iptables"],
    run: (ctx, { filename, family }) => saveRules(ctx, filename, family),
  }),
  new_chain: defineFunction({
    doc: 'Makes a chain.',
    params: { ...TABLE, ...CHAIN, ...FAMILY },
    returns: 'true, or what the program complains of',
    examples: ["salt '*' iptables.new_chain filter CUSTOM_CHAIN"],
    run: async (ctx, { table, chain, family }) =>
      chain === undefined ? NO_CHAIN : changed(ctx, family, `-t ${table} -N ${chain}`),
  }),
  delete_chain: defineFunction({
    doc: 'Removes a chain.',
    params: { ...TABLE, ...CHAIN, ...FAMILY },
    returns: 'true, or what the program complains of',
    examples: ["salt '*' iptables.delete_chain filter CUSTOM_CHAIN"],
    run: async (ctx, { table, chain, family }) =>
      chain === undefined ? NO_CHAIN : changed(ctx, family, `-t ${table} -X ${chain}`),
  }),
  append: defineFunction({
    doc: 'Puts a rule at the end of a chain that does not have it.',
    params: { ...TABLE, ...CHAIN, ...RULE, ...FAMILY },
    returns: 'true; false where it has failed or the rule is there',
    examples: ["salt '*' iptables.append filter INPUT rule='-m state --state RELATED,ESTABLISHED -j ACCEPT'"],
    run: async (ctx, { chain, rule, ...at }) => {
      if (chain === undefined) return NO_CHAIN;
      if (rule === undefined) return NO_RULE;
      if (await hasRule(ctx, { ...at, chain, rule })) return false;
      return (await changeIptables(ctx, at.family, `-t ${at.table} -A ${chain} ${rule}`)) === '';
    },
  }),
  insert: defineFunction({
    doc: 'Puts a rule at a place in a chain that does not have it.',
    params: {
      ...TABLE,
      ...CHAIN,
      position: param.valueIfGiven({
        default: null,
        type: 'int',
        doc: 'The place; -1 is the one before the last rule.',
      }),
      ...RULE,
      ...FAMILY,
    },
    returns: `${COMPLAINT}; false where the rule is there`,
    examples: ["salt '*' iptables.insert filter INPUT position=3 rule='-m state --state RELATED -j ACCEPT'"],
    run: async (ctx, { chain, position, rule, ...at }) => {
      if (chain === undefined) return NO_CHAIN;
      if (position === undefined) return 'Error: Position needs to be specified or use append (-A)';
      return rule === undefined ? NO_RULE : insert(ctx, { ...at, chain, rule }, position);
    },
  }),
  delete: defineFunction({
    doc: 'Removes a rule from a chain, by its place or by what it says.',
    params: {
      table: param.text({ doc: 'The table.' }),
      chain: param.text({ default: null, doc: 'The chain.' }),
      ...POSITION,
      ...RULE,
      ...FAMILY,
    },
    returns: COMPLAINT,
    examples: ["salt '*' iptables.delete filter INPUT position=3"],
    run: async (ctx, { table, chain, position, rule, family }) => {
      if (position !== undefined && rule !== undefined)
        return 'Error: Only specify a position or a rule, not both';
      return changeIptables(ctx, family, `-t ${table} -D ${chain} ${ruleOrPlace(position, rule)}`);
    },
  }),
  flush: defineFunction({
    doc: 'Removes all rules of a chain, or of all chains of a table.',
    params: { ...TABLE, chain: param.text({ default: '', doc: 'The chain.' }), ...FAMILY },
    returns: COMPLAINT,
    examples: ["salt '*' iptables.flush filter INPUT"],
    run: (ctx, { table, chain, family }) => changeIptables(ctx, family, `-t ${table} -F ${chain}`),
  }),
};

/** The module. */
export const iptablesModule = defineModule({
  name: 'iptables',
  file: 'iptables',
  doc: "Rules of the kernel's packet filter (`iptables`, `ip6tables`).",
  unavailable: withoutIptables,
  words: { dashes: ['rule', 'position'] },
  failsWith: {
    false: ['append', 'insert', 'delete'],
    text: ['delete', 'delete_chain', 'flush', 'insert', 'new_chain', 'set_policy'],
  },
  functions: { ...reading, ...changing },
});
