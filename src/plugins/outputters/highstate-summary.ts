/** The counts and times of a highstate return. */
import { formatFixed, roundTo, toPyFloat } from '../../python/values/number-format.ts';
import { floatRepr, pyStr } from '../../python/values/repr.ts';
import { padLeft } from '../../python/values/text.ts';
import { isBytes, isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import type { Colors } from './colors.ts';
import { entry, unsuited, type OutputOptions } from './outputter.ts';

/** What is added up while the states are walked. */
export interface Totals {
  /** By result; see {@link resultKey}. */
  readonly results: Map<string, number>;
  changed: number;
  warnings: number;
  readonly durations: number[];
  /** Durations of parallel states, of which only the longest counts. */
  readonly parallelDurations: number[];
}

/** Nothing counted yet. */
export function newTotals(): Totals {
  return { results: new Map(), changed: 0, warnings: 0, durations: [], parallelDurations: [] };
}

/** Python's identity of a mapping's key: 1, 1.0 and True are one. */
function resultKey(result: Value): string {
  if (result === null) return 'None';
  const number = typeof result === 'boolean' ? Number(result) : toNumber(result);
  if (number !== undefined) return String(number);
  if (Array.isArray(result) || isDict(result)) return unsuited('a result that is a list or mapping');
  return `${isBytes(result) ? 'bytes' : 'text'} ${pyStr(result)}`;
}

/**
 * Counts a state.
 * @returns how many states it stands for: more than one after `state_compress_ids`
 */
export function countState(id: Value, info: Dict, totals: Totals, options: OutputOptions): number {
  const key = resultKey(entry(info, 'result'));
  const merged = options.stateCompressIds ? mergedCount(id) : 1;
  totals.results.set(key, (totals.results.get(key) ?? 0) + merged);
  const duration = durationOf(info);
  const list = info.has('__parallel__') ? totals.parallelDurations : totals.durations;
  if (duration !== undefined) list.push(duration);
  return merged;
}

function mergedCount(id: Value): number {
  if (typeof id !== 'string' || !id.includes('_|-state_compressed_')) return 1;
  const match = /\((\d+)\)$/.exec(id.split('_|-')[1] ?? '');
  return match ? Number(match[1]) : 1;
}

/** A duration in milliseconds; it may be text that ends with ` ms`. What cannot be read counts as none. */
function durationOf(info: Dict): number | undefined {
  const raw = info.get('duration') ?? (info.has('duration') ? null : 0);
  let duration = toPyFloat(raw);
  if (duration === 'ValueError') duration = toPyFloat(pyStr(raw).split(' ms')[0] ?? '');
  if (duration === 'TypeError') return unsuited('a duration that is neither number nor text');
  return duration === 'ValueError' ? undefined : duration;
}

const LABEL_WIDTH = 'Succeeded'.length;

/** The lines below the states of a host. */
export function summary(host: string, totals: Totals, colors: Colors, options: OutputOptions): string[] {
  const { results, warnings } = totals;
  const counts = [...results.values(), ...(warnings > 0 ? [warnings] : [])];
  const width = LABEL_WIDTH + Math.max(0, ...counts.map((count) => String(count).length)) + 2;
  const rule = '-'.repeat(width);
  const failed = results.get('0') ?? 0;
  const failedColor = failed > 0 ? colors.RED : colors.CYAN;
  const paint = (color: string, text: string): string => `${color}${text}${colors.ENDC}`;
  const count = (color: string, label: string, value: string | number): string =>
    paint(color, `${label}: ${padLeft(String(value), width - label.length - 2)}`);

  const total = [...results.values()].reduce((sum, value) => sum + value, 0);
  const succeeded = (results.get('1') ?? 0) + (results.get('None') ?? 0);
  const lines = [
    paint(colors.CYAN, `\nSummary for ${host}\n${rule}`),
    count(colors.GREEN, 'Succeeded', succeeded) + changeCounts(totals, colors),
    count(failedColor, 'Failed', failed),
  ];
  if (options.statePct && total > 0) {
    lines.push(
      count(colors.GREEN, 'Success %', percent(succeeded, total)),
      count(failedColor, 'Failure %', percent(failed, total)),
    );
  }
  if (warnings > 0) lines.push(count(colors.LIGHT_RED, 'Warnings', warnings));
  lines.push(paint(colors.CYAN, `${rule}\nTotal states run: ${padLeft(String(total), width - 7)}`));
  if (options.stateOutputProfile ?? true) lines.push(paint(colors.CYAN, runTime(totals, width)));
  return lines;
}

function percent(part: number, total: number): string {
  return floatRepr(roundTo((part / total) * 100, 2));
}

/** ` (unchanged=1, changed=2)`; unchanged are the states of a test run that would change something. */
function changeCounts(totals: Totals, colors: Colors): string {
  const unchanged = totals.results.get('None') ?? 0;
  const parts = [];
  if (unchanged > 0) parts.push(`${colors.LIGHT_YELLOW}unchanged=${unchanged}${colors.ENDC}`);
  if (totals.changed > 0) parts.push(`${colors.GREEN}changed=${totals.changed}${colors.ENDC}`);
  return parts.length > 0 ? ` (${parts.join(', ')})` : '';
}

function runTime({ durations, parallelDurations }: Totals, width: number): string {
  const longest = parallelDurations.length > 0 ? [parallelDurations.reduce((a, b) => (b > a ? b : a))] : [];
  const sum = [...durations, ...longest].reduce((a, b) => a + b, 0);
  const [value, unit] = sum > 999 ? [sum / 1000, 's'] : [sum, 'ms'];
  return `Total run time: ${padLeft(formatFixed(value, 3), width - 5)} ${unit}`;
}
