/** `rbenv`: Rubies of rbenv. Follows 3006.16 salt/modules/rbenv.py. */
import { SaltInvocationError } from '../../errors/errors.ts';
import { expandUser } from '../../host/expand-user.ts';
import { isDir, joinPath } from '../../python/paths.ts';
import { splitWords } from '../../python/shell-words.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { isDict, truthy, type DictInit, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { inRbenv, rbenvFolder, rbenvRoot, runRbenv } from '../shared/rubies.ts';
import { runCode } from '../shared/program.ts';

/** The repositories of rbenv and of what builds Rubies, and where the second lies within the first. */
const RBENV = { url: 'https://github.com/rbenv/rbenv.git', below: '' } as const;
const RUBY_BUILD = { url: 'https://github.com/rbenv/ruby-build.git', below: 'plugins/ruby-build' } as const;

const placeOf = (ctx: ModuleContext, path: string | undefined, runas: Value): string =>
  path !== undefined ? expandUser(path) : rbenvFolder(ctx, runas);

async function cloned(ctx: ModuleContext, path: string, runas: Value): Promise<boolean> {
  for (const { url, below } of [RBENV, RUBY_BUILD]) {
    const target = below === '' ? path : joinPath(path, below);
    if (!isDir(target) && (await runCode(ctx, ['git', 'clone', url, target], { runas })) !== 0) return false;
  }
  return true;
}

async function pulled(ctx: ModuleContext, path: string, runas: Value): Promise<boolean> {
  for (const { below } of [RBENV, RUBY_BUILD]) {
    const cwd = below === '' ? path : joinPath(path, below);
    if (!isDir(cwd) || (await runCode(ctx, ['git', 'pull'], { runas, cwd })) !== 0) return false;
  }
  return true;
}

/**
 * The variables of a build: `CONFIGURE_OPTS="--no-tcmalloc" CFLAGS="-fno-tree-dce"`, or a mapping. Salt compat: Salt
 * drops them.
 */
async function buildVariables(ctx: ModuleContext): Promise<DictInit> {
  const out: Record<string, Value> = {};
  if (['FreeBSD', 'NetBSD', 'OpenBSD'].includes(pyStr(ctx.grains.get('os') ?? ''))) out['MAKE'] = 'gmake';
  const own = await ctx.functions.call('config.get', ['rbenv:build_env']);
  const given = truthy(own) ? own : await ctx.functions.call('config.option', ['rbenv.build_env', null]);
  if (isDict(given)) for (const [name, value] of given) out[pyStr(name)] = pyStr(value ?? '');
  else if (truthy(given))
    for (const word of splitWords(pyStr(given))) {
      const at = word.indexOf('=');
      if (at > 0) out[word.slice(0, at)] = word.slice(at + 1);
      else ctx.log.error(`rbenv:build_env has a word that is no NAME=VALUE, and is left out: ${word}`);
    }
  return out;
}

const bare = (ruby: string): string => ruby.replace(/^ruby-/, '');

/** Runs `rbenv`. @returns what it printed, or false */
async function said(ctx: ModuleContext, words: readonly Value[], runas: Value): Promise<string | false> {
  const ended = await runRbenv(ctx, words, runas);
  return ended?.retcode === 0 && ended.stdout;
}

const uninstall = async (ctx: ModuleContext, ruby: string, runas: Value): Promise<boolean> =>
  (await said(ctx, ['uninstall', '--force', bare(ruby)], runas)) !== false;

async function installRuby(ctx: ModuleContext, ruby: string, runas: Value): Promise<string | false> {
  const ended = await runRbenv(ctx, ['install', bare(ruby)], runas, await buildVariables(ctx));
  if (ended?.retcode === 0) {
    await runRbenv(ctx, ['rehash'], runas);
    return ended.stderr;
  }
  // what is half built would be listed as installed
  await uninstall(ctx, ruby, runas);
  return false;
}

const RUNAS = { runas: param.value({ default: null, type: 'str', doc: 'Who runs rbenv.' }) } as const;
const RUBY = { ruby: param.text({ doc: 'The version of Ruby.' }) } as const;
const PATH = {
  path: param.textIfGiven({ default: null, doc: 'The folder of rbenv, in place of the usual one.' }),
} as const;
const CMDLINE = {
  cmdline: param.by(wordsOf, {
    type: 'str',
    doc: 'The command, in words as a shell takes them; no shell runs it.',
  }),
} as const;

/** The words of a command. @throws SaltInvocationError where there is none */
function wordsOf(cmdline: Value): readonly Value[] {
  if (!truthy(cmdline)) throw new SaltInvocationError('Command must be specified');
  return Array.isArray(cmdline) ? cmdline : splitWords(pyStr(cmdline));
}

