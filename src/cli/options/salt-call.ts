/** The command line of `salt-call`. */
import type { CliOption, CliProgram } from '../command-line/optparse.ts';
import { colorContradiction, colorIdle, colorIdleBeside, outputFileDependence } from './rules.ts';
import {
  argsStdinOption,
  configDirOption,
  executorOptions,
  exitCodesOption,
  flag,
  hardCrashWithoutEffect,
  informationOptions,
  loggingGroup,
  noParseOption,
  outputGroup,
  profilingGroup,
  saltfileOption,
  text,
} from './shared.ts';

/** An option for folders. @param what completes to a sentence */
const folders = (flags: CliOption['flags'], dest: string, what: string): CliOption => ({
  ...{ flags, dest, action: 'append', type: 'str', default: [] },
  help: `${what}; may be given several times.`,
});

/** What only a function that is run can have. */
const OF_A_CALL = [
  ...['return', 'metadata', 'print_metadata', 'retcode_passthrough', 'no_return_event'],
  ...['module_executors', 'executor_opts', 'no_parse'],
];

/** `salt-call`. */
export const saltCallProgram: CliProgram = {
  name: 'salt-call',
  usage: '[options] <function> [arguments]',
  description: 'Runs a function on this machine, as the minion here would.',
  configFile: 'minion',
  example: 'salt-call --local test.ping',
  rules: {
    contradictions: [
      { these: ['local'], others: ['master'], why: '--local asks no master' },
      { these: ['doc'], others: ['grains_run'], why: 'each prints something else, and runs nothing' },
      { these: ['doc'], others: OF_A_CALL, why: '--doc prints documentation and runs nothing' },
      { these: ['grains_run'], others: OF_A_CALL, why: '--grains prints the grains and runs nothing' },
      {
        these: ['skip_grains'],
        others: ['grains_run', 'refresh_grains_cache'],
        why: '--skip-grains collects none',
      },
      colorContradiction,
    ],
    dependences: [outputFileDependence],
    idle: [colorIdle, ...colorIdleBeside('doc')],
  },
  options: [
    ...informationOptions,
    saltfileOption,
    configDirOption,
    text(['--proxyid'], 'proxyid', 'Id of the proxy minion to run as.', {
      unserved: { action: 'refuse', why: 'there are no proxy minions' },
    }),
    ...executorOptions,
    text(['--cachedir'], 'cachedir', 'Folder for cached data.', { default: '/var/cache/salt/' }),
    argsStdinOption,
    hardCrashWithoutEffect,
    noParseOption,
    flag(['-g', '--grains'], 'grains_run', 'Show the grains of this machine.'),
    folders(['-m', '--module-dirs'], 'module_dirs', 'Folder with further modules'),
    flag(
      ['-d', '--doc', '--documentation'],
      'doc',
      'Print the documentation of a function, a module or of all.',
    ),
    text(['--master'], 'master', 'Master to ask, in place of the configured one.', { default: '' }),
    text(['--return'], 'return', 'Returners that get the result as well.', {
      default: '',
      metavar: 'RETURNER',
    }),
    flag(['--local'], 'local', 'Ask no master.'),
    folders(['--file-root'], 'file_root', 'Folder that is the file root of the base environment'),
    folders(['--pillar-root'], 'pillar_root', 'Folder that is the pillar root of the base environment'),
    folders(['--states-dir'], 'states_dir', 'Folder with further state modules'),
    flag(['--retcode-passthrough'], 'retcode_passthrough', "End with the function's return code."),
    flag(['--metadata'], 'print_metadata', 'Show job id, return code and outputter along with the result.'),
    text(['--set-metadata'], 'metadata', 'Data to keep with the job, by which it can be found later.', {
      metavar: 'METADATA',
    }),
    text(['--id'], 'id', 'Minion id to use, in place of the configured one.', { default: '' }),
    flag(['--skip-grains'], 'skip_grains', 'Do not collect grains.'),
    flag(
      ['--refresh-grains-cache'],
      'refresh_grains_cache',
      'Collect grains anew in place of the cached ones.',
    ),
    flag(['--no-return-event'], 'no_return_event', 'Do not send the result to the master.'),
    {
      flags: ['-t', '--timeout'],
      dest: 'auth_timeout',
      action: 'store',
      type: 'int',
      default: 60,
      help: 'Seconds to wait for the master to authenticate this minion. Default: %default.',
    },
    flag(['--output-diff'], 'state_output_diff', 'Show only states that changed something.'),
    exitCodesOption,
  ],
  groups: [outputGroup('salt-call'), profilingGroup, loggingGroup({ filePath: '/var/log/salt/minion' })],
};
