/**
 * `docker`: log-ins at registries, and commands within containers, by the program `docker` (3006.16
 * salt/modules/container_resource.py).
 */
import { CommandExecutionError, SaltInvocationError } from '../../../../errors/errors.ts';
import { pyRepr, pyStr } from '../../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../../python/values/value.ts';
import { defineFunction, type FunctionSpec, type ModuleContext } from '../../../../runtime/loader/module.ts';
import { param } from '../../../../runtime/loader/params.ts';
import { commandWords, keptVariables } from '../../../shared/container-command.ts';
import { runAll } from '../../../shared/program.ts';
import { optionDict, optionText } from '../../../shared/settings.ts';

const HUB = 'hub';

/** The registries of the configuration, and what is wrong with it. */
async function registriesOf(
  ctx: ModuleContext,
): Promise<{ readonly known: Dict; readonly errors: string[] }> {
  const errors: string[] = [];
  const own = await ctx.functions.call('config.get', ['docker-registries', dict()]);
  if (!isDict(own)) errors.push("'docker-registries' Pillar value must be a dictionary");
  const known: Dict = isDict(own) ? new Map(own) : dict();
  const wild = dict({ wildcard: true });
  const more = await optionDict(ctx, ['*-docker-registries'], wild);
  for (const [name, registries] of more ?? [])
    if (isDict(registries)) for (const [each, about] of registries) known.set(each, about);
    else errors.push(`Docker registry '${pyStr(name)}' was not specified as a dictionary`);
  return { known, errors };
}

/**
 * Asks of each registry, or of all that are known.
 * @param visit says what went wrong; undefined where it went well, null where it could not be tried
 */
async function each(
  ctx: ModuleContext,
  given: readonly Value[],
  visit: (registry: string, about: Value, errors: string[]) => Promise<string | undefined | null>,
): Promise<Dict> {
  const { known, errors } = await registriesOf(ctx);
  const results = dict();
  for (const registry of (given.length === 0 ? [...known.keys()] : given).map(pyStr)) {
    const about = known.get(registry);
    if (about === undefined) {
      errors.push(`No match found for registry '${registry}'`);
      continue;
    }
    const wrong = await visit(registry, about, errors);
    if (wrong === null) continue;
    results.set(registry, wrong === undefined);
    if (wrong !== undefined && wrong !== '') errors.push(wrong);
  }
  return dict({ retcode: errors.length > 0 ? 1 : 0, Errors: errors, Results: results });
}

async function program(
  ctx: ModuleContext,
  words: readonly string[],
  stdin?: string,
): Promise<string | undefined> {
  const input = stdin === undefined ? {} : { stdin };
  const ended = await runAll(ctx, ['docker', ...words], { output_loglevel: 'quiet', ...input });
  if (ended.retcode === 0) return undefined;
  return ended.stderr === '' ? ended.stdout : ended.stderr;
}

const placeWords = (registry: string): string[] => (registry.toLowerCase() === HUB ? [] : ['--', registry]);

function logIn(ctx: ModuleContext, given: readonly Value[]): Promise<Dict> {
  return each(ctx, given, async (registry, about, errors) => {
    if (!isDict(about)) {
      errors.push(`Invalid configuration for registry '${registry}'`);
      return null;
    }
    const missing = ['username', 'password'].find((name) => !about.has(name));
    if (missing !== undefined) {
      errors.push(`Missing '${missing}' for registry '${registry}'`);
      return null;
    }
    const text = (name: string): string => pyStr(about.get(name) ?? null);
    // Salt compat: Salt hands docker the password on its command line, where everybody on the machine can read it
    const words = ['login', '-u', text('username'), '--password-stdin', ...placeWords(registry)];
    return program(ctx, words, text('password'));
  });
}

const RUN = {
  name: param.text({ doc: 'The container: its name or id.' }),
  cmd: param.text({ doc: 'The command.' }),
  exec_driver: param.textIfGiven({
    default: null,
    doc: 'How it is run: docker-exec, the only one there is here.',
  }),
  stdin: param.textOrNone({ default: null, doc: 'What the command reads.' }),
  python_shell: param.flag({ default: true, doc: 'A shell of the container runs it, where it is needed.' }),
  output_loglevel: param.value({
    default: 'debug',
    type: 'str',
    doc: 'The level at which the output is logged.',
  }),
  use_vt: param.value({ default: false, type: 'bool', doc: 'Without effect: no terminal is made.' }),
  ignore_retcode: param.value({
    default: false,
    type: 'bool',
    doc: 'A failure of the command is none of the job.',
  }),
  keep_env: param.value({
    default: null,
    type: 'bool or list of str',
    doc: 'Variables of this machine to be kept; true: those of the container.',
  }),
} as const;

