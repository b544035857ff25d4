/**
 * The two ways of copying: whole text files in one job, or files of any kind in pieces, a job for each (salt/cli/cp.py,
 * 3006.16).
 */
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Dict, DictInit, Value } from '../../python/values/value.ts';
import { Destinations, readSources, walkSources } from './sources.ts';

/** Runs a function on the minions, see {@link sendJob}. */
export type Send = (fun: string, args: DictInit) => Promise<Dict>;

/** How files are copied in pieces. */
export interface ChunkOptions {
  /** `salt_cp_chunk_size`, bytes. */
  readonly chunkBytes: number;
  /** Compress the pieces. */
  readonly gzip: boolean;
}

const compress = promisify(gzip);

/** @returns by minion: path to True or False, or a sentence */
export function copyWhole(send: Send, sources: readonly string[], dest: string): Promise<Dict> {
  return send('cp.recv', { files: readSources(sources), dest });
}

/** @returns by minion: path to True, or what went wrong with the first piece that did */
export async function copyInChunks(
  send: Send,
  sources: readonly string[],
  dest: string,
  options: ChunkOptions,
): Promise<Dict> {
  const tree = walkSources(sources);
  const destinations = new Destinations(sources, dest, tree);
  const report: Dict = new Map();
  for (const [path, mode] of tree.files) {
    const remote = destinations.of(path);
    for await (const { chunk, append } of chunksOf(path, options))
      note(
        report,
        remote,
        await send('cp.recv_chunked', { dest: remote, chunk, append, compressed: options.gzip, mode }),
      );
  }
  for (const path of tree.emptyFolders) {
    const remote = destinations.of(path);
    note(report, remote, await send('cp.recv_chunked', { dest: remote, chunk: null }));
  }
  return report;
}

/** What went wrong first stays. */
function note(report: Dict, remote: string, returns: Dict): void {
  for (const [id, value] of returns) {
    const paths = (report.get(id) as Dict | undefined) ?? new Map<Value, Value>();
    const earlier = paths.get(remote);
    if (earlier === undefined || earlier === true) paths.set(remote, value);
    report.set(id, paths);
  }
}

interface Chunk {
  /** base64 */
  readonly chunk: string;
  readonly append: boolean;
}

/** Salt compat: Salt sends nothing for an empty file, so that it does not arrive; here it is one empty piece. */
async function* chunksOf(path: string, { chunkBytes, gzip: isPacked }: ChunkOptions): AsyncGenerator<Chunk> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    for (let append = false; ; append = true) {
      let filled = 0;
      for (let count = 1; filled < chunkBytes && count > 0; filled += count)
        ({ bytesRead: count } = await file.read(buffer, filled, chunkBytes - filled, null));
      if (filled === 0 && append) return;
      const bytes = buffer.subarray(0, filled);
      yield { chunk: (isPacked ? await compress(bytes) : bytes).toString('base64'), append };
      if (filled < chunkBytes) return;
    }
  } finally {
    await file.close();
  }
}
