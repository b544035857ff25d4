import { runSaltCp } from '../cli/cp/salt-cp.ts';
import { runCommand } from '../cli/run-command.ts';

runCommand('salt-cp', runSaltCp);
