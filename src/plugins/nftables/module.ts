/** `nftables`: rules of the kernel's packet filter. Follows 3006.16 salt/modules/nftables.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { noPath, param } from '../../runtime/loader/params.ts';
import {
  answer,
  hasChain,
  hasRule,
  hasTable,
  missing,
  noSuchChain,
  ruleHandle,
  type NftChain,
  type NftRule,
} from './module/checks.ts';
import {
  chainOf,
  changeNft,
  changeNftAll,
  nft,
  nftFamily,
  nftName,
  ruleWords,
  rulesetOf,
  tablesOf,
  tableTexts,
  withoutNft,
} from './module/programs.ts';
import { builtRule } from './module/rule.ts';
import { saveNft, savedLines } from './module/saved.ts';

const FAMILY = {
  family: param.text({
    default: 'ipv4',
    doc: 'The family of addresses: ipv4, ipv6, inet, arp, bridge or netdev.',
  }),
} as const;
const TABLE = { table: param.textOrEmpty({ default: 'filter', doc: 'The table.' }) } as const;
const SHOWN_TABLE = { table: param.text({ default: 'filter', doc: 'The table.' }) } as const;
const ONE_TABLE = { table: param.textIfGiven({ doc: 'The table.' }) } as const;
const CHAIN = { chain: param.textIfGiven({ default: null, doc: 'The chain; required.' }) } as const;
const RULE = {
  rule: param.textIfGiven({ default: null, doc: 'The rule, as on the command line of nft.' }),
} as const;
const FILE = param.textOnlyOrNone(noPath, {
  default: null,
  doc: 'The file; where this system keeps the rules without it.',
});
const POSITION = {
  position: param.textIfGiven({ default: null, type: 'int', doc: 'The handle of a rule.' }),
} as const;
const ANSWER = 'mapping of comment and result';
const NO_CHAIN = 'Error: Chain needs to be specified';

/** A whole command, as it would be typed (`full`). */
function commandText(
  given: {
    readonly table: string | undefined;
    readonly chain: string | undefined;
    readonly command: string | undefined;
    readonly position: string | undefined;
  },
  family: string,
  rule: string,
): Dict {
  const { table, chain, command, position } = given;
  const unsaid = missing({ Table: table, Chain: chain, Command: command });
  if (unsaid !== undefined || command === undefined)
    return dict({ comment: unsaid?.get('comment') ?? null, rule, result: false });
  const isInsert = ['Insert', 'insert', 'INSERT'].includes(command);
  const place = isInsert && position !== undefined ? ` position ${position}` : '';
  const text = `nft ${isInsert ? 'insert' : command} rule ${family} ${table ?? ''} ${chain ?? ''}${place} ${rule}`;
  return dict({ comment: 'Successfully built rule', rule: text, result: true });
}

async function addRule(ctx: ModuleContext, at: NftRule, words: readonly string[]): Promise<Dict> {
  const { table, chain, rule, family } = at;
  const absent = await noSuchChain(ctx, at);
  if (absent !== undefined) return absent;
  if ((await ruleHandle(ctx, at)) !== undefined)
    return answer(false, `Rule ${rule} chain ${chain} in table ${table} in family ${family} already exists`);
  const said = await changeNft(ctx, [...words, ...ruleWords(rule)]);
  const what = `rule "${rule}" chain ${chain} in table ${table} in family ${family}.`;
  return answer(said === '', `${said === '' ? 'Added' : 'Failed to add'} ${what}`);
}

/**
 * Salt compat: Salt hands nft a mapping instead of the handle, so that it can remove no rule; and none by its place.
 */
