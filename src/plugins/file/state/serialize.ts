/** `file.serialize`: data as a file. Follows 3006.16 salt/states/file.py `serialize`. */
import { mergeRecurse } from '../../../formats/data/dict-merge.ts';
import { dictDifference } from '../../../formats/data/dict-diff.ts';
import { readBytes } from '../../../host/file-operations.ts';
import { isAbs, isDir, isFile } from '../../../python/paths.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { param } from '../../../runtime/loader/params.ts';
import { encodedContents } from '../../shared/encode-text.ts';
import { opt } from '../../shared/file-params.ts';
import { convertData, dataFormat } from '../../shared/serializers.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { decodeUtf8 } from '../../../python/values/text.ts';
import {
  dict,
  isDict,
  pyTypeName,
  truthy,
  valuesEqual,
  type Dict,
  type Value,
} from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { FileRefusal, untilRefused } from './managed-contents.ts';
import { environment, FileOutcome } from './outcome.ts';
import { OWNER_PARAMS, S, type ArgsOf } from './params.ts';

const SERIALIZE_PARAMS = {
  name: S.file_name,
  dataset: opt(param.value({ type: 'dict or list', doc: 'The data.' }), null),
  dataset_pillar: opt(
    param.valueIfGiven({ type: 'str', doc: 'The data is in the pillar, under this key.' }),
    null,
  ),
  ...OWNER_PARAMS,
  mode: opt(S.mode, null),
  backup: opt(S.backup, ''),
  makedirs: opt(S.makedirs, false),
  show_changes: opt(S.show_changes, true),
  create: opt(S.create, true),
  merge_if_exists: opt(param.flag({ doc: 'The data is merged into that of the file.' }), false),
  encoding: opt(param.textIfGiven(S.encoding), null),
  encoding_errors: opt(S.encoding_errors, 'strict'),
  serializer: opt(param.textIfGiven({ doc: 'The format: yaml, json, …; `formatter` says the same.' }), null),
  serializer_opts: opt(
    param.by(repacked, { type: 'list', doc: 'Options for writing, as `indent: 4`.' }),
    null,
  ),
  deserializer_opts: opt(
    param.by(optionsIfGiven, { type: 'list', doc: 'Options for reading what is to be merged.' }),
    null,
  ),
} as const;

type SerializeArguments = ArgsOf<typeof SERIALIZE_PARAMS>;

/** A list of mappings with one key each, as one mapping (Salt's `repack_dictlist`). */
function repacked(options: Value): Dict {
  if (isDict(options)) return options;
  return new Map((Array.isArray(options) ? options : []).flatMap((item) => (isDict(item) ? [...item] : [])));
}

function optionsIfGiven(options: Value): Dict | undefined {
  return truthy(options) ? repacked(options) : undefined;
}

/** The options that a format is written with, without those that the SLS gives. */
function defaultOptions(format: string, hasEncoding: boolean): Dict {
  if (format === 'yaml')
    return dict({ default_flow_style: false, ...(hasEncoding ? { allow_unicode: true } : {}) });
  if (format !== 'json') return new Map();
  return dict({ indent: 2, separators: [',', ': '], sort_keys: true });
}

/** @throws FileRefusal without data */
async function datasetOf(ctx: StateContext, { dataset, dataset_pillar }: SerializeArguments): Promise<Value> {
  if (truthy(dataset) && dataset_pillar !== undefined)
    throw new FileRefusal("Only one of 'dataset' and 'dataset_pillar' is permitted");
  const data =
    dataset_pillar === undefined ? dataset : await ctx.functions.call('pillar.get', [dataset_pillar]);
  if (data === null) throw new FileRefusal("Neither 'dataset' nor 'dataset_pillar' was defined");
  return data;
}

/** @throws FileRefusal when the format is named twice */
function formatOf({ serializer }: SerializeArguments, kwargs: Dict): string {
  const formatter = kwargs.get('formatter') ?? null;
  if (serializer !== undefined && truthy(formatter))
    throw new FileRefusal('Only one of serializer and formatter are allowed');
  return (serializer ?? (truthy(formatter) ? pyStr(formatter) : 'yaml')).toLowerCase();
}

/** @throws FileRefusal for a format that there is not */
function assertKnown(format: string): void {
  if (dataFormat(format)?.serialize !== undefined) return;
  throw new FileRefusal(
    `The ${format} serializer could not be found. It either does not exist or its prerequisites are not installed.`,
  );
}

/** The data of the file that is there; undefined without one. @throws FileRefusal when it cannot be read */
function existingData(name: string, format: string, options: Dict): Value | undefined {
  if (!isFile(name)) return undefined;
  if (dataFormat(format)?.deserialize === undefined)
    throw new FileRefusal(`merge_if_exists is not supported for the ${format} serializer`);
  const bytes = readBytes(name);
  try {
    return convertData(format, 'deserialize', decodeUtf8(bytes) ?? bytes, options);
  } catch (error) {
    if (!(error instanceof PythonError)) throw error;
    throw new FileRefusal(`Failed to deserialize existing data: ${error.message}`);
  }
}

