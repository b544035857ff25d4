/** Prints the configuration that a package brings: every option that is served, commented out, with its default. */
import { masterOptions } from '../../src/config/master-options.ts';
import { minionOptions } from '../../src/config/minion-options.ts';
import type { OptionSpec, OptionTable } from '../../src/config/option.ts';
import { dumpYaml } from '../../src/formats/yaml/dump.ts';

const COLUMNS = 98;
/** What each program says of itself, and the options that sites set first. */
interface Role {
  readonly options: OptionTable;
  readonly head: string;
  readonly first: readonly string[];
  /** What the package itself sets. */
  readonly set: ReadonlyMap<string, string>;
}
const ROLES = new Map<string, Role>([
  [
    'master',
    {
      options: masterOptions,
      head: 'Configuration of the master',
      first: ['interface', 'publish_port', 'ret_port', 'user', 'file_roots', 'pillar_roots', 'auto_accept'],
      // the account that the package makes; the master needs no more
      set: new Map([['user', 'salt']]),
    },
  ],
  [
    'minion',
    {
      options: minionOptions,
      head: 'Configuration of the minion',
      first: ['master', 'id', 'master_port', 'user'],
      set: new Map(),
    },
  ],
]);

const [role = ''] = process.argv.slice(2);
const said = ROLES.get(role);
if (said === undefined) throw new Error(`Name one of ${[...ROLES.keys()].join(', ')}.`);
process.stdout.write(text(role, said));

function text(name: string, { head, options, first, set }: Role): string {
  const served = Object.keys(options)
    .filter((each) => options[each]?.unserved === undefined && each !== 'conf_file')
    .sort();
  const blocks = [...first, ...served.filter((each) => !first.includes(each))];
  return [
    ...comment(
      `${head}. Each line below shows an option and its default; what you set goes here, or into files ${name}.d/*.conf, which are read after this one.`,
    ),
    ...blocks.flatMap((each) => {
      const value = set.get(each);
      const lines = ['', ...block(each, options[each] as OptionSpec)];
      return value === undefined ? lines : [...lines, `${each}: ${value}`];
    }),
    '',
  ].join('\n');
}

function block(name: string, { default: value, doc }: OptionSpec): string[] {
  const yaml = dumpYaml(value, { defaultFlowStyle: true, width: -1 })
    .replace(/\n(\.\.\.\n)?$/, '')
    .replaceAll('\n', ' ');
  return [...comment(`${doc.charAt(0).toUpperCase()}${doc.slice(1)}.`), `#${name}: ${yaml}`];
}

/** A sentence as comments of a bearable width. */
function comment(sentence: string): string[] {
  const lines = [''];
  for (const word of sentence.split(/\s+/)) {
    const line = lines.at(-1) ?? '';
    if (line === '' || line.length + word.length < COLUMNS) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(` ${word}`);
  }
  return lines.map((line) => `#${line}`);
}