async function deleteRule(
  ctx: ModuleContext,
  at: NftChain & { readonly position: string | undefined; readonly rule: string | undefined },
): Promise<Dict> {
  const { table, chain, position, rule, family } = at;
  const absent = await noSuchChain(ctx, at);
  if (absent !== undefined) return absent;
  const handle = rule === undefined ? position : await ruleHandle(ctx, { ...at, rule });
  if (handle === undefined)
    return answer(
      false,
      `Rule ${rule ?? ''} chain ${chain} in table ${table} in family ${family} does not exist`,
    );
  const said = await changeNft(ctx, ['delete', 'rule', nftFamily(family), table, chain, 'handle', handle]);
  const shown = rule ?? `with the handle ${handle}`;
  return said === ''
    ? answer(true, `Deleted rule "${shown}" in chain ${chain} in table ${table} in family ${family}.`)
    : answer(false, `Failed to delete rule "${shown}" in chain ${chain}  table ${table} in family ${family}`);
}

interface NewChain extends NftChain {
  readonly table_type: string | undefined;
  readonly hook: string | undefined;
  readonly priority: Value;
}

async function newChain(ctx: ModuleContext, at: NewChain): Promise<Dict> {
  const { table, chain, family, table_type: type, hook, priority } = at;
  const found = await hasTable(ctx, table, family);
  if (found.get('result') !== true) return found;
  const what = `Chain ${chain} in table ${table} in family ${family}`;
  if ((await hasChain(ctx, at)).get('result') === true) return answer(false, `${what} already exists`);
  const isBase = type !== undefined || hook !== undefined || (priority !== null && priority !== 0);
  if (isBase && (type === undefined || hook === undefined || priority === null))
    return answer(false, 'Table_type, hook, and priority required.');
  const hooked = isBase
    ? [
        '{',
        'type',
        nftName(type ?? '', 'type'),
        'hook',
        nftName(hook ?? '', 'hook'),
        'priority',
        `${nftName(String(priority), 'priority')};`,
        '}',
      ]
    : [];
  const said = await changeNft(ctx, ['--', 'add', 'chain', nftFamily(family), table, chain, ...hooked]);
  return answer(said === '', `${what} ${said === '' ? 'created' : 'could not be created'}`);
}

async function setPolicy(ctx: ModuleContext, at: NftChain & { readonly policy: string }): Promise<boolean> {
  const { table, chain, family, policy } = at;
  const found = await chainOf(ctx, at);
  const [type, hook, priority] = ['type', 'hook', 'prio'].map((key) => found?.get(key));
  if (type === undefined || hook === undefined || priority === undefined) return false;
  const base = `type ${String(type)} hook ${String(hook)} priority ${String(priority)};`;
  const block = `{ ${base} policy ${nftName(policy, 'policy')}; }`;
  return (await changeNftAll(ctx, ['add', 'chain', nftFamily(family), table, chain, block])).retcode === 0;
}

async function flush(
  ctx: ModuleContext,
  table: string,
  chain: string | undefined,
  family: string,
): Promise<Dict> {
  const found = await hasTable(ctx, table, family);
  if (found.get('result') !== true) return found;
  const words = ['flush', chain === undefined ? 'table' : 'chain', nftFamily(family), table];
  if (chain !== undefined) {
    const inTable = await hasChain(ctx, { table, chain, family });
    if (inTable.get('result') !== true) return inTable;
    words.push(chain);
  }
  const place = chain === undefined ? '' : `chain ${chain} in `;
  const said = await changeNft(ctx, words);
  const what = `rules from ${place}table ${table} in family ${family}.`;
  return answer(said === '', `${said === '' ? 'Flushed' : 'Failed to flush'} ${what}`);
}

