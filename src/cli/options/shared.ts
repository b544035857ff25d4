/** Options that several programs share, in Salt 3006.16's order, names, defaults and groups (salt/utils/parsers.py). */
import { UsageError } from '../../errors/errors.ts';
import { LOG_LEVELS } from '../../host/log.ts';
import type { Value } from '../../python/values/value.ts';
import type { CliGroup, CliOption } from '../command-line/optparse.ts';

/** A switch that is off until given. */
export function flag(flags: CliOption['flags'], dest: string, help: string): CliOption {
  return { flags, dest, action: 'true', default: false, help };
}

/** An option with a text behind it. */
export function text(
  flags: CliOption['flags'],
  dest: string,
  help: string,
  more: Partial<CliOption> = {},
): CliOption {
  return { flags, dest, action: 'store', type: 'str', default: null, help, ...more };
}

/** `--version`, `-V`, `-h`. */
export const informationOptions: readonly CliOption[] = [
  {
    flags: ['--version'],
    dest: 'version',
    action: 'version',
    default: null,
    help: 'Print the version and leave.',
  },
  {
    flags: ['-V', '--versions-report'],
    dest: 'versions_report',
    action: 'true',
    default: null,
    help: 'Print the versions of this program, of what it is built on and of the system, and leave.',
  },
  {
    flags: ['-h', '--help'],
    dest: 'help',
    action: 'help',
    default: null,
    help: 'Print this text and leave.',
  },
];

/** `--saltfile`. */
export const saltfileOption = text(
  ['--saltfile'],
  'saltfile',
  'File with defaults for these options. Without it, ./Saltfile and ~/.salt/Saltfile are tried.',
);

/** `-c`. */
export const configDirOption = text(
  ['-c', '--config-dir'],
  'config_dir',
  "Folder of the configuration files. Default: '%default'.",
  { default: '/etc/salt', env: 'SALT_CONFIG_DIR' },
);

/** `--hard-crash`. */
export const hardCrashOption: CliOption = {
  ...flag(
    ['--hard-crash'],
    'hard_crash',
    'Let an unexpected error end the program with its trace. Default: %default.',
  ),
  env: 'SALT_HARD_CRASH',
};

/** `--hard-crash` of a program that shows the trace of an unexpected error at `-l debug` only. */
export const hardCrashWithoutEffect: CliOption = {
  ...hardCrashOption,
  unserved: {
    action: 'warn',
    why: 'an unexpected error ends the program in any case, and -l debug shows its trace',
  },
};

/** `--no-parse`. */
export const noParseOption = text(
  ['--no-parse'],
  'no_parse',
  'Named arguments (name=value on the command line) whose values stay plain text, separated by commas.',
  {
    default: '',
    env: 'SALT_NO_PARSE',
    metavar: 'argname1,argname2,...',
    convert: splitNames,
  },
);

function splitNames(value: Value): Value {
  if (Array.isArray(value)) return value;
  return typeof value === 'string' && value !== '' ? value.split(',').map((name) => name.trim()) : [];
}

/** `--exit-codes`: ours, not Salt's. */
export const exitCodesOption: CliOption = {
  flags: ['--exit-codes'],
  dest: 'exit_codes',
  action: 'store',
  type: 'choice',
  choices: ['strict', 'salt'],
  default: 'strict',
  help:
    "'strict' ends with another code than 0 whenever something that was asked for was not done; 'salt' with the codes of Salt, " +
    "which are often 0. Also: BRINE_EXIT_CODES in the environment, exit_codes in the configuration. Default: '%default'.",
  own: true,
};

/** `--args-stdin`. */
export const argsStdinOption = flag(
  ['--args-stdin'],
  'args_stdin',
  'Read further options and arguments from standard input, one per line.',
);

/** `--module-executors`, `--executor-opts`. */
export const executorOptions: readonly CliOption[] = [
  text(
    ['--module-executors'],
    'module_executors',
    "Executors to run the function with, in place of those of the minion's configuration.",
    { metavar: 'EXECUTOR_LIST' },
  ),
  text(
    ['--executor-opts'],
    'executor_opts',
    "Options for the executors, in place of those of the minion's configuration.",
    { metavar: 'EXECUTOR_OPTS' },
  ),
];

