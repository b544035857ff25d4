import { runSaltCp } from '../cli/cp/salt-cp.ts';
import { runCommand } from '../cli/program/run-command.ts';

runCommand('salt-cp', runSaltCp);
