/** `match.*`: does a target mean this minion? (3006.16 salt/modules/match.py) */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ArgumentError, messageOf } from '../../errors/errors.ts';
import { saltException } from '../../runtime/loader/filter-by.ts';
import {
  defineFunction,
  defineModule,
  type FunctionSpec,
  type ModuleContext,
} from '../../runtime/loader/module.ts';
import { PythonError } from '../../python/exceptions.ts';
import { findOwnMatcher } from '../../runtime/pillar/own-matchers.ts';
import { matchMinion } from '../../runtime/targeting/match-minion.ts';
import { parseTarget } from '../../runtime/targeting/parse-target.ts';
import type { TargetType } from '../../runtime/targeting/target.ts';
import { updateDict } from '../../formats/data/dict-merge.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { DEFAULT_DELIMITER } from '../../formats/data/traverse.ts';
import { param } from '../../runtime/loader/params.ts';
import { copyValue, isDict, pyTypeName, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { decode } from '../../formats/wire/msgpack.ts';

/** Pattern that means no minion, for `match.ifelse False …`. */
const NOBODY = 'SALT_IFELSE_MATCH_NOTHING';
/** Key of the last argument of `match.ifelse` in the table made of the others. */
const IFELSE_DEFAULT = 'SALT_IFELSE_FUNCTION_DEFAULT';

/** The minion's own data store (module `data`), or nothing. */
async function datastore(ctx: ModuleContext): Promise<Dict> {
  const cachedir = ctx.opts.get('cachedir');
  if (typeof cachedir !== 'string') return new Map();
  try {
    const stored = decode(await readFile(join(cachedir, 'datastore')), 'local');
    return isDict(stored) ? stored : new Map();
  } catch {
    return new Map();
  }
}

/** What separates levels. @throws PythonError for what is no text: with None, too, Salt finds nothing in a target */
function separatorOf(given: Value = DEFAULT_DELIMITER): string {
  if (typeof given !== 'string')
    throw new PythonError(
      'TypeError',
      `'in <string>' requires string as left operand, not ${pyTypeName(given)}`,
    );
  return given;
}

/** A target that cannot be read or evaluated matches nothing, and leaves a line in the log. */
async function matches(
  ctx: ModuleContext,
  type: TargetType,
  tgt: Value,
  how: { readonly minionId?: Value; readonly delimiter?: Value } = {},
): Promise<boolean> {
  const report = (error: unknown): void => {
    ctx.log.error(`Target ${pyRepr(tgt)} of type ${type}: ${messageOf(error)}`, error);
  };
  const id = truthy(how.minionId) ? pyStr(how.minionId as Value) : ctx.id;
  const subject = { id, grains: ctx.grains, pillar: ctx.pillar };
  try {
    const { opts, grains, pillar, clock, log, job } = ctx;
    const own = findOwnMatcher(opts, type, { clock, log, owner: job });
    if (own !== undefined) {
      const named = Object.entries({ minion_id: how.minionId, delimiter: how.delimiter });
      const given = named.filter((one): one is [string, Value] => truthy(one[1] ?? null));
      return await own(tgt, { opts, grains, pillar }, new Map(given));
    }
    const nodegroups = ctx.opts.get('nodegroups');
    const target = parseTarget(
      tgt,
      type,
      separatorOf(how.delimiter),
      isDict(nodegroups) ? nodegroups : undefined,
    );
    return matchMinion(
      target,
      type === 'data' ? { ...subject, datastore: await datastore(ctx) } : subject,
      report,
    );
  } catch (error) {
    report(error);
    return false;
  }
}

/** The functions of this module that `tgt_type` may name, with the meaning of their second argument. */
const BY_ID: readonly TargetType[] = ['compound', 'glob', 'pcre', 'list'];
const BY_DATA: readonly TargetType[] = ['grain', 'grain_pcre', 'pillar', 'pillar_pcre'];
const BY_NOTHING: readonly TargetType[] = ['ipcidr', 'data'];

/**
 * Matches by the name of one of this module's functions.
 * @throws PythonError KeyError when there is no such function
 */
function matchBy(ctx: ModuleContext, name: Value, tgt: Value, minionId: Value): Promise<boolean> {
  // Salt compat: Salt knows the type `list` here only as `list_`; both work.
  const wanted = name === 'list_' ? 'list' : pyStr(name);
  const type = [...BY_ID, ...BY_DATA, ...BY_NOTHING].find((known) => known === wanted);
  if (type === undefined) throw new PythonError('KeyError', pyRepr(name));
  // Salt compat: Salt hands the minion's id to grain and pillar functions as delimiter; here it has no meaning for
  // them.
  return matches(ctx, type, tgt, BY_ID.includes(type) ? { minionId } : {});
}

async function filterBy(
  ctx: ModuleContext,
  table: Iterable<readonly [Value, Value]>,
  args: Readonly<Record<'tgt_type' | 'minion_id' | 'merge', Value>> & { readonly merge_lists: boolean },
  fallback: Value,
): Promise<Value> {
  for (const [tgt, value] of table) {
    if (!(await matchBy(ctx, args.tgt_type, tgt, args.minion_id))) continue;
    const { merge } = args;
    if (!truthy(merge)) return value;
    if (!isDict(merge)) throw saltException('filter_by merge argument must be a dictionary.');
    if (value === null) return merge;
    if (!isDict(value)) {
      throw new ArgumentError('Cannot update using non-dict types in dictupdate.update()');
    }
    return updateDict(copyValue(value, 'shared'), copyValue(merge), { mergeLists: args.merge_lists });
  }
  return fallback;
}

const tgtParam = { tgt: param.value({ type: 'str', doc: 'The target.' }) } as const;
const minionIdParam = {
  minion_id: param.value({
    default: null,
    type: 'str',
    doc: 'Try the target on this id instead of the minion itself.',
  }),
} as const;
const delimiterParam = {
  delimiter: param.value({ default: DEFAULT_DELIMITER, type: 'str', doc: 'What separates levels.' }),
} as const;
const mergeParams = {
  merge: param.value({ default: null, type: 'dict', doc: 'A mapping merged over the result.' }),
  merge_lists: param.flag({ default: false, doc: 'Join lists instead of replacing them.' }),
} as const;
const tgtTypeParam = param.value({
  default: 'compound',
  type: 'str',
  doc: 'Kind of the targets: the name of a function of this module.',
});

function byId(type: TargetType, what: string, example: string, pythonName?: string): FunctionSpec {
  return defineFunction({
    doc: `Returns whether ${what} means this minion.`,
    params: { ...tgtParam, ...minionIdParam },
    returns: 'bool',
    examples: [`salt '*' match.${type} ${example}`],
    ...(pythonName === undefined ? {} : { pythonName }),
    run: (ctx, { tgt, minion_id }) => matches(ctx, type, tgt, { minionId: minion_id }),
  });
}

function byData(type: TargetType, what: string, example: string): FunctionSpec {
  return defineFunction({
    doc: `Returns whether ${what} means this minion.`,
    params: { ...tgtParam, ...delimiterParam },
    returns: 'bool',
    examples: [`salt '*' match.${type} ${example}`],
    run: (ctx, { tgt, delimiter }) => matches(ctx, type, tgt, { delimiter }),
  });
}

/** The module `match`. */
export const matchModule = defineModule({
  name: 'match',
  file: 'match',
  doc: 'Targets: does one mean this minion, and which entry of a table does.',
  functions: {
    compound: byId('compound', 'a compound target', "'L@cheese,foo and *'"),
    glob: byId('glob', 'a glob over minion ids', "'web*'"),
    pcre: byId('pcre', 'a regular expression over minion ids', "'.*'"),
    list: byId('list', 'a list of minion ids', "'server1,server2'", 'list_'),
    grain: byData('grain', 'a glob over a grain', "'os:Ubuntu'"),
    grain_pcre: byData('grain_pcre', 'a regular expression over a grain', "'os:Fedo.*'"),
    pillar: byData('pillar', 'a glob over a pillar value', "'cheese:foo'"),
    pillar_pcre: byData(
      'pillar_pcre',
      'a regular expression over a pillar value',
      "'cheese:(swiss|american)'",
    ),
    ipcidr: defineFunction({
      doc: 'Returns whether the minion has an address in a network.',
      params: tgtParam,
      returns: 'bool',
      examples: ["salt '*' match.ipcidr '192.168.44.0/24'"],
      run: (ctx, { tgt }) => matches(ctx, 'ipcidr', tgt),
    }),
    data: defineFunction({
      doc: "Returns whether a glob over a value of the minion's data store means this minion.",
      params: tgtParam,
      returns: 'bool',
      examples: ["salt '*' match.data 'spam:eggs'"],
      run: (ctx, { tgt }) => matches(ctx, 'data', tgt),
    }),
    filter_by: defineFunction({
      doc: 'Gives the value of the first target in a table that means this minion.',
      params: {
        lookup: param.mapping({ doc: 'Target to value.' }),
        tgt_type: tgtTypeParam,
        ...minionIdParam,
        ...mergeParams,
        default: param.value({
          default: 'default',
          type: 'str',
          doc: 'Key of the table to use when no target matches.',
        }),
      },
      returns: 'the value; None when no target matches and there is no default',
      examples: ["salt '*' match.filter_by '{foo*: Foo!, bar*: Bar!}' minion_id=bar03"],
      run: (ctx, args) => filterBy(ctx, args.lookup, args, args.lookup.get(args.default) ?? null),
    }),
    search_by: defineFunction({
      doc: 'Gives all keys of a table that have a target which means this minion.',
      params: {
        lookup: param.mapping({ doc: 'Name to list of targets.' }),
        tgt_type: tgtTypeParam,
        ...minionIdParam,
      },
      returns: 'list of keys, one for each target that matches; None when there is none',
      examples: ["salt '*' match.search_by '{web: [node1, node2], db: [node2, node]}'"],
      run: async (ctx, { lookup, tgt_type, minion_id }) => {
        const found: Value[] = [];
        for (const [name, targets] of lookup) {
          for (const tgt of Array.isArray(targets) ? targets : [...pyStr(targets)]) {
            if (await matchBy(ctx, tgt_type, tgt, minion_id)) found.push(name);
          }
        }
        return found.length === 0 ? null : found;
      },
    }),
    ifelse: defineFunction({
      doc:
        'Takes pairs of target and value and a last value: gives the value of the first target that means this minion, ' +
        'else the last value. True and False stand for everybody and nobody.',
      params: {
        tgt_type: { ...tgtTypeParam, keywordOnly: true },
        minion_id: { ...minionIdParam.minion_id, keywordOnly: true },
        merge: { ...mergeParams.merge, keywordOnly: true },
        merge_lists: { ...mergeParams.merge_lists, keywordOnly: true },
      },
      varargs: 'args',
      returns: 'one of the values',
      examples: ["salt '*' match.ifelse 'foo*' 'Foo!' 'bar*' 'Bar!' nobody minion_id=bar03"],
      run: (ctx, args, rest) => {
        if (rest.length % 2 === 0) {
          throw saltException('The ifelse function must have an odd number of arguments!');
        }
        const last = rest.at(-1) ?? null;
        if (rest.length === 1) return last;
        const table: Dict = new Map();
        for (let i = 0; i + 1 < rest.length; i += 2) {
          const tgt = rest[i] as Value;
          table.set(tgt === true ? '*' : tgt === false ? NOBODY : tgt, rest[i + 1] as Value);
        }
        return filterBy(ctx, table.set(IFELSE_DEFAULT, last), args, last);
      },
    }),
  },
});