/** `-t`. */
export function timeoutOption(defaultSeconds: number): CliOption {
  return {
    flags: ['-t', '--timeout'],
    dest: 'timeout',
    action: 'store',
    type: 'int',
    default: defaultSeconds,
    help: 'Seconds to wait for an answer before asking who is still at work. Default: %default.',
  };
}

/** `-u`. */
export function userOption(program: string): CliOption {
  return text(['-u', '--user'], 'user', `User to run ${program} as.`);
}

/** `-d`, `--pid-file`. */
export function daemonOptions(program: string): readonly CliOption[] {
  return [
    flag(['-d', '--daemon'], 'daemon', `Run ${program} in the background.`),
    text(['--pid-file'], 'pidfile', "File that holds the process id. Default: '%default'.", {
      default: `/var/run/${program}.pid`,
    }),
  ];
}

/** External authentication. @param short whether `-a` is free */
export function eauthGroup(short: boolean): CliGroup {
  const names = ['--auth', '--eauth', '--external-auth'] as const;
  return {
    title: 'External Authentication',
    options: [
      text(short ? ['-a', ...names] : [...names], 'eauth', 'Log in through this authentication module.', {
        default: '',
      }),
      flag(
        ['-T', '--make-token'],
        'mktoken',
        'Ask the master for a token and keep it, so that later commands need no log-in while it is valid.',
      ),
      text(['--username'], 'username', 'User name to log in with; asked for when it is not given.'),
      text(
        ['--password'],
        'password',
        'Password to log in with; better asked for, because a command line can be seen by others.',
      ),
    ],
  };
}

/** The same for a program that has no log-ins in Salt: long names only. */
export function ownEauthGroup(): CliGroup {
  const { title, options } = eauthGroup(false);
  const long = ({ flags }: CliOption): [string, ...string[]] =>
    flags.filter((name) => name.startsWith('--')) as [string, ...string[]];
  return { title, options: options.map((option) => ({ ...option, flags: long(option), own: true })) };
}

/** Programs whose output has no results of states. */
const WITHOUT_STATES: readonly string[] = ['salt-cp', 'salt-key'];

/** Output. @param more options of one program at the end of the group */
export function outputGroup(program: string, more: readonly CliOption[] = []): CliGroup {
  const ofStates: Pick<CliOption, 'unserved'> = WITHOUT_STATES.includes(program)
    ? { unserved: { action: 'warn', why: `${program} shows no results of states` } }
    : {};
  return {
    title: 'Output Options',
    description: 'How results are shown.',
    options: [
      text(['--out', '--output'], 'output', `Outputter for what ${program} shows.`),
      {
        flags: ['--out-indent', '--output-indent'],
        dest: 'output_indent',
        action: 'store',
        type: 'int',
        default: null,
        help: 'Spaces per level, for outputters that indent; a negative number puts all on one line.',
      },
      text(['--out-file', '--output-file'], 'output_file', 'Write the output to this file.'),
      flag(
        ['--out-file-append', '--output-file-append'],
        'output_file_append',
        'Append to the output file in place of emptying it first.',
      ),
      flag(['--no-color', '--no-colour'], 'no_color', 'No colours.'),
      flag(
        ['--force-color', '--force-colour'],
        'force_color',
        'Colours even when the output is no terminal.',
      ),
      text(
        ['--state-output', '--state_output'],
        'state_output',
        "How much is shown of each state: 'full', 'terse', 'mixed', 'changes' or 'filter', in place of the " +
          "configured state_output. Default: '%default'.",
        ofStates,
      ),
      text(
        ['--state-verbose', '--state_verbose'],
        'state_verbose',
        'True or False: whether states that changed nothing are shown, in place of the configured ' +
          'state_verbose. Default: %default.',
        { convert: textToBoolean, ...ofStates },
      ),
      ...more,
    ],
  };
}

function textToBoolean(value: Value): Value {
  if (value === 'True' || value === 'true') return true;
  return value === 'False' || value === 'false' ? false : value;
}

/** The order in which Salt's -l lists its choices (the order of its table, not of severity). */
const CONSOLE_LEVELS = [
  'all',
  'debug',
  'error',
  'critical',
  'garbage',
  'info',
  'profile',
  'quiet',
  'trace',
  'warning',
];

