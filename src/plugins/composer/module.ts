/** `composer`: packages of PHP for a folder. Follows 3006.16 salt/modules/composer.py. */
import { CommandExecutionError, CommandNotFoundError, SaltInvocationError } from '../../errors/errors.ts';
import { repackList } from '../../formats/data/repack-list.ts';
import { findProgram } from '../../host/which.ts';
import { pathExists } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { ranAll } from '../shared/program.ts';

/** How composer runs. */
interface ComposerRun {
  readonly composer: Value;
  readonly php: Value;
  readonly runas: Value;
  readonly quiet: Value;
  readonly composer_home: Value;
  readonly env?: Value;
}

/** Options of composer that are on where they are True, in Salt's order. */
const SWITCHES = [
  ['quiet', '--quiet'],
  ['no_dev', '--no-dev'],
  ['prefer_source', '--prefer-source'],
  ['prefer_dist', '--prefer-dist'],
  ['no_scripts', '--no-scripts'],
  ['no_plugins', '--no-plugins'],
  ['optimize', '--optimize-autoloader'],
] as const;

/** The variables of a run. */
function variables({ env, composer_home }: ComposerRun): Dict {
  const given = isDict(env) ? new Map(env) : Array.isArray(env) ? repackList(env) : undefined;
  return (given ?? dict()).set('COMPOSER_HOME', pyStr(composer_home));
}

/**
 * Runs composer.
 * @param words the action and its options
 * @param options every argument by name
 * @returns as cmd.run_all; true where it is to be quiet
 * @throws CommandNotFoundError without composer; CommandExecutionError with its error output where it fails
 */
async function composer(
  ctx: ModuleContext,
  words: readonly [action: string, ...further: string[]],
  run: ComposerRun,
  options: Readonly<Record<string, Value>>,
): Promise<Value> {
  const program = pyStr(run.composer ?? 'composer');
  if (findProgram(program) === undefined)
    throw new CommandNotFoundError(
      `'composer.${words[0]}' is not available. Couldn't find '${program}'.${run.composer === null ? ' It is in the package composer.' : ''}`,
    );
  const php = run.php ?? (run.composer === null ? null : 'php');
  const [action, ...further] = words;
  const directory = options['directory'] ?? null;
  if (directory === null && action !== 'selfupdate')
    throw new SaltInvocationError(`The 'directory' argument is required for composer.${action}`);
  const command: Value[] = [
    ...(php === null ? [] : [php]),
    ...[program, action, '--no-interaction', '--no-ansi', ...further],
    ...(directory === null ? [] : ['--working-dir', directory]),
    ...SWITCHES.flatMap(([name, word]) => (options[name] === true ? [word] : [])),
  ];
  const keywords = dict({ runas: run.runas, env: variables(run), python_shell: false });
  const ended = await ranAll(ctx, [command], keywords);
  if (ended.get('retcode') !== 0) throw new CommandExecutionError(pyStr(ended.get('stderr') ?? ''));
  return options['quiet'] === true ? true : ended;
}

const DIRECTORY = {
  directory: param.value({ type: 'str', doc: 'The folder with the file composer.json.' }),
} as const;
const PROGRAMS = {
  composer: param.value({
    default: null,
    type: 'str',
    doc: 'The path of composer.phar, where composer is not in PATH.',
  }),
  php: param.value({ default: null, type: 'str', doc: 'The path of php, which runs it.' }),
  runas: param.value({ default: null, type: 'str', doc: 'Who runs composer.' }),
} as const;
const toggle = (option: string) =>
  param.value({ default: null, type: 'bool', doc: `The option \`${option}\` of composer.` });
const TOGGLES = {
  prefer_source: toggle('--prefer-source'),
  prefer_dist: toggle('--prefer-dist'),
  no_scripts: toggle('--no-scripts'),
  no_plugins: toggle('--no-plugins'),
  optimize: toggle('--optimize-autoloader'),
  no_dev: toggle('--no-dev'),
} as const;
const HOME = {
  quiet: param.value({ default: false, type: 'bool', doc: 'Return nothing of what composer prints.' }),
  composer_home: param.value({ default: '/root', type: 'str', doc: 'The variable COMPOSER_HOME.' }),
} as const;
const ENV = {
  env: param.value({ default: null, type: 'list or dict', doc: 'Variables of the environment.' }),
} as const;

/** The arguments that `composer.install` and the states of composer share. */
export const COMPOSER_OPTIONS = { ...TOGGLES, ...HOME } as const;
const DEPENDENCIES = { ...DIRECTORY, ...PROGRAMS, ...COMPOSER_OPTIONS, ...ENV } as const;
const RETURNS = 'as cmd.run_all; true with quiet';

/** The module. */
export const composerModule = defineModule({
  name: 'composer',
  file: 'composer',
  doc: 'Packages of PHP for a folder.',
  words: { lines: ['env'], dashes: ['env'] },
  functions: {
    did_composer_install: defineFunction({
      doc: 'Says whether a folder has a folder vendor.',
      params: { dir: param.text({ doc: 'The folder with the file composer.json.' }) },
      returns: 'true or false',
      examples: ["salt '*' composer.did_composer_install /var/www/application"],
      run: (_ctx, { dir }) => pathExists(`${dir}/vendor`),
    }),
    install: defineFunction({
      doc: 'Installs what the file composer.json of a folder asks for.',
      params: DEPENDENCIES,
      returns: RETURNS,
      examples: ["salt '*' composer.install /var/www/application no_dev=True optimize=True"],
      run: (ctx, args) => composer(ctx, ['install'], args, args),
    }),
    update: defineFunction({
      doc: 'Brings what the file composer.json of a folder asks for up to date.',
      params: DEPENDENCIES,
      returns: RETURNS,
      examples: ["salt '*' composer.update /var/www/application no_dev=True optimize=True"],
      run: (ctx, args) => composer(ctx, ['update', '--no-progress'], args, args),
    }),
    selfupdate: defineFunction({
      doc: 'Brings composer itself up to date.',
      params: { ...PROGRAMS, ...HOME },
      returns: RETURNS,
      examples: ["salt '*' composer.selfupdate"],
      run: (ctx, args) => composer(ctx, ['selfupdate', '--no-progress'], args, args),
    }),
  },
});
