/**
 * Bringing one file over in pieces: several are asked for at a time, so that a long way costs little, and never more
 * than a few are in memory. What arrives is compared with the server's sum before it takes its place.
 */
import { hasher } from '../../host/file-hash.ts';
import { FileReplacement } from '../../host/file-replacement.ts';
import { toNumber } from '../../python/values/value.ts';
import { FileClientError } from './errors.ts';
import type { FileSource, Piece, ServedFile } from './file-source.ts';

/** Pieces asked for at the same time. */
const WINDOW = 4;
const ATTEMPTS = 3;
/** Position of the size in Python's stat list. */
const ST_SIZE = 6;

/** What is to be fetched. */
export interface Download {
  readonly source: FileSource;
  readonly path: string;
  readonly saltenv: string;
  /** What the server says of the file. */
  readonly served: ServedFile;
  /** Level 1 to 9 when pieces are to be compressed on the way. */
  readonly gzip: number | undefined;
  /** The first piece, when it is here already. */
  readonly first?: Piece;
}

/**
 * Fetches a file to `dest`, whose folder exists.
 * @returns false when the server does not have it any more
 * @throws FileClientError when it is damaged each time; the system's error when it cannot be written
 */
export async function download(wanted: Download, dest: string): Promise<boolean> {
  const file = await FileReplacement.begin(dest);
  try {
    if (!(await collect(wanted, file))) {
      await file.abandon();
      return false;
    }
    await file.commit();
    return true;
  } catch (error) {
    await file.abandon();
    throw error;
  }
}

async function collect(first: Download, file: FileReplacement): Promise<boolean> {
  let wanted: Download = first;
  for (let attempt = 1; ; attempt++) {
    const sum = await transfer(wanted, file);
    if (sum === undefined) return false;
    const expected = wanted.served.sum?.hsum;
    if (expected === undefined || sum === expected) return true;
    if (attempt >= ATTEMPTS)
      throw new FileClientError(
        `The file ${wanted.path} of the environment ${wanted.saltenv} arrived ${ATTEMPTS} times with another sum than the master told. Does it change all the time?`,
      );
    const served = await wanted.source.describe(wanted.path, wanted.saltenv);
    if (served === undefined) return false;
    const { first: _, ...rest } = wanted;
    wanted = { ...rest, served };
    await file.restart();
  }
}

/** @returns the sum of what has arrived; undefined when there is no file */
async function transfer(wanted: Download, file: FileReplacement): Promise<string | undefined> {
  const { source, path, saltenv, gzip, served } = wanted;
  const hash = hasher(served.sum?.hashType ?? 'sha256');
  const ask = (at: number): Promise<Piece> => source.piece(path, saltenv, at, gzip);
  const size = toNumber(served.stat?.[ST_SIZE]);
  const first = wanted.first ?? (await ask(0));
  if (first.dest === '') return undefined;
  const take = async (bytes: Buffer): Promise<void> => {
    hash.update(bytes);
    await file.write(bytes);
  };
  await take(first.bytes);
  const step = first.bytes.length;
  if (step === 0 || size === step) return hash.digest('hex');
  if (size === undefined || size < step) await takeInTurn(ask, step, take);
  else await takeAhead(ask, { step, size }, take);
  return hash.digest('hex');
}

/** Until an empty piece, when the size is not known. */
async function takeInTurn(
  ask: (at: number) => Promise<Piece>,
  begin: number,
  take: (bytes: Buffer) => Promise<void>,
): Promise<void> {
  for (let at = begin; ;) {
    const { bytes } = await ask(at);
    if (bytes.length === 0) return;
    await take(bytes);
    at += bytes.length;
  }
}

/** Several pieces at a time; ends early when one is shorter than the others, because the file has changed then. */
async function takeAhead(
  ask: (at: number) => Promise<Piece>,
  { step, size }: { readonly step: number; readonly size: number },
  take: (bytes: Buffer) => Promise<void>,
): Promise<void> {
  const waiting: Promise<Piece>[] = [];
  let next = step;
  let at = step;
  try {
    while (at < size) {
      for (; waiting.length < WINDOW && next < size; next += step) waiting.push(ask(next));
      const { bytes } = await (waiting.shift() as Promise<Piece>);
      await take(bytes);
      at += bytes.length;
      if (bytes.length < step) return;
    }
  } finally {
    await Promise.allSettled(waiting);
  }
}
