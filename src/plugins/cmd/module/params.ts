/** The parameters of the functions of `cmd`: described once, listed per function in Salt's order. */
import type {
  FunctionDescription,
  FunctionSpec,
  ModuleContext,
  Params,
  ParamSpec,
} from '../../../runtime/loader/module.ts';
import {
  param,
  readArguments,
  readOptions,
  type TypedArguments,
  type TypedParam,
} from '../../../runtime/loader/params.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import {
  argumentsOf,
  DEFAULT_SHELL,
  listUnlessNone,
  shellUseOf,
  textIfSet,
  textOf,
  textUnlessNone,
  timeoutOf,
} from './options.ts';

/** An option that is None unless it is given. */
const none = <T>(read: (value: Value) => T, type: string, doc: string) =>
  param.by(read, { default: null, type, doc });
const unread = (type: string, doc: string) => param.value({ default: null, type, doc });
const flag = (value: boolean, doc: string) => param.flag({ default: value, doc });
/** One that counts as true where it is None. */
const on = (read: (value: Value) => boolean, doc: string) =>
  param.by((value: Value) => value === null || read(value), { default: true, type: 'bool', doc });

const bindsOf = (value: Value): string[] => (Array.isArray(value) ? value.map(textOf) : []);
const levelIn = (value: Value): string => textOf(value ?? 'debug');

/** The arguments of a script. */
export const ARGS = {
  args: none(
    argumentsOf,
    'str or list',
    'Arguments for the script: text, which is split into words, or a list of words.',
  ),
} as const;

const SHARED = {
  cmd: param.value({
    type: 'str or list',
    doc: 'The command. A shell reads the text when the call comes straight from a job; in calls between modules it is split into words. A list is taken word by word.',
  }),
  source: param.by(textOf, {
    type: 'str',
    doc: 'The script: a path on the minion, or a salt:// or http(s):// address.',
  }),
  root: param.by(textOf, {
    type: 'str',
    doc: 'The folder that becomes the root folder of the command; not `/`.',
  }),
  binds: none(bindsOf, 'list', 'Folders of the system to make visible at the same place below the root.'),
  cwd: none(
    textIfSet,
    'str',
    "Absolute path of the folder to run in. Without it, the user's home folder, or / when that cannot be read.",
  ),
  stdin: none(
    textUnlessNone,
    'str',
    'Text for the standard input. The two characters \\n stand for a line end, unless stdin_raw_newlines=True.',
  ),
  runas: none(textIfSet, 'str', "The user to run as, with that user's groups and login environment."),
  group: none(textIfSet, 'str', 'The group to run as; needs sudo to be installed.'),
  shell: none(textIfSet, 'str', 'Absolute path of the shell, where one runs the command.'),
  python_shell: none(
    shellUseOf,
    'bool',
    'Whether a shell runs the command, so that pipes, variables and patterns work. Without it: yes straight from a job, no in calls between modules. Do not combine a shell with untrusted text.',
  ),
  env: unread('dict or list', 'Environment variables: a mapping, or a list of mappings with one entry each.'),
  clean_env: flag(false, 'Start from an empty environment instead of that of the minion.'),
  prepend_path: none(textIfSet, 'str', 'Folders to put in front of PATH.'),
  template: none(textIfSet, 'str', 'Render the command (or the script) with this template engine first.'),
  rstrip: on(truthy, 'Take white space off the end of the output.'),
  umask: none(textUnlessNone, 'str', 'File mode creation mask in octal digits; not zero.'),
  output_encoding: none(
    textUnlessNone,
    'str',
    'The encoding of the output; UTF-8 without it. Bytes that do not fit are replaced.',
  ),
  output_loglevel: param.by(levelIn, {
    default: 'debug',
    type: 'str',
    doc: 'The level at which the output is logged; quiet logs nothing of this command.',
  }),
  log_callback: unread('object', 'Takes no effect: functions cannot be sent to a minion.'),
  hide_output: flag(false, 'Return empty output.'),
  timeout: none(
    timeoutOf,
    'int or float',
    'After this number of seconds the command and all it has started are killed.',
  ),
  reset_system_locale: on(
    (value) => value === true,
    'Set the LC_ variables and LANGUAGE to C, except those given in env.',
  ),
  ignore_retcode: flag(false, 'A failure is neither logged as an error nor makes the job fail.'),
  saltenv: none(textIfSet, 'str', 'The environment of the file server.'),
  use_vt: flag(false, 'Accepted for compatibility; the output is collected as without it.'),
  redirect_stderr: param.flagIfGiven({
    default: false,
    doc: 'Mix the error output into the output, in the order in which it was written.',
  }),
  bg: flag(false, 'Start the command and do not wait for it: no output, and its success is not known.'),
  password: unread('str', 'Only for Windows.'),
  encoded_cmd: flag(false, 'Only for Windows: the command is Base64 for PowerShell.'),
  encode_cmd: flag(false, 'Only for Windows: hand the command to PowerShell as Base64.'),
  depth: unread('int', 'Only for Windows: how deeply nested values are converted.'),
  quiet: flag(false, 'Only for Windows: takes no effect.'),
  force_list: flag(false, 'Only for Windows: always return a list.'),
  raise_err: flag(false, 'Fail with the output as the error text when the command fails.'),
  success_retcodes: none(
    listUnlessNone,
    'list of int',
    'Exit codes that count as success; the return code is then 0.',
  ),
  success_stdout: none(
    listUnlessNone,
    'list of str',
    'Texts that mean success when the output contains one of them.',
  ),
  success_stderr: none(
    listUnlessNone,
    'list of str',
    'Texts that mean success when the error output contains one of them.',
  ),
} satisfies Params;

