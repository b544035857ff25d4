/** `file.recurse`: a folder as it is on the file server. Follows 3006.16 salt/states/file.py `recurse`. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { parseSaltUrl } from '../../../storage/fileclient/salt-url.ts';
import { baseName, isAbs, isDir, joinPath, pathExists } from '../../../python/paths.ts';
import { param } from '../../../runtime/loader/params.ts';
import { depthOf, opt } from '../../shared/file-params.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { askedUser, missingOwner } from './checks.ts';
import { DIRECTORY_PARAMS, manageFolder } from './directory.ts';
import { cleanFolder, keptByRequired } from './keep.ts';
import { manageFile } from './managed.ts';
import { FileRefusal, untilRefused } from './managed-contents.ts';
import { MANAGED_PARAMS } from './managed-params.ts';
import { environment, FileOutcome, withDefaults } from './outcome.ts';
import { modeOf, OWNER_PARAMS, S, type ArgsOf } from './params.ts';
import { recursedFiles } from './recurse-files.ts';
import { makeSymlink, SYMLINK_PARAMS } from './symlink.ts';
import { firstSource } from '../../shared/file-answers.ts';

const RECURSE_PARAMS = {
  name: S.name,
  source: param.value({
    type: 'str or list',
    doc: 'A folder of the file server; of a list the first that exists.',
  }),
  keep_source: opt(S.keep_source, true),
  clean: opt(S.clean, false),
  require: opt(S.require, null),
  ...OWNER_PARAMS,
  dir_mode: opt({ ...S.dir_mode, doc: 'The mode of folders.' }, null),
  file_mode: opt(
    param.by(modeOf, { type: 'str', doc: 'The mode of files; `keep` takes those of the sources.' }),
    null,
  ),
  sym_mode: opt(
    param.by(modeOf, { type: 'str', doc: 'The mode of folders that are created for links.' }),
    null,
  ),
  template: opt(S.template, null),
  context: opt(S.context, null),
  replace: opt(param.flag({ doc: 'False: files that are there keep their content.' }), true),
  defaults: opt(S.defaults, null),
  include_empty: opt(param.flag({ doc: 'Create empty folders, too.' }), false),
  backup: opt(S.backup, ''),
  include_pat: opt(S.include_pat, null),
  exclude_pat: opt(S.exclude_pat, null),
  maxdepth: opt(param.by(depthOf, { type: 'int', doc: 'How many levels below the source.' }), null),
  keep_symlinks: opt(param.flag({ doc: 'Links of the source become links.' }), false),
  force_symlinks: opt(param.flag({ doc: 'Links take the place of what is in their way.' }), false),
  win_owner: opt(param.value({ type: 'str', doc: 'For Windows; without effect here.' }), null),
  win_perms: opt(param.value({ type: 'dict', doc: 'For Windows; without effect here.' }), null),
  win_deny_perms: opt(param.value({ type: 'dict', doc: 'For Windows; without effect here.' }), null),
  win_inheritance: opt(param.flag({ doc: 'For Windows; without effect here.' }), true),
} as const;

type RecurseArguments = ArgsOf<typeof RECURSE_PARAMS>;

/** What the steps share. */
interface Plan {
  readonly name: string;
  readonly args: RecurseArguments;
  readonly source: string;
  readonly user: Value;
  readonly dirMode: string | null;
  readonly fileMode: string | null;
  readonly clean: boolean;
  readonly kwargs: Dict;
}

/** The result of the whole, out of those of the parts. */
class Parts {
  readonly outcome: FileOutcome;
  readonly #comments = new Map<string, string[]>();

  constructor(outcome: FileOutcome) {
    this.outcome = outcome;
  }

  comment(path: string, ...comments: readonly string[]): void {
    const known = this.#comments.get(path);
    if (known === undefined) this.#comments.set(path, [...comments]);
    else known.push(...comments);
  }

  /** The worst result counts; comments of what is well are left out. */
  add(path: string, part: Dict): void {
    const { ret } = this.outcome;
    const result = part.get('result') ?? null;
    if (result === false || ret.get('result') === true) ret.set('result', result);
    const comment = part.get('comment') ?? null;
    if (result !== true && truthy(comment)) this.comment(path, pyStr(comment));
    const changes = part.get('changes') ?? null;
    if (truthy(changes)) this.outcome.changes.set(path, changes);
  }

