/** The command line of `brine`, which Salt does not have. */
import type { CliProgram } from '../command-line/optparse.ts';
import { colorContradiction } from './rules.ts';
import { configDirOption, flag, informationOptions, text } from './shared.ts';

/** `brine`: what concerns the installation itself. */
export const brineProgram: CliProgram = {
  name: 'brine',
  usage: '[options] takeover --check',
  description:
    'Says what becomes of the Salt on this machine when Brine takes its place: which options, modules, states, pillars and files are served, which differ and which are missing, each with the line where it stands. Nothing is changed.',
  configFile: 'master',
  example: 'brine takeover --check',
  rules: {
    contradictions: [colorContradiction],
    idle: [
      { option: 'force_color', beside: 'format', values: ['json'], why: 'what it writes has no colours' },
    ],
  },
  options: [
    ...informationOptions.filter(({ dest }) => dest !== 'versions_report'),
    configDirOption,
    flag(['--check'], 'check', 'Look at the site and change nothing.'),
    {
      ...text(
        ['--instead-of'],
        'instead_of',
        'Also name what the site uses and this release of Salt no longer has: 3008.',
        { default: '', choices: ['3008'], metavar: 'RELEASE' },
      ),
      type: 'choice',
    },
    {
      ...text(['--format'], 'format', 'How to report: text or json. Default: %default.', {
        default: 'text',
        choices: ['text', 'json'],
      }),
      type: 'choice',
    },
    flag(['--no-color', '--no-colour'], 'no_color', 'Write no colours.'),
    flag(['--force-color', '--force-colour'], 'force_color', 'Write colours, whatever the output is.'),
  ],
  groups: [],
};
