/** What the states of Elasticsearch share: things that are there with their definition, or are not. */
import { BrineError, messageOf } from '../../../errors/errors.ts';
import { deepDiff } from '../../../formats/data/deep-diff.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { failure, outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';

/** Calls a function of `elasticsearch`. */
export const elastic = (
  ctx: StateContext,
  fun: string,
  given: Readonly<Record<string, Value>>,
): Promise<Value> => ctx.functions.call(`elasticsearch.${fun}`, [], dict(given));

/** What fails beneath is what the state says. */
export async function guarded(name: string, run: () => Promise<StateResult>): Promise<StateResult> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof BrineError)) throw error;
    return failure(name, messageOf(error));
  }
}

/** One kind of things. */
export interface Kind {
  /** As messages begin: `Index template`. */
  readonly noun: string;
  /** Without the name behind it: `elasticsearch.pipeline_get` has the id as `id`. */
  readonly fun: string;
  readonly key: 'id' | 'index' | 'name';
}

const small = ({ noun }: Kind): string => noun.charAt(0).toLowerCase() + noun.slice(1);

/** Makes sure that there is no such thing. @param definitionOf what the server gives of it, as changes show it */
export function absent(
  ctx: StateContext,
  kind: Kind,
  name: string,
  definitionOf: (found: Value) => Value | undefined = (found) =>
    isDict(found) ? found.get(name) : undefined,
): Promise<StateResult> {
  return guarded(name, async () => {
    const old = definitionOf(await elastic(ctx, `${kind.fun}_get`, { [kind.key]: name }));
    if (old === undefined) return outcome(name, true, `${kind.noun} ${name} is already absent`);
    if (ctx.state.test) return outcome(name, null, `${kind.noun} ${name} will be removed`, dict({ old }));
    return truthy(await elastic(ctx, `${kind.fun}_delete`, { [kind.key]: name }))
      ? outcome(name, true, `Successfully removed ${small(kind)} ${name}`, dict({ old }))
      : failure(name, `Failed to remove ${small(kind)} ${name} for unknown reasons`);
  });
}

/** Makes sure that there is such a thing; one that is there is left as it is, or is what `otherwise` says. */
export function present(
  ctx: StateContext,
  kind: Kind,
  { name, definition }: { readonly name: string; readonly definition: Value },
  otherwise?: () => Promise<StateResult>,
): Promise<StateResult> {
  return guarded(name, async () => {
    if (truthy(await elastic(ctx, `${kind.fun}_exists`, { [kind.key]: name })))
      return otherwise === undefined
        ? outcome(name, true, `${kind.noun} ${name} is already present`)
        : otherwise();
    if (ctx.state.test)
      return outcome(
        name,
        null,
        `${kind.noun} ${name} does not exist and will be created`,
        dict({ new: definition }),
      );
    const made = await elastic(ctx, `${kind.fun}_create`, { [kind.key]: name, body: definition });
    if (!truthy(made)) return failure(name, `Cannot create ${small(kind)} ${name}, ${pyStr(made)}`);
    const found = await elastic(ctx, `${kind.fun}_get`, { [kind.key]: name });
    const now = isDict(found) ? (found.get(name) ?? null) : null;
    return outcome(name, true, `Successfully created ${small(kind)} ${name}`, dict({ new: now }));
  });
}

/** A thing with the definition that it has, and the one that it is to have. */
export interface Defined {
  readonly name: string;
  /** How messages name it: `Pipeline x`. */
  readonly title: string;
  /** Undefined: there is none. */
  readonly old: Value | undefined;
  readonly definition: Dict;
  make(): Promise<Value>;
}

/** Makes sure that a thing has a definition; one without any is made once. */
export async function defined(ctx: StateContext, wanted: Defined): Promise<StateResult> {
  const { name, title, old, definition } = wanted;
  const changes = deepDiff(isDict(old) ? old : dict(), definition);
  // Salt compat: with an empty definition Salt makes it each time
  if (changes.size === 0 && old !== undefined) return outcome(name, true, `${title} is already present`);
  const lower = title.charAt(0).toLowerCase() + title.slice(1);
  if (ctx.state.test)
    return outcome(
      name,
      null,
      old === undefined
        ? `${title} does not exist and will be created`
        : `${title} exists with wrong configuration and will be overridden`,
      changes,
    );
  const made = await wanted.make();
  if (!truthy(made)) return outcome(name, false, `Cannot create ${lower}, ${pyStr(made)}`, changes);
  return outcome(name, true, `Successfully ${old === undefined ? 'created' : 'replaced'} ${lower}`, changes);
}
