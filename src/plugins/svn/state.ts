/** `svn`: working copies of Subversion (3006.16 salt/states/svn.py). */
import { findProgram } from '../../host/which.ts';
import { CommandExecutionError } from '../../errors/errors.ts';
import { isAbs, isDir, pathExists } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { mayBeMade } from '../shared/made-earlier.ts';
import { missingFolder } from '../shared/missing-source.ts';
import { textIfSaid } from '../shared/optional-params.ts';
import { outcomeChangesLast as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const lineIfSaid = (doc: string): ReturnType<typeof textIfSaid> =>
  param.textIfGiven({ default: null, isLine: true, doc });

const COPY = {
  name: param.text({ isLine: true, doc: 'The address.' }),
  target: lineIfSaid('The folder of the working copy.'),
} as const;
const AS = {
  user: param.textIfGiven({ default: null, account: 'user', doc: 'The user that svn runs as.' }),
  username: lineIfSaid('The user for the server.'),
  password: textIfSaid('The password for the server.'),
} as const;
const rev = lineIfSaid('The revision.');
const force = param.flag({ default: false, doc: 'Go on where something is in the way.' });
const OPTIONS = {
  externals: param.unlessFalse({
    default: true,
    doc: 'False leaves out what the address names of elsewhere.',
  }),
  trust: param.flag({ default: false, doc: 'Take a certificate of an authority that is not known.' }),
  trust_failures: textIfSaid('Faults of certificates that are passed over, with commas between them.'),
} as const;
const LATEST = { ...COPY, rev, ...AS, force, ...OPTIONS } as const;
const EXPORT = {
  ...COPY,
  rev,
  ...AS,
  force,
  overwrite: param.flag({ default: false, doc: 'Put it in the place of a file.' }),
  ...OPTIONS,
} as const;
type Latest = TypedArguments<typeof LATEST>;
type As = Pick<Latest, 'user' | 'username' | 'password'>;

const NO_TARGET = 'Target option is required';
const nobody = (target: string): string => `The path "${target}" exists and is not a directory.`;

/** The folder that a target is in, and its name there. */
function splitPath(path: string): [folder: string, name: string] {
  const at = path.lastIndexOf('/');
  return at < 0 ? ['', path] : [path.slice(0, at) || '/', path.slice(at + 1)];
}

const asWords = ({ user, username, password }: As): Value[] => [
  user ?? null,
  username ?? null,
  password ?? null,
];

const trustWords = ({ trust, trust_failures }: Pick<Latest, 'trust' | 'trust_failures'>): string[] => [
  ...(trust ? ['--trust-server-cert'] : []),
  ...(trust_failures === undefined ? [] : ['--trust-server-cert-failures', trust_failures]),
];

const optionWords = (given: Pick<Latest, 'force' | 'externals' | 'trust' | 'trust_failures'>): string[] => [
  ...(given.force ? ['--force'] : []),
  ...(!given.externals ? ['--ignore-externals'] : []),
  ...trustWords(given),
];

/** What svn knows of a working copy or an address: its revision and its address. */
interface Known {
  readonly revision: string;
  readonly url: string;
}

/** @throws CommandExecutionError for what is no working copy, and where there is no such address */
async function knownOf(
  ctx: StateContext,
  cwd: string,
  targets: string | null,
  { user, username, password }: As,
): Promise<Known | undefined> {
  const as = { user: user ?? null, username: username ?? null, password: password ?? null };
  const said = await ctx.functions.call('svn.info', [cwd], { targets, ...as, fmt: 'dict' });
  const about = Array.isArray(said) ? said[0] : undefined;
  if (!isDict(about)) return undefined;
  return { revision: pyStr(about.get('Revision') ?? null), url: pyStr(about.get('URL') ?? '') };
}

/** The same, undefined also for what there is not. */
async function knownIfAny(
  ctx: StateContext,
  cwd: string,
  target: string,
  wanted: As,
): Promise<Known | undefined> {
  try {
    return await knownOf(ctx, cwd, quoted(target), wanted);
  } catch (error) {
    if (error instanceof CommandExecutionError) return undefined;
    throw error;
  }
}

/** Whether a working copy is one of another address than the one that is wanted. */
async function isElsewhere(ctx: StateContext, cwd: string, now: Known, wanted: Latest): Promise<boolean> {
  const plain = (url: string): string => url.replace(/\/+$/, '');
  if (now.url === '' || plain(now.url) === plain(wanted.name)) return false;
  // svn writes addresses in a form of its own
  const there = await knownIfAny(ctx, cwd, wanted.name, wanted);
  return there !== undefined && there.url !== now.url;
}

/** Why arguments can never be right. */
function refusal({ target, rev: revision }: Pick<Latest, 'target' | 'rev'>): string | undefined {
  if (target !== undefined && !isAbs(target)) return `target '${target}' is not an absolute path`;
  const isRevision = revision === undefined || /^(?:r?\d+|HEAD|BASE|COMMITTED|PREV|\{.+\})$/i.test(revision);
  return isRevision ? undefined : `rev '${revision}' is no revision: it is a number, HEAD or a {date}`;
}

/**
 * In test mode: why nothing can be fetched into a new folder, and no earlier state of the run would help.
 * Salt compat: there, test mode promises it.
 */
async function obstacle(ctx: StateContext, wanted: Latest, target: string): Promise<string | undefined> {
  const nowhere = missingFolder(ctx, target);
  if (nowhere !== undefined) return nowhere;
  const { name, rev: revision = 'HEAD' } = wanted;
  if (
    mayBeMade(ctx) ||
    (await knownIfAny(ctx, splitPath(target)[0], `${name}@${revision}`, wanted)) !== undefined
  )
    return undefined;
  return `${name} has nothing at revision ${revision}, or cannot be reached`;
}

const quoted = (path: string): string => `'${path.replaceAll("'", `'"'"'`)}'`;

async function latest(ctx: StateContext, wanted: Latest): Promise<StateResult> {
  const { name, target, rev: revision } = wanted;
  if (target === undefined) return outcome(name, false, NO_TARGET);
  const [cwd, base] = splitPath(target);
  if (pathExists(target) && !isDir(target)) return outcome(name, false, nobody(target));
  if (ctx.state.test) return foretell(ctx, wanted, target, cwd);
  const before = await knownIfAny(ctx, cwd, target, wanted);
  const options = [...(revision === undefined ? [] : ['-r', revision]), ...optionWords(wanted)];
  const changes: Dict = dict();
  const end = [...asWords(wanted), ...options];
  if (before === undefined) {
    const said = await ctx.functions.call('svn.checkout', [cwd, name, base, ...end]);
    const after = await knownOf(ctx, target, null, wanted);
    return outcome(name, true, said, changes.set('new', name).set('revision', after?.revision ?? null));
  }
  const said = (await isElsewhere(ctx, cwd, before, wanted))
    ? await ctx.functions.call('svn.switch', [cwd, name, base, ...end])
    : await ctx.functions.call('svn.update', [cwd, quoted(base), ...end]);
  const after = await knownOf(ctx, target, null, wanted);
  if (before.url !== after?.url) changes.set('url', `${before.url} => ${String(after?.url)}`);
  if (before.revision !== after?.revision)
    changes.set('revision', `${before.revision} => ${String(after?.revision)}`);
  return outcome(name, true, said, changes);
}

async function foretell(
  ctx: StateContext,
  wanted: Latest,
  target: string,
  cwd: string,
): Promise<StateResult> {
  const { name } = wanted;
  const revision = wanted.rev ?? 'HEAD';
  if (!pathExists(target)) {
    const impossible = await obstacle(ctx, wanted, target);
    if (impossible !== undefined) return outcome(name, false, impossible);
    const comment = `${target} doesn't exist and is set to be checked out at revision ${revision}.`;
    return outcome(name, null, comment);
  }
  const now = await knownIfAny(ctx, cwd, target, wanted);
  if (now === undefined)
    return wanted.force
      ? outcome(name, null, `${target} exists and is set to be checked out into at revision ${revision}.`)
      : outcome(name, false, `${target} exists but is not a svn working copy.`);
  if (await isElsewhere(ctx, cwd, now, wanted))
    return outcome(name, null, `${target} is set to be switched from ${now.url} to ${name}.`);
  // Salt compat: Salt foretells an update each time
  const there = await knownIfAny(ctx, cwd, `${name}@${revision}`, wanted);
  if (there?.revision === now.revision)
    return outcome(name, true, `${target} is at revision ${now.revision} already.`);
  const range = ['-r', `${now.revision}:${revision}`, ...trustWords(wanted)];
  return outcome(
    name,
    null,
    await ctx.functions.call('svn.diff', [cwd, quoted(target), ...asWords(wanted), ...range]),
  );
}

async function exported(ctx: StateContext, wanted: TypedArguments<typeof EXPORT>): Promise<StateResult> {
  const { name, target, rev: revision, overwrite } = wanted;
  if (target === undefined) return outcome(name, false, NO_TARGET);
  const [cwd, base] = splitPath(target);
  const isThere = pathExists(target);
  if (!overwrite && isThere && !isDir(target)) return outcome(name, false, nobody(target));
  // Salt compat: Salt's `overwrite` lets a file through, which svn refuses then
  const force = wanted.force || (overwrite && isThere);
  if (ctx.state.test) {
    // Salt compat: for a target that is there Salt asks for a function that it does not have
    const impossible = await obstacle(ctx, wanted, target);
    if (impossible !== undefined) return outcome(name, false, impossible);
    const what = isThere ? 'exists' : "doesn't exist";
    return outcome(name, null, `${target} ${what} and is set to be checked out.`);
  }
  const words = [
    cwd,
    name,
    base,
    ...asWords(wanted),
    revision ?? 'HEAD',
    ...optionWords({ ...wanted, force }),
  ];
  const said = await ctx.functions.call('svn.export', words);
  return outcome(name, true, said, dict({ new: name, comment: `${name} was Exported to ${target}` }));
}

/** A state of which a failure of svn is the comment. Salt compat: Salt has a traceback for it. */
const withComment =
  <A extends { readonly name: string }>(run: (ctx: StateContext, args: A) => Promise<StateResult>) =>
  async (ctx: StateContext, args: A): Promise<StateResult> => {
    try {
      return await run(ctx, args);
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      return outcome(args.name, false, error.message);
    }
  };

/** The states of `svn`. */
export const svnStates = defineModule({
  name: 'svn',
  file: 'svn',
  doc: 'Working copies of Subversion.',
  unavailable: () => (findProgram('svn') === undefined ? 'Command not found: svn' : undefined),
  functions: {
    latest: defineState({
      doc: 'Makes sure of a working copy, and brings it up to date.',
      params: LATEST,
      refuses: refusal,
      run: withComment(latest),
    }),
    export: defineState({
      doc: 'Makes a copy that is no working copy, each time it is applied.',
      params: EXPORT,
      refuses: refusal,
      run: withComment(exported),
    }),
    dirty: defineState({
      doc: 'Is not there in Salt either: it always fails.',
      params: {
        name: COPY.name,
        target: param.text({ doc: 'The folder of the working copy.' }),
        ...AS,
        ignore_unversioned: param.value({ type: 'bool', default: false, doc: 'Has no effect.' }),
      },
      run: (_ctx, { name }) => outcome(name, false, 'This function is not implemented yet.'),
    }),
  },
});
