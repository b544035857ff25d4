/** `file.patch`: a patch that has been applied. Follows 3006.16 salt/states/file.py `patch`. */
import { rmSync } from 'node:fs';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { copyContent, makeTempFile } from '../../../host/file-operations.ts';
import { dirName, isAbs, isDir, pathExists } from '../../../python/paths.ts';
import { splitWords } from '../../../python/shell-words.ts';
import { findProgram } from '../../../host/which.ts';
import { opt, textArgument } from '../../shared/file-params.ts';
import { parseSaltUrl } from '../../../storage/fileclient/salt-url.ts';
import { withoutPassword } from '../../shared/source-url.ts';
import { renderNested } from '../../outputters/nested.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, isInt, truthy, type Dict } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { manageFile } from './managed.ts';
import { FileRefusal, untilRefused } from './managed-contents.ts';
import { MANAGED_PARAMS } from './managed-params.ts';
import { environment, errorText, FileOutcome, withDefaults } from './outcome.ts';
import { param } from '../../../runtime/loader/params.ts';
import { S, type ArgsOf } from './params.ts';
import { firstSource } from '../../shared/file-answers.ts';

const PATCH_PARAMS = {
  name: param.by(textArgument, { type: 'str', doc: 'The file or folder that is patched.' }),
  source: opt(S.source, null),
  source_hash: opt(S.source_hash, null),
  source_hash_name: opt(S.source_hash_name, null),
  skip_verify: opt(S.skip_verify, false),
  template: opt(S.template, null),
  context: opt(S.context, null),
  defaults: opt(S.defaults, null),
  options: opt(param.text({ doc: 'Further options of the program patch.' }), ''),
  reject_file: opt(param.textOrNone({ doc: 'Where hunks go that do not fit.' }), null),
  strip: opt(
    param.by((value) => (isInt(value) ? value : undefined), {
      type: 'int',
      doc: 'How many parts of the paths in the patch are left out, for folders.',
    }),
    null,
  ),
  saltenv: opt(param.textOrNone(S.saltenv), null),
} as const;

type PatchArguments = ArgsOf<typeof PATCH_PARAMS>;

/** Options that the state needs for itself. */
const OWN_OPTIONS = ['-N', '--forward', '-r', '--reject-file', '-o', '--output'];

/** The options for the program, and how many parts of paths are left out. */
interface Options {
  readonly words: readonly string[];
  readonly strip: number | bigint | undefined;
}

/** @throws FileRefusal for options that are not allowed, or not understood */
function readOptions(text: string, strip: Options['strip']): Options {
  const given = splitWords(text);
  const words: string[] = [];
  const refused: string[] = [];
  let parts = strip;
  for (let i = 0; i < given.length; i++) {
    const option = given[i] ?? '';
    if (OWN_OPTIONS.some((own) => option.startsWith(own))) refused.push(option);
    if (option.startsWith('-p')) parts = count(option.slice(2), '-p');
    else if (option.startsWith('--strip='))
      parts = count(option.slice(option.lastIndexOf('=') + 1), '-strip');
    else if (option.startsWith('--strip')) parts = count(given[++i] ?? '', '-strip');
    else words.push(option);
  }
  if (refused.length > 0)
    throw new FileRefusal(`The following CLI options are not allowed: ${refused.join(', ')}`);
  return { words, strip: parts };
}

function count(text: string, option: string): number {
  if (/^\s*[+-]?\d+\s*$/.test(text)) return Number(text);
  throw new FileRefusal(
    `Invalid format for '${option}' CLI option. Consider using the 'strip' option for this state.`,
  );
}

/** @throws FileRefusal when there is no place for rejected hunks */
function assertRejectPlace(path: string | undefined): void {
  if (path === undefined) return;
  if (!isAbs(dirName(path))) throw new FileRefusal(`'${path}' is not an absolute path`);
  if (isDir(dirName(path))) return;
  throw new FileRefusal(
    `Parent directory for reject_file '${path}' either does not exist, or is not a directory`,
  );
}

/** @throws FileRefusal when there is nothing that could be patched */
function assertTarget(name: string): void {
  if (name === '') throw new FileRefusal('A file/directory to be patched is required');
  if (!isAbs(name)) throw new FileRefusal(`${name} is not an absolute path`);
  if (!pathExists(name)) throw new FileRefusal(`${name} does not exist`);
}

/** The source, with the environment that it is to come from. */
async function chooseSource(ctx: StateContext, args: PatchArguments, outcome: FileOutcome): Promise<string> {
  let source: string;
  try {
    const chosen = await firstSource(ctx, [args.source, args.source_hash, args.saltenv ?? environment(ctx)]);
    source = pyStr(chosen.source);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    throw new FileRefusal(error.message);
  }
  if (args.saltenv === undefined || !source.startsWith('salt://')) return source;
  const { saltenv } = parseSaltUrl(source);
  if (saltenv === undefined) return `${source}?saltenv=${args.saltenv}`;
  if (saltenv !== args.saltenv)
    outcome.warn("Ignoring 'saltenv' option in favor of saltenv included in the source URL.");
  return source;
}

/** Temporary files of one state, and what they are for. */
interface Workplace {
  readonly name: string;
  readonly patchFile: string;
  readonly rejects: string;
  /** Where the user wants the hunks that do not fit. */
  readonly kept: string | undefined;
  readonly output: string;
  readonly options: Options;
}

