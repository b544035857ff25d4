/** Man pages, from the same tables as the help (roff with the man(7) macros). */
import { closingSentence, optionHelp, shownOptions } from '../command-line/help.ts';
import {
  allOptions,
  takesValue,
  type CliGroup,
  type CliOption,
  type CliProgram,
} from '../command-line/optparse.ts';

/** What a page says about itself. */
export interface ManPageFacts {
  /** Month and year, e.g. `March 2026`. */
  readonly date: string;
  readonly version: string;
  /** The other programs, for SEE ALSO. */
  readonly programs: readonly CliProgram[];
}

/** Programs that stay belong to section 8 in some systems; Salt has all of its own in section 1. */
const SECTION = 1;

/** The page of one program. */
export function renderManPage(program: CliProgram, facts: ManPageFacts): string {
  const { name, description, usage } = program;
  const others = facts.programs.filter((other) => other.name !== name);
  return [
    `.TH ${name.toUpperCase().replaceAll('-', '\\-')} ${SECTION} "${roff(facts.date)}" "Brine ${roff(facts.version)}" "Brine"`,
    '.SH NAME',
    `${roff(name)} \\- ${roff(lowerFirst(description.replace(/\.$/, '')))}`,
    '.SH SYNOPSIS',
    `.B ${roff(name)}`,
    roff(usage),
    '.SH DESCRIPTION',
    roff(description),
    '.SH OPTIONS',
    ...optionLines(program.options),
    ...program.groups.flatMap(groupLines),
    ...environmentLines(program),
    ...exitStatusLines,
    '.SH SEE ALSO',
    roff(closingSentence(name)),
    '.PP',
    others.map((other) => `.BR ${roff(other.name)} (${SECTION})`).join('\n'),
    '',
  ].join('\n');
}

function groupLines(group: CliGroup): string[] {
  return [
    `.SS ${roff(group.title)}`,
    ...(group.description === undefined ? [] : [roff(group.description)]),
    ...optionLines(group.options),
  ];
}

function optionLines(options: readonly CliOption[]): string[] {
  return shownOptions(options).flatMap((option) => ['.TP', spellings(option), roff(optionHelp(option, {}))]);
}

function spellings(option: CliOption): string {
  const metavar = takesValue(option) ? `\\fI${roff(option.metavar ?? option.dest.toUpperCase())}\\fR` : '';
  const one = (flag: string): string => {
    const separator = metavar === '' ? '' : flag.startsWith('--') ? '=' : ' ';
    return `\\fB${roff(flag)}\\fR${separator}${metavar}`;
  };
  return option.flags.map(one).join(', ');
}

function environmentLines(program: CliProgram): string[] {
  const options = shownOptions(allOptions(program)).filter((option) => option.env !== undefined);
  const saltfile = program.options.some((option) => option.dest === 'saltfile');
  if (options.length === 0 && !saltfile) return [];
  return [
    '.SH ENVIRONMENT',
    ...options.flatMap((option) => [
      '.TP',
      `.B ${roff(option.env ?? '')}`,
      roff(`Default of ${option.flags.at(-1) ?? ''}.`),
    ]),
    ...(saltfile ? ['.TP', '.B SALT_SALTFILE', roff('Saltfile to use when --saltfile is not given.')] : []),
    '.TP',
    '.B NO_COLOR',
    roff('When set and not empty, nothing is coloured unless --force-color is given.'),
  ];
}

const exitStatusLines: readonly string[] = [
  '.SH EXIT STATUS',
  '.TP',
  '.B 0',
  'All went well.',
  '.TP',
  '.B 64',
  'The command line was not understood.',
  '.PP',
  roff('Other codes tell about the job itself; see docs/reference/exit-codes.md.'),
];

/** A text that roff shows as it is: no escapes, no requests, hyphens that can be copied. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replace(/^([.'])/gm, '\\&$1');
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
