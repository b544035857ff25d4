/** The command line of `sls`. */
import type { CliOption, CliProgram } from '../command-line/optparse.ts';
import { colorContradiction } from './rules.ts';
import { flag, informationOptions, text } from './shared.ts';

/** An option that may be given several times. */
function several(name: `--${string}`, dest: string, metavar: string, help: string): CliOption {
  return { flags: [name], dest, action: 'append', type: 'str', default: [], metavar, help };
}

/** The commands that run it: Brine's own name beside one that another package has, too. */
export const SLS_COMMANDS: readonly string[] = ['sls', 'brine-sls'];

/** `sls`, which Salt does not have. */
export const slsProgram: CliProgram = {
  name: 'sls',
  usage: '[options] check PATH… | schema',
  description:
    'Looks for mistakes in SLS, pillar, top files and reactions without a minion (check), and prints a JSON schema of all states for editors (schema).',
  configFile: 'master',
  rules: {
    contradictions: [
      colorContradiction,
      { these: ['os'], others: ['grains'], why: 'the grains of a minion say its system' },
    ],
    idle: [
      {
        option: 'force_color',
        beside: 'format',
        values: ['json', 'sarif'],
        why: 'what it writes has no colours',
      },
    ],
  },
  options: [
    ...informationOptions.filter(({ dest }) => dest !== 'versions_report'),
    {
      ...text(
        ['--format'],
        'format',
        'How to report: text, json, or sarif for code scanners. Default: %default.',
        {
          default: 'text',
          choices: ['text', 'json', 'sarif'],
        },
      ),
      type: 'choice',
    },
    {
      ...text(
        ['--instead-of'],
        'instead_of',
        'Also say which modules, functions and renderers that are used this release of Salt no longer has, and whether Brine has them: 3008.',
        { default: '', choices: ['3008'], metavar: 'RELEASE' },
      ),
      type: 'choice',
    },
    flag(['--strict'], 'strict', 'End with 1 for warnings, too.'),
    several('--ignore', 'ignore', 'RULE', 'Leave out what this rule finds; may be given several times.'),
    flag(['--no-color', '--no-colour'], 'no_color', 'Write no colours.'),
    flag(['--force-color', '--force-colour'], 'force_color', 'Write colours, whatever the output is.'),
  ],
  groups: [
    {
      title: 'What is known',
      description:
        'Without these, a file that needs the pillar of a minion is looked at as far as that goes, and a note says where it ended.',
      options: [
        several(
          '--file-root',
          'file_root',
          'FOLDER',
          'Folder from which SLS are named; may be given several times. Without it, folders with a top file are found.',
        ),
        several('--pillar-root', 'pillar_root', 'FOLDER', 'The same for pillar.'),
        text(['--pillar'], 'pillar', 'File with the pillar of a minion, in YAML or JSON.', {
          metavar: 'FILE',
        }),
        text(
          ['--grains'],
          'grains',
          'File with the grains of a minion, in YAML or JSON: what salt-call --out json grains.items prints.',
          { metavar: 'FILE' },
        ),
        text(
          ['--os'],
          'os',
          'Grains of a system to go by: debian, ubuntu, rocky, centos, opensuse, arch, alpine. Default: %default.',
          { default: 'debian', metavar: 'NAME' },
        ),
      ],
    },
  ],
};
