/** The parameters of the functions of `cmd`: described once, listed per function in Salt's order. */
import type { Params, ParamSpec } from '../../../runtime/loader/module.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import { DEFAULT_SHELL } from './options.ts';

const none = (type: string, doc: string): ParamSpec => ({ default: null, type, doc });
const flag = (value: boolean, doc: string): ParamSpec => ({ default: value, type: 'bool', doc });

const SHARED = {
  cmd: {
    type: 'str or list',
    doc: 'The command. A shell reads the text when the call comes straight from a job; in calls between modules it is split into words. A list is taken word by word.',
  },
  source: { type: 'str', doc: 'The script: a path on the minion, or a salt:// or http(s):// address.' },
  args: none('str or list', 'Arguments for the script: text, which is split into words, or a list of words.'),
  root: { type: 'str', doc: 'The folder that becomes the root folder of the command; not `/`.' },
  binds: none('list', 'Folders of the system to make visible at the same place below the root.'),
  cwd: none(
    'str',
    "Absolute path of the folder to run in. Without it, the user's home folder, or / when that cannot be read.",
  ),
  stdin: none(
    'str',
    'Text for the standard input. The two characters \\n stand for a line end, unless stdin_raw_newlines=True.',
  ),
  runas: none('str', "The user to run as, with that user's groups and login environment."),
  group: none('str', 'The group to run as; needs sudo to be installed.'),
  shell: none('str', 'Absolute path of the shell, where one runs the command.'),
  python_shell: none(
    'bool',
    'Whether a shell runs the command, so that pipes, variables and patterns work. Without it: yes straight from a job, no in calls between modules. Do not combine a shell with untrusted text.',
  ),
  env: none('dict or list', 'Environment variables: a mapping, or a list of mappings with one entry each.'),
  clean_env: flag(false, 'Start from an empty environment instead of that of the minion.'),
  prepend_path: none('str', 'Folders to put in front of PATH.'),
  template: none('str', 'Render the command (or the script) with this template engine first.'),
  rstrip: flag(true, 'Take white space off the end of the output.'),
  umask: none('str', 'File mode creation mask in octal digits; not zero.'),
  output_encoding: none(
    'str',
    'The encoding of the output; UTF-8 without it. Bytes that do not fit are replaced.',
  ),
  output_loglevel: {
    default: 'debug',
    type: 'str',
    doc: 'The level at which the output is logged; quiet logs nothing of this command.',
  },
  log_callback: none('object', 'Takes no effect: functions cannot be sent to a minion.'),
  hide_output: flag(false, 'Return empty output.'),
  timeout: none(
    'int or float',
    'After this number of seconds the command and all it has started are killed.',
  ),
  reset_system_locale: flag(true, 'Set the LC_ variables and LANGUAGE to C, except those given in env.'),
  ignore_retcode: flag(false, 'A failure is neither logged as an error nor makes the job fail.'),
  saltenv: none('str', 'The environment of the file server.'),
  use_vt: flag(false, 'Accepted for compatibility; the output is collected as without it.'),
  redirect_stderr: flag(false, 'Mix the error output into the output, in the order in which it was written.'),
  bg: flag(false, 'Start the command and do not wait for it: no output, and its success is not known.'),
  password: none('str', 'Only for Windows.'),
  encoded_cmd: flag(false, 'Only for Windows: the command is Base64 for PowerShell.'),
  encode_cmd: flag(false, 'Only for Windows: hand the command to PowerShell as Base64.'),
  depth: none('int', 'Only for Windows: how deeply nested values are converted.'),
  quiet: flag(false, 'Only for Windows: takes no effect.'),
  force_list: flag(false, 'Only for Windows: always return a list.'),
  raise_err: flag(false, 'Fail with the output as the error text when the command fails.'),
  success_retcodes: none('list of int', 'Exit codes that count as success; the return code is then 0.'),
  success_stdout: none('list of str', 'Texts that mean success when the output contains one of them.'),
  success_stderr: none('list of str', 'Texts that mean success when the error output contains one of them.'),
} satisfies Params;

/** The name of a shared parameter. */
export type ParamName = keyof typeof SHARED;

/** Parameters in the order of a list of names (separated by blanks), some with other defaults. */
export function params(names: string, defaults: Readonly<Record<string, Value>> = {}): Params {
  return Object.fromEntries(
    names.split(' ').map((name) => {
      const shared: ParamSpec = SHARED[name as ParamName];
      return [name, Object.hasOwn(defaults, name) ? { ...shared, default: defaults[name] as Value } : shared];
    }),
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
