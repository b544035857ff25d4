import { runCommand } from '../cli/program/run-command.ts';
import { runSaltRun } from '../cli/run/salt-run.ts';

runCommand('salt-run', runSaltRun);
