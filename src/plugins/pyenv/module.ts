/** `pyenv`: Pythons of pyenv. Follows 3006.16 salt/modules/pyenv.py. */
import { SaltInvocationError } from '../../errors/errors.ts';
import { expandUser } from '../../host/expand-user.ts';
import { isExecutable } from '../../host/which.ts';
import { isDir, isFile, joinPath } from '../../python/paths.ts';
import { splitWords } from '../../python/shell-words.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, type DictInit, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { runAll, runCode, type Ended } from '../shared/program.ts';
import { optionText } from '../shared/settings.ts';

const REPOSITORY = 'https://github.com/yyuu/pyenv.git';

/** The folder of pyenv for a user, whether it is there or not. */
async function folderOf(ctx: ModuleContext, runas: Value): Promise<string> {
  const named = await optionText(ctx, ['pyenv.root']);
  if (named !== undefined) return expandUser(named);
  return runas === null || runas === 'root' ? '/usr/local/pyenv' : expandUser(`~${pyStr(runas)}/.pyenv`);
}

const placeOf = async (ctx: ModuleContext, path: string | undefined, runas: Value): Promise<string> =>
  path === undefined ? folderOf(ctx, runas) : expandUser(path);

/** The folder of pyenv where the program is there; undefined where there is none. */
async function rootOf(ctx: ModuleContext, runas: Value): Promise<string | undefined> {
  const root = await folderOf(ctx, runas);
  const program = joinPath(root, 'bin/pyenv');
  return isFile(program) && isExecutable(program) ? root : undefined;
}

/** Runs pyenv. @returns how it ended; undefined where there is none */
async function runPyenv(
  ctx: ModuleContext,
  words: readonly string[],
  runas: Value,
  env: DictInit = {},
): Promise<Ended | undefined> {
  const root = await rootOf(ctx, runas);
  if (root === undefined) return undefined;
  const variables = dict({ PYENV_ROOT: root, ...env });
  return runAll(ctx, [joinPath(root, 'bin/pyenv'), ...words], { runas, env: variables });
}

/** @returns what pyenv printed; false where it has failed or is not there */
async function said(ctx: ModuleContext, words: readonly string[], runas: Value): Promise<string | false> {
  const ended = await runPyenv(ctx, words, runas);
  return ended?.retcode === 0 && ended.stdout;
}

/** Variables of a build: `CFLAGS=-O2 CONFIGURE_OPTS="--a --b"` in the option pyenv.build_env. */
async function buildVariables(ctx: ModuleContext): Promise<DictInit> {
  const given = await optionText(ctx, ['pyenv.build_env']);
  const out: Record<string, Value> = {};
  for (const word of splitWords(given ?? '')) {
    const at = word.indexOf('=');
    if (at > 0) out[word.slice(0, at)] = word.slice(at + 1);
    else ctx.log.error(`pyenv.build_env has a word that is no NAME=VALUE, and is left out: ${word}`);
  }
  return out;
}

const bare = (python: string): string => python.replace(/^python-/, '');

async function uninstall(ctx: ModuleContext, python: string, runas: Value): Promise<true> {
  await runPyenv(ctx, ['uninstall', '--force', bare(python)], runas);
  return true;
}

async function installPython(ctx: ModuleContext, python: string, runas: Value): Promise<string | false> {
  const ended = await runPyenv(ctx, ['install', bare(python)], runas, await buildVariables(ctx));
  if (ended?.retcode === 0) {
    await runPyenv(ctx, ['rehash'], runas);
    return ended.stderr;
  }
  // what is half built would be listed as installed
  await uninstall(ctx, python, runas);
  return false;
}

/** Runs a command with the programs of pyenv. Salt compat: Salt has a shell run it, with every word quoted. */
async function runWith(
  ctx: ModuleContext,
  words: readonly string[],
  runas: Value,
  env: DictInit = {},
): Promise<string | false> {
  if (words.length === 0) throw new SaltInvocationError('pyenv is to run a command, and is given none.');
  const shims = joinPath(await folderOf(ctx, runas), 'shims');
  const variables = dict({ PATH: `${shims}:${process.env['PATH'] ?? ''}`, ...env });
  const ended = await runAll(ctx, words, { runas, env: variables });
  if (ended.retcode !== 0) return false;
  await runPyenv(ctx, ['rehash'], runas);
  return ended.stdout;
}

const RUNAS = { runas: param.value({ default: null, type: 'str', doc: 'Who runs pyenv.' }) } as const;
const PYTHON = { python: param.text({ doc: 'The version of Python.' }) } as const;
const PATH = {
  path: param.textIfGiven({ default: null, doc: 'The folder of pyenv, in place of the usual one.' }),
} as const;
const words = (cmdline: string): string[] => cmdline.split(/\s+/).filter((word) => word !== '');

