/** Unpacking for `archive.extracted` (3006.16 salt/states/archive.py). */
import { splitWords } from '../../../python/shell-words.ts';
import { findProgram } from '../../../host/which.ts';
import { runAll } from '../../shared/program.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { Ending, type ArchiveArgs } from './order.ts';

/** What is to be unpacked. */
export interface Unpacking {
  readonly args: ArchiveArgs;
  readonly cached: string;
  readonly folder: string;
  readonly format: string;
  readonly usesUnzip: boolean;
  readonly trim: number | false;
  /** The state's keywords. */
  readonly kwargs: Dict;
}

/** `tar` failed: its outcome becomes the state's changes. */
export class TarFailure extends Error {
  readonly changes: Dict;
  constructor(changes: Dict) {
    super('tar failed');
    this.changes = changes;
  }
}

/** Unpacks. @returns the members, or what the program printed @throws Ending, TarFailure, CommandExecutionError */
export async function unpack(ctx: StateContext, unpacking: Unpacking): Promise<Value> {
  const { format, trim } = unpacking;
  if (format === 'zip') return unzip(ctx, unpacking);
  if (format === 'rar') {
    const words = await takenBy(ctx, 'archive.unrar', unpacking.kwargs, dict({ trim_output: trim }));
    return ctx.functions.call('archive.unrar', [unpacking.cached, unpacking.folder], words);
  }
  const { options } = unpacking.args;
  const lines =
    options === undefined ? await plainTar(ctx, unpacking) : await runTar(ctx, unpacking, options);
  const shown = trim === false ? lines : lines.slice(0, trim);
  return options !== undefined && shown.length === 0 ? 'no tar output so far' : shown;
}

async function unzip(
  ctx: StateContext,
  { args, cached, folder, usesUnzip, trim, kwargs }: Unpacking,
): Promise<Value> {
  const { options, password, extract_perms } = args;
  const fun = usesUnzip ? 'archive.cmd_unzip' : 'archive.unzip';
  const given = dict({ options, trim_output: trim, password, ...(usesUnzip ? {} : { extract_perms }) });
  return ctx.functions.call(fun, [cached, folder], await takenBy(ctx, fun, kwargs, given));
}

/** The keywords of the state that a function has a parameter for, and others over them. */
async function takenBy(ctx: StateContext, fun: string, kwargs: Dict, given: Dict): Promise<Dict> {
  const { spec } = await ctx.functions.find(fun);
  const params = spec?.params ?? {};
  return new Map([...[...kwargs].filter(([key]) => Object.hasOwn(params, pyStr(key))), ...given]);
}

/** Members as Python's tarfile names them: without a slash at the end. */
async function plainTar(ctx: StateContext, { cached, folder }: Unpacking): Promise<string[]> {
  const words = ['tar', '--quoting-style=literal', '-xvf', cached];
  const { retcode, stdout } = await runAll(ctx, words, { cwd: folder, ignore_retcode: true });
  if (retcode !== 0)
    throw new Ending(
      "Failed to read from tar archive using Python's native tar file support. If archive is compressed using something other than " +
        "gzip or bzip2, the 'options' argument may be required to pass the correct options to the tar command in order to extract " +
        'the archive.',
    );
  return splitLines(stdout).map((line) => line.replace(/\/+$/, ''));
}

/** What stands between `tar` and the archive when it is unpacked with the options of the state. */
export function tarWords(options: string): string[] {
  const given = splitWords(options).filter((word) => !['v', '-v', '--verbose'].includes(word));
  const [first] = given;
  const short = first === undefined || first.startsWith('-') ? '' : first.replace(/[xf]/g, '');
  const long = given.filter((word, i) => i > 0 || word.startsWith('-'));
  return [`xv${short}`, ...long, '-f'];
}

async function runTar(ctx: StateContext, { cached, folder }: Unpacking, options: string): Promise<string[]> {
  if (findProgram('tar') === undefined)
    throw new Ending('tar command not available, it might not be installed on minion');
  const argv = ['tar', ...tarWords(options), cached];
  const { retcode, pid, stdout, stderr } = await runAll(ctx, argv, { cwd: folder });
  if (retcode !== 0) throw new TarFailure(dict({ pid, retcode, stdout, stderr }));
  return splitLines(stdout);
}
