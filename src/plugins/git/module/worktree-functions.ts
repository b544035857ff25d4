/** The functions of `git` about further working trees of one repository (3006.16 salt/modules/git.py). */
import { rmSync } from 'node:fs';
import { CommandExecutionError, messageOf, SaltInvocationError } from '../../../errors/errors.ts';
import { readTextIfExists } from '../../../host/files.ts';
import { baseName, isAbs, isDir, joinPath, pathExists } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, truthy, type Dict } from '../../../python/values/value.ts';
import { refuseKeywords } from '../../../runtime/loader/bind.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { CWD, ENCODING, ENDING, OPTIONS, RUN_AS } from './params.ts';
import { inCheckout, printedIn, saidIn, type SharedArgs } from './run.ts';
import { expandFolder } from './words.ts';

/** True for a folder that is a working tree beside that of its repository. */
async function isWorktree(ctx: ModuleContext, args: SharedArgs): Promise<boolean> {
  let top: string;
  try {
    top = await printedIn(ctx, args, ['rev-parse', '--show-toplevel']);
  } catch (error) {
    if (error instanceof CommandExecutionError) return false;
    throw error;
  }
  const file = joinPath(top, '.git');
  const [line = ''] = isDir(file) ? [] : (readTextIfExists(file) ?? '').split('\n');
  const [, path] = /^\s*gitdir:\s+(.*)$/.exec(line) ?? [];
  return path !== undefined && isAbs(path);
}

const TRACKED = ['worktree', 'HEAD', 'branch'] as const;

/** One block of `git worktree list --porcelain`; undefined when something is missing in it. */
function describedTree(ctx: ModuleContext, block: string): ReadonlyMap<string, string> | undefined {
  const found = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, said = '', value = ''] = /^\s*(\S+)\s+(.*\S)\s*$/.exec(line) ?? [];
    const key = line === 'detached' ? 'branch' : said;
    if (!TRACKED.some((name) => name === key)) ctx.log.warning(`git.worktree: Untracked line item '${line}'`);
    else if (found.has(key))
      ctx.log.error(`git.worktree: Unexpected duplicate ${key} entry '${line}', skipping`);
    else found.set(key, line === 'detached' ? 'detached' : value);
  }
  const missing = TRACKED.filter((name) => !found.has(name));
  if (missing.length === 0) return found;
  ctx.log.error(
    `git.worktree: Incomplete worktree data, missing the following information: ${missing.join(', ')}. Full data below:\n${block}`,
  );
  return undefined;
}

async function worktreesOf(
  ctx: ModuleContext,
  args: SharedArgs & { readonly stale: boolean },
  kwargs: Dict,
): Promise<Dict> {
  refuseKeywords(kwargs, ['all']);
  const wantsAll = truthy(kwargs.get('all'));
  if (wantsAll && args.stale) throw new CommandExecutionError("'all' and 'stale' cannot both be set to True");
  const text = (await printedIn(ctx, args, ['worktree', 'list', '--porcelain'])).trim();
  const trees: Dict = new Map();
  for (const block of text.split('\n\n')) {
    const found = describedTree(ctx, block);
    if (found === undefined) continue;
    const [path = '', head = '', branch = ''] = TRACKED.map((name) => found.get(name));
    const stale = !isDir(path);
    if (!wantsAll && stale !== args.stale) continue;
    const detached = branch === 'detached';
    const name = detached ? null : branch.replace('refs/heads/', '');
    const tree = dict({ stale, HEAD: head, detached, branch: name });
    if (detached) {
      const tags = splitLines(await printedIn(ctx, args, ['tag', '--points-at', head]));
      if (tags.length > 0) tree.set('tags', tags);
    }
    trees.set(path, tree);
  }
  return trees;
}

