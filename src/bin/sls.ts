import { runCommand } from '../cli/program/run-command.ts';
import { runSls } from '../cli/sls/sls.ts';

runCommand('sls', runSls);