/** Puts the patch into a temporary file, in test mode as well. @returns the result of managing it */
async function fetchPatch(
  ctx: StateContext,
  source: string,
  place: string,
  args: PatchArguments,
): Promise<Dict> {
  const { source_hash, source_hash_name, skip_verify, template, context, defaults } = args;
  const wanted = {
    name: place,
    source,
    source_hash,
    source_hash_name,
    skip_verify,
    template,
    context,
    defaults,
  };
  // inherits: a context gets some of its parts when they are asked for
  const real = Object.create(ctx, { state: { value: { ...ctx.state, test: false } } }) as StateContext;
  try {
    return await manageFile(real, withDefaults(MANAGED_PARAMS, wanted));
  } catch (error) {
    throw new FileRefusal(`Failed to cache patch file ${withoutPassword(source)}: ${errorText(error)}`);
  }
}

async function runPatch(
  ctx: StateContext,
  { name, options }: Workplace,
  file: string,
  more: readonly string[],
  isDry = false,
): Promise<Dict> {
  const keywords = dict({ options: [...options.words, ...more], dry_run: isDry });
  const answer = await ctx.functions.call('file.patch', [name, file], keywords);
  return isDict(answer) ? answer : new Map();
}

async function apply(ctx: StateContext, work: Workplace, outcome: FileOutcome): Promise<Dict> {
  const { strip } = work.options;
  const stripping = isDir(work.name) && strip !== undefined ? [`-p${strip}`] : [];
  const trial = ['-N', '-r', work.rejects, '-o', work.output, ...stripping];
  const check = withLastingNames(await runPatch(ctx, work, work.patchFile, trial), work);
  if (check.get('retcode') !== 0) return explain(ctx, work, check, outcome);
  if (ctx.state.test) {
    outcome.changes = check;
    return outcome.end(null, 'The patch would be applied');
  }
  outcome.changes = await runPatch(ctx, work, work.patchFile, stripping);
  return outcome.changes.get('retcode') === 0
    ? outcome.end(true, 'Patch successfully applied')
    : outcome.fail('Failed to apply patch');
}

/**
 * What the program printed, without the temporary files, which are gone when somebody reads it.
 *
 * Salt compat: Salt names them.
 */
function withLastingNames(printed: Dict, { name, rejects, kept, output }: Workplace): Dict {
  const lasting = (text: string): string =>
    text
      .replace(/(\S+) \(read from (.*)\)/g, (whole, to: string, from: string) =>
        to === output ? from : whole,
      )
      .replaceAll(output, () => name)
      .replaceAll(rejects, () => kept ?? '(not kept)');
  return new Map(
    [...printed].map(([key, value]) => [key, typeof value === 'string' ? lasting(value) : value]),
  );
}

/** Why a patch does not fit: perhaps it was applied before, which shows when its rejects fit backwards. */
async function explain(ctx: StateContext, work: Workplace, check: Dict, outcome: FileOutcome): Promise<Dict> {
  const backwards = await runPatch(ctx, work, work.rejects, ['-R', '-f'], true);
  const stderr = check.get('stderr') ?? null;
  if (check.get('retcode') === 2 && truthy(stderr)) return outcome.fail(pyStr(stderr));
  if (backwards.get('retcode') === 0) return outcome.end(true, 'Patch was already applied');
  // Salt compat: Salt writes them before it knows that the patch was applied already, at each run
  if (work.kept !== undefined && !ctx.state.test) copyContent(work.rejects, work.kept);
  const hint =
    work.kept !== undefined
      ? ''
      : ' Run state again using the reject_file option to save rejects to a persistent file.';
  const shown = renderNested(check, { color: false, nestedIndent: 14 });
  return outcome.fail(
    `Patch would not apply cleanly, no changes made. Results of dry-run are below.${hint}\n\n${shown}`,
  );
}

async function patch(
  ctx: StateContext,
  args: PatchArguments,
  kwargs: Dict,
  outcome: FileOutcome,
): Promise<Dict> {
  if (findProgram('patch') === undefined) throw new FileRefusal('patch executable not found on minion');
  const { name } = args;
  assertTarget(name);
  for (const old of ['hash', 'dry_run_first'])
    if (kwargs.has(old)) outcome.warn(`The '${old}' argument is no longer used and has been ignored.`);
  assertRejectPlace(args.reject_file);
  const options = readOptions(args.options, args.strip);
  const source = await chooseSource(ctx, args, outcome);
  const temporary = [makeTempFile(ctx.random), makeTempFile(ctx.random), makeTempFile(ctx.random)] as const;
  const [patchFile, rejects, output] = temporary;
  try {
    const fetched = await fetchPatch(ctx, source, patchFile, args);
    if (!ctx.state.test && !truthy(fetched.get('result'))) return fetched;
    const work = { name, patchFile, rejects, kept: args.reject_file, output, options };
    return await apply(ctx, work, outcome);
  } finally {
    for (const path of temporary) rmSync(path, { force: true });
  }
}

/** The state `patch`. */
export const patchStates = {
  patch: defineState({
    doc: 'Makes sure that a patch has been applied to a file or folder.',
    params: PATCH_PARAMS,
    kwargs: 'kwargs',
    run: (ctx, args, kwargs) => {
      const outcome = new FileOutcome(args.name, { result: false });
      return untilRefused(
        () => patch(ctx, args, kwargs, outcome),
        (comment) => outcome.fail(comment),
      );
    },
  }),
};
