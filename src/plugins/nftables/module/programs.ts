/** Running `nft`, and the families of addresses. Follows 3006.16 salt/modules/nftables.py. */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { JsonSyntaxError, parseJson } from '../../../formats/json/text.ts';
import { findProgram } from '../../../host/which.ts';
import { splitWords } from '../../../python/shell-words.ts';
import { isDict, type Dict } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runAll, runText, type Ended } from '../../shared/program.ts';

/** The families of nft, by all their names. */
const FAMILIES: ReadonlyMap<string, string> = new Map([
  ['ipv4', 'ip'],
  ['ip4', 'ip'],
  ['ip', 'ip'],
  ['ipv6', 'ip6'],
  ['ip6', 'ip6'],
  ['inet', 'inet'],
  ['arp', 'arp'],
  ['bridge', 'bridge'],
  ['netdev', 'netdev'],
]);

/** Every family once. */
export const ALL_FAMILIES: readonly string[] = [...new Set(FAMILIES.values())];

/** As little as possible in words. */
const NUMERIC = ['--numeric', '--numeric', '--numeric'];

/** Why there are no functions for nftables here. */
export function withoutNft(): string | undefined {
  return findProgram('nft') === undefined
    ? 'The nftables execution module failed to load: nftables is not installed.'
    : undefined;
}

/** The name that nft has for a family. @throws SaltInvocationError for one that it does not know */
export function nftFamily(family: string): string {
  const found = FAMILIES.get(family);
  if (found !== undefined) return found;
  throw new SaltInvocationError(
    `nftables has no family '${family}'; the families are ${[...FAMILIES.keys()].join(', ')}.`,
  );
}

/** A name as an operand: what would end the command and begin another is refused. @throws SaltInvocationError */
export function nftName(name: string, what: string): string {
  if (!/[;{}]/.test(name)) return name;
  throw new SaltInvocationError(
    `The name of a ${what} of nftables cannot have ';', '{' or '}' in it: '${name}'`,
  );
}

/** What `nft` prints, its complaints included. */
export function nft(ctx: ModuleContext, words: readonly string[]): Promise<string> {
  return runText(ctx, ['nft', ...words]);
}

/**
 * The same for a change: empty where it worked. What it complains of is logged, since Salt's sentences do not have it.
 */
export async function changeNft(ctx: ModuleContext, words: readonly string[]): Promise<string> {
  const said = await nft(ctx, words);
  if (said !== '') ctx.log.error(`nft ${words.join(' ')}: ${said}`);
  return said;
}

/** A change by all of its outcome. */
export function changeNftAll(ctx: ModuleContext, words: readonly string[]): Promise<Ended> {
  return runAll(ctx, ['nft', ...words]);
}

/** The words of a rule, as a shell would see them. */
export function ruleWords(rule: string): string[] {
  return splitWords(rule);
}

function jsonItems(text: string): Dict[] {
  try {
    const data = parseJson(text);
    const items = isDict(data) ? data.get('nftables') : undefined;
    return Array.isArray(items) ? items.filter(isDict) : [];
  } catch (error) {
    if (error instanceof JsonSyntaxError) return [];
    throw error;
  }
}

/** The tables of a family. */
export async function tablesOf(ctx: ModuleContext, family: string): Promise<Dict[]> {
  const text = await nft(ctx, ['--json', ...NUMERIC, 'list', 'tables', nftFamily(family)]);
  return jsonItems(text).flatMap((item) => {
    const table = item.get('table');
    return isDict(table) ? [table] : [];
  });
}

/** All that there is of a family: tables, chains, rules. */
export async function rulesetOf(ctx: ModuleContext, family: string): Promise<Dict[]> {
  return jsonItems(await nft(ctx, [...NUMERIC, '--json', 'list', 'ruleset', nftFamily(family)]));
}

/** The chain of a table, with all that nft tells of it. */
export async function chainOf(
  ctx: ModuleContext,
  { table, chain, family }: { readonly table: string; readonly chain: string; readonly family: string },
): Promise<Dict | undefined> {
  for (const item of await rulesetOf(ctx, family)) {
    const found = item.get('chain');
    if (isDict(found) && found.get('table') === table && found.get('name') === chain) return found;
  }
  return undefined;
}

/** The text of each table of a family. @throws CommandExecutionError where nft names no table */
export async function tableTexts(ctx: ModuleContext, family: string): Promise<string[]> {
  const texts: string[] = [];
  for (const table of await tablesOf(ctx, family)) {
    const name = table.get('name');
    if (typeof name !== 'string')
      throw new CommandExecutionError(`nft lists a table of the family ${family} without a name.`);
    texts.push(await nft(ctx, [...NUMERIC, 'list', 'table', nftFamily(family), name]));
  }
  return texts;
}

/** The rules of a chain with their handles: in numbers, or with the names that nft has for them. */
export function chainText(
  ctx: ModuleContext,
  { table, chain, family }: { readonly table: string; readonly chain: string; readonly family: string },
  isNumeric: boolean,
): Promise<string> {
  return nft(ctx, [
    '--handle',
    ...(isNumeric ? NUMERIC : []),
    'list',
    'chain',
    nftFamily(family),
    table,
    chain,
  ]);
}