/** All that may be said of a command: some functions take further ones as keywords, as Salt's do. */
const OPTIONS = {
  ...SHARED,
  shell: { ...SHARED.shell, default: DEFAULT_SHELL },
  redirect_stderr: { ...SHARED.redirect_stderr, default: null },
  stdin_raw_newlines: flag(false, 'The standard input is taken as it is.'),
  pillar: param.mappingIfGiven({ default: null, doc: 'Pillar data for the template.' }),
  context: param.mappingIfGiven({ default: null, doc: 'Variables for the template.' }),
  __pub_jid: param.by((value: Value) => value !== null, { default: null, doc: 'Of a call from a job.' }),
} as const;

/** What is said of a command. */
export type CommandOptions = TypedArguments<typeof OPTIONS>;

/** The name of a shared parameter. */
type ParamName = keyof typeof DESCRIBED;

const DESCRIBED = { ...SHARED, ...ARGS } as const;

/** Parameters in the order of a list of names (separated by blanks), some with other defaults. */
function params(names: string, defaults: Readonly<Record<string, Value>> = {}): Params {
  return Object.fromEntries(
    names.split(' ').map((name) => {
      const shared: ParamSpec = DESCRIBED[name as ParamName];
      return [name, Object.hasOwn(defaults, name) ? { ...shared, default: defaults[name] as Value } : shared];
    }),
  );
}

/** The same for what hands them on to a function of `cmd` as they were given. */
export function handedOn(
  names: string,
  defaults: Readonly<Record<string, Value>> = {},
): Record<string, TypedParam<Value>> {
  return Object.fromEntries(
    Object.entries(params(names, defaults)).map(([name, shared]) => [name, param.value(shared)]),
  );
}

/**
 * The parameters of a function of `cmd`: there the shell is that of who started the minion, unless another is named.
 */
function commandParams(names: string, defaults: Readonly<Record<string, Value>> = {}): Params {
  return {
    ...params(names, defaults),
    shell: { ...SHARED.shell, default: DEFAULT_SHELL, defaultFrom: '$SHELL' },
  };
}

/** All that a function was given, in one mapping. */
export function mergedOptions(args: Readonly<Record<string, Value>>, kwargs: Dict): Dict {
  return new Map([...Object.entries(args), ...kwargs]);
}

/**
 * Whether a shell runs the command, when the caller has left it open: yes when the call comes straight from a job (then
 * it has `__pub_jid`; calls between modules have none), or with `cmd_safe: False` in the configuration (3008
 * salt/modules/cmdmod.py `_python_shell_default`; 3006.16 asked for `shell` instead, which 3006.17 took back).
 *
 * Salt compat: a list of words is run as it is. Salt hands it to the shell, which takes the first word and drops the
 * others.
 */
export function withShellDefault(ctx: ModuleContext, options: CommandOptions): CommandOptions {
  if (options.python_shell !== undefined || Array.isArray(options.cmd)) return options;
  const isChosen = options.__pub_jid || ctx.opts.get('cmd_safe') === false;
  return isChosen ? { ...options, python_shell: true } : options;
}

