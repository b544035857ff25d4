/** `highstate`: the states of a run, one block or line each, and a summary (3006.16 salt/output/highstate.py). */
import { lessThan, sortedBy } from '../../python/values/order.ts';
import { pformat } from '../../python/values/pprint.ts';
import { pyStr } from '../../python/values/repr.ts';
import { rstrip, splitLines } from '../../python/values/text.ts';
import { isDict, isInt, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { getColors, stripEscapes, type Colors } from './colors.ts';
import { compressIds } from './highstate-compress.ts';
import { newTotals, countState, summary, type Totals } from './highstate-summary.ts';
import { fullLines, isTerse, terseLine, type StateBlock } from './highstate-state.ts';
import { renderNested } from './nested.ts';
import { asDict, entry, unsuited, type Outputter, type OutputOptions } from './outputter.ts';
import { readable } from './readable.ts';

/** The `highstate` outputter. */
export const outputter: Outputter = { name: 'highstate', render: renderTop };

const NO_ORDER =
  'The State execution failed to record the order in which all states were executed. ' +
  'The state return missing data is:';
const NESTED_RUNS: readonly Value[] = ['state.orch', 'state.orchestrate', 'state.sls'];
const CHANGES_INDENT = 14;

function renderTop(data: Value, options: OutputOptions): string {
  const unwrapped = unwrap(data);
  if (typeof unwrapped === 'boolean' || isInt(unwrapped)) return unsuited('a number is no state return');
  return renderRuns(unwrapped, options, 1);
}

/** Takes away what the job cache and runners put around a state return. */
function unwrap(data: Value): Value {
  let inner = data;
  if (isDict(inner)) inner = inner.get('return') ?? (inner.has('return') ? null : inner);
  if (isDict(inner)) inner = inner.get('data') ?? (inner.has('data') ? null : inner);
  if (!isDict(inner) || inner.size !== 1) return inner;
  const [only] = inner.values();
  if (!isDict(only) || !only.has('jid') || !only.has('fun')) return inner;
  const returned = asDict(only.get('return') ?? (only.has('return') ? null : new Map()));
  return returned.has('data') ? (returned.get('data') ?? null) : inner;
}

/** Renders returns by host. @param level how deep this run is nested in others, from 1 */
function renderRuns(data: Value, options: OutputOptions, level: number): string {
  if (typeof data === 'string') return data;
  if (data === null) return 'None';
  const runs = new Map(asDict(data));
  const hosts = [...runs.keys()].map((key) =>
    typeof key === 'string' ? key : unsuited('a host that is not text'),
  );
  if (runs.has('retcode') && hosts.filter((host) => host.endsWith('_master')).length === 1)
    runs.delete('retcode');
  const shown = options.stateCompressIds ? compressIds(runs) : runs;
  return [...shown].map(([host, states]) => formatHost(pyStr(host), states, options, level).text).join('\n');
}

interface HostText {
  readonly text: string;
  readonly changed: boolean;
}

/** What is gathered while a host's states are walked. */
interface HostReport {
  readonly colors: Colors;
  readonly options: OutputOptions;
  readonly level: number;
  readonly lines: string[];
  readonly totals: Totals;
  /** The colour of the host's name. */
  hostColor: string;
}

function formatHost(host: string, data: Value, options: OutputOptions, level: number): HostText {
  const colors = getColors(options.color, options.colorTheme);
  const report: HostReport = {
    colors,
    options,
    level,
    lines: [],
    totals: newTotals(),
    hostColor: colors.GREEN,
  };
  if (isDict(data)) formatStates(host, data, report);
  else if (Array.isArray(data)) formatErrors(data, report);
  else formatPlain(data, report);
  const name = stripEscapes(host, options.stripColors);
  const text = [`${report.hostColor}${name}:${colors.ENDC}`, ...report.lines].join('\n');
  return { text, changed: report.totals.changed > 0 };
}

/** What functions in an orchestration return: always a change. */
function formatPlain(data: Value, report: HostReport): void {
  const { colors, lines, totals } = report;
  if (typeof data !== 'string' && typeof data !== 'boolean' && !isInt(data)) return;
  const texts = typeof data === 'string' ? splitLines(data) : [pyStr(data)];
  lines.push(...texts.map((text) => `${colors.GREEN}    ${text}${colors.ENDC}`));
  totals.changed = 1;
  report.hostColor = colors.CYAN;
}

function formatErrors(errors: readonly Value[], report: HostReport): void {
  const { colors, lines, options } = report;
  report.hostColor = colors.LIGHT_RED;
  lines.push(`    ${colors.LIGHT_RED}Data failed to compile:${colors.ENDC}`);
  for (const error of errors) {
    const strip = options.stripColors ?? true;
    const shown = strip ? readable(error) : error;
    const text = typeof shown === 'string' ? stripEscapes(shown, strip) : pyStr(shown);
    lines.push(`${colors.LIGHT_RED}----------\n    ${text}${colors.ENDC}`);
  }
}

function formatStates(host: string, data: Dict, report: HostReport): void {
  const states: [Value, Dict][] = [];
  for (const [id, info] of data) {
    if (!isDict(info)) continue;
    if (id !== 'changes' && info.size > 0 && !info.has('__run_num__'))
      report.lines.unshift(NO_ORDER, pformat(info));
    if (info.has('result')) states.push([id, info]);
  }
  const order = (info: Dict): Value => info.get('__run_num__') ?? (info.has('__run_num__') ? null : 0);
  for (const [id, info] of sortedBy(states, ([, a], [, b]) => lessThan(order(a), order(b)))) {
    formatState(id, info, report);
  }
  report.lines.push(...summary(host, report.totals, report.colors, report.options));
}

function formatState(id: Value, info: Dict, report: HostReport): void {
  const { colors, options, totals } = report;
  const result = entry(info, 'result');
  const merged = countState(id, info, totals, options);
  const { changed, text } = formatStateChanges(info, report);
  totals.changed += changed ? changesIn(info, merged) : 0;
  const onlyChanges = options.stateOutputDiff === true || options.stateVerbose === false;
  if (onlyChanges && truthy(result) && !changed) return;
  let color = changed ? colors.CYAN : colors.GREEN;
  if (result === false) report.hostColor = color = colors.RED;
  if (result === null) report.hostColor = color = colors.LIGHT_YELLOW;
  const block: StateBlock = { id: idParts(id, options), info, result, changed, changesText: text, color };
  const shape = isTerse(block, options);
  if (shape === 'hidden') return;
  if (shape === 'terse') {
    report.lines.push(terseLine(block, colors, options));
    return;
  }
  if (info.has('warnings')) totals.warnings++;
  report.lines.push(...fullLines(block, colors, options));
}

/** Module, id, name and function from `file_|-id_|-name_|-managed`. */
function idParts(id: Value, options: OutputOptions): string[] {
  const parts = typeof id === 'string' ? id.split('_|-') : unsuited('a state without a name');
  if ((options.stateOutput ?? 'full').toLowerCase().endsWith('_id')) {
    if (parts.length < 3) return unsuited('a state without an id');
    parts[2] = parts[1] as string;
  }
  return parts;
}

/** How many changes a state with changes counts for: states merged by their id count one by one. */
function changesIn(info: Dict, merged: number): number {
  if (merged <= 1 || NESTED_RUNS.includes(info.get('name') ?? null)) return 1;
  const compressed = asDict(entry(info, 'changes')).get('compressed changes');
  return isDict(compressed) ? compressed.size || 1 : 1;
}

function formatStateChanges(info: Dict, report: HostReport): { changed: boolean; text: string } {
  const { level, options } = report;
  const changes = entry(info, 'changes');
  if (!NESTED_RUNS.includes(info.get('name') ?? null)) return formatChanges(changes, options);
  const inner = unwrap(changes);
  if (typeof inner === 'boolean' || isInt(inner)) return unsuited('a number is no state return');
  const text = `\n${renderRuns(inner, options, level + 1)}`;
  const indent = ' '.repeat(CHANGES_INDENT * level);
  return { changed: true, text: indent + text.replaceAll('\n', `\n${indent}`) };
}

function formatChanges(changes: Value, options: OutputOptions): { changed: boolean; text: string } {
  if (!truthy(changes)) return { changed: false, text: '' };
  if (!isDict(changes)) return { changed: true, text: `Invalid Changes data: ${pyStr(changes)}` };
  const returned = changes.get('ret') ?? null;
  if (returned === null || changes.get('out') !== 'highstate') {
    return { changed: true, text: nestedChanges(changes, options) };
  }
  const hosts = [...asDict(returned)].map(([host, states]) => formatHost(pyStr(host), states, options, 1));
  const indent = ' '.repeat(CHANGES_INDENT);
  const lines = hosts.map(
    ({ text }) =>
      `\n${splitLines(text)
        .map((line) => indent + line)
        .join('\n')}`,
  );
  return { changed: hosts.some((host) => host.changed), text: lines.join('') };
}

function nestedChanges(changes: Dict, options: OutputOptions): string {
  return `\n${rstrip(renderNested(changes, { ...options, nestedIndent: CHANGES_INDENT, retcode: 0 }))}`;
}
