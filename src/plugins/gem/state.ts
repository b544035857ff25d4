/** `gem`: packages of Ruby (3006.16 salt/states/gem.py). */
import { CommandExecutionError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type DictInit, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { compareLoose } from '../shared/loose-versions.ts';
import { outcomeChangesLast as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const RUBY = {
  ruby: param.value({
    default: null,
    type: 'str',
    doc: 'The Ruby of rvm or rbenv: `2.0.0`, `jruby@gemset`.',
  }),
} as const;
const USER = {
  user: param.value({ default: null, type: 'str', account: 'user', doc: 'Who runs gem.' }),
} as const;
const GEM_BIN = {
  gem_bin: param.value({
    default: null,
    type: 'str',
    doc: 'The path of gem; rvm and rbenv are left aside then.',
  }),
} as const;
const INSTALLED = {
  name: param.text({ doc: 'The gem.' }),
  ...RUBY,
  ...GEM_BIN,
  ...USER,
  version: param.textOrNone({ default: null, doc: 'The version, or what it is to be: `>= 1.2`, `~> 2.0`.' }),
  rdoc: param.flag({ default: false, doc: 'Make documents of the kind rdoc.' }),
  ri: param.flag({ default: false, doc: 'Make documents of the kind ri.' }),
  pre_releases: param.flag({ default: false, doc: 'Take versions before a release, too.' }),
  proxy: param.value({ default: null, type: 'str', doc: 'The proxy.' }),
  source: param.value({ default: null, type: 'str', doc: 'The address to take the gem from.' }),
} as const;

/** `~> 2.1`: at least this, and below 3. */
function isCompatible(version: string, wanted: string): boolean {
  const numbers = wanted.split('.').slice(0, -1);
  const last = Number(numbers.pop() ?? wanted);
  return compareLoose(version, wanted) >= 0 && compareLoose(version, [...numbers, last + 1].join('.')) < 0;
}

/** Whether a version is what one condition asks for. Salt compat: Salt knows neither `~>` nor `<=`. */
function meets(version: string, condition: string): boolean {
  const [, operator = '=', wanted = ''] = /^(>=|<=|~>|!=|>|<|=)?\s*(.*)$/.exec(condition.trim()) ?? [];
  if (operator === '~>') return isCompatible(version, wanted);
  const order = compareLoose(version, wanted);
  if (operator === '=') return order === 0 || version === wanted;
  if (operator === '!=') return order !== 0;
  return (operator.startsWith('>') ? order > 0 : order < 0) || (operator.endsWith('=') && order === 0);
}

/** Why a gem needs no installing; undefined where it does. */
function whyNot(versions: readonly string[], wanted: string | undefined): string | undefined {
  if (versions.length === 0) return undefined;
  if (wanted === undefined) return 'Gem is already installed.';
  const plain = versions.map((version) => version.replace('default: ', '').trim().split(' ')[0] ?? '');
  const conditions = wanted.split(',');
  const isThere = plain.some((version) => conditions.every((condition) => meets(version, condition)));
  if (!isThere) return undefined;
  return /^\s*[><~!=]/.test(wanted)
    ? 'Installed Gem meets version requirements.'
    : 'Gem is already installed.';
}

/** The versions of a gem that are there. */
async function versionsOf(ctx: StateContext, name: string, where: DictInit): Promise<string[]> {
  const listed = await ctx.functions.call('gem.list', [name], dict(where));
  const versions = isDict(listed) ? listed.get(name) : undefined;
  return Array.isArray(versions) ? versions.map(pyStr) : [];
}

/** A state whose failures are its result. Salt compat: Salt ends with a traceback. */
async function orFailure(
  name: string,
  sentence: string,
  run: () => Promise<StateResult>,
): Promise<StateResult> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return outcome(name, false, `${sentence} ${error.message}`);
  }
}

