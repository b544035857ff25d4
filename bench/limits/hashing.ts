/** Reading and hashing files, and nothing else. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FILES, fileText } from '../scenarios/state-trees.ts';

const ROUNDS = 5;

/** Reads and hashes as many files as the scenario `file-managed` manages. @returns seconds of each round */
export function hashAll(folder: string): number[] {
  const from = join(folder, 'hashing');
  mkdirSync(from);
  const paths = Array.from({ length: FILES }, (_, at) => join(from, `${at}`));
  for (const [at, path] of paths.entries()) writeFileSync(path, fileText(at));
  const rounds = Array.from({ length: ROUNDS }, () => {
    const startedMs = performance.now();
    for (const path of paths) createHash('sha256').update(readFileSync(path)).digest('hex');
    return (performance.now() - startedMs) / 1000;
  });
  rmSync(from, { recursive: true });
  return rounds;
}
