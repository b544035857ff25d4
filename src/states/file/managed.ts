/** `file.managed`: a file with its content, owner and mode. Follows 3006.16 salt/states/file.py `managed`. */
import { rmSync } from 'node:fs';
import { CommandExecutionError } from '../../errors/errors.ts';
import { makeTempFile } from '../../host/file-operations.ts';
import { isAbs, isDir, isFile, joinPath, pathExists } from '../../host/py-path.ts';
import { isOsError } from '../../host/strerror.ts';
import { opt, P } from '../../modules/file/params.ts';
import { normalizeMode } from '../../modules/file/stats.ts';
import { parseUrl } from '../../modules/file/url.ts';
import { pyStr } from '../../values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../values/value.ts';
import { defineState, type StateContext } from '../state-function.ts';
import { gatheredTexts } from './accumulators.ts';
import { askedUser, missingOwner, stateName, warnOfUselessHash } from './checks.ts';
import { givenContents, Refusal, untilRefused } from './managed-contents.ts';
import { environment, errorText, Outcome } from './outcome.ts';
import { OWNER_PARAMS, S, type ArgsOf } from './params.ts';

/** The parameters of `file.managed`. */
export const MANAGED_PARAMS = {
  name: S.name,
  source: opt({ ...S.source, type: 'str or list' }, null),
  source_hash: opt(S.source_hash, ''),
  source_hash_name: opt(S.source_hash_name, null),
  keep_source: opt(S.keep_source, true),
  ...OWNER_PARAMS,
  mode: opt({ ...S.mode, doc: `${P.mode.doc} \`keep\` takes the mode of the source.` }, null),
  attrs: opt(S.attrs, null),
  template: opt(S.template, null),
  makedirs: opt(S.makedirs, false),
  dir_mode: opt(S.dir_mode, null),
  context: opt(S.context, null),
  replace: opt({ type: 'bool', doc: 'False: a file that is there keeps its content.' }, true),
  defaults: opt(S.defaults, null),
  backup: opt(S.backup, ''),
  show_changes: opt(S.show_changes, true),
  create: opt(S.create, true),
  contents: opt({ type: 'str or list', doc: 'The content; of a list each member is a line.' }, null),
  tmp_dir: opt({ type: 'str', doc: 'Folder of the file that check_cmd is given.' }, ''),
  tmp_ext: opt({ type: 'str', doc: 'End of the name of the file that check_cmd is given.' }, ''),
  contents_pillar: opt(
    { type: 'str or list', doc: 'The content is in the pillar, under this key or these keys.' },
    null,
  ),
  contents_grains: opt(
    { type: 'str or list', doc: 'The content is in the grains, under this key or these keys.' },
    null,
  ),
  contents_newline: opt({ type: 'bool', doc: 'The content ends with a line end.' }, true),
  contents_delimiter: opt({ type: 'str', doc: 'What parts the keys of pillar and grains.' }, ':'),
  encoding: opt(S.encoding, null),
  encoding_errors: opt(S.encoding_errors, 'strict'),
  allow_empty: opt({ type: 'bool', doc: 'False: content that is empty is an error.' }, true),
  follow_symlinks: opt({ type: 'bool', doc: 'A link stays, and what it points to is managed.' }, true),
  check_cmd: opt(
    {
      type: 'str',
      doc: 'A command that is run with the path of the new file behind it, before that takes its place.',
    },
    null,
  ),
  skip_verify: opt(S.skip_verify, false),
  selinux: opt({ type: 'dict', doc: 'The SELinux context: seuser, serole, setype, serange.' }, null),
  win_owner: opt({ type: 'str', doc: 'For Windows; without effect here.' }, null),
  win_perms: opt({ type: 'dict', doc: 'For Windows; without effect here.' }, null),
  win_deny_perms: opt({ type: 'dict', doc: 'For Windows; without effect here.' }, null),
  win_inheritance: opt({ type: 'bool', doc: 'For Windows; without effect here.' }, true),
  win_perms_reset: opt({ type: 'bool', doc: 'For Windows; without effect here.' }, false),
  verify_ssl: opt(S.verify_ssl, true),
  use_etag: opt(S.use_etag, false),
} as const;

/** The arguments of `file.managed`. */
export type ManagedArguments = ArgsOf<typeof MANAGED_PARAMS>;

