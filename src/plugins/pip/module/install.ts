/** `pip.install` and `pip.uninstall`. Follows 3006.16 salt/modules/pip.py. */
import { accessSync, constants } from 'node:fs';
import { ArgumentError, CommandExecutionError } from '../../../errors/errors.ts';
import { readTextIfExists } from '../../../host/files.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { dirName, isDir, pathExists } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type DictInit, type Value } from '../../../python/values/value.ts';
import type { ModuleContext, TypedArguments } from '../../../runtime/loader/module.ts';
import { hasPassword, hideGitPasswords, isFetchedByGit } from '../../shared/hidden-passwords.ts';
import { withSecretFile } from '../../shared/secret-file.ts';
import { indexOption, linkOptions, proxyOption, type PipWords } from './addresses.ts';
import type { INSTALL } from './params.ts';
import { missingSentence, prepareRequirements } from './requirements.ts';
import {
  checkedTimeout,
  commaList,
  isBefore,
  isSince,
  knowsWheelOptions,
  pipEnvironment,
  pipVersion,
  pipWords,
} from './run.ts';
import { ranAll } from '../../shared/program.ts';

/** The arguments of `pip.install`. */
export type InstallArgs = TypedArguments<typeof INSTALL>;

/** The arguments of `pip.uninstall`. */
export type UninstallArgs = Pick<
  InstallArgs,
  'pkgs' | 'requirements' | 'bin_env' | 'log' | 'proxy' | 'timeout' | 'user' | 'cwd' | 'saltenv' | 'use_vt'
>;

/** The arguments that say how pip looks for versions. */
type SearchArgs = Pick<
  InstallArgs,
  'proxy' | 'find_links' | 'no_index' | 'pre_releases' | 'cert' | 'trusted_host'
>;

const only = (words: readonly Value[]): PipWords => ({ words, env: {} });
const flag = (isSet: boolean, word: string): PipWords => only(isSet ? [word] : []);
const valued = (word: string, value: Value | undefined): PipWords =>
  only(value === undefined ? [] : [word, value]);
const repeated = (word: string, values: Value | undefined): PipWords =>
  only(values === undefined ? [] : commaList(values).flatMap((value) => [word, value]));

