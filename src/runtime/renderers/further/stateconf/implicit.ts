/** The option `-o`: each state requires the one before it. */
import { isDict, type Dict, type Value } from '../../../../python/values/value.ts';
import { SaltRenderError } from '../../renderer.ts';
import { moduleOf, named, requisites, statesOf, type StateEntry } from './high.ts';
import { pyStr } from '../../../../python/values/repr.ts';

const KINDS = ['require', 'watch', 'listen', 'onchanges', 'onfail'];
const REQUIRE: ReadonlySet<string> = new Set(KINDS);
const REQUIRE_IN: ReadonlySet<string> = new Set(KINDS.map((kind) => `${kind}_in`));
const ONE_REQUIRE: ReadonlySet<string> = new Set(['require']);

type Target = readonly [state: string, id: string];

/** What `extend` adds to states of other files, by their tags. */
export class SharedRequisites {
  readonly require = new Map<string, Target[]>();
  readonly requireIn = new Map<string, Target[]>();

  /** Keeps what an `extend` says. */
  take(extend: Dict): void {
    for (const { id, args } of statesOf(extend))
      for (const [kinds, kept] of [
        [REQUIRE, this.require],
        [REQUIRE_IN, this.requireIn],
      ] as const)
        for (const [, state, other] of requisites(args, kinds)) {
          const tag = tagOf(id, state);
          kept.set(tag, [...(kept.get(tag) ?? []), [state, other]]);
        }
  }
}

function tagOf(id: string, state: string): string {
  return `${id}:${moduleOf(state)}`;
}

/** Adds the requisites, in place. @throws SaltRenderError for `names`, and for requisites against the order */
export function addImplicitRequires(high: Dict, shared: SharedRequisites): void {
  const ordered = [...statesOf(high)].filter(({ id }) => id !== 'extend');
  const withNames = ordered.find(({ args }) => hasNames(args));
  if (withNames !== undefined)
    throw new SaltRenderError(
      `'names' declaration(found in state id: ${withNames.id}) is not supported with implicitly ordered states! You should generate the states in a template for-loop instead.`,
    );
  const extend = high.get('extend');
  if (isDict(extend)) shared.take(extend);
  const after = new Set(ordered.map(({ id, name }) => tagOf(id, name)));
  const before = new Set<string>();
  let previous: StateEntry | undefined;
  for (const entry of ordered) {
    const tag = tagOf(entry.id, entry.name);
    after.delete(tag);
    refuse(
      entry,
      tag,
      [REQUIRE, shared.require, after],
      ["can't require/watch/listen/onchanges/onfail", 'after'],
    );
    refuse(
      entry,
      tag,
      [REQUIRE_IN, shared.requireIn, before],
      ["can't require_in/watch_in/listen_in/onchanges_in/onfail_in", 'before'],
    );
    if (previous !== undefined) require(entry.args, new Map([[moduleOf(previous.name), previous.id]]));
    before.add(tag);
    previous = entry;
  }
}

function hasNames(args: readonly Value[]): boolean {
  return [...named([...args])].some(([, name]) => pyStr(name) === 'names');
}

function refuse(
  { args }: StateEntry,
  tag: string,
  [kinds, further, forbidden]: readonly [
    ReadonlySet<string>,
    ReadonlyMap<string, Target[]>,
    ReadonlySet<string>,
  ],
  [what, where]: readonly [string, string],
): void {
  const own = [...requisites(args, kinds)].map(([, state, id]): Target => [state, id]);
  for (const [state, id] of [...own, ...(further.get(tag) ?? [])])
    if (forbidden.has(tagOf(id, state)))
      throw new SaltRenderError(`State(${tag}) ${what} a state(${tagOf(id, state)}) defined ${where} it!`);
}

function require(args: Value[], requisite: Dict): void {
  const there = named(args, ONE_REQUIRE).next().value;
  if (there !== undefined && Array.isArray(there[2])) there[2].unshift(requisite);
  else args.push(new Map([['require', [requisite]]]));
}