/** What the steps know, worked out of the arguments. */
interface Plan {
  readonly name: string;
  readonly args: ManagedArguments;
  readonly saltenv: string;
  readonly user: Value;
  readonly mode: string | null;
  readonly keepMode: boolean;
  readonly contents: Value;
  readonly context: Value;
  readonly selinux: Dict;
  /** What fits no parameter; templates see it. */
  readonly extra: Dict;
}

/** Manages a file, for the state and for the others that are made of it. */
export async function manageFile(
  ctx: StateContext,
  args: ManagedArguments,
  kwargs: Dict = new Map(),
): Promise<Dict> {
  const outcome = new Outcome(stateName(args.name), { order: 'managed' });
  return untilRefused(
    () => manage(ctx, args, kwargs, outcome),
    (comment, result) => outcome.end(result, comment),
  );
}

async function manage(
  ctx: StateContext,
  args: ManagedArguments,
  kwargs: Dict,
  outcome: Outcome,
): Promise<Dict> {
  const plan = await planOf(ctx, args, kwargs, outcome);
  const chosen = await sourceAhead(ctx, plan);
  const { name } = plan;
  if (!chosen.replaces && pathExists(name)) return onlyPermissions(ctx, plan, outcome);
  const gathered = gatheredTexts(ctx).get(name);
  const context =
    gathered === undefined
      ? plan.context
      : new Map([...(isDict(plan.context) ? plan.context : []), ...dict({ accumulator: gathered })]);
  const work = { ...plan, context };
  if (ctx.state.test) return foretell(ctx, work, chosen, outcome);
  return put(ctx, work, chosen, outcome);
}

/** @throws Refusal for what Salt refuses before it touches anything */
async function planOf(
  ctx: StateContext,
  args: ManagedArguments,
  kwargs: Dict,
  outcome: Outcome,
): Promise<Plan> {
  const name = stateName(args.name);
  if (name === '') throw new Refusal('Destination file name is required');
  const keepMode = typeof args.mode === 'string' && args.mode.toLowerCase() === 'keep';
  assertOneContent(args, keepMode);
  warnOfUselessHash(ctx, args.source, args.source_hash);
  if (kwargs.has('file_mode')) {
    outcome.warn(
      "The 'file_mode' argument will be ignored.  Please use 'mode' instead to set file permissions.",
    );
  }
  const contents = await givenContents(ctx, args);
  const user = askedUser(ctx, args.user, kwargs);
  if (!truthy(args.create) && !isFile(name))
    throw new Refusal(`File ${name} is not present and is not set for creation`, true);
  const missing = await missingOwner(ctx, { user, group: args.group });
  if (missing !== '') throw new Refusal(missing);
  if (!isAbs(name)) throw new Refusal(`Specified file ${name} is not an absolute path`);
  if (isDir(name)) throw new Refusal(`Specified target ${name} is a directory`);
  if (args.context !== null && !isDict(args.context)) throw new Refusal('Context must be formed as a dict');
  if (truthy(args.defaults) && !isDict(args.defaults)) throw new Refusal('Defaults must be formed as a dict');
  const selinux = isDict(args.selinux) ? args.selinux : new Map<Value, Value>();
  return {
    name,
    args,
    saltenv: environment(ctx),
    user,
    mode: keepMode ? null : normalizeMode(args.mode),
    keepMode,
    contents,
    context: args.context ?? new Map(),
    selinux: new Map(
      ['seuser', 'serole', 'setype', 'serange'].map((part): [Value, Value] => [
        part,
        selinux.get(part) ?? null,
      ]),
    ),
    extra: new Map([...kwargs].filter(([key]) => key !== 'env')),
  };
}

const CONTENT_NAMES = ['contents', 'contents_pillar', 'contents_grains'] as const;

function assertOneContent(args: ManagedArguments, keepMode: boolean): void {
  const count = CONTENT_NAMES.filter((name) => args[name] !== null).length;
  if (truthy(args.source) && count > 0) {
    throw new Refusal(
      "'source' cannot be used in combination with 'contents', 'contents_pillar', or 'contents_grains'",
    );
  }
  if (keepMode && count > 0) {
    throw new Refusal(
      "Mode preservation cannot be used in combination with 'contents', 'contents_pillar', or 'contents_grains'",
    );
  }
  if (count > 1)
    throw new Refusal("Only one of 'contents', 'contents_pillar', and 'contents_grains' is permitted");
}

