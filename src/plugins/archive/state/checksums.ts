/** The sums of archives as they were when `archive.extracted` last used them: files in `archive_hash` of the cache. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { readTextIfExists } from '../../../host/files.ts';
import { dirName, joinPath } from '../../../python/paths.ts';
import { hashFile } from '../../shared/hash-kinds.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { StateContext } from '../../shared/state-function.ts';

const hashType = ({ opts }: StateContext): string => pyStr(opts.get('hash_type') ?? 'sha256');

function sumFile({ opts }: StateContext, path: string): string {
  const cache = pyStr(opts.get('cachedir') ?? '').replace(/\/+$/, '');
  const place = path.startsWith(`${cache}/`) ? `${path.slice(cache.length + 1)}.hash` : `local${path}`;
  return joinPath(cache, 'archive_hash', place);
}

const sumLines = (ctx: StateContext, path: string): [type: string, sum: string][] =>
  (readTextIfExists(sumFile(ctx, path)) ?? '')
    .split('\n')
    .filter((line) => line.includes(':'))
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]);

/** The sum that is remembered of an archive. */
export function rememberedSum(ctx: StateContext, path: string): string | undefined {
  return sumLines(ctx, path).find(([type]) => type === hashType(ctx))?.[1];
}

/** The sum that an archive has now. */
export const archiveSum = (ctx: StateContext, path: string): Promise<string> => hashFile(path, hashType(ctx));

/** Remembers the sum of an archive. */
export async function rememberSum(ctx: StateContext, path: string): Promise<void> {
  const sums = new Map(sumLines(ctx, path)).set(hashType(ctx), await archiveSum(ctx, path));
  const file = sumFile(ctx, path);
  mkdirSync(dirName(file), { recursive: true });
  writeFileSync(file, [...sums].map(([type, sum]) => `${type}:${sum}\n`).join(''));
}
