/** The standard streams of a program that is run to its end, and where its output goes. */
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { closeSync, fstatSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { createFile } from './files.ts';
import { closePipe, type PipeDirection, type PipeStock } from './pipe.ts';
import { systemRandom } from './random.ts';

/** Larger input goes through a pipe: the memory file system of a container may be small. */
const LARGEST_MEMORY_FILE_BYTES = 1024 * 1024;

/** The streams of a run, before and after the program has them. */
export interface Channels {
  readonly stdio: StdioOptions;
  /** Hands the program's ends over and wraps ours; call it once the program runs. */
  attach(child: ChildProcess): Streams;
  /** Closes everything when no program was started. */
  abandon(): void;
}

/** Our ends. `stderr` is absent when both streams share one pipe. */
export interface Streams {
  readonly stdin?: Writable;
  readonly stdout: Readable;
  readonly stderr?: Readable;
}

/** What the streams of a program are to be. */
export interface ChannelOptions {
  readonly stdin: string | Uint8Array | undefined;
  /** Both output streams share one pipe. */
  readonly merged: boolean;
}

/**
 * Prepares the streams of one program: real pipes where possible, else Node's sockets.
 * @param stock where pipes come from
 */
export async function openChannels(
  { stdin, merged }: ChannelOptions,
  stock: Pick<PipeStock, 'open'>,
): Promise<Channels> {
  const stdinFile = stdin === undefined ? undefined : openMemoryFile(Buffer.from(stdin));
  const stdinPipe = stdin !== undefined && stdinFile === undefined;
  const directions: PipeDirection[] = ['fromProgram'];
  if (!merged) directions.push('fromProgram');
  if (stdinPipe) directions.push('toProgram');
  const pipes = await stock.open(directions);
  const out = pipes?.[0];
  if (!pipes || !out) return socketChannels(stdinFile ?? (stdinPipe ? 'pipe' : 'ignore'));
  const err = merged ? undefined : pipes[1];
  const input = stdinPipe ? pipes.at(-1) : undefined;
  return {
    stdio: [stdinFile ?? input?.theirs ?? 'ignore', out.theirs, (err ?? out).theirs],
    attach: () => {
      for (const fd of [stdinFile, ...pipes.map((pipe) => pipe.theirs)]) if (fd !== undefined) closeSync(fd);
      return {
        stdout: readEnd(out.ours),
        ...(err ? { stderr: readEnd(err.ours) } : {}),
        ...(input ? { stdin: new Socket({ fd: input.ours, readable: false, writable: true }) } : {}),
      };
    },
    abandon: () => {
      pipes.forEach(closePipe);
      if (stdinFile !== undefined) closeSync(stdinFile);
    },
  };
}

/**
 * Input as a nameless file in memory, where the system has `/dev/shm`. Better than a pipe that once had a name: opening
 * such a pipe by `/dev/stdin` after we have written all would wait for a next writer for ever.
 * @returns the descriptor to read from, or undefined when there is no such place or it is full
 */
function openMemoryFile(content: Buffer): number | undefined {
  if (content.length > LARGEST_MEMORY_FILE_BYTES) return undefined;
  const path = `/dev/shm/.brine-${systemRandom.bytes(12).toString('hex')}`;
  try {
    createFile(path, content, { mode: 0o600 });
    const fd = openSync(path, 'r');
    if (fstatSync(fd).size === content.length) return fd;
    closeSync(fd);
    return undefined;
  } catch {
    return undefined;
  } finally {
    rmSync(path, { force: true });
  }
}

function readEnd(fd: number): Readable {
  return new Socket({ fd, readable: true, writable: false });
}

/** Without named pipes: Node's sockets. Merged streams then come in the order of arrival, which is nearly the same. */
function socketChannels(stdin: number | 'pipe' | 'ignore'): Channels {
  const close = (): void => {
    if (typeof stdin === 'number') closeSync(stdin);
  };
  return {
    stdio: [stdin, 'pipe', 'pipe'],
    attach: (child) => {
      close();
      return {
        stdout: child.stdout as Readable,
        ...(child.stderr ? { stderr: child.stderr } : {}),
        ...(child.stdin ? { stdin: child.stdin } : {}),
      };
    },
    abandon: close,
  };
}

/** One stream's bytes up to a limit: the beginning is kept, the rest only counted. */
export class BoundedOutput {
  readonly #chunks: Buffer[] = [];
  readonly #limitBytes: number;
  #sizeBytes = 0;
  /** How many bytes came after the limit was reached. */
  droppedBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Takes the next bytes. */
  push(chunk: Buffer): void {
    const room = this.#limitBytes - this.#sizeBytes;
    const kept = chunk.length <= room ? chunk : chunk.subarray(0, room);
    if (kept.length > 0) this.#chunks.push(kept);
    this.#sizeBytes += kept.length;
    this.droppedBytes += chunk.length - kept.length;
  }

  /** What was kept. */
  bytes(): Buffer {
    return Buffer.concat(this.#chunks, this.#sizeBytes);
  }
}

/** Reads a stream to its end, whatever ends it. */
export function collect(stream: Readable, into: BoundedOutput): Promise<unknown> {
  stream.on('data', (chunk: Buffer) => into.push(chunk));
  return new Promise((resolve) => {
    stream.once('close', resolve);
    stream.once('error', resolve);
  });
}
