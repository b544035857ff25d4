/** docs/reference/configuration.md: every option of master and minion, from the tables that also check them. */
import { masterOptions } from '../../config/master-options.ts';
import { minionOptions } from '../../config/minion-options.ts';
import type { OptionKind, OptionSpec, OptionTable } from '../../config/option.ts';
import { dumpYaml } from '../../formats/yaml/dump.ts';
import { FURTHER_OPTIONS } from '../../config/further-options.ts';
import type { Unserved } from '../../config/unserved.ts';

const HEAD = `# Configuration

The options of Salt 3006.16 and 3007.8, with the same names, kinds and defaults, in the same files: \`/etc/salt/master\`,
\`/etc/salt/minion\`, and \`*.conf\` in \`master.d\` and \`minion.d\` beside them. What is in no table is kept as it is written, for
modules that read it. A value of another kind than the table says is reported with a warning, and the default is used.

## What is not served

The second tables hold what Brine does not serve. A program that is given such an option with another value than Salt's default says so
when it starts, in its log and on the terminal:

- _not yet_ and _no effect_: a warning, one line for all of them.
- _stops_: the program does not start and exits with 78, because minions would get something else than was configured, or would be
  protected less. So does a \`fileserver_backend\` that does not exist, and a value \`sdb://…\` without its profile. To start all the same, name the options
  in \`unserved_options: [decrypt_pillar]\`; \`unserved_options: warn\` is for all of them. They are then warned about.
- An option that nobody knows is a warning with the name that may have been meant. Options of your own, which modules read with
  \`config.get\`, can be named in \`unserved_options\` as well; they are then passed over.

\`salt-run\` and \`salt-call\` say only what concerns them (_stops_); \`salt\`, \`salt-key\` and \`salt-cp\` say nothing, as the master does.
An external pillar that does not exist makes the pillar fail, so that no states run with part of it.

<!-- scripts/generate-docs.ts has written this file. -->
`;

const KINDS: Readonly<Record<OptionKind, string>> = {
  str: 'text',
  'str?': 'text or null',
  int: 'whole number',
  'int?': 'whole number or null',
  num: 'number',
  bool: 'True or False',
  'bool?': 'True, False or null',
  list: 'list',
  dict: 'mapping',
  any: 'several forms',
};

/** The page. */
export function renderOptionReference(): string {
  return [
    HEAD,
    ...tables('master', masterOptions),
    '',
    ...tables('minion', minionOptions),
    '',
    ...furtherFamilies(),
    '',
  ].join('\n');
}

function tables(program: string, options: OptionTable): string[] {
  const names = Object.keys(options).sort();
  const isServed = (name: string): boolean => options[name]?.unserved === undefined;
  return [
    `## Options of the ${program}`,
    '',
    '| option | kind | default | what it is |',
    '| --- | --- | --- | --- |',
    ...names.filter(isServed).map((name) => row(name, options[name] as OptionSpec)),
    '',
    `### Options of the ${program} that are not served`,
    '',
    '| option | kind | default | what it is | what becomes of it |',
    '| --- | --- | --- | --- | --- |',
    ...names
      .filter((name) => !isServed(name))
      .map((name) => `${row(name, options[name] as OptionSpec)} ${status(options[name]?.unserved)} |`),
  ];
}

/** What stands in no table of Salt's. */
function furtherFamilies(): string[] {
  return [
    '## Options of modules, returners and commands',
    '',
    'Names that end with a dot or an underscore stand for all that begin with them.',
    '',
    '| options | what becomes of them |',
    '| --- | --- |',
    ...FURTHER_OPTIONS.map(
      ({ names, unserved }) =>
        `| ${names.map((name) => `\`${name}\``).join(', ')} | ${unserved === undefined ? 'read' : status(unserved)} |`,
    ),
  ];
}

function status(unserved: Unserved | undefined): string {
  if (unserved === undefined) return '';
  const word = unserved.action === 'stop' ? 'stops' : unserved.isPlanned ? 'not yet' : 'no effect';
  return `_${word}_: ${inCell(unserved.why)}`;
}

function row(name: string, { kind, default: value, doc }: OptionSpec): string {
  const text = dumpYaml(value, { defaultFlowStyle: true, width: -1 })
    .replace(/\n(\.\.\.\n)?$/, '')
    .replaceAll('\n', ' ');
  return `| \`${name}\` | ${KINDS[kind]} | ${text === '' ? '' : `\`${text.replaceAll('|', '\\|')}\``} | ${inCell(doc)} |`;
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/[*_<>]/g, '\\$&');
}
