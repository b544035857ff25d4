/** `gem`: packages of Ruby. Follows 3006.16 salt/modules/gem.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { inRbenv, inRvm, rbenvRoot, rvmProgram } from '../shared/rubies.ts';
import { runAll } from '../shared/program.ts';
import { withSecretFile } from '../shared/secret-file.ts';

/** An option's value that is an address with a password: gem reads such options from a file of settings. */
const WITH_PASSWORD = /^https?:\/\/[^/@\s]*:[^/@\s]*@\S+$/i;

/** Which gem, and who runs it. */
interface GemRun {
  readonly ruby: Value;
  readonly runas: Value;
  readonly gem_bin: Value;
}

/**
 * Runs gem: the one that is given, that of rvm or rbenv, or that of the system.
 * @returns what it printed; false where rvm or rbenv says that it has failed
 * @throws CommandExecutionError in the words of gem
 */
async function gem(ctx: ModuleContext, words: readonly Value[], run: GemRun): Promise<string | false> {
  const secret = words.findIndex((word) => WITH_PASSWORD.test(pyStr(word)));
  if (secret < 1) return runGem(ctx, words, run);
  // Salt compat: Salt leaves it among the arguments, where every user of the machine reads it
  const pairs = words.flatMap((word, at) => (WITH_PASSWORD.test(pyStr(word)) ? [at - 1, at] : []));
  const content = `${pyStr(words[0] ?? '')}: ${pairs.map((at) => pyStr(words[at] ?? '')).join(' ')}\n`;
  const rest = words.filter((_word, at) => !pairs.includes(at));
  return withSecretFile(ctx, { content, runas: run.runas }, (path) => {
    const known = process.env['GEMRC'];
    const env = dict({ GEMRC: known === undefined ? path : `${known}:${path}` });
    return runGem(ctx, rest, run, env);
  });
}

async function runGem(
  ctx: ModuleContext,
  words: readonly Value[],
  run: GemRun,
  env: Value = null,
): Promise<string | false> {
  const { ruby, runas, gem_bin: given } = run;
  if (given === null) {
    const command = { ruby, words: ['gem', ...words], runas, env };
    if (rvmProgram(runas) !== undefined) return inRvm(ctx, command);
    if (rbenvRoot(ctx, runas) !== undefined) return inRbenv(ctx, command);
  }
  const { retcode, stdout, stderr } = await runAll(ctx, [given ?? 'gem', ...words], {
    runas,
    ...(env === null ? {} : { env }),
  });
  if (retcode !== 0) throw new CommandExecutionError(stderr);
  return stdout;
}

/** What gem printed. @throws CommandExecutionError where rvm or rbenv has failed */
async function printed(ctx: ModuleContext, words: readonly Value[], run: GemRun): Promise<string> {
  const said = await gem(ctx, words, run);
  if (said === false) throw new CommandExecutionError(`gem ${words.join(' ')} has failed`);
  return said;
}

async function gemVersion(ctx: ModuleContext, run: GemRun): Promise<string | undefined> {
  return splitLines(await printed(ctx, ['--version'], run)).find((line) => /^[.0-9]+/.test(line));
}

/** What `gem list` says: mapping of name to versions. */
async function list(ctx: ModuleContext, prefix: string, run: GemRun): Promise<Dict> {
  const said = await printed(ctx, prefix === '' ? ['list'] : ['list', prefix], run);
  return new Map(
    said.split('\n').flatMap((line): [Value, Value][] => {
      const [, name, versions] = /^([^ ]+) \((.+)\)/.exec(line) ?? [];
      return name === undefined || versions === undefined ? [] : [[name, versions.split(', ')]];
    }),
  );
}

async function upgrades(ctx: ModuleContext, run: GemRun): Promise<Dict> {
  const said = await printed(ctx, ['outdated'], run);
  return new Map(
    said.split('\n').flatMap((line): [Value, Value][] => {
      const [, name, version] = /(\S+) \(\S+ < (\S+)\)/.exec(line) ?? [];
      if (name !== undefined && version !== undefined) return [[name, version]];
      ctx.log.error(`Can't parse line '${line}'`);
      return [];
    }),
  );
}

/** What is asked of `gem install` beside the names. */
interface InstallOptions {
  readonly version: Value | undefined;
  readonly rdoc: boolean;
  readonly ri: boolean;
  readonly pre_releases: boolean;
  readonly proxy: Value | undefined;
  readonly source: Value | undefined;
}

async function installWords(ctx: ModuleContext, wanted: InstallOptions, run: GemRun): Promise<Value[]> {
  const { version, rdoc, ri, pre_releases, proxy, source } = wanted;
  const isNew = Number((await gemVersion(ctx, run))?.split('.')[0] ?? 0) >= 3;
  const words: Value[] = version !== undefined ? ['--version', version] : [];
  if (isNew) {
    if (!rdoc || !ri) words.push('--no-document');
  } else {
    if (!rdoc) words.push('--no-rdoc');
    if (!ri) words.push('--no-ri');
  }
  if (pre_releases) words.push(isNew ? '--prerelease' : '--pre');
  if (proxy !== undefined) words.push('-p', proxy);
  if (source !== undefined) words.push('--source', source);
  return words;
}

