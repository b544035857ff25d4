/** The references of functions, from the descriptions that also give `-d` and `sys.doc`. */
import type { FunctionDescription, ModuleDescription, ParamSpec } from '../../runtime/loader/module.ts';
import { toJson } from '../../formats/json/text.ts';

const WRITTEN = '<!-- scripts/generate-docs.ts has written this file. -->';

/** What stands above docs/reference/runners.md. */
export const RUNNERS_HEAD = `# Runners

The functions of \`salt-run\`: they work on the master itself. \`salt-run -d\` prints the same, and so does \`salt-run doc.runner\`.
Names and arguments are those of Salt 3006.16; what is added says so, and [differences](../differences.md) says why.
`;

/** What stands above docs/reference/wheel.md. */
export const WHEEL_HEAD = `# Wheel functions

The functions by which others control the master: reactions, orchestrations, and programs that speak to its request port
(\`cmd: wheel\`). \`salt-run doc.wheel\` prints the same. Names and arguments are those of Salt 3006.16; what is added says so, and
[differences](../differences.md) says why.
`;

/** What stands above docs/reference/functions.md. */
export const FUNCTIONS_HEAD = `# Functions

The execution functions: they work on the minions. \`salt '*' -d\` prints the same, and so does \`salt '*' sys.doc\`. Names and
arguments are those of Salt 3006.16; what is added says so, and [differences](../differences.md) says why. A module that several
programs stand behind, such as \`pkg\`, is described once for each; a minion has the one that fits it.
`;

/** What stands above docs/reference/states.md. */
export const STATES_HEAD = `# States

The state functions that SLS can declare. \`salt '*' sys.state_doc\` prints the same, \`salt '*' sys.list_state_modules\` names the modules.
Names and arguments are those of Salt 3006.16; what is added says so, and [differences](../differences.md) says why. The arguments that
every state takes (requisites, \`onlyif\`, \`retry\`, \`order\` …) are in the [guide](../guides/states.md).
`;

/** A page of functions. @param modules in the order in which they are shown */
export function renderFunctionReference(head: string, modules: readonly ModuleDescription[]): string {
  const index = modules.map(({ name, doc }) => `- [${name}](#${name}): ${escaped(doc)}`).join('\n');
  return [head, `${WRITTEN}\n`, `${index}\n`, ...modules.map(moduleSection)].join('\n');
}

function moduleSection({ name, doc, functions }: ModuleDescription): string {
  const sections = Object.entries(functions)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([fun, spec]) => functionSection(`${name}.${fun}`, spec));
  return [`## ${name}\n`, `${escaped(doc)}\n`, ...sections].join('\n');
}

function functionSection(name: string, spec: FunctionDescription): string {
  const { doc, params = {}, varargs, kwargs, returns, examples = [] } = spec;
  const described = Object.entries(params).filter(([, param]) => param.doc !== undefined);
  const lines = described.map(([key, param]) => `- \`${key}\`${typeOf(param)}: ${escaped(param.doc ?? '')}`);
  const words = [
    ...Object.entries(params).map(([key, param]) => parameter(key, param)),
    ...(varargs === undefined ? [] : [`*${varargs}`]),
    ...(kwargs === undefined ? [] : [`**${kwargs}`]),
  ];
  const parts = [`### ${name}\n`, `\`${name}(${words.join(', ')})\`\n`, `${escaped(doc)}\n`];
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