async function installed(ctx: StateContext, args: TypedArguments<typeof INSTALLED>): Promise<StateResult> {
  const { name, ruby, gem_bin, user, version } = args;
  const where = { ruby, gem_bin, runas: user };
  const reason = whyNot(await versionsOf(ctx, name, where), version);
  if (reason !== undefined) return outcome(name, true, reason);
  if (ctx.state.test) return outcome(name, null, `The gem ${name} would have been installed`);
  const { rdoc, ri, pre_releases, proxy, source } = args;
  const keywords = dict({ ...where, version: version ?? null, rdoc, ri, pre_releases, proxy, source });
  return truthy(await ctx.functions.call('gem.install', [name], keywords))
    ? outcome(name, true, 'Gem was successfully installed', dict({ [name]: 'Installed' }))
    : outcome(name, false, 'Could not install gem.');
}

/** A source that is to be there, or not. */
interface SourceSwitch {
  readonly fun: string;
  readonly isWanted: boolean;
  readonly right: string;
  readonly foretold: (name: string) => string;
  readonly done: readonly [change: string, comment: string];
  readonly failed: string;
}

const ADD: SourceSwitch = {
  fun: 'gem.sources_add',
  isWanted: true,
  right: 'Gem source is already added.',
  foretold: (name) => `The gem source ${name} would have been added.`,
  done: ['Installed', 'Gem source was successfully added.'],
  failed: 'Could not add gem source.',
};
const REMOVE: SourceSwitch = {
  fun: 'gem.sources_remove',
  isWanted: false,
  right: 'Gem source is already removed.',
  foretold: () => 'The gem source would have been removed.',
  done: ['Removed', 'Gem source was successfully removed.'],
  failed: 'Could not remove gem source.',
};

const SOURCE = { name: param.text({ doc: 'The address of the source.' }), ...RUBY, ...USER } as const;

function sourceState(doc: string, kind: SourceSwitch) {
  const set = async (
    ctx: StateContext,
    name: string,
    where: { ruby: Value; runas: Value },
  ): Promise<StateResult> => {
    const listed = await ctx.functions.call('gem.sources_list', [], dict(where));
    const isThere = Array.isArray(listed) && listed.includes(name);
    if (isThere === kind.isWanted) return outcome(name, true, kind.right);
    if (ctx.state.test) return outcome(name, null, kind.foretold(name));
    const [change, comment] = kind.done;
    return truthy(await ctx.functions.call(kind.fun, [name], dict(where)))
      ? outcome(name, true, comment, dict({ [name]: change }))
      : outcome(name, false, kind.failed);
  };
  return defineState({
    doc,
    params: SOURCE,
    run: (ctx, { name, ruby, user }) =>
      orFailure(name, kind.failed, () => set(ctx, name, { ruby, runas: user })),
  });
}

/** The states of `gem`. */
export const gemStates = defineModule({
  name: 'gem',
  file: 'gem',
  doc: 'Packages of Ruby, those of rvm and rbenv as well.',
  functions: {
    installed: defineState({
      doc: 'Makes sure that a gem is installed.',
      params: INSTALLED,
      run: (ctx, args) => orFailure(args.name, 'Could not install gem.', () => installed(ctx, args)),
    }),
    removed: defineState({
      doc: 'Makes sure that a gem is not installed.',
      params: { name: INSTALLED.name, ...RUBY, ...USER, ...GEM_BIN },
      run: (ctx, { name, ruby, user, gem_bin }) =>
        orFailure(name, 'Could not remove gem.', async () => {
          const where = { ruby, runas: user, gem_bin };
          if ((await versionsOf(ctx, name, where)).length === 0)
            return outcome(name, true, 'Gem is not installed.');
          if (ctx.state.test) return outcome(name, null, `The gem ${name} would have been removed`);
          return truthy(await ctx.functions.call('gem.uninstall', [name], dict(where)))
            ? outcome(name, true, 'Gem was successfully removed.', dict({ [name]: 'Removed' }))
            : outcome(name, false, 'Could not remove gem.');
        }),
    }),
    sources_add: sourceState('Makes sure that a source of gems is used.', ADD),
    sources_remove: sourceState('Makes sure that a source of gems is not used.', REMOVE),
  },
});
