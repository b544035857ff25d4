/**
 * What `sls check` finds: each rule with its weight and what it means. Reports, SARIF and the guide are made from this
 * table.
 */

import type { GonePart } from './later-salt.ts';

/** How much a finding weighs: an error would fail the run, a warning may, a note says what could not be looked at. */
export type Severity = 'error' | 'warning' | 'note';

/** One rule. */
export interface Rule {
  readonly severity: Severity;
  readonly doc: string;
}

const RULE_TABLE = {
  'unreadable-file': { severity: 'error', doc: 'The file cannot be read, or is no text in UTF-8.' },
  'jinja-syntax': {
    severity: 'error',
    doc: 'The template cannot be read: a tag, an expression or a block is wrong.',
  },
  'render-failed': { severity: 'error', doc: 'Rendering the file fails.' },
  'needs-data': {
    severity: 'note',
    doc: 'The file cannot be rendered without pillar, grains or answers of functions that are not known here, so that the rest of it was not looked at. Give them with --pillar and --grains.',
  },
  'dotted-name': {
    severity: 'note',
    doc: 'The name of the file has a dot in it, so that no top file and no include can name it: its content was not looked at.',
  },
  'yaml-syntax': {
    severity: 'error',
    doc: 'What the template renders to is no YAML, or no JSON where the file says so.',
  },
  'duplicate-key': {
    severity: 'error',
    doc: 'A key stands twice in one mapping: an id, an argument, a key of pillar.',
  },
  'wrong-shape': { severity: 'error', doc: 'The data do not have the form that the state system asks for.' },
  'unknown-state': { severity: 'error', doc: 'There is no such state module or function.' },
  'state-not-here': {
    severity: 'warning',
    doc: 'The state is one of Salt’s that Brine does not have; it runs where a Salt is installed and salt_python is set.',
  },
  'unknown-argument': { severity: 'error', doc: 'The function has no such argument.' },
  'doubtful-argument': {
    severity: 'warning',
    doc: 'The state function takes any argument, and this one is nearly the name of one that it knows.',
  },
  'missing-argument': { severity: 'error', doc: 'The state function needs an argument that is not given.' },
  'lost-requisite': { severity: 'error', doc: 'A requisite names a state that no file has.' },
  'far-requisite': {
    severity: 'warning',
    doc: 'A requisite names a state of a file that is neither included nor assigned along with this one.',
  },
  'unsure-requisite': {
    severity: 'note',
    doc: 'A requisite names a state that no file has of those that could be read; one that could not be read may have it.',
  },
  'recursive-requisite': {
    severity: 'error',
    doc: 'States require each other in a circle, so that none of them can be first.',
  },
  'missing-source': { severity: 'error', doc: 'A source below salt:// is in none of the roots.' },
  'relative-path': { severity: 'error', doc: 'A state of files has a path that does not begin at the root.' },
  'wrong-type': { severity: 'error', doc: 'An argument that has to be a list is none.' },
  'missing-include': { severity: 'error', doc: 'An included SLS does not exist.' },
  'lost-extend': {
    severity: 'error',
    doc: 'An id is extended that neither this file nor what it includes has.',
  },
  'conflicting-id': {
    severity: 'error',
    doc: 'An id stands in two files of one run with different content.',
  },
  'missing-sls': { severity: 'error', doc: 'A top file assigns an SLS that does not exist.' },
  'unknown-function': {
    severity: 'error',
    doc: 'There is no such execution function, runner or wheel function.',
  },
  'function-not-here': {
    severity: 'warning',
    doc: 'The function is one of Salt’s that Brine does not have; it runs where a Salt is installed and salt_python is set.',
  },
  'empty-key': {
    severity: 'warning',
    doc: 'A key of pillar is left empty, and wipes the mapping or list that an earlier file gives.',
  },
  'gone-from-salt': {
    severity: 'warning',
    doc: 'The part is no longer in the release of Salt that --instead-of names.',
  },
  deprecated: { severity: 'warning', doc: 'An old form that Salt has dropped or is about to drop.' },
} as const satisfies Record<string, Rule>;

/** The name of a rule. */
export type RuleName = keyof typeof RULE_TABLE;

/** All rules by name. */
export const RULES: ReadonlyMap<RuleName, Rule> = new Map(Object.entries(RULE_TABLE) as [RuleName, Rule][]);

/** A place in a file, both counted from 1. */
export interface SourcePlace {
  readonly line: number;
  readonly column: number;
}

/** Something that was found. */
export interface Finding extends SourcePlace {
  readonly rule: RuleName;
  readonly severity: Severity;
  /** The file, as it was named on the command line or found below it. */
  readonly path: string;
  /** One sentence: what, and what to do. */
  readonly message: string;
  /** Of `gone-from-salt`: which part it is. */
  readonly gone?: GonePart;
}

/** Makes a finding. */
export function finding(
  rule: RuleName,
  path: string,
  { line, column }: SourcePlace,
  message: string,
  gone?: GonePart,
): Finding {
  const { severity } = RULE_TABLE[rule];
  return { rule, severity, path, line, column, message, ...(gone === undefined ? {} : { gone }) };
}