/** The source as far as it is known, and whether the content is to be looked at at all. */
interface Chosen {
  readonly source: Value;
  readonly sourceHash: Value;
  readonly replaces: boolean;
}

/** A file that has the hash which a remote source is to have is not fetched again. */
async function sourceAhead(ctx: StateContext, plan: Plan): Promise<Chosen> {
  const { args, name } = plan;
  const given = { source: args.source, sourceHash: args.source_hash };
  const hasContent = truthy(args.source) || CONTENT_NAMES.some((key) => args[key] !== null);
  if (!truthy(args.replace) || !hasContent) {
    if (truthy(args.replace)) warnOfNoSource(ctx, name);
    return { ...given, replaces: false };
  }
  const isFetched = truthy(args.source) && !truthy(args.template) && !truthy(args.skip_verify);
  if (!isFetched || plan.contents !== null || !pathExists(name)) return { ...given, replaces: true };
  try {
    const chosen = await chooseSource(ctx, plan, given);
    return { ...chosen, replaces: !(await hasSourceHash(ctx, plan, chosen)) };
  } catch (error) {
    if (!(error instanceof CommandExecutionError) && !isOsError(error)) throw error;
    ctx.log.error(`Failed checking existing file's hash against specified source_hash: ${errorText(error)}`);
    return { ...given, replaces: true };
  }
}

function warnOfNoSource(ctx: StateContext, name: string): void {
  ctx.log.warning(
    `State for file: ${name} - Neither 'source' nor 'contents' nor 'contents_pillar' nor 'contents_grains' was ` +
      "defined, yet 'replace' was set to 'True'. As there is no source to replace the file with, 'replace' has been " +
      "set to 'False' to avoid reading the file unnecessarily.",
  );
}

async function chooseSource(
  ctx: StateContext,
  { saltenv }: Plan,
  { source, sourceHash }: { readonly source: Value; readonly sourceHash: Value },
): Promise<{ readonly source: Value; readonly sourceHash: Value }> {
  const chosen = await ctx.functions.call('file.source_list', [source, sourceHash, saltenv]);
  const [first = null, hash = null] = Array.isArray(chosen) ? chosen : [];
  return { source: first, sourceHash: hash };
}

async function hasSourceHash(
  ctx: StateContext,
  { args, name, saltenv }: Plan,
  { source, sourceHash }: { readonly source: Value; readonly sourceHash: Value },
): Promise<boolean> {
  if (!truthy(source) || !truthy(sourceHash)) return false;
  const address = pyStr(source);
  if (['salt', 'file'].includes(parseUrl(address).scheme) || isAbs(address)) return false;
  const sum = await ctx.functions.call(
    'file.get_source_sum',
    [name, source, sourceHash, args.source_hash_name, saltenv],
    dict({ verify_ssl: args.verify_ssl }),
  );
  if (!isDict(sum)) return false;
  const actual = await ctx.functions.call('file.get_hash', [name, sum.get('hash_type') ?? null]);
  return valuesEqual(sum.get('hsum') ?? null, actual);
}

async function onlyPermissions(ctx: StateContext, plan: Plan, outcome: Outcome): Promise<Dict> {
  const { name, args, user, mode } = plan;
  const answer = await ctx.functions.call(
    'file.check_perms',
    [name, outcome.ret, user, args.group, mode, args.attrs, args.follow_symlinks],
    plan.selinux,
  );
  const [ret = null, perms = null] = Array.isArray(answer) ? answer : [];
  outcome.adopt(ret);
  if (ctx.state.test) {
    const found = isDict(perms) ? perms.get('lmode') : undefined;
    outcome.comment =
      truthy(mode) && found !== undefined && mode !== found
        ? `File ${name} will be updated with permissions ${pyStr(mode)} from its current state of ${pyStr(found)}`
        : `File ${name} not updated`;
  } else if (outcome.changes.size === 0 && outcome.succeeds) {
    outcome.comment = `File ${name} exists with proper permissions. No changes made.`;
  }
  return outcome.ret;
}