const LEVEL_NAMES = Object.keys(LOG_LEVELS);
const LEVEL_HELP =
  `one of ${LEVEL_NAMES.map((name) => `'${name}'`).join(', ')}. Default: 'warning'. ` +
  'INSECURE, because sensitive data may be logged: all, debug, garbage, profile, trace.';

/** What differs between the programs in how they log. */
export interface LoggingNames {
  /** Destination of `--log-file`. */
  readonly fileDest?: string;
  readonly filePath: string;
  /** False where `-l` means something else. */
  readonly short?: boolean;
}

/** Logging. */
export function loggingGroup({ fileDest = 'log_file', filePath, short = true }: LoggingNames): CliGroup {
  const level = { action: 'store', type: 'choice', default: null } as const;
  return {
    title: 'Logging Options',
    description: 'They beat what the configuration files say.',
    options: [
      {
        ...level,
        flags: short ? ['-l', '--log-level'] : ['--log-level'],
        dest: 'log_level',
        choices: CONSOLE_LEVELS,
        help: `Level of messages on the terminal, ${LEVEL_HELP}`,
      },
      text(['--log-file'], fileDest, `File for messages. Default: '${filePath}'.`, { convert: anchorFile }),
      {
        ...level,
        flags: ['--log-file-level'],
        dest: 'log_level_logfile',
        choices: LEVEL_NAMES,
        help: `Level of messages in the log file, ${LEVEL_HELP}`,
      },
    ],
  };
}

/** A bare file name means the working folder, so that it cannot be taken for a syslog address. */
function anchorFile(value: Value): Value {
  return typeof value === 'string' && value !== '' && !value.includes('/') ? `./${value}` : value;
}

const PROFILING = {
  action: 'warn',
  why: 'nothing is measured; NODE_OPTIONS=--cpu-prof makes Node.js write a profile',
} as const;

/** Profiling of the program itself. */
export const profilingGroup: CliGroup = {
  title: 'Profiling support',
  options: [
    text(['--profiling-path'], 'profiling_path', "Folder for measurements. Default: '%default'.", {
      default: '/tmp/stats',
      unserved: PROFILING,
    }),
    {
      ...flag(
        ['--enable-profiling'],
        'profiling_enabled',
        'Measure where time is spent. See also: --profiling-path.',
      ),
      unserved: PROFILING,
    },
  ],
};

/** Targets that `salt` and `salt-cp` have in common. */
const basicTargets: readonly CliOption[] = [
  {
    ...flag(['-H', '--hosts'], 'list_hosts', 'List the hosts that the rosters know.'),
    unserved: { action: 'refuse', why: 'there is no salt-ssh, and there are no rosters' },
  },
  flag(['-E', '--pcre'], 'pcre', 'The target is a regular expression on minion ids, anchored at the start.'),
  flag(['-L', '--list'], 'list', 'The target is a list of minion ids, separated by commas or blanks.'),
  flag(['-G', '--grain'], 'grain', 'The target is a grain and a glob for its value: "os:Arch*".'),
  flag(
    ['-P', '--grain-pcre'],
    'grain_pcre',
    'The target is a grain and a regular expression for its value: "os:Arch.*".',
  ),
  flag(
    ['-N', '--nodegroup'],
    'nodegroup',
    'The target is the name of a node group of the master configuration.',
  ),
  {
    ...flag(['-R', '--range'], 'range', 'The target is a range expression, such as %cluster.'),
    unserved: {
      action: 'refuse',
      why: 'there are no range targets; name the minions with -L or a nodegroup with -N',
    },
  },
];

/** Title of the group of which at most one option may be given. */
export const TARGET_GROUP = 'Target Options';

/** The target group. @param more targets beyond the common ones */
export function targetGroups(more: readonly CliOption[] = []): readonly CliGroup[] {
  return [
    {
      title: TARGET_GROUP,
      description: 'What the target is, when it is no glob on minion ids. At most one of them.',
      options: [...basicTargets, ...more],
    },
    {
      title: 'Additional Target Options',
      description: 'More about the target.',
      options: [
        text(
          ['--delimiter'],
          'delimiter',
          "Character between the levels of a nested grain or pillar value. Default: '%default'.",
          { default: ':' },
        ),
      ],
    },
  ];
}

/** The usage error for a value that does not fit. */
export function refuse(message: string): never {
  throw new UsageError(message);
}
