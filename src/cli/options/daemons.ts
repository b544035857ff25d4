/** The command lines of the programs that stay: `salt-master`, `salt-minion`, `salt-syndic`, `salt-api`. */
import type { CliProgram } from '../command-line/optparse.ts';
import {
  configDirOption,
  daemonOptions,
  flag,
  informationOptions,
  loggingGroup,
  saltfileOption,
  userOption,
  type LoggingNames,
} from './shared.ts';

function daemon(
  name: string,
  description: string,
  configFile: CliProgram['configFile'],
  logging: LoggingNames,
  { hasUserAndSaltfile = true, own = [] }: { hasUserAndSaltfile?: boolean; own?: CliProgram['options'] } = {},
): CliProgram {
  return {
    name,
    usage: '[options]',
    description,
    configFile,
    options: [
      ...informationOptions,
      ...(hasUserAndSaltfile ? [saltfileOption] : []),
      configDirOption,
      ...(hasUserAndSaltfile ? [userOption(name)] : []),
      ...daemonOptions(name),
      ...own,
    ],
    groups: [loggingGroup(logging)],
  };
}

/** `salt-master`. */
export const saltMasterProgram = daemon(
  'salt-master',
  'The master: publishes jobs to the minions that it has accepted.',
  'master',
  {
    filePath: '/var/log/salt/master',
  },
);

/** `salt-minion`. */
export const saltMinionProgram = daemon(
  'salt-minion',
  'The minion: runs on this machine what its master publishes.',
  'minion',
  {
    filePath: '/var/log/salt/minion',
  },
  {
    own: [
      {
        ...flag(
          ['--prove'],
          'prove',
          'Say whether a minion of this version works here, and leave: it asks the master to let it in and runs a job in a process of its own. A minion that runs goes on, and nothing is changed.',
        ),
        own: true,
      },
    ],
  },
);

/** `salt-syndic`. */
export const saltSyndicProgram = daemon(
  'salt-syndic',
  'The syndic: passes on to the master beside it what a higher master publishes.',
  'master',
  { fileDest: 'syndic_log_file', filePath: '/var/log/salt/syndic' },
);

/** `salt-api`. */
export const saltApiProgram = daemon(
  'salt-api',
  'The HTTP interface: serves the master beside it to programs and web pages.',
  'master',
  { fileDest: 'api_logfile', filePath: '/var/log/salt/api' },
  { hasUserAndSaltfile: false },
);