  text(): string {
    const blocks = [...this.#comments].map(([path, lines]) => `\n#### ${path} ####\n${lines.join('\n')}`);
    return blocks.join('\n').trim();
  }
}

async function recurse(
  ctx: StateContext,
  args: RecurseArguments,
  kwargs: Dict,
  outcome: FileOutcome,
): Promise<Dict> {
  const plan = await planOf(ctx, args, kwargs);
  const { name } = plan;
  if (!isDir(name)) {
    if (pathExists(name)) throw new FileRefusal(`The path ${name} exists and is not a directory`);
    if (!ctx.state.test) {
      const owner = dict({ user: plan.user, group: args.group, mode: plan.dirMode });
      await ctx.functions.call('file.makedirs_perms', [name], owner);
    }
  }
  const parts = new Parts(outcome);
  const found = await recursedFiles(ctx, {
    name,
    source: plan.source,
    keepLinks: args.keep_symlinks,
    include: args.include_pat,
    exclude: args.exclude_pat,
    maxDepth: args.maxdepth,
    includeEmpty: args.include_empty,
  });
  for (const { path, target } of found.links)
    parts.add(joinPath(name, path), await makeLink(ctx, plan, path, target));
  for (const folder of found.folders) await addFolder(ctx, plan, folder, parts);
  for (const { place, source } of found.files) await addFile(ctx, plan, place, source, parts);
  if (plan.clean) await clean(ctx, plan, found.kept, parts);
  const text = parts.text();
  outcome.comment = text === '' ? `Recursively updated ${name}` : text;
  if (outcome.changes.size === 0 && outcome.succeeds)
    outcome.comment = `The directory ${name} is in the correct state`;
  return outcome.ret;
}

/** @throws FileRefusal for what Salt refuses before it touches anything */
async function planOf(ctx: StateContext, args: RecurseArguments, kwargs: Dict): Promise<Plan> {
  const { name } = args;
  const user = askedUser(ctx, args.user, kwargs);
  if (kwargs.has('mode')) {
    throw new FileRefusal("'mode' is not allowed in 'file.recurse'. Please use 'file_mode' and 'dir_mode'.");
  }
  const missing = await missingOwner(ctx, { user, group: args.group });
  if (missing !== '') throw new FileRefusal(missing);
  if (!isAbs(name)) throw new FileRefusal(`Specified file ${name} is not an absolute path`);
  const keepsMode = args.file_mode?.toLowerCase() === 'keep';
  return {
    name,
    args,
    source: await sourceFolder(ctx, args.source),
    user,
    dirMode: args.dir_mode,
    fileMode: keepsMode ? 'keep' : args.file_mode,
    clean: args.clean,
    kwargs: new Map([...kwargs].filter(([key]) => !['env', 'mode', 'makedirs'].includes(pyStr(key)))),
  };
}

/** @throws FileRefusal when no source is a folder of the file server */
async function sourceFolder(ctx: StateContext, source: Value): Promise<string> {
  const sources = (Array.isArray(source) ? source : [source]).map((item) => pyStr(item).replace(/\/+$/, ''));
  const wrong = sources.find((item) => !item.startsWith('salt://'));
  if (wrong !== undefined) throw new FileRefusal(`Invalid source '${wrong}' (must be a salt:// URI)`);
  const saltenv = environment(ctx);
  let chosen: Awaited<ReturnType<typeof firstSource>>;
  try {
    chosen = await firstSource(ctx, [sources, '', saltenv]);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    throw new FileRefusal(`Recurse failed: ${error.message}`);
  }
  const address = pyStr(chosen.source ?? '');
  const { path, saltenv: named = saltenv } = parseSaltUrl(address);
  const folders = await ctx.functions.call('cp.list_master_dirs', [], { saltenv: named, prefix: `${path}/` });
  if (!Array.isArray(folders) || !folders.includes(path)) {
    throw new FileRefusal(
      `The directory '${path}' does not exist on the salt fileserver in saltenv '${named}'`,
    );
  }
  return address;
}

function makeLink(ctx: StateContext, plan: Plan, path: string, target: string): Promise<Dict> {
  return makeSymlink(
    ctx,
    withDefaults(SYMLINK_PARAMS, {
      name: joinPath(plan.name, path),
      target,
      makedirs: true,
      force: plan.args.force_symlinks,
      user: plan.user,
      group: plan.args.group,
      mode: plan.args.sym_mode,
    }),
  );
}

/** The part about something in the way that is of another kind; only with `clean`. @returns whether to go on */
async function replaceKind(
  ctx: StateContext,
  plan: Plan,
  path: string,
  [inTest, diff]: readonly [string, string],
  deps: Parts,
): Promise<boolean> {
  const part = new FileOutcome(plan.name);
  if (ctx.state.test) {
    deps.add(path, part.end(null, inTest));
    return false;
  }
  await ctx.functions.call('file.remove', [path]);
  part.changes = dict({ diff });
  deps.add(path, part.ret);
  return true;
}

async function addFolder(ctx: StateContext, plan: Plan, path: string, deps: Parts): Promise<void> {
  if (baseName(path) === '..') return;
  if (plan.clean && pathExists(path) && !isDir(path)) {
    const texts = [`Replacing ${path} with a directory`, 'Replaced file with a directory'] as const;
    if (!(await replaceKind(ctx, plan, path, texts, deps))) return;
  }
  const { user, dirMode, args } = plan;
  const wanted = { name: path, user, group: args.group, dir_mode: dirMode, makedirs: true };
  deps.add(path, await manageFolder(ctx, withDefaults(DIRECTORY_PARAMS, wanted)));
}

async function addFile(
  ctx: StateContext,
  plan: Plan,
  path: string,
  source: string,
  deps: Parts,
): Promise<void> {
  const { args } = plan;
  if (plan.clean && isDir(path) && args.replace) {
    const texts = [`Replacing directory ${path} with a file`, 'Replaced directory with a new file'] as const;
    if (!(await replaceKind(ctx, plan, path, texts, deps))) return;
  }
  const wanted = withDefaults(MANAGED_PARAMS, {
    ...managedKeywords(plan.kwargs),
    name: path,
    source,
    keep_source: args.keep_source,
    user: plan.user,
    group: args.group,
    mode: plan.fileMode,
    template: args.template,
    makedirs: true,
    replace: args.replace,
    context: args.context,
    defaults: args.defaults,
    backup: args.backup,
  });
  const others = [...plan.kwargs].filter(([key]) => !Object.hasOwn(MANAGED_PARAMS, pyStr(key)));
  deps.add(path, await manageFile(ctx, wanted, new Map(others)));
}

/** The keywords that parameters of `file.managed` take: show_changes, skip_verify, … */
function managedKeywords(kwargs: Dict): Readonly<Record<string, Value>> {
  const known = [...kwargs].filter(([key]) => Object.hasOwn(MANAGED_PARAMS, pyStr(key)));
  return Object.fromEntries(known.map(([key, value]) => [pyStr(key), value]));
}

async function clean(
  ctx: StateContext,
  { name, args }: Plan,
  kept: ReadonlySet<string>,
  deps: Parts,
): Promise<void> {
  const required = await keptByRequired(ctx, name, args.require);
  const removed = await cleanFolder(ctx, name, [...kept, ...required], args.exclude_pat);
  if (removed.length === 0) return;
  const { outcome } = deps;
  if (!ctx.state.test) {
    outcome.changes.set('removed', removed);
    return;
  }
  if (outcome.succeeds) outcome.result = null;
  deps.comment('removed', ...removed);
}

/** The state `recurse`. */
export const recurseStates = {
  recurse: defineState({
    doc: 'Makes sure that a folder holds what a folder of the file server holds.',
    params: RECURSE_PARAMS,
    kwargs: 'kwargs',
    run: (ctx, args, kwargs) => {
      const outcome = new FileOutcome(args.name);
      return untilRefused(
        () => recurse(ctx, args, kwargs, outcome),
        (comment, result) => outcome.end(result, comment),
      );
    },
  }),
};