const GEMS = {
  gems: param.by(
    (value: Value): Value[] =>
      Array.isArray(value)
        ? value
        : String(value)
            .split(/\s+/)
            .filter((one) => one !== ''),
    { type: 'str or list', doc: 'The gems: a list, or a text with spaces.' },
  ),
} as const;
const RUBY = {
  ruby: param.value({
    default: null,
    type: 'str',
    doc: 'The Ruby of rvm or rbenv: `2.0.0`, `jruby@gemset`.',
  }),
} as const;
const RUNAS = { runas: param.value({ default: null, type: 'str', doc: 'Who runs gem.' }) } as const;
const GEM_BIN = {
  gem_bin: param.value({
    default: null,
    type: 'str',
    doc: 'The path of gem; rvm and rbenv are left aside then.',
  }),
} as const;
const WHERE = { ...RUBY, ...RUNAS, ...GEM_BIN } as const;
const SAYS = 'what gem printed; false where rvm or rbenv says that it has failed';

const changing = {
  install: defineFunction({
    doc: 'Installs gems.',
    params: {
      ...GEMS,
      ...RUBY,
      ...GEM_BIN,
      ...RUNAS,
      version: param.valueIfGiven({ default: null, type: 'str', doc: 'The version.' }),
      rdoc: param.flag({ default: false, doc: 'Make documents of the kind rdoc.' }),
      ri: param.flag({ default: false, doc: 'Make documents of the kind ri.' }),
      pre_releases: param.flag({ default: false, doc: 'Take versions before a release, too.' }),
      proxy: param.valueIfGiven({ default: null, type: 'str', doc: 'The proxy.' }),
      source: param.valueIfGiven({ default: null, type: 'str', doc: 'The address to take the gem from.' }),
    },
    returns: SAYS,
    examples: [
      "salt '*' gem.install vagrant",
      "salt '*' gem.install redphone gem_bin=/opt/sensu/embedded/bin/gem",
    ],
    run: async (ctx, { gems, ruby, gem_bin, runas, ...wanted }) => {
      const run = { ruby, gem_bin, runas };
      return gem(ctx, ['install', ...gems, ...(await installWords(ctx, wanted, run))], run);
    },
  }),
  uninstall: defineFunction({
    doc: 'Removes gems, in all their versions, with their programs.',
    params: { ...GEMS, ...WHERE },
    returns: SAYS,
    examples: ["salt '*' gem.uninstall vagrant"],
    run: (ctx, { gems, ...run }) => gem(ctx, ['uninstall', ...gems, '-a', '-x'], run),
  }),
  update: defineFunction({
    doc: 'Upgrades gems.',
    params: { ...GEMS, ...WHERE },
    returns: SAYS,
    examples: ["salt '*' gem.update vagrant"],
    run: (ctx, { gems, ...run }) => gem(ctx, ['update', ...gems], run),
  }),
  update_system: defineFunction({
    doc: 'Upgrades gem itself.',
    params: { version: param.text({ default: '', doc: 'The version; the newest without it.' }), ...WHERE },
    returns: SAYS,
    examples: ["salt '*' gem.update_system"],
    // Salt compat: Salt hands an empty text on, which gem refuses.
    run: (ctx, { version, ...run }) =>
      gem(ctx, ['update', '--system', ...(version === '' ? [] : [version])], run),
  }),
};

const SOURCE = { source_uri: param.text({ doc: 'The address of the source.' }) } as const;

const asking = {
  version: defineFunction({
    doc: 'Returns the version of gem.',
    params: WHERE,
    returns: 'the version; an empty mapping where gem says none',
    examples: ["salt '*' gem.version"],
    run: async (ctx, run) => (await gemVersion(ctx, run)) ?? dict(),
  }),
  list: defineFunction({
    doc: 'Lists the installed gems.',
    params: { prefix: param.text({ default: '', doc: 'Only gems whose names begin with this.' }), ...WHERE },
    pythonName: 'list_',
    returns: 'a mapping of name to versions',
    examples: ["salt '*' gem.list"],
    run: (ctx, { prefix, ...run }) => list(ctx, prefix, run),
  }),
  list_upgrades: defineFunction({
    doc: 'Lists the gems of which there is a newer version.',
    params: WHERE,
    returns: 'a mapping of name to version',
    examples: ["salt '*' gem.list_upgrades"],
    run: (ctx, run) => upgrades(ctx, run),
  }),
  sources_add: defineFunction({
    doc: 'Adds a source of gems.',
    params: { ...SOURCE, ...WHERE },
    returns: SAYS,
    examples: ["salt '*' gem.sources_add http://rubygems.org/"],
    run: (ctx, { source_uri, ...run }) => gem(ctx, ['sources', '--add', source_uri], run),
  }),
  sources_remove: defineFunction({
    doc: 'Removes a source of gems.',
    params: { ...SOURCE, ...WHERE },
    returns: SAYS,
    examples: ["salt '*' gem.sources_remove http://rubygems.org/"],
    run: (ctx, { source_uri, ...run }) => gem(ctx, ['sources', '--remove', source_uri], run),
  }),
  sources_list: defineFunction({
    doc: 'Lists the sources of gems.',
    params: WHERE,
    returns: 'a list of addresses',
    examples: ["salt '*' gem.sources_list"],
    run: async (ctx, run) => {
      const said = await gem(ctx, ['sources'], run);
      return said === false ? [] : splitLines(said).slice(2);
    },
  }),
};

/** The module. */
export const gemModule = defineModule({
  name: 'gem',
  file: 'gem',
  doc: 'Packages of Ruby, those of rvm and rbenv as well.',
  words: {},
  failsWith: { false: ['install', 'sources_add', 'sources_remove', 'uninstall', 'update', 'update_system'] },
  functions: { ...changing, ...asking },
});