/** Test mode: what would change. */
async function foretell(
  ctx: StateContext,
  plan: Plan,
  { source, sourceHash }: Chosen,
  outcome: Outcome,
): Promise<Dict> {
  const { name, args } = plan;
  let changes: Value;
  try {
    changes = await ctx.functions.call(
      'file.check_managed_changes',
      [],
      new Map([
        ...plan.extra,
        ...plan.selinux,
        ...sourceArguments(plan, source, sourceHash),
        ...dict({
          contents: plan.contents,
          skip_verify: args.skip_verify,
          keep_mode: plan.keepMode,
          verify_ssl: args.verify_ssl,
          follow_symlinks: args.follow_symlinks,
        }),
      ]),
    );
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return outcome.fail(`Unable to manage file: ${error.message}`);
  }
  if (!isDict(changes)) {
    const [result = false, comment = ''] = Array.isArray(changes) ? changes : [];
    return outcome.end(result === null ? null : truthy(result), pyStr(comment));
  }
  outcome.changes = changes;
  if (changes.size === 0) return outcome.end(true, `The file ${name} is in the correct state`);
  if (changes.has('diff') && !truthy(args.show_changes)) changes.set('diff', '<show_changes=False>');
  return outcome.end(
    null,
    `The file ${name} is set to be changed\nNote: No changes made, actual changes may\n` +
      'be different due to other states.',
  );
}

/** The arguments that `check_managed_changes` and `get_managed` share. */
function sourceArguments(plan: Plan, source: Value, sourceHash: Value): Dict {
  const { args } = plan;
  return dict({
    name: plan.name,
    source,
    source_hash: sourceHash,
    source_hash_name: args.source_hash_name,
    user: plan.user,
    group: args.group,
    mode: plan.mode,
    attrs: args.attrs,
    template: args.template,
    context: plan.context,
    defaults: args.defaults,
    saltenv: plan.saltenv,
  });
}

/** A source that has been fetched and rendered. */
interface Fetched {
  readonly sfn: string;
  readonly source: Value;
  readonly sum: Value;
}

async function put(ctx: StateContext, plan: Plan, ahead: Chosen, outcome: Outcome): Promise<Dict> {
  const { args } = plan;
  let chosen: { readonly source: Value; readonly sourceHash: Value };
  let managed: Value;
  try {
    chosen = await chooseSource(ctx, plan, ahead);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return outcome.fail(`Unable to manage file: ${error.message}`);
  }
  try {
    managed = await ctx.functions.call(
      'file.get_managed',
      [],
      new Map([
        ...plan.extra,
        ...sourceArguments(plan, chosen.source, chosen.sourceHash),
        ...dict({ skip_verify: args.skip_verify, verify_ssl: args.verify_ssl, use_etag: args.use_etag }),
      ]),
    );
  } catch (error) {
    outcome.changes = new Map();
    return outcome.fail(`Unable to manage file: ${errorText(error)}`);
  }
  const [sfn = '', sum = null, comment = ''] = Array.isArray(managed) ? managed : [];
  const fetched = { sfn: truthy(sfn) ? pyStr(sfn) : '', source: chosen.source, sum };
  let checked = '';
  try {
    if (truthy(args.check_cmd)) {
      checked = makeTempFile(ctx.random, {
        suffix: pyStr(args.tmp_ext ?? ''),
        ...(truthy(args.tmp_dir) ? { folder: pyStr(args.tmp_dir) } : {}),
      });
      const isReady = await passesCheck(ctx, plan, fetched, checked, outcome);
      if (isReady === undefined) return outcome.ret;
      if (isReady) return await place(ctx, plan, { ...fetched, sfn: checked }, outcome);
    }
    if (truthy(comment) && plan.contents === null) return outcome.fail(pyStr(comment));
    return await place(ctx, plan, fetched, outcome);
  } finally {
    if (checked !== '') rmSync(checked, { force: true });
    if (!truthy(args.keep_source)) await dropSource(ctx, plan, fetched);
  }
}

async function place(ctx: StateContext, plan: Plan, fetched: Fetched, outcome: Outcome): Promise<Dict> {
  try {
    outcome.adopt(await callManageFile(ctx, plan, plan.name, fetched, outcome.ret));
    return outcome.ret;
  } catch (error) {
    outcome.changes = new Map();
    return outcome.fail(`Unable to manage file: ${errorText(error)}`);
  }
}

