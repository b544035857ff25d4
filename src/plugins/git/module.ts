/** `git`: repositories and checkouts, by the program git. Follows 3006.16 salt/modules/git.py. */
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { baseName } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isInt, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { refuseKeywords } from '../../runtime/loader/bind.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { configFunctions } from './module/config-functions.ts';
import { historyFunctions } from './module/history-functions.ts';
import {
  CWD,
  ENCODING,
  ENDING,
  IDENTITY,
  IGNORE_RETCODE,
  OPTIONS,
  OUTPUT,
  RUN_AS,
  SALTENV,
} from './module/params.ts';
import { remotesAndTransfers } from './module/remote-functions.ts';
import { inCheckout, printedIn, runGit, runOf, saidIn, type SharedArgs } from './module/run.ts';
import { expandFolder, listOfTexts, optionWords } from './module/words.ts';
import { worktreeFunctions } from './module/worktree-functions.ts';

/** The version of git: `2.39.5`. */
async function gitVersion(ctx: ModuleContext): Promise<string> {
  try {
    const [text = ''] = (await runGit(ctx, ['--version'])).stdout.split('(');
    return text.trim().split(/\s+/).at(-1) ?? 'unknown';
  } catch (error) {
    ctx.log.error(`Failed to obtain the git version (error follows):\n${String(error)}`);
    return 'unknown';
  }
}

const STATES: ReadonlyMap<string, string> = new Map([
  ['M', 'modified'],
  ['A', 'new'],
  ['D', 'deleted'],
  ['??', 'untracked'],
]);

async function statusOf(ctx: ModuleContext, args: SharedArgs): Promise<Dict> {
  const output = await printedIn(ctx, args, ['status', '-z', '--porcelain']);
  const found = new Map<Value, Value[]>();
  for (const entry of output.split('\0')) {
    const [, code, name] = /^\s*(\S+)\s+(.+)$/s.exec(entry) ?? [];
    if (code === undefined || name === undefined) continue;
    const state = STATES.get(code) ?? code;
    found.set(state, [...(found.get(state) ?? []), name]);
  }
  return found;
}

/** What `git.diff` was asked. */
interface DiffArgs extends SharedArgs {
  readonly item1: string | undefined;
  readonly item2: string | undefined;
  readonly opts: string[];
  readonly no_index: boolean;
  readonly cached: boolean;
  readonly paths: string[];
}

/** The revisions that a diff is about; those that are not looked at are logged. */
function diffedRevisions(ctx: ModuleContext, { item1, item2, no_index, cached }: DiffArgs): string[] {
  const items = [item1, item2].filter((item) => item !== undefined);
  if (no_index) {
    for (const item of items)
      ctx.log.warning(
        `Revision '${item}' ignored in git diff, as revisions cannot be used when no_index=True`,
      );
    return ['--no-index'];
  }
  if (!cached) return items;
  if (item2 !== undefined)
    ctx.log.warning(
      `Second revision '${item2}' ignored in git diff, at most one revision is considered when cached=True`,
    );
  return ['--cached', ...(item1 === undefined ? [] : [item1])];
}

async function diffOf(ctx: ModuleContext, args: DiffArgs): Promise<string> {
  const { no_index, cached } = args;
  if (no_index && cached)
    throw new CommandExecutionError("The 'no_index' and 'cached' options cannot be used together");
  const paths = args.paths;
  const words = ['diff', ...args.opts, ...diffedRevisions(ctx, args)];
  if (paths.length > 0) words.push('--', ...paths);
  const run = { ignoreRetcode: no_index, mayFail: no_index, merged: true };
  // Salt compat: here, and only here, a relative folder is not taken to be below the home folder
  const git = [...optionWords(args.git_opts), ...words];
  return (await runGit(ctx, git, { ...runOf(args, args.cwd), ...run })).stdout;
}

/** The value of `--shared`. */
function sharedWord(shared: Value): string[] {
  if (shared === null) return [];
  const text = isInt(shared)
    ? `0${pyStr(shared)}`
    : typeof shared === 'string'
      ? shared
      : pyStr(shared).toLowerCase();
  return [`--shared=${text}`];
}

