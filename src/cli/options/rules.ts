/** How options go together that several programs have. */
import type { Contradiction, Dependence } from '../command-line/optparse.ts';

/** Colours. Salt compat: with both, Salt's programs write colours and say nothing. */
export const colorContradiction: Contradiction = {
  these: ['no_color'],
  others: ['force_color'],
  why: 'one asks for colours and the other for none',
};

/** The output file. */
export const outputFileDependence: Dependence = { option: 'output_file_append', needs: ['output_file'] };