/** `--use-wheel` and its kin, which only old versions know; the others get a line in the log. */
function wheelWords(ctx: ModuleContext, args: InstallArgs, version: string | undefined): Value[] {
  const words: Value[] = [];
  for (const [isWanted, word] of [
    [args.use_wheel, '--use-wheel'],
    [args.no_use_wheel, '--no-use-wheel'],
  ] as const) {
    if (!isWanted) continue;
    if (knowsWheelOptions(version)) words.push(word);
    else
      ctx.log.error(
        `The ${word} option is only supported in pip between 1.4 and 9.0.3. The version of pip detected is ${version ?? 'None'}. This option will be ignored.`,
      );
  }
  if (args.no_binary === undefined) return words;
  if (isBefore(version, '7.0.0'))
    ctx.log.error(
      `The --no-binary option is only supported in pip 7.0.0 and newer. The version of pip detected is ${version ?? 'None'}. This option will be ignored.`,
    );
  else
    words.push(
      '--no-binary',
      Array.isArray(args.no_binary) ? args.no_binary.map(pyStr).join(',') : args.no_binary,
    );
  return words;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The file of the log. @throws PythonError where it cannot be written */
function checkedLog(log: Value | undefined): PipWords {
  if (log === undefined) return only([]);
  const path = pyStr(log);
  const parent = dirName(path);
  const problem = isDir(path)
    ? `'${path}' is a directory. Use --log path_to_file`
    : pathExists(path)
      ? isWritable(path)
        ? undefined
        : `'${path}' is not writeable`
      : !pathExists(parent)
        ? `Trying to create '${path}' but parent directory '${parent}' does not exist.`
        : isWritable(parent)
          ? undefined
          : `Trying to create '${path}' but parent directory '${parent}' is not writeable.`;
  if (problem !== undefined) throw new PythonError('OSError', problem);
  return only(['--log', log]);
}

/** @throws CommandExecutionError for versions that know none, and for what is no address */
function mirrorWords(mirrors: Value | undefined, version: string | undefined): PipWords {
  if (mirrors === undefined) return only([]);
  if (isSince(version, '7.0.0'))
    throw new CommandExecutionError(
      'pip >= 7.0.0 does not support mirror argument: use index_url and/or extra_index_url instead',
    );
  const list = commaList(mirrors);
  const wrong = list.map(pyStr).find((mirror) => !mirror.startsWith('http://'));
  if (wrong !== undefined) throw new CommandExecutionError(`'${wrong}' is not a valid URL`);
  return only(['--use-mirrors', ...list.flatMap((mirror) => ['--mirrors', mirror])]);
}

function existsAction(action: Value | undefined): PipWords {
  if (action !== undefined && !['s', 'i', 'w', 'b'].includes(pyStr(action).toLowerCase()))
    throw new CommandExecutionError(
      `The exists_action pip option only supports the values s, i, w, and b. '${pyStr(action)}' is not valid.`,
    );
  return valued('--exists-action', action);
}

/** The network, the indexes, and folders. */
function sourceWords(ctx: ModuleContext, args: InstallArgs, version: string | undefined): PipWords[] {
  const { index_url, extra_index_url, no_index, target = process.env['VENV_PIP_TARGET'] } = args;
  const links = linkOptions(args.find_links === undefined ? [] : commaList(args.find_links));
  if (no_index && (index_url !== undefined || extra_index_url !== undefined))
    throw new CommandExecutionError(
      "'no_index' and ('index_url' or 'extra_index_url') are mutually exclusive.",
    );
  return [
    checkedLog(args.log),
    proxyOption(ctx.opts, args.proxy),
    only(args.timeout === undefined ? [] : ['--timeout', checkedTimeout(args.timeout)]),
    links,
    indexOption('--index-url', 'PIP_INDEX_URL', index_url),
    indexOption('--extra-index-url', 'PIP_EXTRA_INDEX_URL', extra_index_url),
    flag(no_index, '--no-index'),
    mirrorWords(args.mirrors, version),
    flag(args.disable_version_check, '--disable-pip-version-check'),
    valued('--build', args.build),
    valued('--target', target),
    valued('--download', args.download),
    valued(
      isSince(version, '6.0') ? '--cache-dir' : '--download-cache',
      args.download_cache ?? args.cache_dir,
    ),
    valued('--source', args.source),
  ];
}

/** How pip looks for versions, beside the indexes: as for an installation. */
export function searchWords(ctx: ModuleContext, args: SearchArgs): PipWords {
  const parts = [
    proxyOption(ctx.opts, args.proxy),
    linkOptions(args.find_links === undefined ? [] : commaList(args.find_links)),
    flag(args.no_index, '--no-index'),
    flag(args.pre_releases, '--pre'),
    valued('--cert', args.cert),
    valued('--trusted-host', args.trusted_host),
  ];
  return {
    words: parts.flatMap(({ words }) => words),
    env: Object.assign({}, ...parts.map(({ env }) => env)) as Record<string, string>,
  };
}

/** What is done with packages. */
function installWords(args: InstallArgs, version: string | undefined): PipWords[] {
  return [
    flag(args.upgrade, '--upgrade'),
    flag(args.force_reinstall, '--force-reinstall'),
    flag(args.ignore_installed, '--ignore-installed'),
    existsAction(args.exists_action),
    flag(args.no_deps, '--no-deps'),
    flag(args.no_install, '--no-install'),
    flag(args.no_download, '--no-download'),
    flag(args.no_cache_dir, '--no-cache-dir'),
    flag(args.pre_releases && isSince(version, '1.4'), '--pre'),
    valued('--cert', args.cert),
    repeated('--global-option', args.global_options),
    repeated('--install-option', args.install_options),
  ];
}

/** The packages; a semicolon stands for a comma within one of them. */
const packageWords = (pkgs: Value): Value[] =>
  truthy(pkgs) ? commaList(pkgs).map((name) => pyStr(name).replaceAll(';', ',')) : [];

/** Packages whose address has a password, which pip reads from a file of requirements. */
const secretPackages = (pkgs: Value): string[] =>
  packageWords(pkgs)
    .map(pyStr)
    .filter((name) => hasPassword(name) && !isFetchedByGit(name));

/**
 * Salt compat: Salt leaves the passwords of `git+https://…` among the arguments, of pip and of git, where every user of
 * the machine reads them.
 */
function fetchedByGit(words: readonly Value[]): PipWords {
  const hidden = hideGitPasswords(words.map(pyStr));
  return { words: Object.keys(hidden.env).length === 0 ? [...words] : hidden.words, env: hidden.env };
}

/** @throws CommandExecutionError for an address that names no package */
function editableWords(editable: Value | undefined): Value[] {
  if (editable === undefined) return [];
  return commaList(editable).flatMap((entry) => {
    const text = pyStr(entry);
    const isLocal = text === '.' || text.startsWith('file://') || text.startsWith('/');
    if (!isLocal && !/#(?:.*?&)?egg=[^&]+/.test(text))
      throw new CommandExecutionError('You must specify an egg for this editable');
    return ['--editable', entry];
  });
}

function extraWords(extra: readonly Value[]): Value[] {
  return extra.flatMap((word) => {
    if (!isDict(word)) return [word];
    return [...word].slice(-1).flatMap(([option, value]) => {
      if (Array.isArray(value) || isDict(value))
        throw new ArgumentError(`Too many levels in: ${pyStr(option)}`);
      return [option, value];
    });
  });
}

/** Everything behind `pip install`. */
function commandOf(
  ctx: ModuleContext,
  args: InstallArgs,
  { files, version }: { readonly files: readonly string[]; readonly version: string | undefined },
): PipWords {
  const parts: PipWords[] = [
    only(files.flatMap((file) => ['--requirement', file])),
    only(wheelWords(ctx, args, version)),
    ...sourceWords(ctx, args, version),
    ...installWords(args, version),
    fetchedByGit([
      ...packageWords(args.pkgs).filter((name) => !secretPackages(args.pkgs).includes(pyStr(name))),
      ...editableWords(args.editable),
    ]),
    flag(args.allow_all_external, '--allow-all-external'),
    repeated('--allow-external', args.allow_external),
    repeated('--allow-unverified', args.allow_unverified),
    flag(args.process_dependency_links, '--process-dependency-links'),
    valued('--trusted-host', args.trusted_host),
    only(extraWords(args.extra_args ?? [])),
  ];
  return {
    words: parts.flatMap(({ words }) => words),
    env: Object.assign({}, ...parts.map(({ env }) => env)) as Record<string, string>,
  };
}

/** The keywords of `cmd.run_all` that all runs share, and variables with secrets. */
function runKeywords(
  args: Pick<InstallArgs, 'bin_env' | 'user' | 'cwd' | 'saltenv' | 'use_vt'>,
  env: Dict,
  further: Dict = dict(),
): Dict {
  const own: DictInit = {
    python_shell: false,
    saltenv: args.saltenv,
    ...(args.use_vt ? { use_vt: true } : {}),
    runas: args.user,
    ...(truthy(args.cwd) ? { cwd: args.cwd } : {}),
  };
  const given = [...further].filter(([name]) => !pyStr(name).startsWith('__pub_'));
  const all = new Map([...dict(own), ...given]);
  const before = all.get('env');
  const variables = new Map([...(isDict(before) ? before : []), ...env]);
  return variables.size === 0 ? all : all.set('env', variables);
}

/** Python's dict of what is text in both. */
const variablesOf = (init: DictInit, more: Readonly<Record<string, string>>): Dict => {
  const { env } = init;
  return new Map<Value, Value>([...(env instanceof Map ? env : []), ...Object.entries(more)]);
};

/**
 * Installs packages.
 * @param further keywords of `cmd.run_all`
 * @returns as `cmd.run_all`; other fields where nothing was run
 */
export async function install(ctx: ModuleContext, args: InstallArgs, further: Dict): Promise<Value> {
  const program = pipWords(ctx, args.bin_env);
  const prepared = await prepareRequirements(ctx, args);
  if ('missing' in prepared) return dict({ result: false, comment: missingSentence(prepared.missing) });
  try {
    const version = await pipVersion(ctx, args);
    const run = (files: readonly string[]): Promise<Value> => {
      const command = commandOf(ctx, args, { files, version });
      if (!truthy(args.pkgs) && !truthy(args.requirements) && args.editable === undefined)
        return Promise.resolve(dict({ retcode: 0, stdout: 'No packages to install.' }));
      const env = variablesOf(pipEnvironment(args.bin_env, args.env_vars), command.env);
      const words = [...program, 'install', ...command.words];
      return ranAll(ctx, [words], runKeywords(args, env, further));
    };
    const secrets = secretPackages(args.pkgs);
    if (secrets.length === 0) return await run(prepared.files);
    const file = { content: `${secrets.join('\n')}\n`, runas: args.user };
    return await withSecretFile(ctx, file, (path) => run([...prepared.files, path]));
  } finally {
    prepared.release();
  }
}

/** The packages that no file of requirements names with an exact version, since the file removes those. */
function withoutRequired(pkgs: readonly Value[], files: readonly string[]): Value[] {
  const required = new Set(
    files.flatMap((file) =>
      (readTextIfExists(file) ?? '').split('\n').flatMap((line) => {
        const parts = line.split('==');
        return parts.length === 2 ? [parts[0] ?? ''] : [];
      }),
    ),
  );
  return pkgs.filter((name) => !required.has(pyStr(name)));
}

/** Removes packages. @returns as `cmd.run_all`; other fields where nothing was run */
export async function uninstall(ctx: ModuleContext, args: UninstallArgs): Promise<Value> {
  const program = pipWords(ctx, args.bin_env);
  const prepared = await prepareRequirements(ctx, args);
  if ('missing' in prepared) return dict({ result: false, comment: missingSentence(prepared.missing) });
  try {
    const proxy = proxyOption(ctx.opts, args.proxy);
    const words: Value[] = [
      ...program,
      ...['uninstall', '-y'],
      ...prepared.files.flatMap((file) => ['--requirement', file]),
      ...(args.log === undefined ? [] : ['--log', args.log]),
      ...proxy.words,
      ...(args.timeout === undefined ? [] : ['--timeout', checkedTimeout(args.timeout)]),
      ...(truthy(args.pkgs) ? withoutRequired(commaList(args.pkgs), prepared.files) : []),
    ];
    const env = variablesOf(pipEnvironment(args.bin_env), proxy.env);
    return await ranAll(ctx, [words], runKeywords(args, env));
  } finally {
    prepared.release();
  }
}
