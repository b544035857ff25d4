/** `pkgrepo`: repositories of packages (3006.16 salt/states/pkgrepo.py). */
import { writeFileSync } from 'node:fs';
import { BrineError, CommandExecutionError, messageOf, SaltInvocationError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { isTrue } from '../../python/conversions.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { describedSource, namedLine, wantedSource } from './apt/module/apt-plan.ts';
import { architecturesOf, parseSource } from './apt/module/apt-sources.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { missingFolder } from '../shared/missing-source.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { functionKeywords } from './state/packages.ts';
import { stateEnvironment } from '../shared/state-environment.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { param } from '../../runtime/loader/params.ts';

const NAME = param.text({
  doc: 'The repository: the line of the source with apt, the id with dnf.',
});

/** Why the arguments cannot be used. */
function refusal(kwargs: Dict): string | undefined {
  if (kwargs.has('repo'))
    return "'repo' is not a supported argument for this state. The 'name' argument is probably what was intended.";
  if ((kwargs.get('enabled') ?? null) !== null && (kwargs.get('disabled') ?? null) !== null)
    return 'Only one of enabled/disabled is allowed';
  const isInsecure = pyStr(kwargs.get('key_url') ?? '')
    .trim()
    .startsWith('http:');
  return isInsecure && !truthy(kwargs.get('allow_insecure_key') ?? true)
    ? "Cannot have 'key_url' using http with 'allow_insecure_key' set to True"
    : undefined;
}

const familyOf = ({ grains }: StateContext): string => pyStr(grains.get('os_family') ?? '');
const isUbuntu = ({ grains }: StateContext): boolean =>
  ['Ubuntu', 'Mint'].includes(pyStr(grains.get('os') ?? ''));

/** The arguments that name a repository. */
interface RepositoryArgs {
  readonly name: string;
  readonly ppa: string | undefined;
  readonly copr: string | undefined;
}

/** A repository and the keywords for the functions of `pkg`. */
interface Wanted {
  readonly repo: string;
  readonly words: Dict;
}

/** The arguments in the form that the system of packages knows. */
function wantedRepository(ctx: StateContext, args: RepositoryArgs, kwargs: Dict): Wanted {
  const words = functionKeywords(ctx, kwargs, false);
  const [enabled, disabled] = ['enabled', 'disabled'].map((key) => words.get(key) ?? null) as [Value, Value];
  for (const key of ['enabled', 'disabled', 'allow_insecure_key']) words.delete(key);
  const isOn = disabled === null ? enabled === null || isTrue(enabled) : !isTrue(disabled);
  let repo = args.name;
  words.set('name', args.name);
  if (familyOf(ctx) === 'Debian') {
    if (args.ppa !== undefined && isUbuntu(ctx)) repo = `ppa:${args.ppa}`;
    words.set('disabled', !isOn);
  } else if (['RedHat', 'Suse'].includes(familyOf(ctx))) {
    if (args.copr !== undefined && familyOf(ctx) === 'RedHat') repo = `copr:${args.copr}`;
    const human = words.get('humanname');
    words.delete('humanname');
    if (human !== undefined) words.set('name', human);
    words.set('enabled', isOn);
  }
  return { repo, words };
}

async function repositoryNow(ctx: StateContext, { repo, words }: Wanted): Promise<Dict> {
  const found = await ctx.functions.call('pkg.get_repo', [repo], words);
  return isDict(found) ? found : dict();
}

const sorted = (value: Value | undefined): string =>
  Array.isArray(value) ? value.map(pyStr).sort().join('\n') : pyStr(value ?? '');

/** A line of a source with its options and its components in order. */
function comparableLine(line: Value | undefined): string {
  const text = pyStr(line ?? '').trim();
  const source = parseSource(text);
  if (source === undefined) return text;
  const options = /^(?:#\s*)?\S+\s+\[([^\]]*)\]/.exec(text)?.[1] ?? '';
  const words = options
    .split(/\s+/)
    .map((word) => word.replace(/=.*/, (values) => `=${values.slice(1).split(',').sort().join(',')}`));
  return JSON.stringify([
    source.type,
    words.sort().join(' ').trim(),
    source.uri,
    source.dist,
    [...source.comps].sort(),
  ]);
}

const commentText = (comments: Value | undefined, separator: string): string =>
  (Array.isArray(comments) ? comments : [comments ?? ''])
    .map((comment) => pyStr(comment).replace(/^#+\s*/, ''))
    .join(separator)
    .trim();

/** What zypper calls otherwise in its files than in its options. */
const ZYPPER_NAMES: ReadonlyMap<string, string> = new Map([
  ['refresh', 'autorefresh'],
  ['cache', 'keeppackages'],
]);
/** What zypper can be told, besides those. */
const ZYPPER_OPTIONS = new Set(['enabled', 'gpgcheck', 'name', 'baseurl', 'comps', 'key_url']);
const ZYPPER_PRIORITY = 99;

/**
 * The same of a property that zypper's file does not have by this name.
 * Salt compat: 3006.16 has the repository made again at each run (63402).
 */
function isSameToZypper(key: string, wanted: Value, now: Dict): boolean {
  const name = ZYPPER_NAMES.get(key);
  if (name !== undefined) return isTrue(wanted) === isTrue(now.get(name) ?? false);
  if (key === 'priority') return Number(pyStr(wanted)) === ZYPPER_PRIORITY;
  // what it cannot be told is never in its file
  return !ZYPPER_OPTIONS.has(key);
}

/** True when one property of a repository is as it is wanted. */
function isSame(ctx: StateContext, key: string, wanted: Dict, now: Dict, words: Dict): boolean {
  if (familyOf(ctx) === 'Suse' && !now.has(key)) return isSameToZypper(key, wanted.get(key) ?? null, now);
  const [a, b] = [wanted.get(key) ?? null, now.get(key)];
  const isRed = familyOf(ctx) === 'RedHat';
  if (b === undefined) return key === 'enabled' && isRed && isTrue(a);
  if (key === 'comps' || key === 'key_url') return sorted(a) === sorted(b);
  if (key === 'line' && familyOf(ctx) === 'Debian') {
    if (truthy(wanted.get('disabled'))) return true;
    if (comparableLine(a) !== comparableLine(b)) return false;
    // the comments of a stanza are a field of their own
    if (now.has('suites') || !words.has('comments')) return true;
    const [, comment = ''] = /#(.*)$/.exec(pyStr(b)) ?? [];
    return comment.trim() === commentText(words.get('comments'), ' ');
  }
  if (key === 'comments' && isRed) return commentText(a, '\n') === commentText(b, '\n');
  if (key === 'architectures' && truthy(a)) return sorted(a) === sorted(b);
  const isFlag = typeof a === 'boolean' || typeof b === 'boolean';
  if (['RedHat', 'Suse'].includes(familyOf(ctx)) && isFlag) return isTrue(a) === isTrue(b);
  return pyStr(a) === pyStr(b);
}

/** Which properties differ, as a state's changes. */
function differences(keys: Iterable<Value>, now: Dict, before: Dict): Dict {
  const out: Dict = new Map();
  for (const key of keys) {
    const [fresh, old] = [now.get(key) ?? null, before.get(key) ?? null];
    if (!valuesEqual(fresh, old)) out.set(key, dict({ new: fresh, old }));
  }
  return out;
}

const DIFFERENT =
  'This may cause pkg states to behave differently than stated if this action is repeated without test=True, due to the ' +
  'differences in the configured repositories.';

/**
 * With apt: the source as it will be, or a sentence. A PPA that this system cannot have is refused where it is added.
 */
function describedRepository({ grains }: StateContext, { repo, words }: Wanted): Dict | string {
  const line = namedLine(grains, repo, words);
  return line.startsWith('ppa:') ? new Map() : describedSource(line, words);
}

async function managed(
  ctx: StateContext,
  args: RepositoryArgs & { readonly aptkey: Value },
  kwargs: Dict,
): Promise<StateResult> {
  const { name } = args;
  if (!(await ctx.functions.has('pkg.get_repo')))
    return failure(name, 'Repo management not implemented on this platform');
  const refused = refusal(kwargs);
  if (refused !== undefined) return failure(name, refused);
  const wanted = wantedRepository(ctx, args, kwargs);
  let before: Dict;
  try {
    before = await repositoryNow(ctx, wanted);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return failure(name, `Failed to examine repo '${name}': ${messageOf(error)}`);
  }
  const isDebian = familyOf(ctx) === 'Debian';
  const described = isDebian ? describedRepository(ctx, wanted) : wanted.words;
  if (typeof described === 'string') return failure(name, `Failed to configure repo '${name}': ${described}`);
  const goal: Dict = new Map(described);
  if (before.size > 0) {
    before.delete('file');
    goal.delete('file');
    const keys = [...goal.keys()].map(pyStr);
    if (keys.length > 0 && keys.every((key) => isSame(ctx, key, goal, before, wanted.words)))
      return outcome(name, true, `Package repo '${name}' already configured`);
  }
  if (ctx.state.test) {
    const file = isDebian ? wanted.words.get('file') : undefined;
    const nowhere = typeof file === 'string' && file !== '' ? missingFolder(ctx, file) : undefined;
    if (nowhere !== undefined) return failure(name, `Failed to configure repo '${name}': ${nowhere}`);
    const changes = before.size > 0 ? differences(goal.keys(), goal, before) : dict({ repo: name });
    return outcome(name, null, `Package repo '${name}' would be configured. ${DIFFERENT}`, changes);
  }
  return configure(ctx, args, wanted, { before, goal });
}

async function configure(
  ctx: StateContext,
  { name, aptkey }: { readonly name: string; readonly aptkey: Value },
  wanted: Wanted,
  { before, goal }: { readonly before: Dict; readonly goal: Dict },
): Promise<StateResult> {
  const { repo, words } = wanted;
  const file = words.get('file');
  try {
    if (truthy(words.get('clean_file')) && file !== undefined) writeFileSync(pyStr(file), '');
    const own: [Value, Value][] =
      familyOf(ctx) === 'Debian'
        ? [
            ['saltenv', stateEnvironment(ctx)],
            ['aptkey', findProgram('apt-key') === undefined ? false : aptkey],
          ]
        : [];
    await ctx.functions.call('pkg.mod_repo', [repo], new Map([...words, ...own]));
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    return failure(name, `Failed to configure repo '${name}': ${messageOf(error)}`);
  }
  try {
    const after = await repositoryNow(ctx, wanted);
    const changes = before.size > 0 ? differences(goal.keys(), after, before) : dict({ repo });
    return outcome(name, true, `Configured package repo '${name}'`, changes);
  } catch (error) {
    if (!(error instanceof BrineError)) throw error;
    return failure(name, `Failed to confirm config of repo '${name}': ${messageOf(error)}`);
  }
}

/** The address of a source without a slash at its end. */
const withoutSlash = (line: string): string =>
  line
    .split(/\s+/)
    .map((word) => (/^(?:https?|ftp):\/\//.test(word) ? word.replace(/\/+$/, '') : word))
    .join(' ');

/** The repository that is meant: its name, or that of a PPA or of COPR. */
function namedRepository(ctx: StateContext, name: string, kwargs: Dict): string {
  const prefixed = (kind: string): string => {
    const given = pyStr(kwargs.get(kind) ?? '');
    kwargs.delete(kind);
    return given.startsWith(`${kind}:`) ? given : `${kind}:${given}`;
  };
  if (kwargs.has('ppa') && isUbuntu(ctx)) return prefixed('ppa');
  if (kwargs.has('copr') && familyOf(ctx) === 'RedHat') return prefixed('copr');
  return name;
}

async function absent(ctx: StateContext, given: string, kwargs: Dict): Promise<StateResult> {
  const words = functionKeywords(ctx, kwargs, false);
  const text = namedRepository(ctx, given, words);
  const takesKey = ['keyid', 'keyid_ppa'].some((key) => (words.get(key) ?? null) !== null);
  if (takesKey && !(await ctx.functions.has('pkg.del_repo_key')))
    return failure(given, 'Repo key management is not implemented for this platform');
  const isDebian = familyOf(ctx) === 'Debian';
  const repo = isDebian ? withoutSlash(text) : text;
  let found: Dict;
  try {
    found = await repositoryNow(ctx, { repo, words });
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return failure(given, `Failed to configure repo '${text}': ${messageOf(error)}`);
  }
  const isOther =
    isDebian &&
    found.size > 0 &&
    sorted(architecturesOf(wantedSource(repo, words) ?? { options: new Map() })) !==
      sorted(found.get('architectures'));
  if (found.size === 0 || isOther) return outcome(given, true, `Package repo ${text} is absent`);
  if (ctx.state.test) return outcome(given, null, `Package repo '${text}' will be removed. ${DIFFERENT}`);
  try {
    await ctx.functions.call('pkg.del_repo', [repo], words);
  } catch (error) {
    return ownError(given, error);
  }
  const left = await ctx.functions.call('pkg.list_repos');
  if (isDict(left) && left.has(repo)) return failure(given, `Failed to remove repo ${text}`);
  const changes = dict({ repo: text });
  if (!takesKey) return outcome(given, true, `Removed repo ${text}`, changes);
  try {
    const keyid = await ctx.functions.call('pkg.del_repo_key', [repo], words);
    return outcome(
      given,
      true,
      `Removed repo ${text}, and keyid ${pyStr(keyid)}`,
      changes.set('keyid', keyid),
    );
  } catch (error) {
    const { comment } = ownError(given, error);
    return outcome(
      given,
      false,
      `Removed repo ${text}, but failed to remove key: ${pyStr(comment)}`,
      changes,
    );
  }
}

function ownError(name: Value, error: unknown): StateResult {
  if (error instanceof CommandExecutionError || error instanceof SaltInvocationError)
    return failure(name, error.message);
  throw error;
}

/** The states of `pkgrepo`. */
export const pkgrepoStates = defineModule({
  name: 'pkgrepo',
  file: 'pkgrepo',
  doc: 'Repositories of packages.',
  needs: { fun: 'pkg.mod_repo', otherwise: 'the pkg module of this system has no repositories' },
  functions: {
    managed: defineState({
      doc:
        'Makes sure that a repository is configured. Keywords with apt: `comps`, `architectures`, `file`, `dist`, `uri`, `signedby`, `trusted`, ' +
        '`enabled`, `disabled`, `comments`, `keyid` with `keyserver`, `key_url`, `key_text`, `clean_file`, `refresh`. One that stands in a ' +
        '`.sources` file (deb822) is recognised and changed there; a new one is written as a stanza where `file` ends in `.sources`. ' +
        'With with dnf: `humanname`, `enabled`, and its options.',
      params: {
        name: NAME,
        ppa: param.textOrNone({ default: null, doc: 'A PPA, `owner/name` (Ubuntu).' }),
        copr: param.textOrNone({ default: null, doc: 'A project of COPR, `owner/name` (dnf).' }),
        aptkey: param.value({
          default: true,
          type: 'bool',
          doc: 'Keep keys with `apt-key` where there is one.',
        }),
      },
      kwargs: 'kwargs',
      run: (ctx, args, kwargs) => managed(ctx, args, kwargs),
    }),
    absent: defineState({
      doc: 'Makes sure that a repository is not configured. Keywords: `keyid`, a key to remove with it; `ppa`; `copr`.',
      params: { name: NAME },
      kwargs: 'kwargs',
      run: (ctx, { name }, kwargs) => absent(ctx, name, kwargs),
    }),
  },
});
