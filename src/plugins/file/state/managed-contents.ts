/** The content that `file.managed` is given: in the SLS, from the pillar or from grains. */
import { messageOf } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { decodeUtf8, splitLines } from '../../../python/values/text.ts';
import { dict, isBytes, isDict, truthy, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { environment } from './outcome.ts';

/** An end with a sentence; carried by an exception, so that every step can end the whole. */
export class FileRefusal extends Error {
  override readonly name = 'FileRefusal';
  readonly result: boolean | null;
  constructor(comment: string, result: boolean | null = false) {
    super(comment);
    this.result = result;
  }
}

/** The arguments that decide on the content. */
export interface ContentArguments {
  readonly contents: Value;
  readonly contents_pillar: Value;
  readonly contents_grains: Value;
  readonly contents_newline: boolean;
  readonly contents_delimiter: Value;
  readonly allow_empty: boolean;
  readonly template: string | undefined;
  readonly context: Value;
  readonly defaults: Value;
}

/**
 * The content, text or bytes; null when the file is to come from a source.
 * @throws FileRefusal with the state's comment
 */
export async function givenContents(ctx: StateContext, args: ContentArguments): Promise<Value> {
  const given = await rawContents(ctx, args);
  if (given === null) return null;
  if (!args.allow_empty && !truthy(given)) {
    throw new FileRefusal(
      `${contentsName(args)} value would result in empty contents. Set allow_empty ` +
        'to True to allow the managed file to be empty.',
    );
  }
  const contents = asLines(given, args.template !== undefined);
  const ended =
    typeof contents === 'string' && !args.contents_newline
      ? contents.replace(/\n+$/, '').replace(/\r+$/, '')
      : contents;
  return args.template === undefined ? ended : rendered(ctx, args, ended);
}

function contentsName({ contents_pillar, contents_grains }: ContentArguments): string {
  if (truthy(contents_pillar)) return `contents_pillar ${pyStr(contents_pillar)}`;
  if (truthy(contents_grains)) return `contents_grains ${pyStr(contents_grains)}`;
  return "'contents'";
}

async function rawContents(ctx: StateContext, args: ContentArguments): Promise<Value> {
  const { contents_pillar, contents_grains, contents_delimiter } = args;
  if (contents_pillar !== null)
    return looked(ctx, 'Pillar', ['pillar.get', contents_pillar], contents_delimiter);
  if (contents_grains !== null)
    return looked(ctx, 'Grain', ['grains.get', contents_grains], contents_delimiter);
  return args.contents;
}

/** What cannot be a value of pillar or grains, because no renderer makes it. */
const NOT_FOUND = new Uint8Array(0);

async function looked(
  ctx: StateContext,
  what: string,
  [fun, keys]: readonly [fun: string, keys: Value],
  delimiter: Value,
): Promise<Value> {
  const look = async (key: Value): Promise<Value> => {
    const value = await ctx.functions.call(fun, [key, NOT_FOUND], { delimiter });
    if (isBytes(value) && value.length === 0) throw new FileRefusal(`${what} ${pyStr(key)} does not exist`);
    return value;
  };
  if (!Array.isArray(keys)) return look(keys);
  const parts: Value[] = [];
  for (const key of keys) parts.push(await look(key));
  return parts.map(pyStr).join('\n');
}

/** Text with each line ended; bytes that are no text stay as they are. */
function asLines(given: Value, isTemplate: boolean): Value {
  const parts = Array.isArray(given) ? given : [given];
  if (parts.length === 0) {
    throw new FileRefusal(
      'Contents specified by contents/contents_pillar/contents_grains is not a string or list of strings, and ' +
        'is not binary data. SLS is likely malformed.',
    );
  }
  const text = isBytes(given) ? decodeUtf8(given) : undefined;
  if (isBytes(given) && text === undefined) {
    if (!isTemplate) return given;
    throw new FileRefusal(
      'Contents specified by contents/contents_pillar/contents_grains appears to be binary data, and as will not ' +
        'be able to be treated as a Jinja template.',
    );
  }
  const texts = text === undefined ? parts.map(pyStr) : [text];
  return texts
    .flatMap((part) => splitLines(part))
    .map((line) => `${line}\n`)
    .join('');
}

async function rendered(ctx: StateContext, args: ContentArguments, contents: Value): Promise<Value> {
  const { template, context, defaults } = args;
  const saltenv = environment(ctx);
  const keywords = dict({ template, context, defaults, saltenv });
  const text = await ctx.functions.call('file.apply_template_on_contents', [contents], keywords);
  if (typeof text === 'string') return text;
  const [comment, result] = isDict(text) ? [text.get('comment'), text.get('result')] : [];
  throw new FileRefusal(
    pyStr(comment ?? 'Error while applying template on contents'),
    typeof result === 'boolean' ? result : false,
  );
}

/** Runs the steps of a state; a refusal among them is its end. */
export async function untilRefused<T>(
  steps: () => Promise<T>,
  refused: (comment: string, result: boolean | null) => T,
): Promise<T> {
  try {
    return await steps();
  } catch (error) {
    if (!(error instanceof FileRefusal)) throw error;
    return refused(messageOf(error), error.result);
  }
}
