/**
 * docs/reference/commands.md: the options of every program, from the same tables as the help, below a text written by
 * hand.
 */
import { optionHelp, optionSpellings, shownOptions, usageLine } from '../command-line/help.ts';
import type { CliGroup, CliOption, CliProgram } from '../command-line/optparse.ts';

/** What follows this line is generated. */
const REFERENCE_MARK = '<!-- From here on, scripts/generate-docs.ts has written this file. -->';

/**
 * The reference page.
 * @param before the page as it is; what stands above {@link REFERENCE_MARK} stays
 */
export function renderReference(before: string, programs: readonly CliProgram[]): string {
  const head = before.split(REFERENCE_MARK)[0] ?? '';
  return [`${head.trimEnd()}\n`, REFERENCE_MARK, '', ...programs.map(programSection)].join('\n');
}

function programSection(program: CliProgram): string {
  return [
    `## ${program.name}`,
    '',
    `\`${usageLine(program).replace('Usage: ', '')}\``,
    '',
    prose(program.description),
    '',
    optionList(program.options),
    ...program.groups.map((group) => groupSection(group)),
  ].join('\n');
}

function groupSection({ title, description, options }: CliGroup): string {
  const about = description === undefined ? '' : `${prose(description)}\n\n`;
  return `### ${title}\n\n${about}${optionList(options)}`;
}

function optionList(options: readonly CliOption[]): string {
  const lines = shownOptions(options).map((option) => {
    const spellings = optionSpellings(option).map((spelling) => `\`${spelling}\``);
    const own = option.own === true ? ' _Not in Salt._' : '';
    return `- ${spellings.join(', ')}: ${prose(optionHelp(option, {}))}${own}\n`;
  });
  return lines.join('');
}

/** A text that Markdown shows as it is: what could mean something stands as code. */
function prose(text: string): string {
  return text.replace(/(?:"[^"]*"|'[^']*'|\S*[*_<>[\]\\|]\S*)/g, (part) => {
    if (!/[*_<>[\]\\|]/.test(part)) return part;
    const [, before, middle, after] = /^([("']*)(.*?)([.,;:)"']*)$/.exec(part) ?? [];
    return `${before ?? ''}\`${middle ?? part}\`${after ?? ''}`;
  });
}
