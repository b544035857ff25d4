/**
 * Calls of built-in functions by built-in ones (`ctx.functions.call('file.remove', [path], dict({ force: true }))`), as
 * they stand in the source: a name or a keyword with a slip in it would only be seen when the line runs.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import type typescript from 'typescript';
import { MODULE_TABLE } from '../../../src/plugins/registry/module/table.generated.ts';
import type { FunctionSpec } from '../../../src/runtime/loader/module.ts';

const ROOT = process.env['BRINE_ROOT'] ?? '.';
/** Loaded as it is installed: it cannot be bundled with the test. */
const ts = createRequire(join(ROOT, 'package.json'))('typescript') as typeof typescript;

/** Functions that only a site's own module has; whoever calls them asks first whether they are there. */
const OF_A_SITE: ReadonlySet<string> = new Set(['pkg.version_clean', 'pkg.check_extra_requirements']);

/** One call as it is written. */
interface WrittenCall {
  readonly place: string;
  readonly fun: string;
  /** Undefined where a spread hides how many there are. */
  readonly positional: number | undefined;
  /** Names that are written; with `more` there are others that only running tells. */
  readonly keywords: readonly string[];
  readonly more: boolean;
}

function sourceFiles(): string[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /^(?:plugins|runtime)\/.*\.ts$/.test(path) && !/\.generated\.ts$/.test(path))
    .map((path) => join('src', path));
}

function callsIn(path: string): WrittenCall[] {
  const source = ts.createSourceFile(
    path,
    readFileSync(join(ROOT, path), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: WrittenCall[] = [];
  const visit = (node: typescript.Node): void => {
    if (ts.isCallExpression(node) && isFunctionsCall(node.expression)) {
      const [fun, args, kwargs] = node.arguments;
      if (fun !== undefined && ts.isStringLiteralLike(fun)) {
        const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        found.push({
          place: `${path}:${line}`,
          fun: fun.text,
          positional: countOf(args),
          ...keywordsOf(kwargs),
        });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** `….functions.call`, and `functions.call` where it was handed over. */
function isFunctionsCall(callee: typescript.Expression): boolean {
  if (!ts.isPropertyAccessExpression(callee) || callee.name.text !== 'call') return false;
  const { expression } = callee;
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text === 'functions';
  return ts.isIdentifier(expression) && expression.text === 'functions';
}

function countOf(args: typescript.Expression | undefined): number | undefined {
  if (args === undefined) return 0;
  if (!ts.isArrayLiteralExpression(args) || args.elements.some(ts.isSpreadElement)) return undefined;
  return args.elements.length;
}

/** The names in `dict({ … })`. */
function keywordsOf(kwargs: typescript.Expression | undefined): Pick<WrittenCall, 'keywords' | 'more'> {
  if (kwargs === undefined) return { keywords: [], more: false };
  const [literal] =
    ts.isCallExpression(kwargs) && kwargs.expression.getText() === 'dict' ? kwargs.arguments : [];
  if (literal === undefined || !ts.isObjectLiteralExpression(literal)) return { keywords: [], more: true };
  const names = literal.properties.map(({ name }) =>
    name !== undefined && !ts.isComputedPropertyName(name) ? nameOf(name) : undefined,
  );
  return { keywords: names.filter((name) => name !== undefined), more: names.includes(undefined) };
}

function nameOf(name: Exclude<typescript.PropertyName, typescript.ComputedPropertyName>): string {
  return name.text;
}

async function specsByName(): Promise<ReadonlyMap<string, readonly FunctionSpec[]>> {
  const found = new Map<string, FunctionSpec[]>();
  for (const entry of MODULE_TABLE) {
    const { functions } = await entry.load();
    for (const [name, spec] of Object.entries(functions)) {
      const fun = `${entry.name}.${name}`;
      found.set(fun, [...(found.get(fun) ?? []), spec]);
    }
  }
  return found;
}

/** What is wrong with a call of one of the functions of this name; undefined when it fits. */
function faultOf(call: WrittenCall, { params = {}, varargs, kwargs }: FunctionSpec): string | undefined {
  const all = Object.entries(params);
  const places = all.filter(([, { keywordOnly }]) => keywordOnly !== true).map(([name]) => name);
  const { positional, keywords } = call;
  if (positional !== undefined && positional > places.length && varargs === undefined)
    return `${positional} arguments, where it takes ${places.length}`;
  const unknown = keywords.filter((name) => !Object.hasOwn(params, name) && kwargs === undefined);
  if (unknown.length > 0) return `no parameter ${unknown.join(', ')}`;
  if (positional === undefined) return undefined;
  const twice = keywords.filter((name) => places.slice(0, positional).includes(name));
  if (twice.length > 0) return `${twice.join(', ')} is given twice`;
  if (call.more) return undefined;
  const lacking = all
    .filter(([name, { default: usual }]) => usual === undefined && !keywords.includes(name))
    .map(([name]) => name)
    .filter((name) => !places.slice(0, positional).includes(name));
  return lacking.length > 0 ? `lacks ${lacking.join(', ')}` : undefined;
}

test('functions - calls of built-in functions name functions and parameters that there are', async () => {
  const specs = await specsByName();
  const calls = sourceFiles().flatMap(callsIn);
  assert.ok(calls.length > 300, `only ${calls.length} calls were found`);
  const faults = calls.flatMap((call) => {
    if (OF_A_SITE.has(call.fun)) return [];
    const named = specs.get(call.fun) ?? [];
    if (named.length === 0) return [`${call.place}: there is no ${call.fun}`];
    const reasons = named.map((spec) => faultOf(call, spec));
    return reasons.includes(undefined) ? [] : [`${call.place}: ${call.fun}: ${reasons[0]}`];
  });
  assert.deepEqual(faults, []);
});
