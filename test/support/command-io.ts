/** A command's streams for tests: what it reads is given, what it writes is kept. */
import { PassThrough } from 'node:stream';
import type { CommandIo } from '../../src/cli/terminal/io.ts';

/** Streams that keep what was written. */
export interface RecordedIo extends CommandIo {
  readonly written: { stdout: string; stderr: string };
  /** The other end of standard input. */
  readonly input: PassThrough;
}

/**
 * @param stdin what the command reads; undefined leaves it open
 * @param env environment variables; nothing of the process's own gets through
 */
export function recordedIo(stdin?: string, env: NodeJS.ProcessEnv = {}): RecordedIo {
  const written = { stdout: '', stderr: '' };
  const input = new PassThrough();
  if (stdin !== undefined) input.end(stdin);
  return {
    written,
    input,
    stdin: input as unknown as NodeJS.ReadStream,
    stdout: { write: (text) => (written.stdout += text), isTTY: false },
    stderr: { write: (text) => (written.stderr += text), isTTY: false },
    env: { HOME: '/nonexistent', ...env },
  };
}