/** A shell where nothing else is said; a list is run as it is, see {@link withShellDefault}. */
export function withShell(options: CommandOptions): CommandOptions {
  const { python_shell = !Array.isArray(options.cmd) } = options;
  return { ...options, python_shell };
}

/** A function of `cmd`. */
interface CommandFunction<P extends Params> extends FunctionDescription {
  /** What it takes besides the options of a command. */
  readonly own?: P;
  run(ctx: ModuleContext, options: CommandOptions, own: TypedArguments<P>): Value | Promise<Value>;
}

/** Describes a function whose keywords are options like its parameters. */
export function commandFunction<const P extends Params = Record<never, ParamSpec>>(
  spec: CommandFunction<P>,
): FunctionSpec {
  const { own, run, ...description } = spec;
  return {
    ...description,
    kwargs: 'kwargs',
    run: (ctx, args, _rest, kwargs) => {
      const options = readOptions(OPTIONS, mergedOptions(args, kwargs));
      return run(ctx, options, readArguments(own, args));
    },
  };
}

const OUTPUT = 'output_encoding output_loglevel log_callback';
const SUCCESS = 'success_retcodes success_stdout success_stderr';
const START = 'cmd cwd stdin runas group shell python_shell env clean_env template';
const ENDING = 'hide_output timeout reset_system_locale ignore_retcode saltenv use_vt';

/** `cmd.run` */
export const RUN = commandParams(
  `${START} rstrip umask ${OUTPUT} ${ENDING} redirect_stderr bg password encoded_cmd raise_err prepend_path ${SUCCESS}`,
  { redirect_stderr: true },
);
/** `cmd.shell` */
export const SHELL = commandParams(
  `cmd cwd stdin runas group shell env clean_env template rstrip umask ${OUTPUT} ${ENDING} bg password prepend_path ${SUCCESS}`,
);
/** `cmd.run_stdout` and `cmd.run_stderr` */
export const RUN_STREAM = commandParams(
  `${START} rstrip umask ${OUTPUT} ${ENDING} password prepend_path ${SUCCESS}`,
);
/** `cmd.run_all` */
export const RUN_ALL = commandParams(
  `${START} rstrip umask ${OUTPUT} ${ENDING} redirect_stderr password encoded_cmd prepend_path ${SUCCESS}`,
);
/** `cmd.retcode` */
export const RETCODE = commandParams(
  `${START} umask ${OUTPUT} timeout reset_system_locale ignore_retcode saltenv use_vt password ${SUCCESS}`,
);
/** `cmd.script` */
export const SCRIPT = commandParams(
  `source args cwd stdin runas group shell python_shell env template umask ${OUTPUT} hide_output timeout ` +
    `reset_system_locale saltenv use_vt bg password ${SUCCESS}`,
);
/** `cmd.script_retcode` */
export const SCRIPT_RETCODE = commandParams(
  'source args cwd stdin runas group shell python_shell env template umask timeout reset_system_locale saltenv ' +
    `${OUTPUT} use_vt password ${SUCCESS}`,
  { template: 'jinja' },
);
/** `cmd.run_bg` */
export const RUN_BG = commandParams(
  `cmd cwd runas group shell python_shell env clean_env template umask timeout ${OUTPUT} reset_system_locale ` +
    `ignore_retcode saltenv password prepend_path ${SUCCESS}`,
);
/** `cmd.run_chroot` */
export const RUN_CHROOT = commandParams(
  `root cmd cwd stdin runas group shell python_shell binds env clean_env template rstrip umask ${OUTPUT} ${ENDING} bg ${SUCCESS}`,
  { python_shell: true, output_loglevel: 'quiet' },
);
/** `cmd.powershell` */
export const POWERSHELL = params(
  'cmd cwd stdin runas shell env clean_env template rstrip umask output_encoding output_loglevel ' +
    `${ENDING} password depth encode_cmd ${SUCCESS}`,
  { shell: 'powershell' },
);
/** `cmd.powershell_all` */
export const POWERSHELL_ALL = params(
  'cmd cwd stdin runas shell env clean_env template rstrip umask output_encoding output_loglevel quiet timeout ' +
    `reset_system_locale ignore_retcode saltenv use_vt password depth encode_cmd force_list ${SUCCESS}`,
  { shell: 'powershell' },
);
