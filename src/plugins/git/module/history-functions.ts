/** The functions of `git` about branches, tags and commits (3006.16 salt/modules/git.py). */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { splitWords } from '../../../python/shell-words.ts';
import { splitLines } from '../../../python/values/text.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { refuseKeywords } from '../../../runtime/loader/bind.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { CWD, ENDING, IDENTITY, OPTIONS, OUTPUT, RUN_AS } from './params.ts';
import { listOfTexts } from './words.ts';
import { inCheckout, printedIn, saidIn, type SharedArgs } from './run.ts';

const COMMON = { ...OPTIONS, ...RUN_AS, ...ENDING } as const;
const LISTING = { ...CWD, ...RUN_AS, ...ENDING } as const;

/** A list of refs, or one text with commas; empty for none. */
const refsIn = (value: Value): string[] =>
  listOfTexts(value).map((ref) => (Array.isArray(value) ? ref : ref.trim()));

/** What `git.merge_base` was asked. */
interface MergeBaseArgs extends SharedArgs {
  readonly refs: readonly string[];
  readonly octopus: boolean;
  readonly is_ancestor: boolean;
  readonly independent: boolean;
  readonly fork_point: string | undefined;
  readonly opts: string[];
}

/** The refs whose base is asked for. @throws SaltInvocationError for questions that do not go together */
function refsOfQuestion(args: MergeBaseArgs, wantsAll: boolean): readonly string[] {
  const { octopus, independent, is_ancestor, fork_point } = args;
  if (wantsAll && (independent || is_ancestor || fork_point !== undefined))
    throw new SaltInvocationError(
      "The 'all' argument is not compatible with 'independent', 'is_ancestor', or 'fork_point'",
    );
  const { refs } = args;
  if ([octopus, independent, is_ancestor, fork_point !== undefined].filter(Boolean).length > 1)
    throw new SaltInvocationError(
      "Only one of 'octopus', 'independent', 'is_ancestor', and 'fork_point' is permitted",
    );
  if (is_ancestor && refs.length !== 2)
    throw new SaltInvocationError("Two refs/commits are required if 'is_ancestor' is True");
  if (fork_point === undefined) return refs;
  if (refs.length > 1)
    throw new SaltInvocationError("At most one ref/commit can be passed if 'fork_point' is specified");
  return refs.length === 0 ? ['HEAD'] : refs;
}

async function mergeBase(ctx: ModuleContext, args: MergeBaseArgs, kwargs: Dict): Promise<Value> {
  refuseKeywords(kwargs, ['all']);
  const wantsAll = truthy(kwargs.get('all'));
  const refs = refsOfQuestion(args, wantsAll);
  const question = args.octopus
    ? ['--octopus']
    : args.is_ancestor
      ? ['--is-ancestor']
      : args.independent
        ? ['--independent']
        : args.fork_point === undefined
          ? []
          : ['--fork-point', args.fork_point];
  const words = ['merge-base', ...args.opts, ...(wantsAll ? ['--all'] : []), ...question, ...refs];
  const ended = await inCheckout(ctx, args, words, { mayFail: args.is_ancestor });
  if (args.is_ancestor) return ended.retcode === 0;
  const bases = splitLines(ended.stdout);
  return wantsAll ? bases : (bases[0] ?? null);
}

async function firstBase(ctx: ModuleContext, args: SharedArgs, refs: readonly string[]): Promise<string> {
  try {
    return (
      splitLines(await printedIn(ctx, { ...args, ignore_retcode: false }, ['merge-base', ...refs]))[0] ?? ''
    );
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    throw new CommandExecutionError(`Unable to determine merge base for ${refs.join(' and ')}`);
  }
}