const whole = {
  install: defineFunction({
    doc: 'Installs pyenv with git.',
    params: { ...RUNAS, ...PATH },
    returns: 'true or false',
    examples: ["salt '*' pyenv.install"],
    run: async (ctx, { runas, path }) => {
      const target = await placeOf(ctx, path, runas);
      return isDir(target) || (await runCode(ctx, ['git', 'clone', REPOSITORY, target], { runas })) === 0;
    },
  }),
  update: defineFunction({
    doc: 'Brings pyenv up to date.',
    params: { ...RUNAS, ...PATH },
    returns: 'true or false',
    examples: ["salt '*' pyenv.update"],
    run: async (ctx, { runas, path }) => {
      const cwd = await placeOf(ctx, path, runas);
      return isDir(cwd) && (await runCode(ctx, ['git', 'pull'], { runas, cwd })) === 0;
    },
  }),
  is_installed: defineFunction({
    doc: 'Says whether pyenv is there.',
    params: RUNAS,
    returns: 'true or false',
    examples: ["salt '*' pyenv.is_installed"],
    run: async (ctx, { runas }) => (await rootOf(ctx, runas)) !== undefined,
  }),
  rehash: defineFunction({
    doc: 'Lets pyenv see new programs.',
    params: RUNAS,
    returns: 'true',
    examples: ["salt '*' pyenv.rehash"],
    run: async (ctx, { runas }) => {
      await runPyenv(ctx, ['rehash'], runas);
      return true;
    },
  }),
};

const pythons = {
  install_python: defineFunction({
    doc: 'Builds a Python, with the variables of the option pyenv.build_env.',
    params: { ...PYTHON, ...RUNAS },
    returns: 'what pyenv printed as errors; false where it has failed',
    examples: ["salt '*' pyenv.install_python 3.11.2"],
    run: (ctx, { python, runas }) => installPython(ctx, python, runas),
  }),
  uninstall_python: defineFunction({
    doc: 'Removes a Python.',
    params: { ...PYTHON, ...RUNAS },
    returns: 'true',
    examples: ["salt '*' pyenv.uninstall_python 3.11.2"],
    run: (ctx, { python, runas }) => uninstall(ctx, python, runas),
  }),
  versions: defineFunction({
    doc: 'Lists the installed Pythons.',
    params: RUNAS,
    returns: 'list of versions',
    examples: ["salt '*' pyenv.versions"],
    run: async (ctx, { runas }) => {
      const listed = await said(ctx, ['versions', '--bare'], runas);
      return listed === false ? [] : splitLines(listed);
    },
  }),
  default: defineFunction({
    doc: 'Returns the default Python, or sets it.',
    params: {
      python: param.textIfGiven({ default: null, doc: 'The Python that is to be the default.' }),
      ...RUNAS,
    },
    returns: 'the version; true where it is set',
    examples: ["salt '*' pyenv.default", "salt '*' pyenv.default 3.11.2"],
    run: async (ctx, { python, runas }) => {
      const answer = await said(ctx, python === undefined ? ['global'] : ['global', python], runas);
      if (python !== undefined) return true;
      return answer === false ? '' : answer.trim();
    },
  }),
  list: defineFunction({
    doc: 'Lists the Pythons that can be installed.',
    params: RUNAS,
    pythonName: 'list_',
    returns: 'list of versions',
    examples: ["salt '*' pyenv.list"],
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
    doc: 'Runs a command with the programs of pyenv.',
    params: {
      cmdline: param.text({ default: null, doc: 'The command; words are taken apart at spaces.' }),
      ...RUNAS,
    },
    returns: 'what it printed; false where it has failed',
    examples: ["salt '*' pyenv.do 'python --version'"],
    run: (ctx, { cmdline, runas }) => runWith(ctx, words(cmdline), runas),
  }),
  do_with_python: defineFunction({
    doc: 'Runs a command with one Python of pyenv.',
    params: {
      python: param.textIfGiven({ doc: PYTHON.python.doc }),
      cmdline: param.text({ doc: 'The command; words are taken apart at spaces.' }),
      ...RUNAS,
    },
    returns: 'what it printed; false where it has failed',
    examples: ["salt '*' pyenv.do_with_python 3.11.2 'python --version'"],
    run: (ctx, { python, cmdline, runas }) =>
      runWith(ctx, words(cmdline), runas, python === undefined ? {} : { PYENV_VERSION: python }),
  }),
};

/** The module. */
export const pyenvModule = defineModule({
  name: 'pyenv',
  file: 'pyenv',
  doc: 'Pythons of pyenv.',
  words: { lines: ['cmdline'] },
  failsWith: {
    false: [
      'do',
      'do_with_python',
      'install',
      'install_python',
      'rehash',
      'uninstall_python',
      'update',
      'default',
    ],
  },
  functions: { ...whole, ...pythons, ...commands },
});
