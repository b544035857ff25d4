/** Python's stat list of a file of this machine. */
import { statSync } from 'node:fs';
import { statList } from '../fileserver/file-server.ts';
import type { Value } from '../../python/values/value.ts';

/** @returns mode, inode, device, links, owner, group, size and three times; undefined when it cannot be told */
export function statPath(path: string): readonly Value[] | undefined {
  try {
    return statList(statSync(path, { bigint: true }));
  } catch {
    return undefined;
  }
}