/** The functions about working trees. */
export const worktreeFunctions = {
  is_worktree: defineFunction({
    doc: 'Returns whether a folder is a working tree that `git worktree add` has made.',
    params: { ...CWD, ...RUN_AS, ...ENCODING },
    returns: 'true or false',
    examples: ["salt '*' git.is_worktree /srv/app"],
    run: (ctx, args) => isWorktree(ctx, args),
  }),
  list_worktrees: defineFunction({
    doc: 'Lists the working trees of a repository. Keyword: `all`, those whose folders are gone as well.',
    params: {
      ...CWD,
      stale: param.flag({ default: false, doc: 'Only those whose folders are gone.' }),
      ...{ ...RUN_AS, ...ENCODING },
    },
    kwargs: 'kwargs',
    returns: 'mapping of folder to `stale`, `HEAD`, `detached`, `branch` and `tags`',
    examples: ["salt '*' git.list_worktrees /srv/app all=True"],
    run: (ctx, args, _rest, kwargs) => worktreesOf(ctx, args, kwargs),
  }),
  worktree_add: defineFunction({
    doc: 'Makes a working tree. Keyword: `branch`, the new branch in it, which is named after the folder without it.',
    params: {
      ...CWD,
      worktree_path: param.text({ doc: 'The new folder.' }),
      ref: param.textIfGiven({ default: null, doc: 'What is checked out there; `HEAD` without it.' }),
      reset_branch: param.flag({ default: null, doc: 'Take a branch that is there, and reset it.' }),
      force: param.flag({ default: null, doc: 'Even if the branch is checked out somewhere else.' }),
      detach: param.flag({ default: false, doc: 'Check a commit out, without a branch.' }),
      ...{ ...OPTIONS, ...RUN_AS, ...ENDING },
    },
    kwargs: 'kwargs',
    returns: 'what git said',
    examples: ["salt '*' git.worktree_add /srv/app /srv/app-next ref=next branch=next"],
    run: (ctx, args, _rest, kwargs) => {
      refuseKeywords(kwargs, ['branch']);
      const branch = kwargs.get('branch') ?? null;
      if (truthy(branch) && args.detach)
        throw new SaltInvocationError("Only one of 'branch' and 'detach' is allowed");
      if (args.detach && args.force)
        ctx.log.warning("'force' argument to git.worktree_add is ignored when detach=True");
      const name = truthy(branch) ? pyStr(branch) : baseName(args.worktree_path);
      const kind = args.detach
        ? ['--detach']
        : [args.reset_branch ? '-B' : '-b', name, ...(args.force ? ['--force'] : [])];
      const ref = args.ref === undefined ? [] : [args.ref];
      const words = ['worktree', 'add', ...kind, ...args.opts, args.worktree_path, ...ref];
      return saidIn(ctx, args, words);
    },
  }),
  worktree_prune: defineFunction({
    doc: 'Forgets working trees whose folders are gone.',
    params: {
      ...CWD,
      dry_run: param.flag({ default: false, doc: 'Only say which.' }),
      verbose: param.flag({ default: true, doc: 'Say which.' }),
      expire: param.textIfGiven({ default: null, doc: 'Only those that are older: `3.months.ago`.' }),
      ...{ ...OPTIONS, ...RUN_AS, ...ENDING },
    },
    returns: 'what git said',
    examples: ["salt '*' git.worktree_prune /srv/app dry_run=True"],
    run: async (ctx, args) => {
      const { stdout, stderr } = await inCheckout(ctx, args, [
        ...['worktree', 'prune'],
        ...(args.dry_run ? ['--dry-run'] : []),
        ...(args.verbose ? ['--verbose'] : []),
        ...(args.expire === undefined ? [] : ['--expire', args.expire]),
        ...args.opts,
      ]);
      // since git 2.36 it is the error output that says what was pruned
      return stderr === '' ? stdout : stderr;
    },
  }),
  worktree_rm: defineFunction({
    doc: 'Removes the folder of a working tree; `git.worktree_prune` forgets it.',
    params: { ...CWD, user: RUN_AS.user, ...ENCODING },
    returns: 'true',
    examples: ["salt '*' git.worktree_rm /srv/app-next"],
    run: async (ctx, args) => {
      const cwd = expandFolder(args.cwd, args.user);
      if (!pathExists(cwd)) throw new CommandExecutionError(`${cwd} does not exist`);
      if (!(await isWorktree(ctx, { ...args, user: undefined, cwd })))
        throw new CommandExecutionError(`${cwd} is not a git worktree`);
      try {
        rmSync(cwd, { recursive: true });
      } catch (error) {
        throw new CommandExecutionError(`Unable to remove ${cwd}: ${messageOf(error)}`);
      }
      return true;
    },
  }),
};