function callManageFile(
  ctx: StateContext,
  plan: Plan,
  name: string,
  { sfn, source, sum }: Fetched,
  ret: Dict,
): Promise<Value> {
  const { args } = plan;
  return ctx.functions.call(
    'file.manage_file',
    [],
    new Map([
      ...plan.extra,
      ...plan.selinux,
      ...dict({
        name,
        sfn,
        ret,
        source,
        source_sum: sum,
        user: plan.user,
        group: args.group,
        mode: plan.mode,
        attrs: args.attrs,
        saltenv: plan.saltenv,
        backup: args.backup,
        makedirs: args.makedirs,
        template: args.template,
        show_changes: args.show_changes,
        contents: plan.contents,
        dir_mode: args.dir_mode,
        follow_symlinks: args.follow_symlinks,
        skip_verify: args.skip_verify,
        keep_mode: plan.keepMode,
        encoding: args.encoding,
        encoding_errors: args.encoding_errors,
        use_etag: args.use_etag,
      }),
    ]),
  );
}

/**
 * Makes the new file beside the old one and has `check_cmd` look at it.
 * @returns true: it is to take its place; false: nothing would change; undefined: the state has ended
 */
async function passesCheck(
  ctx: StateContext,
  plan: Plan,
  fetched: Fetched,
  trial: string,
  outcome: Outcome,
): Promise<boolean | undefined> {
  const { name, args } = plan;
  if (truthy(await ctx.functions.call('file.file_exists', [name]))) {
    try {
      await ctx.functions.call('file.copy', [name, trial]);
    } catch (error) {
      outcome.fail(`Unable to copy file ${name} to ${trial}: ${errorText(error)}`);
      return undefined;
    }
  }
  let tried: Value;
  try {
    tried = await callManageFile(ctx, plan, trial, fetched, outcome.ret);
  } catch (error) {
    outcome.changes = new Map();
    outcome.fail(`Unable to check_cmd file: ${errorText(error)}`);
    return undefined;
  }
  outcome.adopt(new Outcome(name, { order: 'managed' }).ret);
  if (!isDict(tried) || !truthy(tried.get('changes'))) return false;
  const shell = ctx.grains.get('shell');
  const refusal = await runCheck(
    ctx,
    pyStr(args.check_cmd),
    trial,
    shell === undefined ? new Map() : dict({ shell }),
  );
  if (refusal === undefined) return true;
  for (const [key, value] of refusal) outcome.ret.set(key, value);
  return undefined;
}

/** Runs a command on a file. @returns what becomes part of the result when it fails */
export async function runCheck(
  ctx: StateContext,
  command: string,
  path: string,
  options: Dict,
): Promise<Dict | undefined> {
  const answer = await ctx.functions.call('cmd.run_all', [`${command} ${path}`], options);
  if (!isDict(answer) || answer.get('retcode') === 0) return undefined;
  const texts = ['stdout', 'stderr'].map((stream) => answer.get(stream)).filter((text) => truthy(text));
  const lines = ['check_cmd execution failed', ...texts.map((text) => pyStr(text ?? ''))];
  return dict({ comment: lines.join('\n'), skip_watch: true, result: false });
}

/** Takes the fetched source out of the minion's cache; a source that lies elsewhere is not ours to remove. */
async function dropSource(ctx: StateContext, plan: Plan, { sfn, source }: Fetched): Promise<void> {
  const isServed = truthy(source) && parseUrl(pyStr(source)).scheme === 'salt';
  const cached =
    sfn === '' && isServed ? await ctx.functions.call('cp.is_cached', [source, plan.saltenv]) : sfn;
  const cache = joinPath(pyStr(ctx.opts.get('cachedir') ?? '/var/cache/salt/minion'), '');
  if (truthy(cached) && pyStr(cached).startsWith(cache)) rmSync(pyStr(cached), { force: true });
}

/** The state `managed`, and the check that tells the run that this module has a meaning of its own for check_cmd. */
export const managedStates = {
  managed: defineState({
    doc: 'Makes sure that a file is there with the content, owner and mode that it is to have.',
    params: MANAGED_PARAMS,
    kwargs: 'kwargs',
    run: (ctx, args, kwargs) => manageFile(ctx, args, kwargs),
  }),
  mod_run_check_cmd: defineState({
    doc: 'Runs the check_cmd of managed on a file.',
    params: {
      cmd: { type: 'str', doc: 'The command; the path is put behind it.' },
      filename: { type: 'str', doc: 'The path.' },
    },
    kwargs: 'check_cmd_opts',
    run: async (ctx, { cmd, filename }, kwargs) =>
      (await runCheck(ctx, pyStr(cmd), pyStr(filename), kwargs)) ??
      dict({ result: true, comment: '', changes: {} }),
  }),
};
