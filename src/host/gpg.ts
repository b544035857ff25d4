/**
 * The one place that starts gpg: it never asks anybody anything, its passphrase comes through a pipe and is in no list
 * of processes, and what it brings is bounded.
 */
import type { Clock } from './clock.ts';
import type { RunAs } from './credentials.ts';
import { runProcess } from './process.ts';
import type { Secret } from './secret.ts';

/** A run of gpg. */
export interface GpgRun {
  readonly program: string;
  /** The folder with the keys. */
  readonly homedir: string;
  /** Command and options, without those that every run has. */
  readonly args: readonly string[];
  readonly input?: Uint8Array;
  /** Opens keys; without it only those are opened whose passphrase an agent knows, or that have none. */
  readonly passphrase?: Secret | undefined;
  readonly credentials?: RunAs | undefined;
  readonly timeoutMs: number;
  readonly outputLimitBytes: number;
  readonly signal?: AbortSignal;
  readonly clock: Clock;
}

/** What gpg tells about what it does, one line: `GOODSIG`, and the rest of the line. */
export interface GpgStatus {
  readonly keyword: string;
  readonly value: string;
}

/** How a run has ended. */
export interface GpgEnded {
  readonly retcode: number;
  readonly stdout: Buffer;
  /** Messages, and status lines among them. */
  readonly stderr: Buffer;
  readonly statuses: readonly GpgStatus[];
  readonly timedOut: boolean;
  /** What was more than the limit. */
  readonly droppedBytes: number;
}

/** Runs gpg. @throws SpawnError where it cannot be started */
export async function runGpg(run: GpgRun): Promise<GpgEnded> {
  const { program, homedir, args, passphrase } = run;
  const opening = passphrase === undefined ? ['error'] : ['loopback', '--passphrase-fd', '0'];
  const words = [
    ...['--homedir', homedir, '--batch', '--no-tty', '--no-verbose', '--status-fd', '2'],
    ...['--pinentry-mode', ...opening],
  ];
  const input = Buffer.from(run.input ?? []);
  const { retcode, stdout, stderr, timedOut, droppedBytes } = await runProcess([program, ...words, ...args], {
    stdin: passphrase === undefined ? input : Buffer.concat([Buffer.from(`${passphrase.reveal()}\n`), input]),
    timeoutMs: run.timeoutMs,
    diesWithUs: true,
    outputLimitBytes: run.outputLimitBytes,
    clock: run.clock,
    ...(run.credentials === undefined ? {} : { credentials: run.credentials }),
    ...(run.signal === undefined ? {} : { signal: run.signal }),
  });
  return { retcode, stdout, stderr, statuses: statusesIn(stderr), timedOut, droppedBytes };
}

function statusesIn(stderr: Buffer): GpgStatus[] {
  return [...stderr.toString('utf8').matchAll(/^\[GNUPG:\] (\S+) ?(.*?)\s*$/gm)].map(
    ([, keyword = '', value = '']) => ({ keyword, value }),
  );
}
