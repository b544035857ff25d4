/** `pkg.held` and `pkg.unheld` (3006.16 salt/states/pkg.py). */
import { givenPackages } from '../../shared/packages.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { failure, outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import type { Desired } from './packages.ts';

/** Names of the held packages; undefined where that cannot be told. */
async function locks(ctx: StateContext): Promise<string[] | undefined> {
  if (await ctx.functions.has('pkg.list_holds')) {
    const holds = await ctx.functions.call('pkg.list_holds', [], { full: true });
    const names = (Array.isArray(holds) ? holds : []).map(pyStr);
    return [...new Set(names.map((hold) => /^(.+)-(\d+):(.*)\.\*/.exec(hold)?.[1] ?? hold))];
  }
  if (!(await ctx.functions.has('pkg.get_selections'))) return undefined;
  const selections = await ctx.functions.call('pkg.get_selections', [], { state: 'hold' });
  const held = isDict(selections) ? selections.get('hold') : undefined;
  return Array.isArray(held) ? held.map(pyStr) : [];
}

/** The arguments that both states have. */
interface HoldArgs {
  readonly name: string;
  readonly version: string | undefined;
  readonly pkgs: Value | undefined;
}

/** What a state says and has changed. */
interface Report {
  readonly comments: string[];
  readonly changes: Dict;
  isGood: boolean;
}

const newReport = (): Report => ({ comments: [], changes: new Map(), isGood: true });

function reported({ state }: StateContext, name: string, { comments, changes, isGood }: Report): StateResult {
  const comment = comments.join('\n');
  // Salt compat: Salt's result in test mode is True, as if nothing were to be done
  const result = state.test && isGood && comment !== '' ? null : isGood;
  return outcome(name, result, comment === '' && changes.size === 0 ? 'No changes made' : comment, changes);
}

/** The packages of a list, in order, with the versions asked for. */
function wantedPackages(
  ctx: StateContext,
  name: string,
  version: string | undefined,
  pkgs: Value | undefined,
): Desired {
  if (pkgs === undefined && name !== '') return new Map([[name, version ?? null]]);
  return new Map(givenPackages(ctx, pkgs ?? []) ?? []);
}

const entryOf = (answer: Value, name: string): Dict | undefined => {
  const entry = isDict(answer) ? answer.get(name) : undefined;
  return isDict(entry) ? entry : undefined;
};

const NO_LIST =
  'No any function to get the list of held packages available.\nCheck if the package manager supports package locking.';

async function hold(
  ctx: StateContext,
  name: string,
  item: readonly [string, string | null],
  report: Report,
): Promise<void> {
  const [text, version] = item;
  const target: Value = version === null ? text : new Map([[text, version]]);
  const answer = await ctx.functions.call('pkg.hold', [], { name, pkgs: [target] });
  const isHeld = truthy(entryOf(answer, text)?.get('result'));
  if (!isHeld) report.isGood = false;
  report.comments.push(isHeld ? `Package ${text} is now being held` : `Package ${text} was not held`);
  for (const [key, value] of isDict(answer) ? answer : []) report.changes.set(key, value);
}

async function unhold(ctx: StateContext, name: string, text: string, report: Report): Promise<void> {
  const answer = await ctx.functions.call('pkg.unhold', [], { name, pkgs: [text] });
  const entry = entryOf(answer, text);
  if (!truthy(entry?.get('result'))) report.isGood = false;
  const comment = entry?.get('comment') ?? '';
  if (truthy(comment)) report.comments.push(pyStr(comment));
  for (const [key, value] of isDict(answer) ? answer : []) report.changes.set(key, value);
}

/** Keeps packages at their version. */
export async function heldState(
  ctx: StateContext,
  args: HoldArgs & { readonly replace: boolean },
): Promise<StateResult> {
  const { name, version, pkgs, replace } = args;
  if (Array.isArray(pkgs) && pkgs.length === 0 && !replace)
    return outcome(name, true, 'No packages to be held provided');
  const wanted = wantedPackages(ctx, name, version, pkgs);
  const held = await locks(ctx);
  if (held === undefined) return failure(name, NO_LIST);
  if (!(await ctx.functions.has('pkg.hold')))
    return failure(name, '`hold` function is not implemented for the package manager.');
  const report = newReport();
  for (const [text, wish] of wanted) {
    if (held.includes(text)) continue;
    const suffix = wish === null || wish === '' ? '' : ` (version = ${wish})`;
    if (ctx.state.test) report.comments.push(`The following package would be held: ${text}${suffix}`);
    else await hold(ctx, name, [text, wish], report);
  }
  for (const text of replace ? held : []) {
    if (wanted.has(text)) continue;
    if (ctx.state.test) report.comments.push(`The following package would be unheld: ${text}`);
    else await unhold(ctx, name, text, report);
  }
  return reported(ctx, name, report);
}

/** No longer keeps packages at their version. */
export async function unheldState(
  ctx: StateContext,
  args: HoldArgs & { readonly all: boolean },
): Promise<StateResult> {
  const { name, version, pkgs, all } = args;
  if (Array.isArray(pkgs) && pkgs.length === 0 && !all)
    return outcome(name, true, 'No packages to be unheld provided');
  const wanted = wantedPackages(ctx, name, version, pkgs);
  const held = await locks(ctx);
  if (held === undefined) return failure(name, NO_LIST);
  const report = newReport();
  for (const text of held) {
    if (!all && !wanted.has(text)) continue;
    const suffix = truthy(wanted.get(text)) ? ' (version = None)' : '';
    if (ctx.state.test) report.comments.push(`The following package would be unheld: ${text}${suffix}`);
    else await unhold(ctx, name, text, report);
  }
  return reported(ctx, name, report);
}
