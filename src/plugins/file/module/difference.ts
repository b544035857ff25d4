/** The difference between two files. Follows 3006.16 salt/modules/file.py `get_diff`. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { readBytes } from '../../../host/file-operations.ts';
import { isOsError, strerror } from '../../../python/os-errors.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy } from '../../../python/values/value.ts';
import { opt, P } from '../../shared/file-params.ts';
import { cacheSource } from './fetch-source.ts';
import { environmentOf } from './sources.ts';
import { byteLines, diffOf, isTextContent, lineText } from '../../shared/file-text.ts';
import { param } from '../../../runtime/loader/params.ts';
import { optionFlag } from '../../shared/settings.ts';

/** What to show of a difference. */
export interface DifferenceOptions {
  readonly showFilenames?: boolean;
  readonly showChanges?: boolean;
  /** Content that came out of a template may be hidden by the option `obfuscate_templates`. */
  readonly isTemplate?: boolean;
}

/** The text that stands for differences which are not to be seen. */
export const OBFUSCATED = '<Obfuscated Template>';

/** True when differences of templates are not to be seen. */
export function hidesTemplates(ctx: ModuleContext): Promise<boolean> {
  return optionFlag(ctx, ['obfuscate_templates']);
}

function read(path: string): Buffer {
  try {
    return readBytes(path);
  } catch (error) {
    if (!isOsError(error)) throw error;
    throw new CommandExecutionError(`Failed to read ${path}: ${strerror(error) ?? ''}`, { cause: error });
  }
}

function binaryChange(before: Uint8Array, after: Uint8Array): string {
  const [isOldText, isNewText] = [isTextContent(before), isTextContent(after)];
  if (isOldText && isNewText) return '';
  if (!isOldText && !isNewText) return 'Replace binary file';
  return isNewText ? 'Replace binary file with text file' : 'Replace text file with binary file';
}

/**
 * The unified difference of two files of this machine.
 * @param after a path, or the content itself
 * @throws CommandExecutionError when one cannot be read
 */
export async function differenceOf(
  ctx: ModuleContext,
  before: string,
  after: string | Uint8Array,
  options: DifferenceOptions = {},
): Promise<string> {
  const { showFilenames = true, showChanges = true, isTemplate = false } = options;
  const [old, now] = [read(before), typeof after === 'string' ? read(after) : Buffer.from(after)];
  if (old.equals(now)) return '';
  if (isTemplate && (await hidesTemplates(ctx))) return OBFUSCATED;
  if (!showChanges) return '<show_changes=False>';
  const binary = binaryChange(old, now);
  if (binary !== '') return binary;
  const names = showFilenames ? { from: before, to: pyStr(after) } : { from: '', to: '' };
  return diffOf(byteLines(old).map(lineText), byteLines(now).map(lineText), names);
}

/** The function `get_diff`. */
export const differenceFunctions = {
  get_diff: defineFunction({
    doc: 'Shows the difference between two files, which may be on the file server.',
    params: {
      file1: param.value({ type: 'str', doc: 'The first file: a path or an address.' }),
      file2: param.value({ type: 'str', doc: 'The second file.' }),
      saltenv: opt(P.saltenv, 'base'),
      show_filenames: opt(param.flag({ doc: 'Name the files in the first two lines.' }), true),
      show_changes: opt(P.show_changes, true),
      template: opt(param.flag({ doc: 'Hide the differences when obfuscate_templates says so.' }), false),
      source_hash_file1: opt(
        param.value({ type: 'str', doc: 'The hash of the first file when it comes by http.' }),
        null,
      ),
      source_hash_file2: opt(
        param.value({ type: 'str', doc: 'The hash of the second file when it comes by http.' }),
        null,
      ),
    },
    returns: 'the differences as text, empty without any',
    examples: [
      "salt '*' file.get_diff /home/fred/.vimrc /home/users/bob/.vimrc",
      "salt '*' file.get_diff /tmp/foo.txt salt://foo.txt",
    ],
    run: async (ctx, args) => {
      const saltenv = environmentOf(args.saltenv);
      const pairs = [
        [args.file1, args.source_hash_file1],
        [args.file2, args.source_hash_file2],
      ] as const;
      const paths: string[] = [];
      const errors: string[] = [];
      for (const [file, hash] of pairs) {
        const source = pyStr(file);
        const options = { saltenv, ...(truthy(hash) ? { sourceHash: pyStr(hash) } : {}) };
        const path = await cacheSource(ctx, source, options);
        if (path === '') errors.push(`File ${source} not found`);
        else paths.push(path);
      }
      const [first, second] = paths;
      if (first === undefined || second === undefined) {
        throw new CommandExecutionError(
          `Failed to cache one or more files. Additional info follows:\n\n- ${errors.join('\n- ')}`,
        );
      }
      return differenceOf(ctx, first, second, {
        showFilenames: args.show_filenames,
        showChanges: args.show_changes,
        isTemplate: args.template,
      });
    },
  }),
};