/** @throws FileRefusal for anything but two mappings, lest the one takes the place of the other */
function mergedInto(existing: Value, data: Value, name: string): Value {
  if (isDict(existing) && isDict(data)) return mergeRecurse(existing, data);
  const [what, found] = isDict(existing) ? ['the dataset', data] : [name, existing];
  throw new FileRefusal(
    `merge_if_exists merges mappings, and ${what} is of type ${pyTypeName(found)}: give mappings, or leave merge_if_exists out`,
  );
}

function asLine(content: Value): Value {
  return typeof content === 'string' ? `${content}\n` : content;
}

async function serialize(
  ctx: StateContext,
  args: SerializeArguments,
  kwargs: Dict,
  outcome: FileOutcome,
): Promise<Dict> {
  const { name } = args;
  if (name === '') throw new FileRefusal('Must provide name to file.serialize');
  if (!args.create && !isFile(name))
    throw new FileRefusal(`File ${name} is not present and is not set for creation`, true);
  const format = formatOf(args, kwargs);
  let data = await datasetOf(ctx, args);
  assertKnown(format);
  if (!isAbs(name)) throw new FileRefusal(`Specified file ${name} is not an absolute path`);
  if (isDir(name)) throw new FileRefusal(`Specified target ${name} is a directory`);
  const merges = args.merge_if_exists;
  const existing = merges ? existingData(name, format, args.deserializer_opts ?? new Map()) : undefined;
  if (existing !== undefined && existing !== null) {
    data = mergedInto(existing, data, name);
    if (valuesEqual(existing, data)) return outcome.end(true, `The file ${name} is in the correct state`);
  }
  if (!merges && args.deserializer_opts !== undefined) {
    outcome.warn("The 'deserializer_opts' option is ignored unless merge_if_exists is set to True.");
  }
  const options = new Map([...defaultOptions(format, args.encoding !== undefined), ...args.serializer_opts]);
  const contents = asLine(convertData(format, 'serialize', data, options));
  if (ctx.state.test) await foretell(ctx, { name, contents, kwargs }, args, outcome);
  else await write(ctx, { name, contents }, args, outcome);
  if (isDict(existing) && isDict(data)) outcome.changes.set('diff', dictDifference(data, existing));
  return outcome.ret;
}

async function foretell(
  ctx: StateContext,
  { name, contents, kwargs }: { readonly name: string; readonly contents: Value; readonly kwargs: Dict },
  args: SerializeArguments,
  outcome: FileOutcome,
): Promise<void> {
  const further = [...kwargs].filter(([key]) => key !== 'env' && key !== 'formatter');
  const changes = await ctx.functions.call(
    'file.check_managed_changes',
    [],
    new Map([
      ...further,
      ...dict({
        name,
        source: null,
        source_hash: {},
        source_hash_name: null,
        user: args.user,
        group: args.group,
        mode: args.mode,
        attrs: null,
        template: null,
        context: null,
        defaults: null,
        saltenv: environment(ctx),
        contents: encodedContents(contents, args.encoding, args.encoding_errors),
        skip_verify: false,
      }),
    ]),
  );
  if (isDict(changes)) outcome.changes = changes;
  if (outcome.changes.size === 0) {
    outcome.end(true, `The file ${name} is in the correct state`);
    return;
  }
  outcome.end(null, `Dataset will be serialized and stored into ${name}`);
  if (!args.show_changes) outcome.changes.set('diff', '<show_changes=False>');
}

async function write(
  ctx: StateContext,
  { name, contents }: { readonly name: string; readonly contents: Value },
  args: SerializeArguments,
  outcome: FileOutcome,
): Promise<void> {
  const ret = await ctx.functions.call('file.manage_file', [], {
    name,
    sfn: '',
    ret: outcome.ret,
    source: null,
    source_sum: {},
    user: args.user,
    group: args.group,
    mode: args.mode,
    attrs: null,
    saltenv: environment(ctx),
    backup: args.backup,
    makedirs: args.makedirs,
    template: null,
    show_changes: args.show_changes,
    encoding: args.encoding ?? null,
    encoding_errors: args.encoding_errors,
    contents,
  });
  outcome.adopt(ret);
}

/** The state `serialize`. */
export const serializeStates = {
  serialize: defineState({
    doc: 'Makes sure that a file holds data in a format.',
    params: SERIALIZE_PARAMS,
    kwargs: 'kwargs',
    run: (ctx, args, kwargs) => {
      const outcome = new FileOutcome(args.name, { order: 'managed' });
      return untilRefused(
        () => serialize(ctx, args, kwargs, outcome),
        (comment, result) => outcome.end(result, comment),
      );
    },
  }),
};
