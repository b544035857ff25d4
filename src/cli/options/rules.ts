/** How options go together that several programs have. */
import type { Contradiction, Dependence, IdleBeside } from '../command-line/optparse.ts';

/** Colours. Salt compat: with both, Salt's programs write colours and say nothing. */
export const colorContradiction: Contradiction = {
  these: ['no_color'],
  others: ['force_color'],
  why: 'one asks for colours and the other for none',
};

/** The output file. */
export const outputFileDependence: Dependence = { option: 'output_file_append', needs: ['output_file'] };

/** The level of a log file, of a program that writes into one only where it is named. */
export const logFileDependence: Dependence = { option: 'log_level_logfile', needs: ['log_file'] };

/** Outputters that colour nothing, which a test compares with what they do. */
export const PLAIN_OUTPUTTERS = [
  ...['dson', 'json', 'newline_values_only', 'pprint', 'quiet', 'raw', 'text', 'txt', 'yaml'],
];

/** Colours, asked for where there are none. */
export const colorIdle: IdleBeside = {
  option: 'force_color',
  beside: 'output',
  values: PLAIN_OUTPUTTERS,
  why: 'what it writes has no colours',
};

/** The same beside switches by which a program prints no result. */
export function colorIdleBeside(...switches: readonly string[]): IdleBeside[] {
  return switches.map((beside) => ({
    option: 'force_color',
    beside,
    why: 'what it prints has no colours',
  }));
}