const COMMON = { ...OPTIONS, ...RUN_AS, ...ENDING } as const;
const FILENAME = {
  filename: param.text({ doc: 'The file or folder, from the folder of the checkout.' }),
} as const;

const workFunctions = {
  add: defineFunction({
    doc: 'Stages files.',
    params: { ...CWD, ...FILENAME, ...COMMON },
    returns: OUTPUT,
    examples: ["salt '*' git.add /srv/app foo/bar.py", "salt '*' git.add /srv/app foo opts='--all'"],
    run: (ctx, args) => {
      const opts = args.opts.filter((word) => word !== '-v' && word !== '--verbose');
      return printedIn(ctx, args, ['add', '--verbose', ...opts, '--', args.filename]);
    },
  }),
  archive: defineFunction({
    doc: 'Packs the files of a commit into an archive. Keyword: `format`, which git knows by the name of the file without it.',
    params: {
      ...CWD,
      output: param.text({ doc: 'The archive.' }),
      rev: param.text({ default: 'HEAD', doc: 'The commit.' }),
      prefix: param.textOrNone({
        default: null,
        doc: 'What stands before the paths in it; the name of the checkout without it, nothing with an empty text.',
      }),
      ...{ git_opts: OPTIONS.git_opts, ...RUN_AS, ...ENDING },
    },
    kwargs: 'kwargs',
    returns: 'true',
    examples: ["salt '*' git.archive /srv/app /tmp/app.tar.gz"],
    run: async (ctx, args, _rest, kwargs) => {
      refuseKeywords(kwargs, ['format']);
      const cwd = expandFolder(args.cwd, args.user);
      const format = kwargs.get('format') ?? null;
      await inCheckout(ctx, args, [
        'archive',
        ...(args.prefix === '' ? [] : ['--prefix', args.prefix ?? `${baseName(cwd)}/`]),
        ...(truthy(format) ? ['--format', pyStr(format)] : []),
        ...['--output', expandFolder(args.output, args.user), args.rev],
      ]);
      return true;
    },
  }),
  commit: defineFunction({
    doc: 'Commits what is staged.',
    params: {
      ...CWD,
      message: param.text({ doc: 'The message.' }),
      ...{ ...OPTIONS, ...RUN_AS },
      filename: param.textIfGiven({ default: null, doc: 'Only this file.' }),
      ...ENDING,
    },
    returns: OUTPUT,
    examples: ["salt '*' git.commit /srv/app 'Changed something'"],
    run: (ctx, args) => {
      const file = args.filename === undefined ? [] : ['--', args.filename];
      return printedIn(ctx, args, ['commit', '-m', args.message, ...args.opts, ...file]);
    },
  }),
  diff: defineFunction({
    doc: 'Shows differences.',
    params: {
      ...CWD,
      item1: param.textIfGiven({ default: null, doc: 'A revision.' }),
      item2: param.textIfGiven({ default: null, doc: 'Another one.' }),
      ...{ ...OPTIONS, ...RUN_AS },
      no_index: param.flag({ default: false, doc: 'Compare two `paths`, whether or not git knows them.' }),
      cached: param.flag({ default: false, doc: 'Compare what is staged.' }),
      paths: param.by(listOfTexts, { default: null, type: 'list or str', doc: 'Only these.' }),
      ...ENCODING,
    },
    returns: 'the differences',
    examples: ["salt '*' git.diff /srv/app main feature"],
    run: (ctx, args) => diffOf(ctx, args),
  }),
  discard_local_changes: defineFunction({
    doc: 'Discards changes that were not staged.',
    params: { ...CWD, path: param.text({ default: '.', doc: 'Only below it.' }), ...RUN_AS, ...ENDING },
    returns: 'what git said',
    examples: ["salt '*' git.discard_local_changes /srv/app"],
    run: (ctx, args) => saidIn(ctx, args, ['checkout', '--', args.path]),
  }),
  init: defineFunction({
    doc: 'Makes a repository.',
    params: {
      cwd: param.text({ doc: 'The folder.' }),
      bare: param.flag({ default: false, doc: 'Without a working tree.' }),
      template: param.textOrNone({ default: null, doc: 'A folder of templates.' }),
      separate_git_dir: param.textOrNone({ default: null, doc: 'Where the repository itself is kept.' }),
      shared: param.by(sharedWord, {
        default: null,
        type: 'str',
        doc: 'Who may use it: `group`, `all`, a mode.',
      }),
      ...COMMON,
    },
    returns: OUTPUT,
    examples: ["salt '*' git.init /srv/app bare=True"],
    run: async (ctx, args) => {
      const words = [
        ...optionWords(args.git_opts),
        'init',
        ...(args.bare ? ['--bare'] : []),
        ...(args.template === undefined ? [] : [`--template=${args.template}`]),
        ...(args.separate_git_dir === undefined ? [] : [`--separate-git-dir=${args.separate_git_dir}`]),
        ...args.shared,
        ...args.opts,
        expandFolder(args.cwd, args.user),
      ];
      return (await runGit(ctx, words, runOf(args))).stdout;
    },
  }),
  rm: defineFunction({
    doc: 'Removes files, and stages that.',
    params: { ...CWD, ...FILENAME, ...COMMON },
    returns: OUTPUT,
    pythonName: 'rm_',
    examples: ["salt '*' git.rm /srv/app foo/bar.py"],
    run: (ctx, args) => printedIn(ctx, args, ['rm', ...args.opts, '--', args.filename]),
  }),
  stash: defineFunction({
    doc: 'Puts changes aside, or takes them back.',
    params: { ...CWD, action: param.text({ default: 'save', doc: '`save`, `pop`, `list`…' }), ...COMMON },
    returns: OUTPUT,
    examples: ["salt '*' git.stash /srv/app save opts='work in progress'"],
    run: (ctx, args) => printedIn(ctx, args, ['stash', args.action, ...args.opts]),
  }),
  status: defineFunction({
    doc: 'Returns what was changed.',
    params: { ...CWD, ...RUN_AS, ...ENDING },
    returns: 'mapping of `modified`, `new`, `deleted`, `untracked` or what git calls it to files',
    examples: ["salt '*' git.status /srv/app"],
    run: (ctx, args) => statusOf(ctx, args),
  }),
  submodule: defineFunction({
    doc: 'Runs a command of `git submodule`.',
    params: {
      ...CWD,
      command: param.text({ doc: '`add`, `init`, `update`…' }),
      ...{ ...OPTIONS, ...RUN_AS, ...IDENTITY, ...IGNORE_RETCODE, ...SALTENV, ...ENCODING },
    },
    kwargs: 'kwargs',
    returns: OUTPUT,
    examples: ["salt '*' git.submodule /srv/app update opts='--init --recursive'"],
    run: (ctx, args, _rest, kwargs) => {
      refuseKeywords(kwargs, ['init']);
      if (truthy(kwargs.get('init')))
        throw new SaltInvocationError(
          "The 'init' argument is no longer supported. Either set 'command' to 'init', or include '--init' in the 'opts' argument and set 'command' to 'update'.",
        );
      return printedIn(ctx, args, ['submodule', args.command, ...args.opts]);
    },
  }),
  version: defineFunction({
    doc: 'Returns the version of git.',
    params: { versioninfo: param.flag({ default: false, doc: 'As a list.' }) },
    returns: 'a text, or a list of numbers',
    examples: ["salt '*' git.version"],
    run: async (ctx, { versioninfo }) => {
      const version = await gitVersion(ctx);
      if (!versioninfo) return version;
      return version.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    },
  }),
};

/** The module. */
export const gitModule = defineModule({
  name: 'git',
  file: 'git',
  doc: 'Repositories and checkouts of git.',
  unavailable: () =>
    findProgram('git') === undefined
      ? 'The git execution module cannot be loaded: git unavailable.'
      : undefined,
  words: {
    dashes: 'opts git_opts message filename paths path password https_pass push_https_pass'.split(' '),
    lines: 'opts git_opts message value multivar password https_pass push_https_pass'.split(' '),
  },
  functions: {
    ...workFunctions,
    ...configFunctions,
    ...historyFunctions,
    ...remotesAndTransfers,
    ...worktreeFunctions,
  },
});
