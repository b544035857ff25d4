/** What a comparison found, to read. */
import type { Change } from './comparison.ts';
import { amount, renderTable } from './report.ts';

/**
 * The table, and a sentence on each regression.
 * @param labels of what was before, and of what is now
 */
export function renderComparison(labels: readonly [string, string], changes: readonly Change[]): string {
  const rows = changes.map((change) => [
    change.row.scenario,
    change.row.name,
    amount(change.before, change.row.unit),
    amount(change.now, change.row.unit),
    share(change.change),
    change.row.unit === 'count'
      ? ''
      : `± ${(change.noise * 100).toFixed(1)} %${change.isNoiseMeasured ? '' : ' taken'}`,
    change.verdict === 'worse' ? 'WORSE' : change.verdict,
  ]);
  const table = renderTable([['scenario', 'figure', ...labels, 'change', 'noise', ''], ...rows]);
  return `${table}\n${summary(changes)}\n`;
}

function summary(changes: readonly Change[]): string {
  const worse = changes.filter(({ verdict }) => verdict === 'worse');
  if (worse.length === 0) return `No figure of ${changes.length} got worse by more than the noise.`;
  return worse
    .map(
      ({ row, change, noise }) =>
        `${row.scenario} ${row.name} got worse: ${share(change)}, where chance makes ± ${(noise * 100).toFixed(1)} %.`,
    )
    .join('\n');
}

function share(change: number): string {
  if (!Number.isFinite(change)) return '?';
  return `${change >= 0 ? '+' : '-'}${(Math.abs(change) * 100).toFixed(1)} %`;
}
