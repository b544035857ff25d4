/** `file.decode`: a file out of text in base64. Follows 3006.16 salt/states/file.py `decode`. */
import { getHashes } from 'node:crypto';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { isAbs, isDir } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { opt, P } from '../../shared/file-params.ts';
import { dict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { FileOutcome } from './outcome.ts';
import { param } from '../../../runtime/loader/params.ts';
import { fileExists } from '../../shared/file-answers.ts';

/** @throws CommandExecutionError when the text is not named, named twice, or not in the pillar */
async function encodedText(
  ctx: StateContext,
  encoded: Value | undefined,
  pillar: Value | undefined,
): Promise<Value> {
  if (encoded === undefined && pillar === undefined)
    throw new CommandExecutionError("Specify either the 'encoded_data' or 'contents_pillar' argument.");
  if (encoded !== undefined && pillar !== undefined)
    throw new CommandExecutionError("Specify only one 'encoded_data' or 'contents_pillar' argument.");
  if (encoded !== undefined) return encoded;
  const content = await ctx.functions.call('pillar.get', [pillar ?? null, false]);
  if (content === false) throw new CommandExecutionError('Pillar data not found.');
  return content;
}

/** Why nothing can be decoded. Salt compat: there, test mode promises it, and the run ends with a traceback. */
function refusal(name: Value, content: Value, checksum: Value): string | undefined {
  if (typeof name !== 'string' || !isAbs(name))
    return `Specified file ${pyStr(name)} is not an absolute path`;
  if (isDir(name)) return `Specified target ${name} is a directory`;
  if (!getHashes().includes(pyStr(checksum))) return `Hash func '${pyStr(checksum)}' is not supported.`;
  const text = typeof content === 'string' ? content.replaceAll(/[^A-Za-z0-9+/=]/g, '') : undefined;
  return text === undefined || text.length % 4 !== 0 || !/^[^=]*={0,2}$/.test(text)
    ? 'encoded_data is no text in base64'
    : undefined;
}

async function decode(
  ctx: StateContext,
  name: Value,
  content: Value,
  checksum: Value,
  outcome: FileOutcome,
): Promise<Dict> {
  const hash = (): Promise<Value> => ctx.functions.call('hashutil.digest_file', [name, checksum]);
  if (await fileExists(ctx, [name])) {
    const decoded = await ctx.functions.call('hashutil.base64_decodestring', [content]);
    const wanted = await ctx.functions.call('hashutil.digest', [decoded, checksum]);
    const current = await hash();
    if (wanted === current) return outcome.end(true, 'File is in the correct state.');
    outcome.changes = dict({ old: current, new: wanted });
  }
  if (ctx.state.test) return outcome.end(null, 'File is set to be updated.');
  const result = await ctx.functions.call('hashutil.base64_decodefile', [content, name]);
  if (outcome.changes.size === 0) outcome.changes = dict({ old: null, new: await hash() });
  return outcome.end(truthy(result), 'File was updated.');
}

/** The state `decode`. */
export const decodeStates = {
  decode: defineState({
    doc: 'Makes sure that a file holds what a text in base64 stands for.',
    params: {
      name: param.text({ doc: P.name.doc }),
      encoded_data: opt(param.valueIfGiven({ type: 'str', doc: 'The text.' }), null),
      contents_pillar: opt(
        param.valueIfGiven({ type: 'str', doc: 'The text is in the pillar, under this key.' }),
        null,
      ),
      encoding_type: opt(param.value({ type: 'str', doc: 'Without effect: always base64.' }), 'base64'),
      checksum: opt(param.value({ type: 'str', doc: 'The hash by which the file is compared.' }), 'md5'),
    },
    run: async (ctx, { name, encoded_data, contents_pillar, checksum }) => {
      const content = await encodedText(ctx, encoded_data, contents_pillar);
      const refused = refusal(name, content, checksum);
      if (refused !== undefined) return new FileOutcome(name, { result: false }).fail(refused);
      return decode(ctx, name, content, checksum, new FileOutcome(name, { result: false }));
    },
  }),
};
