import { basename } from 'node:path';
import { runCommand } from '../cli/program/run-command.ts';
import { runSls } from '../cli/sls/sls.ts';
import { SLS_COMMANDS } from '../cli/options/sls.ts';

const called = SLS_COMMANDS.find((name) => name === basename(process.argv[1] ?? ''));
runCommand('sls', (argv, io) => runSls(argv, io, called));