const reading = {
  version: defineFunction({
    doc: 'Returns the version of nftables.',
    returns: 'text',
    examples: ["salt '*' nftables.version"],
    run: async (ctx) => {
      const said = await nft(ctx, ['--version']);
      const version = said.split(/\s+/)[1];
      if (version === undefined) throw new CommandExecutionError(`nft says no version: ${said}`);
      return version;
    },
  }),
  build_rule: defineFunction({
    doc: 'Makes a rule out of keywords: `if`, `of`, `proto`, `connstate`, `saddr`, `daddr`, `dport`, `sport`, `dports`, `sports`, `jump` and others.',
    params: {
      table: param.textIfGiven({ default: null, doc: 'The table.' }),
      chain: param.textIfGiven({ default: null, doc: 'The chain.' }),
      command: param.textIfGiven({ default: null, doc: 'What is done with it: insert, add, delete.' }),
      position: param.textIfGiven({
        default: '',
        type: 'int',
        doc: 'The handle of the rule before which it is inserted.',
      }),
      full: param.strictFlag({
        default: null,
        doc: 'Return a whole command; needs table, chain and command.',
      }),
      ...FAMILY,
    },
    kwargs: 'kwargs',
    // it only makes a text; what it says is read where the rule is used
    words: { dashes: 'any' },
    returns: 'mapping of comment, rule and result',
    examples: ["salt '*' nftables.build_rule proto=tcp dport=80 jump=accept"],
    run: (ctx, { full, family, ...given }, _rest, kwargs) => {
      const { rule, unused } = builtRule(nftFamily(family), kwargs);
      if (unused.length > 0)
        ctx.log.warning(`nftables makes nothing of these keywords of a rule: ${unused.join(', ')}`);
      if (full) return commandText(given, nftFamily(family), rule);
      return dict({ comment: rule === '' ? '' : 'Successfully built rule', rule, result: true });
    },
  }),
  get_saved_rules: defineFunction({
    doc: 'Returns the rules that are kept in a file.',
    params: { conf_file: FILE },
    returns: 'list of lines, without comments',
    examples: ["salt '*' nftables.get_saved_rules"],
    run: (ctx, { conf_file }) => savedLines(ctx, conf_file),
  }),
  list_tables: defineFunction({
    doc: 'Lists the tables of a family.',
    params: FAMILY,
    returns: 'list of mappings of family, name and handle',
    examples: ["salt '*' nftables.list_tables"],
    run: (ctx, { family }) => tablesOf(ctx, family),
  }),
  get_rules: defineFunction({
    doc: 'Returns the rules of now.',
    params: FAMILY,
    returns: 'list of texts, one for each table',
    examples: ["salt '*' nftables.get_rules"],
    run: (ctx, { family }) => tableTexts(ctx, family),
  }),
  get_rules_json: defineFunction({
    doc: 'Returns the rules of now as nft describes them in JSON.',
    params: FAMILY,
    returns: 'list of mappings: tables, chains, rules',
    examples: ["salt '*' nftables.get_rules_json family=ipv6"],
    run: (ctx, { family }) => rulesetOf(ctx, family),
  }),
  get_rule_handle: defineFunction({
    doc: 'Returns the handle of a rule.',
    params: { ...TABLE, ...CHAIN, ...RULE, ...FAMILY },
    returns: 'mapping of result and handle, or of result and comment',
    examples: ["salt '*' nftables.get_rule_handle filter input rule='tcp dport 22 log accept'"],
    run: async (ctx, { chain, rule, ...at }) => {
      if (chain === undefined || rule === undefined) return missing({ Chain: chain, Rule: rule }) ?? dict();
      const found = await hasRule(ctx, { ...at, chain, rule });
      if (found.get('result') !== true) return found;
      const handle = await ruleHandle(ctx, { ...at, chain, rule });
      return handle === undefined
        ? dict({ result: false, comment: `Could not find rule ${rule}` })
        : dict({ result: true, handle });
    },
  }),
  check: defineFunction({
    doc: 'Tells whether a chain has a rule.',
    params: { ...TABLE, ...CHAIN, ...RULE, ...FAMILY },
    returns: ANSWER,
    examples: ["salt '*' nftables.check filter input rule='tcp dport 22 log accept'"],
    run: (ctx, { chain, rule, ...at }) =>
      chain === undefined || rule === undefined
        ? (missing({ Chain: chain, Rule: rule }) ?? dict())
        : hasRule(ctx, { ...at, chain, rule }),
  }),
  check_chain: defineFunction({
    doc: 'Tells whether a table has a chain.',
    params: { ...SHOWN_TABLE, ...CHAIN, ...FAMILY },
    returns: ANSWER,
    examples: ["salt '*' nftables.check_chain filter input"],
    run: (ctx, { chain, ...at }) =>
      chain === undefined ? (missing({ Chain: chain }) ?? dict()) : hasChain(ctx, { ...at, chain }),
  }),
  check_table: defineFunction({
    doc: 'Tells whether there is a table.',
    params: { table: param.textIfGiven({ default: null, doc: 'The table; required.' }), ...FAMILY },
    returns: ANSWER,
    examples: ["salt '*' nftables.check_table nat"],
    run: (ctx, { table, family }) =>
      table === undefined ? (missing({ Table: table }) ?? dict()) : hasTable(ctx, table, family),
  }),
  get_policy: defineFunction({
    doc: 'Returns what a chain does with what no rule is for.',
    params: { ...SHOWN_TABLE, ...CHAIN, ...FAMILY },
    returns: 'text; nothing where there is no such chain',
    examples: ["salt '*' nftables.get_policy filter input"],
    // Salt compat: Salt looks for a mapping where there is a list, and never finds a policy.
    run: async (ctx, { chain, ...at }) =>
      chain === undefined ? NO_CHAIN : ((await chainOf(ctx, { ...at, chain }))?.get('policy') ?? null),
  }),
};

