/**
 * What is asked before nftables is changed: whether table, chain and rule are there (3006.16 salt/modules/nftables.py).
 */
import { dict, type Dict } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { chainText, nft, nftFamily, nftName } from './programs.ts';
import { handleIn } from './rule.ts';

/** A chain of a table. */
export interface NftChain {
  readonly table: string;
  readonly chain: string;
  /** As it was given. */
  readonly family: string;
}

/** A rule of a chain. */
export interface NftRule extends NftChain {
  readonly rule: string;
}

/** An answer: whether it is so, and a sentence. */
export function answer(result: boolean, comment: string): Dict {
  return dict({ comment, result });
}

/** What is missing of what a function needs; undefined where nothing is. */
export function missing(given: Readonly<Record<string, string | undefined>>): Dict | undefined {
  const name = Object.keys(given).find((key) => given[key] === undefined);
  return name === undefined ? undefined : answer(false, `${name} needs to be specified`);
}

/** Whether there is a table. */
export async function hasTable(ctx: ModuleContext, table: string, family: string): Promise<Dict> {
  if (table === '') return answer(false, 'Table needs to be specified');
  const own = nftFamily(family);
  const said = await nft(ctx, ['list', 'tables', own]);
  const isThere = said.split('\n').includes(`table ${own} ${nftName(table, 'table')}`);
  return answer(isThere, `Table ${table} in family ${family} ${isThere ? 'exists' : 'does not exist'}`);
}

/** Whether a table has a chain. */
export async function hasChain(ctx: ModuleContext, { table, chain, family }: NftChain): Promise<Dict> {
  const said = await nft(ctx, ['list', 'table', nftFamily(family), nftName(table, 'table')]);
  const isThere = said.includes(`chain ${nftName(chain, 'chain')} {`);
  const what = `Chain ${chain} in table ${table} in family ${family}`;
  return answer(isThere, `${what} ${isThere ? 'exists' : 'does not exist'}`);
}

/** That there are table and chain: undefined, or the answer that says which is not. */
export async function noSuchChain(ctx: ModuleContext, at: NftChain): Promise<Dict | undefined> {
  const table = await hasTable(ctx, at.table, at.family);
  if (table.get('result') !== true) return table;
  const chain = await hasChain(ctx, at);
  return chain.get('result') === true ? undefined : chain;
}

/**
 * The handle of a rule in a chain that is there.
 * Salt compat: Salt finds only what nft prints letter by letter; ours also what nft prints in another form.
 */
export async function ruleHandle(ctx: ModuleContext, at: NftRule): Promise<string | undefined> {
  return (
    handleIn(at.rule, await chainText(ctx, at, true), true) ??
    handleIn(at.rule, await chainText(ctx, at, false), false)
  );
}

/** Whether a chain has a rule; says so where there is no such table or chain. */
export async function hasRule(ctx: ModuleContext, at: NftRule): Promise<Dict> {
  const absent = await noSuchChain(ctx, at);
  if (absent !== undefined) return absent;
  const isThere = (await ruleHandle(ctx, at)) !== undefined;
  const what = `Rule ${at.rule} in chain ${at.chain} in table ${at.table} in family ${at.family}`;
  return answer(isThere, `${what} ${isThere ? 'exists' : 'does not exist'}`);
}
