/** The command line of `salt`. */
import type { CliOption, CliProgram } from '../command-line/optparse.ts';
import { checkLimit, checkSteps } from './rollout-plan.ts';
import { saltRules } from './salt-rules.ts';
import {
  argsStdinOption,
  configDirOption,
  eauthGroup,
  executorOptions,
  exitCodesOption,
  flag,
  hardCrashOption,
  informationOptions,
  loggingGroup,
  noParseOption,
  outputGroup,
  saltfileOption,
  targetGroups,
  text,
  timeoutOption,
} from './shared.ts';

const RETURNER_NOTE = 'The master gets every return in any case.';

const batchOptions: readonly CliOption[] = [
  text(
    ['-b', '--batch', '--batch-size'],
    'batch',
    'Run on so many minions at a time: a number, or a percentage of the target.',
    { default: '' },
  ),
  {
    flags: ['--batch-wait'],
    dest: 'batch_wait',
    action: 'store',
    type: 'float',
    default: 0,
    help: 'Seconds to wait after each return of a batch before the next minion takes its place.',
  },
  {
    flags: ['--batch-safe-limit'],
    dest: 'batch_safe_limit',
    action: 'store',
    type: 'int',
    default: 0,
    help: 'Run as a batch when the target has at least so many minions.',
  },
  text(['--batch-safe-size'], 'batch_safe_size', 'Batch size for --batch-safe-limit.', { default: 8 }),
];

const returnerOptions: readonly CliOption[] = [
  text(['--return'], 'return', `Returners that each minion runs as well. ${RETURNER_NOTE}`, {
    default: '',
    metavar: 'RETURNER',
  }),
  text(['--return_config'], 'return_config', 'Name of another configuration for the returners.', {
    default: '',
    metavar: 'RETURNER_CONF',
  }),
  text(['--return_kwargs'], 'return_kwargs', 'Options for the returners, as a mapping.', {
    default: new Map(),
    metavar: 'RETURNER_KWARGS',
  }),
];

/** Ours, not Salt's. */
const ownOptions: readonly CliOption[] = [
  exitCodesOption,
  {
    ...text(['--canary'], 'canary', 'Roll out in growing steps: numbers or percentages of the minions.', {
      metavar: '1,10%,100%',
      convert: checkSteps,
    }),
    own: true,
  },
  {
    ...text(
      ['--abort-on'],
      'abort_on',
      'With --canary, take no further step once so many minions, or so many percent of those that ran, have failed. Default: 1.',
      { metavar: '5%', convert: checkLimit },
    ),
    own: true,
  },
  {
    flags: ['--gather-job-timeout'],
    dest: 'gather_job_timeout',
    action: 'store',
    type: 'int',
    default: null,
    help: 'Seconds to wait for the answer to the question who is still at work. Default: the option gather_job_timeout, 10.',
    own: true,
  },
  {
    ...text(['--watch'], 'watch', 'Follow a job that was started elsewhere to its end.', { metavar: 'JID' }),
    own: true,
  },
];

/** `salt`. */
export const saltProgram: CliProgram = {
  name: 'salt',
  usage: "[options] '<target>' <function> [arguments]",
  description: 'Runs a function on many minions at once and shows what each of them returns.',
  configFile: 'master',
  example: "salt 'web*' test.ping",
  rules: saltRules,
  options: [
    ...informationOptions,
    saltfileOption,
    configDirOption,
    ...executorOptions,
    {
      ...flag(
        ['--start-event'],
        'start_event',
        'Have each minion fire salt/job/<jid>/start/<id> when it begins with the job.',
      ),
      own: true,
    },
    timeoutOption(5),
    argsStdinOption,
    hardCrashOption,
    noParseOption,
    flag(['-s', '--static'], 'static', 'Show all returns together, once the last has come.'),
    flag(['-p', '--progress'], 'progress', 'Show a progress bar.'),
    flag(['--failhard'], 'failhard', 'In a batch, start no more minions after the first failure.'),
    flag(['--async'], 'async', 'Start the job, print its id and leave.'),
    {
      flags: ['--subset'],
      dest: 'subset',
      action: 'store',
      type: 'int',
      default: 0,
      help: 'Run on so many minions of the target, chosen at random among those that know the function.',
    },
    flag(['-v', '--verbose'], 'verbose', 'Show the job id, and ask about minions that are still at work.'),
    {
      flags: ['--hide-timeout'],
      dest: 'show_timeout',
      action: 'false',
      default: true,
      help: 'Do not list minions that did not return.',
    },
    flag(['--show-jid'], 'show_jid', 'Print the job id first.'),
    ...batchOptions,
    ...returnerOptions,
    flag(
      ['-d', '--doc', '--documentation'],
      'doc',
      'Print the documentation of a function, a module or of all.',
    ),
    text(
      ['--args-separator'],
      'args_separator',
      'Word that separates the arguments when several functions are called at once, in place of a comma.',
      { default: ',' },
    ),
    flag(['--summary'], 'cli_summary', 'End with how many minions were targeted, returned and failed.'),
    text(['--metadata'], 'metadata', 'Data to keep with the job, by which it can be found later.', {
      default: '',
      metavar: 'METADATA',
    }),
    flag(['--output-diff'], 'state_output_diff', 'Show only states that changed something.'),
    flag(['--config-dump'], 'config_dump', 'Print the configuration of the master as it is in force.'),
    flag(
      ['--preview-target'],
      'preview_target',
      'List the minions that the target is expected to match; run nothing.',
    ),
    ...ownOptions,
  ],
  groups: [
    ...targetGroups([
      flag(
        ['-C', '--compound'],
        'compound',
        "The target combines others with and, or, not and parentheses: 'G@os:Debian and web* or E@db\\d+'.",
      ),
      flag(
        ['-I', '--pillar'],
        'pillar_target',
        'The target is a pillar key and a glob for its value: "role:prod*".',
      ),
      flag(
        ['-J', '--pillar-pcre'],
        'pillar_pcre',
        'The target is a pillar key and a regular expression for its value: "role:prod.*".',
      ),
      flag(['-S', '--ipcidr'], 'ipcidr', 'The target is an address or a network such as 10.0.0.0/24.'),
    ]),
    eauthGroup(true),
    outputGroup('salt'),
    loggingGroup({ filePath: '/var/log/salt/master' }),
  ],
};
