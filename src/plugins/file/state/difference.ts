/** Differences of a file before and after, as the editing states of `file` show them (3006.16 salt/states/file.py). */
import { isTextFile } from '../../shared/file-text.ts';
import { unifiedDiff } from '../../../python/text/unified-diff.ts';
import type { FileOutcome } from './outcome.ts';

/**
 * Puts the difference into the changes when there is one.
 * @param joint what stands between its lines: nothing when the lines have their ends
 */
export function showDifference(
  outcome: FileOutcome,
  name: string,
  { before, after, joint = '' }: { before: readonly string[]; after: readonly string[]; joint?: string },
): void {
  if (before.length === after.length && before.every((line, i) => line === after[i])) return;
  const difference = isTextFile(name)
    ? unifiedDiff(before, after, { from: '', to: '' }, 3).join(joint)
    : 'Replace binary file';
  outcome.changes.set('diff', difference);
}