/** The words of `docker exec`. */
function execWords(args: {
  readonly name: string;
  readonly cmd: string;
  readonly stdin: string | undefined;
  readonly python_shell: boolean;
  readonly keep_env: Value;
}): string[] {
  const { name, keep_env } = args;
  if (name.startsWith('-')) throw new SaltInvocationError(`A container cannot be named ${pyRepr(name)}.`);
  const { path, kept } = keptVariables(keep_env);
  const words = commandWords(args.cmd, args.python_shell);
  const input = args.stdin === undefined || args.stdin === '' ? [] : ['-i'];
  const start = ['docker', 'exec', ...input];
  if (keep_env === true) return [...start, name, ...words];
  if (kept.length === 0) return [...start, name, 'env', '-i', ...path, ...words];
  // docker takes the values from its own environment, and the shell of the container puts them into the clean one
  const variables = [...path, ...kept.map((variable) => `${variable}="$${variable}"`)].join(' ');
  const shell = ['sh', '-c', `exec env -i ${variables} "$@"`, 'sh'];
  return [...start, ...kept.flatMap((variable) => ['-e', variable]), name, ...shell, ...words];
}

const DRIVER = 'docker-exec';
const driverOf = async (ctx: ModuleContext): Promise<string> =>
  (await optionText(ctx, ['docker.exec_driver', DRIVER])) ?? DRIVER;

/**
 * A function that runs a command in a container.
 * @param field what of the outcome it returns; undefined for the output, errors included
 */
function runFunction(fun: string, doc: string, returns: string, field?: string): FunctionSpec {
  return defineFunction({
    doc,
    params: RUN,
    returns,
    examples: [`salt '*' docker.${fun} mycontainer 'ls -l /etc'`],
    run: async (ctx, args) => {
      const { exec_driver, output_loglevel, ignore_retcode, stdin } = args;
      const driver = exec_driver ?? (await driverOf(ctx));
      if (driver !== DRIVER)
        throw new SaltInvocationError(
          `Commands in containers are run by docker exec; the driver ${driver} is not served.`,
        );
      const keywords = { python_shell: false, stdin: stdin ?? null, output_loglevel, ignore_retcode };
      const how = field === undefined ? 'cmd.run' : 'cmd.run_all';
      const ended = await ctx.functions.call(how, [execWords(args)], dict(keywords));
      if (field === undefined || field === 'all') return ended;
      if (!isDict(ended)) throw new CommandExecutionError('docker exec did not say how it ended.');
      return ended.get(field) ?? null;
    },
  });
}

const REGISTRIES = 'mapping with Results by registry, Errors and retcode';

/** The functions. */
export const commandFunctions = {
  login: defineFunction({
    doc: 'Logs in at registries, with the names and passwords of the option or pillar docker-registries.',
    varargs: 'registries',
    returns: REGISTRIES,
    examples: ["salt '*' docker.login", "salt '*' docker.login hub"],
    run: (ctx, _args, rest) => logIn(ctx, rest),
  }),
  logout: defineFunction({
    doc: 'Forgets the log-ins at registries.',
    varargs: 'registries',
    returns: REGISTRIES,
    examples: ["salt '*' docker.logout", "salt '*' docker.logout hub"],
    run: (ctx, _args, rest) =>
      each(ctx, rest, (registry) => program(ctx, ['logout', ...placeWords(registry)])),
  }),
  run: runFunction('run', 'Runs a command in a container.', 'what it prints, errors included'),
  run_all: runFunction('run_all', 'Runs a command in a container.', 'the mapping of cmd.run_all', 'all'),
  run_stdout: runFunction('run_stdout', 'Runs a command in a container.', 'what it prints', 'stdout'),
  run_stderr: runFunction(
    'run_stderr',
    'Runs a command in a container.',
    'what it prints as errors',
    'stderr',
  ),
  retcode: runFunction('retcode', 'Runs a command in a container.', 'its return code', 'retcode'),
};
