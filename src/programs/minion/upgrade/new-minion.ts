/** The minion of another version, started beside this one as its child. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withAllocatorSettings } from '../../../host/allocator.ts';
import { residentBytes } from '../../../host/process-identity.ts';
import { signalTree } from '../../../host/process-tree.ts';
import type { ChildWord, TrialChild } from '../../../runtime/upgrade/trial.ts';
import { TRIAL_MARK } from './on-trial.ts';

/** How this minion was started, which the other one is to be, too. */
export interface StartLine {
  readonly args: readonly string[];
  /** Where: paths of the command line may begin there. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A started one, which can also be waited for. */
export interface NewMinion extends TrialChild {
  /** Its exit code; 128 and the number of the signal for one that was killed. */
  readonly ended: Promise<number>;
  /** It goes on by itself, and learns from the closed channel that no job of this process runs any more. */
  letGo(): void;
}

/** Words of Node and of the program, for a version. */
export function programOf(home: string, name: 'salt-minion' | 'salt-call'): string[] {
  const node = join(home, 'node/bin/node');
  return [existsSync(node) ? node : process.execPath, join(home, 'bin', name)];
}

const SIGNAL_NUMBERS = new Map([
  ['SIGTERM', 143],
  ['SIGKILL', 137],
  ['SIGINT', 130],
]);

/** Starts it. @param home the folder of its version */
export function startNewMinion(home: string, line: StartLine): NewMinion {
  const [node = '', ...program] = programOf(home, 'salt-minion');
  const child = spawn(node, [...program, ...line.args], {
    cwd: existsSync(line.folder) ? line.folder : '/',
    env: withAllocatorSettings({ ...line.env, [TRIAL_MARK]: '1' }),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? SIGNAL_NUMBERS.get(String(signal)) ?? 1));
    child.once('error', () => resolve(70));
  });
  const { pid } = child;
  return {
    pid,
    ended,
    say: (word) => {
      if (child.connected) child.send(word, () => undefined);
    },
    kill: (signal) => {
      if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      if (signal === 'SIGKILL') signalTree(pid, 9);
      else child.kill(signal);
    },
    memoryBytes: () => (pid === undefined ? undefined : residentBytes(pid)),
    onWord: (heard) => child.on('message', (word) => heard(word as ChildWord)),
    onEnd: (told) => {
      child.once('exit', (code, signal) => told(signal === null ? `exit code ${code}` : `signal ${signal}`));
      child.once('error', (error) => told(`it could not be started: ${error.message}`));
    },
    letGo: () => {
      if (child.connected) child.disconnect();
    },
  };
}
