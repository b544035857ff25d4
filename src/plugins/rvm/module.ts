/** `rvm`: Rubies and sets of gems of RVM. Follows 3006.16 salt/modules/rvm.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { splitWords } from '../../python/shell-words.ts';
import { splitLines } from '../../python/values/text.ts';
import type { Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { inRvm, runRvm, rvmProgram } from '../shared/rubies.ts';
import { runAll } from '../shared/program.ts';

const INSTALLER = 'https://raw.githubusercontent.com/rvm/rvm/master/binscripts/rvm-installer';

/**
 * Fetches the installer and has bash run it. Salt compat: Salt runs both in one pipe, so that an installer that cannot
 * be fetched counts as one that has succeeded.
 */
async function install(ctx: ModuleContext, runas: Value): Promise<true> {
  const fetched = await runAll(ctx, ['curl', '-fLsS', INSTALLER], { runas });
  const ended =
    fetched.retcode === 0
      ? await runAll(ctx, ['bash', '-s', 'stable'], {
          runas,
          stdin: fetched.stdout,
          stdin_raw_newlines: true,
        })
      : fetched;
  if (ended.retcode === 0) return true;
  const said = ended.stderr === '' ? '' : `. stderr follows:\n\n${ended.stderr}`;
  throw new CommandExecutionError(`Error encountered while downloading the RVM installer${said}`);
}

/** What `rvm list` says. @returns lists of implementation, version and whether it is the default */
async function listRubies(ctx: ModuleContext, runas: Value): Promise<Value[]> {
  const said = await runRvm(ctx, ['list'], { runas });
  return splitLines(said === false ? '' : said).flatMap((line) => {
    const [, mark, kind, version] = /^[= ]([*> ]) ([^- ]+)-([^ ]+) \[ (.*) \]/.exec(line) ?? [];
    return kind === undefined || version === undefined ? [] : [[kind, version, mark === '*']];
  });
}

/** The sets of gems that lines name. */
function gemsetsOf(said: string | false): string[] {
  return splitLines(said === false ? '' : said).flatMap((line) => /^ {3}([^ ]+)/.exec(line)?.[1] ?? []);
}

async function listAllGemsets(ctx: ModuleContext, runas: Value): Promise<Map<Value, Value>> {
  const said = await inRvm(ctx, { ruby: 'default', words: ['rvm', 'gemset', 'list_all'], runas });
  const out = new Map<Value, Value>();
  let current: string[] = [];
  for (const line of splitLines(said === false ? '' : said)) {
    const ruby = /^gemsets for ([^ ]+)/.exec(line)?.[1];
    if (ruby !== undefined) out.set(ruby, (current = []));
    current.push(...gemsetsOf(line));
  }
  return out;
}

const RUNAS = { runas: param.value({ default: null, type: 'str', doc: 'Who runs rvm.' }) } as const;
const ENV = {
  env: param.value({ default: null, type: 'list or dict', doc: 'Variables of the environment.' }),
} as const;
const RUBY = { ruby: param.text({ doc: 'The Ruby: `2.0.0`, `jruby`.' }) } as const;
/** The Ruby within which a command runs: none is the default. */
const IN_RUBY = { ruby: param.valueIfGiven({ type: 'str', doc: RUBY.ruby.doc }) } as const;
const GEMSET = { gemset: param.text({ doc: 'The set of gems.' }) } as const;
const SAYS = 'what rvm printed; false where it has failed or is not there';

const rubies = {
  is_installed: defineFunction({
    doc: 'Says whether rvm is there.',
    params: RUNAS,
    returns: 'true or false',
    examples: ["salt '*' rvm.is_installed"],
    run: (_ctx, { runas }) => rvmProgram(runas) !== undefined,
  }),
  install: defineFunction({
    doc: 'Installs rvm with its own installer, for the whole system where root runs it.',
    params: RUNAS,
    returns: 'true',
    examples: ["salt '*' rvm.install"],
    run: (ctx, { runas }) => install(ctx, runas),
  }),
  install_ruby: defineFunction({
    doc: 'Installs a Ruby.',
    params: {
      ...RUBY,
      ...RUNAS,
      opts: param.list({ default: null, doc: 'Options of `rvm install`: `-C`, `--patch`.' }),
      ...ENV,
    },
    returns: SAYS,
    examples: ["salt '*' rvm.install_ruby 1.9.3-p385"],
    run: async (ctx, { ruby, runas, opts, env }) => {
      if (runas === null || runas === '' || runas === 'root')
        return runRvm(ctx, ['install', ruby, ...opts], { runas, env });
      await runRvm(ctx, ['autolibs', 'disable', ruby, ...opts], { runas });
      return runRvm(ctx, ['install', ruby, ...opts, '--disable-binary'], { runas, env });
    },
  }),
  reinstall_ruby: defineFunction({
    doc: 'Installs a Ruby once more.',
    params: { ...RUBY, ...RUNAS, ...ENV },
    returns: SAYS,
    examples: ["salt '*' rvm.reinstall_ruby 1.9.3-p385"],
    run: (ctx, { ruby, runas, env }) => runRvm(ctx, ['reinstall', ruby], { runas, env }),
  }),
  list: defineFunction({
    doc: 'Lists the installed Rubies.',
    params: RUNAS,
    pythonName: 'list_',
    returns: 'a list of lists: implementation, version, whether it is the default',
    examples: ["salt '*' rvm.list"],
    run: (ctx, { runas }) => listRubies(ctx, runas),
  }),
  set_default: defineFunction({
    doc: 'Makes a Ruby the default.',
    params: { ...RUBY, ...RUNAS },
    returns: SAYS,
    examples: ["salt '*' rvm.set_default 2.0.0"],
    run: (ctx, { ruby, runas }) => runRvm(ctx, ['alias', 'create', 'default', ruby], { runas }),
  }),
  get: defineFunction({
    doc: 'Brings rvm itself up to date.',
    params: { version: param.text({ default: 'stable', doc: 'Which version: `stable`, `head`.' }), ...RUNAS },
    returns: SAYS,
    examples: ["salt '*' rvm.get"],
    run: (ctx, { version, runas }) => runRvm(ctx, ['get', version], { runas }),
  }),
};

