/** Figures as Prometheus reads them: its text format, version 0.0.4. */
import { FAMILIES, FAMILY_TABLE, type Family } from './families.ts';
import type { Distribution, Sample } from './sample.ts';

/** The content type of the text. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The text, family by family in the order of the table. @param samples no two with the same name and labels */
export function exposition(samples: readonly Sample[]): string {
  const byName = new Map<string, Sample[]>();
  for (const one of samples) byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
  const lines: string[] = [];
  for (const name of Object.keys(FAMILIES)) {
    const family = FAMILY_TABLE.get(name) as Family;
    const found = byName.get(name);
    if (found === undefined) continue;
    lines.push(`# HELP ${name} ${escapeHelp(family.help)}`, `# TYPE ${name} ${family.kind}`);
    for (const one of found) lines.push(...linesOf(one, family));
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function linesOf({ name, labels, value }: Sample, family: Family): string[] {
  const pairs = family.labels.map((label, index): [string, string] => [label, labels[index] ?? '']);
  if (typeof value === 'number') return [`${name}${labelText(pairs)} ${numberText(value)}`];
  return histogramLines(name, pairs, value, family.buckets ?? []);
}

function histogramLines(
  name: string,
  pairs: readonly [string, string][],
  { counts, sum, count }: Distribution,
  bounds: readonly number[],
): string[] {
  let soFar = 0;
  const buckets = bounds.map((bound, index) => {
    soFar += counts[index] ?? 0;
    return `${name}_bucket${labelText([...pairs, ['le', numberText(bound)]])} ${soFar}`;
  });
  return [
    ...buckets,
    `${name}_bucket${labelText([...pairs, ['le', '+Inf']])} ${count}`,
    `${name}_sum${labelText(pairs)} ${numberText(sum)}`,
    `${name}_count${labelText(pairs)} ${count}`,
  ];
}

function labelText(pairs: readonly (readonly [string, string])[]): string {
  if (pairs.length === 0) return '';
  return `{${pairs.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(',')}}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}
