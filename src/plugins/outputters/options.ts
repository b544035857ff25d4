/** From Salt's options (`output_indent`, `state_output`…) to {@link OutputOptions}. */
import { toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { param, readOptions } from '../../runtime/loader/params.ts';
import type { OutputOptions, TableOptions } from './outputter.ts';

/** What only the program knows. */
export interface OutputEnvironment {
  /** Whether to colour, decided from the terminal, `--no-color` and `--force-color`. */
  readonly color: boolean;
  /** The file named by `color_theme`, read and parsed by `parseColorTheme`. */
  readonly colorTheme?: ReadonlyMap<string, string>;
  readonly retcode?: number;
}

/** The options that outputters look at; those that are not set get Salt's defaults. */
const PARAMS = {
  strip_colors: param.flag({ default: true }),
  output_indent: param.by((value) => (value === 'pretty' ? value : (toNumber(value) ?? null)), {
    default: null,
  }),
  nested_indent: param.number({ default: 0 }),
  state_output: param.textOrNone({ default: 'full' }),
  state_verbose: param.flag({ default: true }),
  state_output_diff: param.flag({ default: false }),
  state_output_profile: param.flag({ default: true }),
  state_output_pct: param.flag({ default: false }),
  state_tabular: param.by((value) => (typeof value === 'string' ? value : value === true), {
    default: false,
  }),
  state_compress_ids: param.flag({ default: false }),
  state_output_exclude: param.by((value) => value ?? [], { default: null }),
  state_output_terse: param.by((value) => value ?? [], { default: null }),
  arg: param.list({ default: null }),
  __multi_key: param.flag({ default: false }),
};

/** Reads the options that outputters look at. */
export function outputOptions(opts: Dict, environment: OutputEnvironment): OutputOptions {
  const given = readOptions(PARAMS, opts);
  return {
    ...environment,
    stripColors: given.strip_colors,
    ...(opts.has('output_indent') ? { indent: given.output_indent } : {}),
    nestedIndent: given.nested_indent ?? 0,
    stateOutput: given.state_output ?? 'full',
    stateVerbose: given.state_verbose,
    stateOutputDiff: given.state_output_diff,
    stateOutputProfile: given.state_output_profile,
    statePct: given.state_output_pct,
    stateTabular: given.state_tabular,
    stateCompressIds: given.state_compress_ids,
    stateOutputExclude: given.state_output_exclude,
    stateOutputTerse: given.state_output_terse,
    args: given.arg,
    multiKey: given.__multi_key,
    table: tableOptions(opts),
  };
}

/** What a table's layout consists of. `value` none: the outputter's own. */
const TABLE_PARAMS = {
  row_delimiter: param.textOrNone({}),
  delim: param.textOrNone({}),
  justify: param.textOrNone({}),
  prefix: param.textOrNone({}),
  suffix: param.textOrNone({}),
  rows_key: param.textOrNone({}),
  labels_key: param.textOrNone({}),
  title: param.textOrNone({}),
  nested_indent: param.by(numberOrZero, {}),
  width: param.by(numberOrZero, {}),
  has_header: param.flagIfGiven({}),
  separate_rows: param.flagIfGiven({}),
};

/** 0 for what is no number; undefined for None. */
function numberOrZero(value: Value): number | undefined {
  return value === null ? undefined : (toNumber(value) ?? 0);
}

/** The options `out.table.*`. */
function tableOptions(opts: Dict): TableOptions {
  const own: Dict = new Map(
    Object.keys(TABLE_PARAMS).map((name) => [name, opts.get(`out.table.${name}`) ?? null]),
  );
  const given = readOptions(TABLE_PARAMS, own);
  const all: { readonly [K in keyof TableOptions]: TableOptions[K] | undefined } = {
    nestedIndent: given.nested_indent,
    hasHeader: given.has_header,
    rowDelimiter: given.row_delimiter,
    delim: given.delim,
    justify: given.justify,
    separateRows: given.separate_rows,
    prefix: given.prefix,
    suffix: given.suffix,
    width: given.width,
    rowsKey: given.rows_key,
    labelsKey: given.labels_key,
    title: given.title,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
