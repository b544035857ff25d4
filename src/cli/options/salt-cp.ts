/** The command line of `salt-cp`. */
import type { CliProgram } from '../command-line/optparse.ts';
import { colorContradiction, colorIdle, logFileDependence, outputFileDependence } from './rules.ts';
import {
  configDirOption,
  exitCodesOption,
  flag,
  hardCrashWithoutEffect,
  informationOptions,
  loggingGroup,
  outputGroup,
  ownEauthGroup,
  saltfileOption,
  targetGroups,
  timeoutOption,
} from './shared.ts';

/** `salt-cp`. */
export const saltCpProgram: CliProgram = {
  name: 'salt-cp',
  usage: "[options] '<target>' SOURCE DEST",
  description:
    'Copies files from this machine to minions. With --chunked they may be large, and folders too.',
  configFile: 'master',
  example: "salt-cp 'web*' ./motd /etc/motd",
  rules: {
    contradictions: [colorContradiction],
    dependences: [{ option: 'gzip', needs: ['chunked'] }, outputFileDependence, logFileDependence],
    idle: [colorIdle],
  },
  options: [
    ...informationOptions,
    saltfileOption,
    configDirOption,
    timeoutOption(5),
    hardCrashWithoutEffect,
    exitCodesOption,
  ],
  groups: [
    ...targetGroups(),
    ownEauthGroup(),
    outputGroup('salt-cp'),
    {
      title: 'File Options',
      options: [
        flag(
          ['-C', '--chunked'],
          'chunked',
          'Send files in pieces: for large files, folders and empty folders.',
        ),
        {
          flags: ['-n', '--no-compression'],
          dest: 'gzip',
          action: 'false',
          default: true,
          help: 'Do not compress the pieces.',
        },
      ],
    },
    loggingGroup({ filePath: '/var/log/salt/master' }),
  ],
};