const changing = {
  save: defineFunction({
    doc: 'Keeps the rules of now in a file; in a folder it is salt-all-in-one.nft.',
    params: { filename: FILE, ...FAMILY },
    returns: 'what was written',
    examples: ["salt '*' nftables.save /etc/nftables"],
    run: (ctx, { filename }) => saveNft(ctx, filename),
  }),
  new_table: defineFunction({
    doc: 'Makes a table.',
    params: { ...ONE_TABLE, ...FAMILY },
    returns: ANSWER,
    examples: ["salt '*' nftables.new_table filter"],
    run: async (ctx, { table, family }) => {
      if (table === undefined) return missing({ Table: table }) ?? dict();
      const found = await hasTable(ctx, table, family);
      if (found.get('result') === true) return found;
      const said = await changeNft(ctx, ['add', 'table', nftFamily(family), table]);
      const outcome = said === '' ? 'created' : 'could not be created';
      return answer(said === '', `Table ${table} in family ${family} ${outcome}`);
    },
  }),
  delete_table: defineFunction({
    doc: 'Removes a table with all that is in it.',
    params: { ...ONE_TABLE, ...FAMILY },
    returns: ANSWER,
    examples: ["salt '*' nftables.delete_table filter"],
    run: async (ctx, { table, family }) => {
      if (table === undefined) return missing({ Table: table }) ?? dict();
      const found = await hasTable(ctx, table, family);
      if (found.get('result') !== true) return found;
      const said = await changeNft(ctx, ['delete', 'table', nftFamily(family), table]);
      const outcome = said === '' ? 'deleted' : 'could not be deleted';
      return answer(said === '', `Table ${table} in family ${family} ${outcome}`);
    },
  }),
  new_chain: defineFunction({
    doc: 'Makes a chain; with type, hook and priority one that packets come to.',
    params: {
      ...TABLE,
      ...CHAIN,
      table_type: param.textIfGiven({ default: null, doc: 'What it does: filter, nat or route.' }),
      hook: param.textIfGiven({ default: null, doc: 'Where packets come to it: input, output …' }),
      priority: param.value({ default: null, type: 'int', doc: 'Its place among others there.' }),
      ...FAMILY,
    },
    words: { dashes: ['priority'] },
    returns: ANSWER,
    examples: ["salt '*' nftables.new_chain filter input table_type=filter hook=input priority=0"],
    run: (ctx, { chain, ...at }) =>
      chain === undefined ? (missing({ Chain: chain }) ?? dict()) : newChain(ctx, { ...at, chain }),
  }),
  delete_chain: defineFunction({
    doc: 'Removes a chain.',
    params: { ...TABLE, ...CHAIN, ...FAMILY },
    returns: ANSWER,
    examples: ["salt '*' nftables.delete_chain filter input"],
    run: async (ctx, { chain, table, family }) => {
      if (chain === undefined) return missing({ Chain: chain }) ?? dict();
      const absent = await noSuchChain(ctx, { table, chain, family });
      if (absent !== undefined) return absent;
      const said = await changeNft(ctx, ['delete', 'chain', nftFamily(family), table, chain]);
      const outcome = said === '' ? 'deleted' : 'could not be deleted';
      return answer(said === '', `Chain ${chain} in table ${table} in family ${family} ${outcome}`);
    },
  }),
  append: defineFunction({
    doc: 'Puts a rule at the end of a chain that does not have it.',
    params: { ...TABLE, ...CHAIN, ...RULE, ...FAMILY },
    returns: ANSWER,
    examples: ["salt '*' nftables.append filter input rule='tcp dport 22 log accept'"],
    run: (ctx, { table, chain, rule, family }) =>
      chain === undefined || rule === undefined
        ? (missing({ Chain: chain, Rule: rule }) ?? dict())
        : addRule(ctx, { table, chain, rule, family }, ['add', 'rule', nftFamily(family), table, chain]),
  }),
  insert: defineFunction({
    doc: 'Puts a rule before another of a chain that does not have it; without a position at its beginning.',
    params: { ...TABLE, ...CHAIN, ...POSITION, ...RULE, ...FAMILY },
    returns: ANSWER,
    examples: ["salt '*' nftables.insert filter input position=3 rule='tcp dport 22 log accept'"],
    run: (ctx, { table, chain, position, rule, family }) => {
      if (chain === undefined || rule === undefined) return missing({ Chain: chain, Rule: rule }) ?? dict();
      const place = position === undefined ? [] : ['position', position];
      return addRule(ctx, { table, chain, rule, family }, [
        ...['insert', 'rule', nftFamily(family), table, chain],
        ...place,
      ]);
    },
  }),
  delete: defineFunction({
    doc: 'Removes a rule from a chain, by its handle or by what it says.',
    params: { table: param.textOrEmpty({ doc: 'The table.' }), ...CHAIN, ...POSITION, ...RULE, ...FAMILY },
    returns: ANSWER,
    examples: ["salt '*' nftables.delete filter input rule='tcp dport 22 log accept'"],
    run: async (ctx, { chain, position, rule, ...at }) => {
      if (position !== undefined && rule !== undefined)
        return answer(false, 'Only specify a position or a rule, not both');
      const table = await hasTable(ctx, at.table, at.family);
      if (table.get('result') !== true) return table;
      if (chain === undefined) return missing({ Chain: chain }) ?? dict();
      const unsaid = missing({ Rule: rule ?? position });
      return unsaid ?? deleteRule(ctx, { ...at, chain, position, rule });
    },
  }),
  flush: defineFunction({
    doc: 'Removes all rules of a chain, or of all chains of a table.',
    params: { ...TABLE, chain: param.textIfGiven({ default: '', doc: 'The chain.' }), ...FAMILY },
    returns: ANSWER,
    examples: ["salt '*' nftables.flush filter input"],
    run: (ctx, { table, chain, family }) => flush(ctx, table, chain, family),
  }),
  set_policy: defineFunction({
    doc: 'Says what a chain does with what no rule is for.',
    params: {
      ...SHOWN_TABLE,
      ...CHAIN,
      policy: param.textIfGiven({ default: null, doc: 'accept or drop; required.' }),
      ...FAMILY,
    },
    returns: 'true; false where it has failed or packets do not come to the chain',
    examples: ["salt '*' nftables.set_policy filter input accept"],
    run: (ctx, { chain, policy, ...at }) => {
      if (chain === undefined) return NO_CHAIN;
      if (policy === undefined) return 'Error: Policy needs to be specified';
      return setPolicy(ctx, { ...at, chain, policy });
    },
  }),
};

/** The module. */
export const nftablesModule = defineModule({
  name: 'nftables',
  file: 'nftables',
  doc: "Rules of the kernel's packet filter (`nft`).",
  unavailable: withoutNft,
  words: { dashes: ['rule', 'position'] },
  failsWith: { false: ['set_policy'] },
  functions: { ...reading, ...changing },
});
