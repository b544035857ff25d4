import { runCommand } from '../cli/run-command.ts';
import { runSaltRun } from '../cli/run/salt-run.ts';

runCommand('salt-run', runSaltRun);
