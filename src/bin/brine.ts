import { runCommand } from '../cli/program/run-command.ts';
import { runBrine } from '../cli/takeover/takeover.ts';

runCommand('brine', runBrine);