const whole = {
  install: defineFunction({
    doc: 'Installs rbenv and ruby-build with git.',
    params: { ...RUNAS, ...PATH },
    returns: 'true or false',
    examples: ["salt '*' rbenv.install"],
    run: (ctx, { runas, path }) => cloned(ctx, placeOf(ctx, path, runas), runas),
  }),
  update: defineFunction({
    doc: 'Brings rbenv and ruby-build up to date.',
    params: { ...RUNAS, ...PATH },
    returns: 'true or false',
    examples: ["salt '*' rbenv.update"],
    run: (ctx, { runas, path }) => pulled(ctx, placeOf(ctx, path, runas), runas),
  }),
  is_installed: defineFunction({
    doc: 'Says whether rbenv is there.',
    params: RUNAS,
    returns: 'true or false',
    examples: ["salt '*' rbenv.is_installed"],
    run: (ctx, { runas }) => rbenvRoot(ctx, runas) !== undefined,
  }),
  rehash: defineFunction({
    doc: 'Lets rbenv see new programs.',
    params: RUNAS,
    returns: 'true',
    examples: ["salt '*' rbenv.rehash"],
    run: async (ctx, { runas }) => {
      await runRbenv(ctx, ['rehash'], runas);
      return true;
    },
  }),
};

const rubies = {
  install_ruby: defineFunction({
    doc: 'Builds a Ruby, with the variables of `rbenv:build_env` in the pillar or the configuration.',
    params: { ...RUBY, ...RUNAS },
    returns: 'what rbenv printed as errors; false where it has failed',
    examples: ["salt '*' rbenv.install_ruby 2.0.0-p0"],
    run: (ctx, { ruby, runas }) => installRuby(ctx, ruby, runas),
  }),
  uninstall_ruby: defineFunction({
    doc: 'Removes a Ruby.',
    params: { ...RUBY, ...RUNAS },
    // Salt compat: Salt says true in any case.
    returns: 'true; false where rbenv has failed',
    examples: ["salt '*' rbenv.uninstall_ruby 2.0.0-p0"],
    run: (ctx, { ruby, runas }) => uninstall(ctx, ruby, runas),
  }),
  versions: defineFunction({
    doc: 'Lists the installed Rubies.',
    params: RUNAS,
    returns: 'a list of versions',
    examples: ["salt '*' rbenv.versions"],
    run: async (ctx, { runas }) => {
      const listed = await said(ctx, ['versions', '--bare'], runas);
      return listed === false ? [] : splitLines(listed);
    },
  }),
  default: defineFunction({
    doc: 'Returns the default Ruby, or sets it.',
    params: {
      ruby: param.textIfGiven({ default: null, doc: 'The Ruby that is to be the default.' }),
      ...RUNAS,
    },
    // Salt compat: Salt says true in any case.
    returns: 'the version; for one that is set true, or false where rbenv has failed',
    examples: ["salt '*' rbenv.default", "salt '*' rbenv.default 2.0.0-p0"],
    run: async (ctx, { ruby, runas }) => {
      const answer = await said(ctx, ruby === undefined ? ['global'] : ['global', ruby], runas);
      if (ruby !== undefined) return answer !== false;
      return answer === false ? '' : answer.trim();
    },
  }),
  list: defineFunction({
    doc: 'Lists the Rubies that can be installed.',
    params: RUNAS,
    pythonName: 'list_',
    returns: 'a list of versions',
    examples: ["salt '*' rbenv.list"],
    run: async (ctx, { runas }) => {
      const listed = await said(ctx, ['install', '--list'], runas);
      return splitLines(listed === false ? '' : listed)
        .filter((line) => line !== 'Available versions:')
        .map((line) => line.trim());
    },
  }),
};

const commands = {
  do: defineFunction({
    doc: 'Runs a command with the programs of rbenv.',
    params: {
      ...CMDLINE,
      ...RUNAS,
      env: param.mapping({ default: null, doc: 'Variables of the environment.' }),
    },
    returns: 'what it printed; false where it has failed',
    examples: ["salt '*' rbenv.do 'gem list bundler'", "salt '*' rbenv.do 'gem list bundler' deploy"],
    run: (ctx, { cmdline, runas, env }) => inRbenv(ctx, { ruby: null, words: cmdline, runas, env }),
  }),
  do_with_ruby: defineFunction({
    doc: 'Runs a command with the programs of one Ruby of rbenv.',
    params: { ruby: param.valueIfGiven({ type: 'str', doc: RUBY.ruby.doc }), ...CMDLINE, ...RUNAS },
    returns: 'what it printed; false where it has failed',
    examples: ["salt '*' rbenv.do_with_ruby 2.0.0-p0 'gem list bundler'"],
    run: (ctx, { ruby, cmdline, runas }) => inRbenv(ctx, { ruby, words: cmdline, runas }),
  }),
};

/** The module. */
export const rbenvModule = defineModule({
  name: 'rbenv',
  file: 'rbenv',
  doc: 'Rubies of rbenv.',
  words: { lines: ['env', 'cmdline'], dashes: ['env'] },
  failsWith: {
    false: ['do', 'do_with_ruby', 'install', 'install_ruby', 'rehash', 'uninstall_ruby', 'update', 'default'],
  },
  functions: { ...whole, ...rubies, ...commands },
});
