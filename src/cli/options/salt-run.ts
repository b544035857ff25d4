/** The command line of `salt-run`. */
import type { Value } from '../../python/values/value.ts';
import type { CliProgram } from '../command-line/optparse.ts';
import {
  argsStdinOption,
  configDirOption,
  eauthGroup,
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
  ],
  groups: [
    eauthGroup(true),
    outputGroup('salt-run', [flag(['--quiet'], 'quiet', 'Do not show the result.')]),
    profilingGroup,
    loggingGroup({ filePath: '/var/log/salt/master' }),
  ],
};
