/**
 * Whether a form of output was asked for, by which also what Salt prints as a sentence or a text of its own comes as a
 * value.
 */
import type { ParsedOptions } from '../command-line/optparse.ts';
import type { ExitCodes } from './exit-codes.ts';

/**
 * True where `--out` was typed or an output file is named. Salt compat: Salt prints its own text there whatever these
 * say; whoever keeps its exit codes keeps its texts, too.
 */
export const wantsForm = (parsed: ParsedOptions, codes: Pick<ExitCodes, 'isStrict'>): boolean =>
  codes.isStrict && (parsed.isTyped('output') || parsed.text('output_file') !== '');