const within = {
  wrapper: defineFunction({
    doc: 'Makes programs that run in a Ruby and a set of gems.',
    params: {
      ruby_string: param.text({ doc: 'The Ruby, and the set of gems: `2.0.0@web`.' }),
      wrapper_prefix: param.text({ doc: 'What the names of the programs begin with.' }),
      ...RUNAS,
    },
    varargs: 'binaries',
    returns: SAYS,
    examples: ["salt '*' rvm.wrapper <ruby_string> <wrapper_prefix>"],
    run: (ctx, { ruby_string, wrapper_prefix, runas }, binaries) =>
      runRvm(ctx, ['wrapper', ruby_string, wrapper_prefix, ...binaries], { runas }),
  }),
  rubygems: defineFunction({
    doc: 'Installs a version of rubygems in a Ruby.',
    params: {
      ...IN_RUBY,
      version: param.text({ doc: 'The version, or `remove` for the one that Ruby comes with.' }),
      ...RUNAS,
    },
    returns: SAYS,
    examples: ["salt '*' rvm.rubygems 2.0.0 1.8.24"],
    run: (ctx, { ruby, version, runas }) => inRvm(ctx, { ruby, words: ['rubygems', version], runas }),
  }),
  do: defineFunction({
    doc: 'Runs a command in a Ruby.',
    params: {
      ...IN_RUBY,
      command: param.text({ doc: 'The command, in words as a shell takes them; no shell runs it.' }),
      ...RUNAS,
      cwd: param.value({ default: null, type: 'str', doc: 'The folder to run it in.' }),
      ...ENV,
    },
    returns: SAYS,
    examples: ["salt '*' rvm.do 2.0.0 <command>"],
    run: (ctx, { command, ...where }) => inRvm(ctx, { ...where, words: splitWords(command) }),
  }),
};

/** A function of one set of gems. @param words what stands before its name */
function gemsetFunction(verb: string, doc: string, words: readonly string[]) {
  return defineFunction({
    doc,
    params: { ...IN_RUBY, ...GEMSET, ...RUNAS },
    returns: SAYS,
    examples: [`salt '*' rvm.gemset_${verb} 2.0.0 foobar`],
    run: (ctx, { ruby, gemset, runas }) => inRvm(ctx, { ruby, words: [...words, gemset], runas }),
  });
}

const gemsets = {
  gemset_create: gemsetFunction('create', 'Makes a set of gems.', ['rvm', 'gemset', 'create']),
  gemset_delete: gemsetFunction('delete', 'Removes a set of gems.', ['rvm', '--force', 'gemset', 'delete']),
  gemset_empty: gemsetFunction('empty', 'Removes all gems of a set.', ['rvm', '--force', 'gemset', 'empty']),
  gemset_list: defineFunction({
    doc: 'Lists the sets of gems of a Ruby.',
    params: { ruby: param.valueIfGiven({ default: 'default', type: 'str', doc: RUBY.ruby.doc }), ...RUNAS },
    returns: 'a list of names',
    examples: ["salt '*' rvm.gemset_list"],
    run: async (ctx, { ruby, runas }) =>
      gemsetsOf(await inRvm(ctx, { ruby, words: ['rvm', 'gemset', 'list'], runas })),
  }),
  gemset_copy: defineFunction({
    doc: 'Copies all gems of a set to another.',
    params: {
      source: param.text({ doc: 'The set of gems, with its Ruby.' }),
      destination: param.text({ doc: 'The set that gets them.' }),
      ...RUNAS,
    },
    returns: SAYS,
    examples: ["salt '*' rvm.gemset_copy foobar bazquo"],
    run: (ctx, { source, destination, runas }) =>
      runRvm(ctx, ['gemset', 'copy', source, destination], { runas }),
  }),
  gemset_list_all: defineFunction({
    doc: 'Lists the sets of gems of all Rubies; needs a default Ruby.',
    params: RUNAS,
    returns: 'a mapping of Ruby to names',
    examples: ["salt '*' rvm.gemset_list_all"],
    run: (ctx, { runas }) => listAllGemsets(ctx, runas),
  }),
};

/** The module. */
export const rvmModule = defineModule({
  name: 'rvm',
  file: 'rvm',
  doc: 'Rubies and sets of gems of RVM, the Ruby version manager.',
  words: { lines: ['env', 'command'], dashes: ['opts', 'env'] },
  failsWith: {
    false: [
      'do',
      'gemset_copy',
      'gemset_create',
      'gemset_delete',
      'gemset_empty',
      'get',
      'install',
      'install_ruby',
      'reinstall_ruby',
      'rubygems',
      'set_default',
      'wrapper',
    ],
  },
  functions: { ...rubies, ...within, ...gemsets },
});
