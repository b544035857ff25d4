/** The command line of `salt-run`. */
import type { Value } from '../../python/values/value.ts';
import type { CliProgram } from '../command-line/optparse.ts';
import {
  colorContradiction,
  colorIdle,
  colorIdleBeside,
  logFileDependence,
  outputFileDependence,
} from './rules.ts';
import {
  argsStdinOption,
  configDirOption,
  eauthGroup,
  exitCodesOption,
  flag,
  hardCrashWithoutEffect,
  informationOptions,
  loggingGroup,
  noParseOption,
  outputGroup,
  profilingGroup,
  refuse,
  saltfileOption,
  text,
  timeoutOption,
} from './shared.ts';

/** A job id: the time in 20 digits, with the process behind it when they are to be unique (salt/utils/jid.py). */
function checkJid(value: Value): Value {
  if (typeof value === 'string' && !/^[0-9]{20}(_.+)?$/s.test(value)) refuse(`'${value}' is not a valid JID`);
  return value;
}

/** `salt-run`. */
export const saltRunProgram: CliProgram = {
  name: 'salt-run',
  usage: '[options] <function> [arguments]',
  description: 'Runs a runner: a function that works on the master itself.',
  configFile: 'master',
  example: 'salt-run manage.status',
  rules: {
    contradictions: [
      {
        these: ['doc'],
        others: ['async', 'jid', 'eauth', 'mktoken', 'quiet'],
        why: '--doc prints documentation and runs nothing',
      },
      { these: ['quiet'], others: ['output', 'output_file'], why: '--quiet shows no result' },
      { these: ['jid'], others: ['eauth'], why: 'the master gives what it runs for others an id of its own' },
      colorContradiction,
    ],
    dependences: [outputFileDependence, logFileDependence],
    idle: [colorIdle, ...colorIdleBeside('doc', 'async', 'quiet')],
  },
  options: [
    ...informationOptions,
    saltfileOption,
    configDirOption,
    timeoutOption(1),
    argsStdinOption,
    text(['--jid'], 'jid', 'Job id to use in place of a new one.', { convert: checkJid }),
    hardCrashWithoutEffect,
    noParseOption,
    flag(
      ['-d', '--doc', '--documentation'],
      'doc',
      'Print the documentation of a runner, of one function or of all.',
    ),
    flag(['--async'], 'async', 'Start the runner, print its job id and leave.'),
    flag(['--skip-grains'], 'skip_grains', 'Do not collect grains.'),
    exitCodesOption,
  ],
  groups: [
    eauthGroup(true),
    outputGroup('salt-run', [flag(['--quiet'], 'quiet', 'Do not show the result.')]),
    profilingGroup,
    loggingGroup({ filePath: '/var/log/salt/master' }),
  ],
};
