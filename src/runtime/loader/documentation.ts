/** The text that `sys.doc` and error messages print for a function, made from its description. */
import { pyRepr } from '../../python/values/repr.ts';
import type { FunctionDescription, ModuleDescription, ParamSpec } from './module.ts';

const INDENT = '    ';

/**
 * The documentation of one function, in the shape of a Python docstring: it starts with a newline, is indented by
 * four blanks and ends with an indented empty line, as Salt's own do.
 * @param fun the full name, `test.echo`
 */
export function functionDoc(fun: string, spec: FunctionDescription): string {
  if (spec.docstring !== undefined) return withoutDirectives(spec.docstring);
  const parts = [spec.doc.trim()];
  const params = Object.entries(spec.params ?? {}).map(([name, param]) => paramDoc(name, param));
  if (spec.varargs !== undefined) params.push(`*${spec.varargs}\n${INDENT}any number of further arguments`);
  if (spec.kwargs !== undefined) params.push(`**${spec.kwargs}\n${INDENT}any further keywords`);
  if (params.length > 0) parts.push(params.join('\n'));
  parts.push(`Returns: ${spec.returns}`);
  const examples = spec.examples ?? [exampleCall(fun, spec)];
  if (examples.length > 0) parts.push(`CLI Example:\n\n${examples.map((line) => INDENT + line).join('\n')}`);
  return indented(parts.join('\n\n'), INDENT);
}

/** Directives of reStructuredText, and what stands for them on a terminal (salt/utils/doc.py `strip_rst`, 3006.16). */
const DIRECTIVES: readonly (readonly [RegExp, string])[] = [
  [/ *.. code-block:: \S+\n{1,2}/g, ''],
  [/.. note::/g, 'Note:'],
  [/.. warning::/g, 'Warning:'],
  [/.. versionadded::/g, 'New in version'],
  [/.. versionchanged::/g, 'Changed in version'],
];

function withoutDirectives(docstring: string): string {
  return DIRECTIVES.reduce((text, [directive, words]) => text.replace(directive, words), docstring);
}

/**
 * The documentation of a whole module, in the shape of a module's docstring: not indented, in lines of its own. One in
 * Python that has none has none here either (salt/modules/sysmod.py `state_doc`, 3006.16).
 */
export function moduleDoc({ doc, docstring }: Pick<ModuleDescription, 'doc' | 'docstring'>): string | null {
  if (docstring !== undefined) return docstring === '' ? null : withoutDirectives(docstring);
  return indented(doc.trim(), '');
}

function indented(text: string, indent: string): string {
  const lines = text.split('\n').map((line) => (line === '' ? '' : indent + line));
  return `\n${lines.join('\n')}\n${indent}`;
}

function paramDoc(name: string, param: ParamSpec): string {
  const type = param.type === undefined ? '' : ` (${param.type})`;
  const value = param.default === undefined ? '' : ` : ${pyRepr(param.default)}`;
  const text =
    param.doc === undefined ? '' : `\n${INDENT}${param.doc.trim().replaceAll('\n', `\n${INDENT}`)}`;
  return `${name}${type}${value}${text}`;
}

function exampleCall(fun: string, spec: FunctionDescription): string {
  const required = Object.entries(spec.params ?? {}).filter(([, param]) => param.default === undefined);
  return ["salt '*'", fun, ...required.map(([name]) => `<${name}>`)].join(' ');
}
