/** docs/reference/configuration.md: every option of master and minion, from the tables that also check them. */
import { masterOptions } from '../config/master-options.ts';
import { minionOptions } from '../config/minion-options.ts';
import type { OptionKind, OptionSpec, OptionTable } from '../config/option.ts';
import { dumpYaml } from '../yaml/dump.ts';

const HEAD = `# Configuration

The options of Salt 3006.16, with the same names, kinds and defaults, in the same files: \`/etc/salt/master\`, \`/etc/salt/minion\`,
and \`*.conf\` in \`master.d\` and \`minion.d\` beside them. What is not in these tables is kept as it is written, for modules that read
it. A value of another kind than the table says is refused at the start, with its place.

<!-- scripts/generate-docs.ts has written this file. -->
`;

const KINDS: Readonly<Record<OptionKind, string>> = {
  str: 'text',
  'str?': 'text or null',
  int: 'whole number',
  num: 'number',
  bool: 'True or False',
  list: 'list',
  dict: 'mapping',
  any: 'several forms',
};

/** The page. */
export function renderOptionReference(): string {
  return [
    HEAD,
    ...table('Options of the master', masterOptions),
    '',
    ...table('Options of the minion', minionOptions),
    '',
  ].join('\n');
}

function table(title: string, options: OptionTable): string[] {
  const names = Object.keys(options).sort();
  const rows = names.map((name) => row(name, options[name] as OptionSpec));
  return [
    `## ${title}`,
    '',
    '| option | kind | default | what it is |',
    '| --- | --- | --- | --- |',
    ...rows,
  ];
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
