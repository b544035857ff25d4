/**
 * A reaction: one call that a reactor file asks for, and how it is read out of a low chunk (salt/utils/reactor.py
 * `ReactWrap.run`, 3006.16).
 */
import { START_EVENT_FIELD } from '../../network/events/tags.ts';
import { BrineError, messageOf } from '../../errors/errors.ts';
import { repackList } from '../../formats/data/repack-list.ts';
import type { Logger } from '../../host/log.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { formatCall } from '../../runtime/loader/format-call.ts';
import type { FunctionDescription } from '../../runtime/loader/module.ts';

/** The four ways a reaction is run. */
export type ReactionClient = 'local' | 'runner' | 'wheel' | 'caller';

/** One call. */
export interface Reaction {
  readonly client: ReactionClient;
  /** The id in the SLS. */
  readonly id: string;
  /** The file. */
  readonly sls: string;
  readonly fun: string;
  readonly arg: readonly Value[];
  readonly kwarg: Dict;
  /** For `local`. */
  readonly target?: ReactionTarget;
}

/** Whom a `local` reaction is for, and what else its publication says. */
export interface ReactionTarget {
  readonly tgt: Value;
  readonly tgtType: string;
  readonly ret: string;
  /** Fields of the publication that have a meaning there: `metadata`, `delimiter` and their like. */
  readonly fields: Dict;
}

/** A chunk that is no call. The message is Salt's. */
export class ReactionError extends BrineError {
  override readonly name = 'ReactionError';
}

/** What the compiler adds to every chunk; no argument of a function. */
const INTERNAL: ReadonlySet<Value> = new Set([
  '__id__',
  '__sls__',
  '__env__',
  'name',
  'order',
  'fun',
  'key',
  'state',
]);
const PUBLISHED_FIELDS = [
  'metadata',
  'delimiter',
  'module_executors',
  'executor_opts',
  'ret_config',
  'ret_kwargs',
  START_EVENT_FIELD,
];

/**
 * Finds a function of the master's, for reactions in the old style, whose arguments stand beside the reaction's own
 * keys.
 */
export type FindFunction = (
  client: 'runner' | 'wheel',
  fun: string,
) => Promise<FunctionDescription | undefined>;

/**
 * Reads a chunk.
 * @throws ReactionError in the words that Salt logs
 */
export async function readReaction(chunk: Dict, find: FindFunction, log: Logger): Promise<Reaction> {
  const [id, fun] = [pyStr(chunk.get('__id__') ?? null), pyStr(chunk.get('fun') ?? null)];
  const client = clientOf(chunk.get('state'));
  if (client === undefined)
    throw new ReactionError(
      `ReactWrap is missing a wrapper function for '${pyStr(chunk.get('state') ?? null)}'`,
    );
  const sls = pyStr(chunk.get('__sls__') ?? '');
  const base = { client, id, sls, fun };
  const { arg, kwarg } = chunk.has('args') ? newStyle(chunk, base, log) : await oldStyle(chunk, base, find);
  return { ...base, arg, kwarg, ...(client === 'local' ? { target: targetOf(chunk, base) } : {}) };
}

function clientOf(state: Value | undefined): ReactionClient | undefined {
  if (state === 'cmd') return 'local';
  return state === 'local' || state === 'runner' || state === 'wheel' || state === 'caller'
    ? state
    : undefined;
}

type Head = Pick<Reaction, 'client' | 'id' | 'fun'>;
interface Arguments {
  readonly arg: readonly Value[];
  readonly kwarg: Dict;
}

/** `args`: a mapping, or a list of one-key mappings, of keywords; for `caller` a plain list is positional. */
function newStyle(chunk: Dict, { client, id, fun }: Head, log: Logger): Arguments {
  for (const item of ['arg', 'kwarg'])
    if (chunk.has(item))
      log.warning(
        `Reactor '${id}' is ignoring '${item}' param ${pyStr(chunk.get(item) ?? null)} due to presence of 'args' param. ` +
          'Check the Reactor System documentation for the correct argument format.',
      );
  const given = chunk.get('args') ?? null;
  if (isDict(given)) return { arg: [], kwarg: given };
  if (client === 'caller' && Array.isArray(given) && !given.every((item) => isDict(item) && item.size === 1))
    return { arg: given, kwarg: new Map() };
  const kwarg = Array.isArray(given) ? repackList(given) : undefined;
  if (kwarg === undefined || kwarg.size === 0)
    throw new ReactionError(
      `Reactor '${id}' failed to execute ${client} '${fun}': Incorrect argument format, check the Reactor System documentation for the correct format.`,
    );
  return { arg: [], kwarg };
}

/** `arg` and `kwarg`; for functions of the master also keys named like their parameters. */
async function oldStyle(chunk: Dict, { client, id, fun }: Head, find: FindFunction): Promise<Arguments> {
  const [arg, kwarg] = [chunk.get('arg'), chunk.get('kwarg')];
  const given: Arguments = { arg: listOf(arg), kwarg: mappingOf(kwarg) };
  if ((client !== 'runner' && client !== 'wheel') || (arg !== undefined && kwarg !== undefined)) return given;
  const { positional, keywords } = await callOf(chunk, { client, id, fun }, find);
  return {
    arg: arg === undefined ? positional : given.arg,
    kwarg: kwarg === undefined ? keywords : given.kwarg,
  };
}

async function callOf(
  chunk: Dict,
  { client, id, fun }: Head & { readonly client: 'runner' | 'wheel' },
  find: FindFunction,
): Promise<ReturnType<typeof formatCall>> {
  try {
    const spec = await find(client, fun);
    if (spec === undefined) throw new ReactionError('function not available');
    return formatCall(fun, spec, chunk, INTERNAL);
  } catch (error) {
    throw new ReactionError(`Reactor '${id}' failed to execute ${client} '${fun}': ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function listOf(value: Value | undefined): readonly Value[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function mappingOf(value: Value | undefined): Dict {
  if (value !== undefined && isDict(value)) return value;
  return (Array.isArray(value) ? repackList(value) : undefined) ?? new Map();
}

function targetOf(chunk: Dict, { id, fun }: Head): ReactionTarget {
  const tgt = chunk.get('tgt');
  if (tgt === undefined)
    throw new ReactionError(
      `Reactor '${id}' failed to execute local '${fun}': it has no tgt, the minions that it is for.`,
    );
  const text = (key: string, fallback: string): string => pyStr(chunk.get(key) ?? fallback);
  const fields = PUBLISHED_FIELDS.flatMap((key): [string, Value][] => {
    const value = chunk.get(key);
    return value === undefined ? [] : [[key, value]];
  });
  return {
    tgt,
    tgtType: text('tgt_type', pyStr(chunk.get('expr_form') ?? 'glob')),
    ret: text('ret', ''),
    fields: new Map<Value, Value>(fields),
  };
}