const branchFunctions = {
  branch: defineFunction({
    doc: 'Makes, changes or removes a branch, as its options say.',
    params: { ...CWD, name: param.textOrNone({ default: null, doc: 'The name of the branch.' }), ...COMMON },
    returns: 'true',
    examples: ["salt '*' git.branch /srv/app feature", "salt '*' git.branch /srv/app feature opts='-d'"],
    run: async (ctx, args) => {
      await inCheckout(ctx, args, [
        ...['branch', ...args.opts],
        ...(args.name === undefined ? [] : [args.name]),
      ]);
      return true;
    },
  }),
  checkout: defineFunction({
    doc: 'Checks a branch, a tag or a commit out.',
    params: {
      ...CWD,
      rev: param.textOrNone({ default: null, doc: 'What to check out; may be missing with `-b` in `opts`.' }),
      force: param.flag({ default: false, doc: 'Discard changes that were not committed.' }),
      ...COMMON,
    },
    returns: 'what git said',
    examples: ["salt '*' git.checkout /srv/app main", "salt '*' git.checkout /srv/app opts='-b feature'"],
    run: (ctx, args) => {
      const opts = args.opts;
      if (args.rev === undefined && !opts.includes('-b') && !opts.includes('-B'))
        throw new SaltInvocationError("'rev' argument is required unless -b or -B in opts");
      const rev = args.rev === undefined ? [] : [args.rev];
      return saidIn(ctx, args, ['checkout', ...(args.force ? ['--force'] : []), ...opts, ...rev]);
    },
  }),
  current_branch: defineFunction({
    doc: 'Returns the branch that is checked out.',
    params: LISTING,
    returns: 'its name; `HEAD` when none is',
    examples: ["salt '*' git.current_branch /srv/app"],
    run: (ctx, args) => printedIn(ctx, args, ['rev-parse', '--abbrev-ref', 'HEAD']),
  }),
  list_branches: defineFunction({
    doc: 'Lists the branches.',
    params: {
      ...CWD,
      remote: param.flag({ default: false, doc: 'Those of remotes, as they were fetched.' }),
      ...{ ...RUN_AS, ...ENDING },
    },
    returns: 'list of names',
    examples: ["salt '*' git.list_branches /srv/app remote=True"],
    run: async (ctx, args) => {
      const place = `refs/${args.remote ? 'remotes' : 'heads'}/`;
      return splitLines(await printedIn(ctx, args, ['for-each-ref', '--format', '%(refname:short)', place]));
    },
  }),
  list_tags: defineFunction({
    doc: 'Lists the tags.',
    params: LISTING,
    returns: 'list of names',
    examples: ["salt '*' git.list_tags /srv/app"],
    run: async (ctx, args) =>
      splitLines(await printedIn(ctx, args, ['for-each-ref', '--format', '%(refname:short)', 'refs/tags/'])),
  }),
  tag: defineFunction({
    doc: 'Makes a tag, or removes one with `opts=-d`.',
    params: {
      ...CWD,
      name: param.text({ doc: 'The name of the tag.' }),
      ref: param.text({ default: 'HEAD', doc: 'What it stands for.' }),
      message: param.textIfGiven({ default: null, doc: 'The message of an annotated tag.' }),
      ...COMMON,
    },
    returns: 'what git said',
    examples: ["salt '*' git.tag /srv/app v1.0 message='Version 1.0'"],
    run: (ctx, args) => {
      const opts = args.opts.filter((word) => word !== '-a' && word !== '--annotate');
      if (opts.some((word) => word === '-m' || word.includes('--message')))
        throw new SaltInvocationError('Tag messages must be passed in the "message" argument');
      const isRemoval = opts.includes('-d') || opts.includes('--delete');
      const message = args.message === undefined || isRemoval ? [] : ['-m', args.message];
      return saidIn(ctx, args, ['tag', ...message, ...opts, args.name, ...(isRemoval ? [] : [args.ref])]);
    },
  }),
  symbolic_ref: defineFunction({
    doc: 'Returns or sets what a symbolic ref points to.',
    params: {
      ...CWD,
      ref: param.text({ doc: 'The symbolic ref: `HEAD`.' }),
      value: param.textIfGiven({ default: null, doc: 'What it is to point to: `refs/heads/main`.' }),
      ...COMMON,
    },
    returns: 'what it points to; empty when it was set',
    examples: ["salt '*' git.symbolic_ref /srv/app HEAD"],
    run: (ctx, args) => {
      const opts = args.opts;
      if (args.value !== undefined && (opts.includes('-d') || opts.includes('--delete')))
        throw new SaltInvocationError(
          'Value cannot be set for symbolic ref if -d/--delete is included in opts',
        );
      const value = args.value === undefined ? [] : [args.value];
      return printedIn(ctx, args, ['symbolic-ref', ...opts, args.ref, ...value]);
    },
  }),
};

