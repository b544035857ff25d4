/** From Salt's options (`output_indent`, `state_output`…) to {@link OutputOptions}. */
import { pyStr } from '../../python/values/repr.ts';
import { toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import type { OutputOptions, TableOptions } from './outputter.ts';

/** What only the program knows. */
export interface OutputEnvironment {
  /** Whether to colour, decided from the terminal, `--no-color` and `--force-color`. */
  readonly color: boolean;
  /** The file named by `color_theme`, read and parsed by `parseColorTheme`. */
  readonly colorTheme?: ReadonlyMap<string, string>;
  readonly retcode?: number;
}

/** Reads the options that outputters look at. Those that are not set get Salt's defaults. */
export function outputOptions(opts: Dict, environment: OutputEnvironment): OutputOptions {
  const flag = (name: string, fallback: boolean): boolean =>
    opts.has(name) ? truthy(opts.get(name)) : fallback;
  const indent = indentOption(opts);
  const args = opts.get('arg');
  return {
    ...environment,
    stripColors: flag('strip_colors', true),
    ...(indent === undefined ? {} : { indent }),
    nestedIndent: toNumber(opts.get('nested_indent')) ?? 0,
    stateOutput: pyStr(opts.get('state_output') ?? 'full'),
    stateVerbose: flag('state_verbose', true),
    stateOutputDiff: flag('state_output_diff', false),
    stateOutputProfile: flag('state_output_profile', true),
    statePct: flag('state_output_pct', false),
    stateTabular: tabularOption(opts.get('state_tabular')),
    stateCompressIds: flag('state_compress_ids', false),
    stateOutputExclude: opts.get('state_output_exclude') ?? [],
    stateOutputTerse: opts.get('state_output_terse') ?? [],
    args: Array.isArray(args) ? args : [],
    multiKey: flag('__multi_key', false),
    table: tableOptions(opts),
  };
}

function indentOption(opts: Dict): OutputOptions['indent'] {
  if (!opts.has('output_indent')) return undefined;
  const value = opts.get('output_indent') ?? null;
  return value === 'pretty' ? value : (toNumber(value) ?? null);
}

function tabularOption(value: Value | undefined): boolean | string {
  return typeof value === 'string' ? value : value === true;
}

const TABLE_TEXTS = {
  rowDelimiter: 'row_delimiter',
  delim: 'delim',
  justify: 'justify',
  prefix: 'prefix',
  suffix: 'suffix',
  rowsKey: 'rows_key',
  labelsKey: 'labels_key',
  title: 'title',
} as const;
const TABLE_NUMBERS = { nestedIndent: 'nested_indent', width: 'width' } as const;
const TABLE_FLAGS = { hasHeader: 'has_header', separateRows: 'separate_rows' } as const;

/** The options `out.table.*`. */
function tableOptions(opts: Dict): TableOptions {
  const read = <T>(names: Readonly<Record<string, string>>, convert: (value: Value) => T): [string, T][] =>
    Object.entries(names).flatMap(([field, name]): [string, T][] => {
      const value = opts.get(`out.table.${name}`);
      return value === undefined || value === null ? [] : [[field, convert(value)]];
    });
  return Object.fromEntries([
    ...read(TABLE_TEXTS, pyStr),
    ...read(TABLE_NUMBERS, (value) => toNumber(value) ?? 0),
    ...read(TABLE_FLAGS, truthy),
  ]);
}
