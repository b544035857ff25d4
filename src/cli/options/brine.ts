/** The command line of `brine`, which Salt does not have. */
import type { CliProgram } from '../command-line/optparse.ts';
import { colorContradiction } from './rules.ts';
import { configDirOption, flag, informationOptions, text } from './shared.ts';

/** `brine`: what concerns the installation itself. */
export const brineProgram: CliProgram = {
  name: 'brine',
  usage: '[options] takeover [--check | --back] | release ACTION FOLDER [ARCHIVE …]',
  description:
    'Puts Brine in the place of the Salt that runs on this machine, on the same configuration and data, sees whether it answers, and goes back by itself when it does not. With --check it only says what becomes of the site: which options, modules, states, pillars and files are served, which differ and which are missing, each with the line where it stands; nothing is changed. With --back Salt runs again. release makes and signs what minions take for a new version (key FILE, init, add, sign, renew, rotate, status).',
  configFile: 'master',
  example: 'brine takeover --check',
  rules: {
    contradictions: [
      colorContradiction,
      { these: ['check'], others: ['back'], why: 'one changes nothing and the other does' },
    ],
    dependences: [{ option: 'instead_of', needs: ['check'] }],
    idle: [
      { option: 'force_color', beside: 'format', values: ['json'], why: 'what it writes has no colours' },
      ...['only', 'yes', 'force', 'timeout', 'links'].map((option) => ({
        option,
        beside: 'check',
        why: 'nothing is changed',
      })),
      { option: 'links', beside: 'back', why: 'the links go that were made' },
    ],
  },
  options: [
    ...informationOptions.filter(({ dest }) => dest !== 'versions_report'),
    configDirOption,
    flag(['--check'], 'check', 'Look at the site and change nothing.'),
    flag(['--back'], 'back', 'Go back: Salt runs again, and finds what was done under Brine.'),
    text(
      ['--only'],
      'only',
      'Only these of master, syndic, api and minion, separated by commas; without it all that run here.',
      { default: '', metavar: 'DAEMONS' },
    ),
    flag(['-y', '--yes'], 'yes', 'Do not ask; needed where there is no terminal.'),
    flag(
      ['--force'],
      'force',
      'Take over though something is missing, though the master takes no ping now, and though jobs run, which end.',
    ),
    {
      flags: ['-t', '--timeout'],
      dest: 'timeout',
      action: 'store',
      type: 'int',
      default: 120,
      help: 'Seconds to wait until the daemons answer, and before that for jobs to end. Default: %default.',
    },
    text(
      ['--links'],
      'links',
      "Folder for links to the commands (salt, salt-key, ...), or none. Default: /usr/local/bin for the configuration in /etc/salt, else none; what is there and is not Brine's stays.",
      { default: '', metavar: 'FOLDER' },
    ),
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
    text(['--keys'], 'keys', 'release: the files of the private keys that sign, with commas between them.', {
      default: '',
    }),
    text(
      ['--root-keys'],
      'root_keys',
      'release init and rotate: the files of the keys, private or public (.pub), that sign who signs what. Default: those of --keys.',
      { default: '' },
    ),
    text(
      ['--targets-keys'],
      'targets_keys',
      'release init and rotate: those that sign which releases there are. Default: those of the root.',
      { default: '' },
    ),
    text(
      ['--online-keys'],
      'online_keys',
      'release init and rotate: those that sign which list is the newest. Default: those of the releases.',
      { default: '' },
    ),
    text(
      ['--threshold'],
      'threshold',
      'release init and rotate: how many keys of the root and of the releases have to sign. Default: %default.',
      { default: '1' },
    ),
    flag(['--no-color', '--no-colour'], 'no_color', 'Write no colours.'),
    flag(['--force-color', '--force-colour'], 'force_color', 'Write colours, whatever the output is.'),
  ],
  groups: [],
};