const commitFunctions = {
  describe: defineFunction({
    doc: 'Returns a name for a commit after the tag before it.',
    params: { ...CWD, rev: param.text({ default: 'HEAD', doc: 'The commit.' }), ...RUN_AS, ...ENDING },
    returns: 'the name; the short commit id when there is no tag',
    examples: ["salt '*' git.describe /srv/app"],
    run: (ctx, args) => printedIn(ctx, args, ['describe', '--always', args.rev]),
  }),
  revision: defineFunction({
    doc: 'Returns the id of a commit.',
    params: {
      ...CWD,
      rev: param.text({ default: 'HEAD', doc: 'A branch, a tag or a commit.' }),
      short: param.flag({ default: false, doc: 'The short form.' }),
      ...{ ...RUN_AS, ...ENDING },
    },
    returns: 'the id',
    examples: ["salt '*' git.revision /srv/app main short=True"],
    run: (ctx, args) => printedIn(ctx, args, ['rev-parse', ...(args.short ? ['--short'] : []), args.rev]),
  }),
  rev_parse: defineFunction({
    doc: 'Runs `git rev-parse`.',
    params: { ...CWD, rev: param.textOrNone({ default: null, doc: 'A revision.' }), ...COMMON },
    returns: OUTPUT,
    examples: [
      "salt '*' git.rev_parse /srv/app main",
      "salt '*' git.rev_parse /srv/app opts='--is-bare-repository'",
    ],
    run: (ctx, args) =>
      printedIn(ctx, args, [...['rev-parse', ...args.opts], ...(args.rev === undefined ? [] : [args.rev])]),
  }),
  merge: defineFunction({
    doc: 'Merges a branch into the one that is checked out.',
    params: {
      ...CWD,
      rev: param.textIfGiven({
        default: null,
        doc: 'The branch, tag or commit; the upstream branch without it.',
      }),
      ...{ ...OPTIONS, ...RUN_AS, ...IDENTITY, ...ENDING },
    },
    kwargs: 'kwargs',
    returns: OUTPUT,
    examples: ["salt '*' git.merge /srv/app feature opts='--ff-only'"],
    run: (ctx, args, _rest, kwargs) => {
      refuseKeywords(kwargs, []);
      const rev = args.rev === undefined ? [] : [args.rev];
      return printedIn(ctx, args, ['merge', ...args.opts, ...rev]);
    },
  }),
  merge_base: defineFunction({
    doc: 'Returns the best common ancestor of commits. Keyword: `all`, every one of them.',
    params: {
      ...CWD,
      refs: param.by(refsIn, { default: null, type: 'list or str', doc: 'The commits.' }),
      octopus: param.flag({ default: false, doc: 'The ancestor of all of them at once.' }),
      is_ancestor: param.flag({
        default: false,
        doc: 'Whether the first of two is an ancestor of the other.',
      }),
      independent: param.flag({ default: false, doc: 'Those that no other one leads to.' }),
      fork_point: param.textIfGiven({ default: null, doc: 'Where the commit left this ref.' }),
      ...COMMON,
    },
    kwargs: 'kwargs',
    returns: 'a commit id, with `all=True` a list; true or false with `is_ancestor=True`',
    examples: ["salt '*' git.merge_base /srv/app refs=main,feature"],
    run: (ctx, args, _rest, kwargs) => mergeBase(ctx, args, kwargs),
  }),
  merge_tree: defineFunction({
    doc: 'Shows what merging two commits would do, without doing it.',
    params: {
      ...CWD,
      ref1: param.text({ doc: 'One commit.' }),
      ref2: param.text({ doc: 'The other.' }),
      base: param.textOrNone({ default: null, doc: 'Their common ancestor; found without it.' }),
      ...{ ...RUN_AS, ...ENDING },
    },
    returns: OUTPUT,
    examples: ["salt '*' git.merge_tree /srv/app main feature"],
    run: async (ctx, args) => {
      const { ref1, ref2 } = args;
      const base = args.base ?? (await firstBase(ctx, args, [ref1, ref2]));
      return printedIn(ctx, args, ['merge-tree', base, ref1, ref2]);
    },
  }),
  rebase: defineFunction({
    doc: 'Rebases the branch that is checked out.',
    params: { ...CWD, rev: param.text({ default: 'master', doc: 'What it is put on top of.' }), ...COMMON },
    returns: OUTPUT,
    examples: ["salt '*' git.rebase /srv/app main"],
    run: (ctx, args) => {
      const opts = args.opts;
      if (opts.includes('-i') || opts.includes('--interactive'))
        throw new SaltInvocationError('Interactive rebases are not supported');
      return printedIn(ctx, args, ['rebase', ...opts, ...splitWords(args.rev)]);
    },
  }),
  reset: defineFunction({
    doc: 'Resets the branch that is checked out, as its options say.',
    params: { ...CWD, ...OPTIONS, ...RUN_AS, ...IDENTITY, ...ENDING },
    returns: OUTPUT,
    examples: ["salt '*' git.reset /srv/app opts='--hard origin/main'"],
    run: (ctx, args) => printedIn(ctx, args, ['reset', ...args.opts]),
  }),
};

/** The functions about branches, tags and commits. */
export const historyFunctions = { ...branchFunctions, ...commitFunctions };
