/** `svn`: working copies of Subversion (3006.16 salt/states/svn.py). */
import { findProgram } from '../../host/which.ts';
import { CommandExecutionError } from '../../errors/errors.ts';
import { isDir, pathExists } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { textIfSaid } from './optional-params.ts';
import { outcomeChangesLast as outcome } from './outcome.ts';
import { defineState, type StateContext, type StateResult } from './state-function.ts';

const COPY = {
  name: param.text({ doc: 'The address.' }),
  target: textIfSaid('The folder of the working copy.'),
} as const;
const AS = {
  user: textIfSaid('The user that svn runs as.'),
  username: textIfSaid('The user for the server.'),
  password: textIfSaid('The password for the server.'),
} as const;
const rev = textIfSaid('The revision.');
const force = param.flag({ default: false, doc: 'Go on where something is in the way.' });
const OPTIONS = {
  externals: { type: 'bool', default: true, doc: 'False leaves out what the address names of elsewhere.' },
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

const NO_TARGET = 'Target option is required';
const nobody = (target: string): string => `The path "${target}" exists and is not a directory.`;

/** The folder that a target is in, and its name there. */
function splitPath(path: string): [folder: string, name: string] {
  const at = path.lastIndexOf('/');
  return at < 0 ? ['', path] : [path.slice(0, at) || '/', path.slice(at + 1)];
}

const asWords = ({ user, username, password }: Pick<Latest, 'user' | 'username' | 'password'>): Value[] => [
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
  ...(given.externals === false ? ['--ignore-externals'] : []),
  ...trustWords(given),
];

/** The revision of a working copy. @throws CommandExecutionError for what is none */
async function revisionOf(
  ctx: StateContext,
  cwd: string,
  targets: string | null,
  { user, username, password }: Latest,
): Promise<string | undefined> {
  const as = { user: user ?? null, username: username ?? null, password: password ?? null };
  const said = await ctx.functions.call('svn.info', [cwd], dict({ targets, ...as, fmt: 'dict' }));
  const about = Array.isArray(said) ? said[0] : undefined;
  return isDict(about) ? pyStr(about.get('Revision') ?? null) : undefined;
}

/** The same, undefined for what is no working copy. */
async function revisionNow(
  ctx: StateContext,
  cwd: string,
  target: string,
  wanted: Latest,
): Promise<string | undefined> {
  try {
    return await revisionOf(ctx, cwd, quoted(target), wanted);
  } catch (error) {
    if (error instanceof CommandExecutionError) return undefined;
    throw error;
  }
}

const quoted = (path: string): string => `'${path.replaceAll("'", `'"'"'`)}'`;

async function latest(ctx: StateContext, wanted: Latest): Promise<StateResult> {
  const { name, target, rev: revision } = wanted;
  if (target === undefined) return outcome(name, false, NO_TARGET);
  const [cwd, base] = splitPath(target);
  if (pathExists(target) && !isDir(target)) return outcome(name, false, nobody(target));
  if (ctx.state.test) return foretell(ctx, wanted, target, cwd);
  const before = await revisionNow(ctx, cwd, target, wanted);
  const options = [...(revision === undefined ? [] : ['-r', revision]), ...optionWords(wanted)];
  const changes: Dict = dict();
  const isUpdate = before !== undefined;
  const words = isUpdate ? [cwd, quoted(base)] : [cwd, name, base];
  const said = await ctx.functions.call(`svn.${isUpdate ? 'update' : 'checkout'}`, [
    ...words,
    ...asWords(wanted),
    ...options,
  ]);
  const after = await revisionOf(ctx, target, null, wanted);
  if (!isUpdate) changes.set('new', name).set('revision', after ?? null);
  else if (before !== after) changes.set('revision', `${before} => ${String(after)}`);
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
    const comment = `${target} doesn't exist and is set to be checked out at revision ${revision}.`;
    return outcome(name, null, comment);
  }
  const now = await revisionNow(ctx, cwd, target, wanted);
  if (now === undefined) return outcome(name, false, `${target} exists but is not a svn working copy.`);
  const range = ['-r', `${now}:${revision}`, ...trustWords(wanted)];
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
  if (!overwrite && pathExists(target) && !isDir(target)) return outcome(name, false, nobody(target));
  if (ctx.state.test) {
    // Salt compat: for a target that is there Salt asks for a function that it does not have
    const what = pathExists(target) ? 'exists' : "doesn't exist";
    return outcome(name, null, `${target} ${what} and is set to be checked out.`);
  }
  const words = [cwd, name, base, ...asWords(wanted), revision ?? 'HEAD', ...optionWords(wanted)];
  const said = await ctx.functions.call('svn.export', words);
  return outcome(name, true, said, dict({ new: name, comment: `${name} was Exported to ${target}` }));
}

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
      run: latest,
    }),
    export: defineState({
      doc: 'Makes a copy that is no working copy, each time it is applied.',
      params: EXPORT,
      run: exported,
    }),
    dirty: defineState({
      doc: 'Is not there in Salt either: it always fails.',
      params: {
        name: COPY.name,
        target: param.text({ doc: 'The folder of the working copy.' }),
        ...AS,
        ignore_unversioned: { type: 'bool', default: false, doc: 'Has no effect.' },
      },
      run: (_ctx, { name }) => outcome(name, false, 'This function is not implemented yet.'),
    }),
  },
});
