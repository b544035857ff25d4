/** The references of functions, from the descriptions that also give `-d` and `sys.doc`: a page for each module. */
import type { FunctionDescription, ModuleDescription, ParamSpec } from '../../runtime/loader/module.ts';
import { toJson } from '../../formats/json/text.ts';

const WRITTEN = '<!-- scripts/generate-docs.ts has written this file. -->';
const OF_SALT = `Names and arguments are those of Salt 3006.16; what is added says so, and [differences](../../differences.md) says why.`;

/** A kind of functions, and where its pages are. */
export interface FunctionReference {
  /** The folder of the pages, below `docs/reference`. */
  readonly folder: string;
  /** The file beside the folder which leads there, because all functions were in it once. */
  readonly formerly: string;
  /** What one of them is called when it is asked for on the command line. */
  readonly command: (module: string) => string;
  /** What stands above the list of modules, without the title. */
  readonly head: string;
  readonly title: string;
}

/** A module, and the name of Salt's file (`aptpkg`) where several stand behind one name. */
type Described = ModuleDescription & { readonly file?: string };

/** The execution functions. */
export const MODULES: FunctionReference = {
  folder: 'modules',
  formerly: 'functions.md',
  command: (module) => `salt '*' sys.doc ${module}`,
  title: 'Functions',
  head: `The execution functions: they work on the minions. \`salt '*' -d\` prints the same, and so does \`salt '*' sys.doc\`.
${OF_SALT}
A module that several programs stand behind, such as [pkg](pkg.md), is described once for each; a minion has the one that fits it.`,
};

/** The state functions. */
export const STATES: FunctionReference = {
  folder: 'states',
  formerly: 'states.md',
  command: (module) => `salt '*' sys.state_doc ${module}`,
  title: 'States',
  head: `The state functions that SLS can declare. \`salt '*' sys.state_doc\` prints the same, \`salt '*' sys.list_state_modules\` names the modules.
${OF_SALT}
The arguments that every state takes (requisites, \`onlyif\`, \`retry\`, \`order\` …) are in the [guide](../../guides/states.md).`,
};

/** The functions of `salt-run`. */
export const RUNNERS: FunctionReference = {
  folder: 'runners',
  formerly: 'runners.md',
  command: (module) => `salt-run -d ${module}`,
  title: 'Runners',
  head: `The functions of \`salt-run\`: they work on the master itself. \`salt-run -d\` prints the same, and so does \`salt-run doc.runner\`.
${OF_SALT}`,
};

/** The functions by which others control the master. */
export const WHEEL: FunctionReference = {
  folder: 'wheel',
  formerly: 'wheel.md',
  command: () => 'salt-run doc.wheel',
  title: 'Wheel functions',
  head: `The functions by which others control the master: reactions, orchestrations, and programs that speak to its request port
(\`cmd: wheel\`). \`salt-run doc.wheel\` prints the same.
${OF_SALT}`,
};

/**
 * The pages of a kind of functions, by their path below `docs/reference`: one for each module, the list of them, and
 * the one that leads there from where they were.
 * @param modules in the order in which they are shown; those of one name stand on one page
 */
export function functionPages(kind: FunctionReference, modules: readonly Described[]): Map<string, string> {
  const { folder, formerly } = kind;
  const byName = new Map(modules.map(({ name }) => [name, modules.filter((other) => other.name === name)]));
  const pages = [...byName].map(
    ([name, parts]) => [`${folder}/${name}.md`, modulePage(kind, name, parts)] as const,
  );
  return new Map([[`${folder}/README.md`, indexPage(kind, byName)], [formerly, movedPage(kind)], ...pages]);
}

function indexPage(
  { title, head }: FunctionReference,
  byName: ReadonlyMap<string, readonly Described[]>,
): string {
  const entries = [...byName].map(([name, parts]) => {
    const functions = [...new Set(parts.flatMap(functionNames))].sort().map((fun) => `\`${fun}\``);
    return `- [${name}](${name}.md): ${escaped(parts.at(-1)?.doc ?? '')}\n  ${functions.join(', ')}`;
  });
  return `# ${title}\n\n${head}\n\n${WRITTEN}\n\n${entries.join('\n')}\n`;
}

function movedPage({ title, folder }: FunctionReference): string {
  return `# ${title}\n\n${WRITTEN}\n\nEach module has a page of its own now: [${folder}](${folder}/README.md) lists them.\n`;
}

function modulePage(kind: FunctionReference, name: string, parts: readonly Described[]): string {
  const [only, ...others] = parts;
  const isOne = only !== undefined && others.length === 0;
  const command = `\`${kind.command(name)}\``;
  const printed = isOne ? `${command} prints the same` : `${command} prints what the minion has`;
  const sections = isOne
    ? [`${escaped(only.doc)}\n`, ...functionSections(only, '##')]
    : parts.map((part) => programSection(part));
  return [
    `# ${name}\n`,
    WRITTEN,
    '',
    `${printed}; all modules are in [the list](README.md).\n`,
    ...sections,
  ].join('\n');
}

/** One of several that stand behind a name. */
function programSection(part: Described): string {
  const head = `## ${part.file ?? part.name}\n\n${escaped(part.doc)}\n`;
  return [head, ...functionSections(part, '###')].join('\n');
}

function functionSections(part: Described, level: string): string[] {
  const { name, functions } = part;
  return functionNames(part).map((fun) => {
    const spec = functions[fun];
    return spec === undefined ? '' : functionSection(level, `${name}.${fun}`, spec);
  });
}

function functionNames({ functions }: Described): string[] {
  return Object.keys(functions).sort();
}

function functionSection(level: string, name: string, spec: FunctionDescription): string {
  const { doc, params = {}, varargs, kwargs, returns, examples = [] } = spec;
  const described = Object.entries(params).filter(([, param]) => param.doc !== undefined);
  const lines = described.map(([key, param]) => `- \`${key}\`${typeOf(param)}: ${escaped(param.doc ?? '')}`);
  const words = [
    ...Object.entries(params).map(([key, param]) => parameter(key, param)),
    ...(varargs === undefined ? [] : [`*${varargs}`]),
    ...(kwargs === undefined ? [] : [`**${kwargs}`]),
  ];
  const parts = [`${level} ${name}\n`, `\`${name}(${words.join(', ')})\`\n`, `${escaped(doc)}\n`];
  if (lines.length > 0) parts.push(`${lines.join('\n')}\n`);
  parts.push(`Gives: ${escaped(returns)}\n`);
  if (examples.length > 0) parts.push(`\`\`\`bash\n${examples.join('\n')}\n\`\`\`\n`);
  return parts.join('\n');
}

function parameter(name: string, { default: value, defaultFrom }: ParamSpec): string {
  if (value === undefined) return name;
  if (defaultFrom !== undefined) return `${name}=${defaultFrom}`;
  return `${name}=${value === null ? 'None' : typeof value === 'boolean' ? (value ? 'True' : 'False') : toJson(value)}`;
}

function typeOf({ type }: ParamSpec): string {
  return type === undefined ? '' : ` (${type})`;
}

/** A text that Markdown shows as it is; what already stands as code stays. */
function escaped(text: string): string {
  const parts = text.split('`');
  const shown = parts.map((part, index) =>
    index % 2 === 1 ? part : part.replace(/[*_<>[\]\\|]/g, '\\$&').replaceAll('\n', ' '),
  );
  return shown.join('`');
}
