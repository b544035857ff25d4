/** Keeps arguments typed: a function's parameters say what they are, and its body does not convert what it was given. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import type typescript from 'typescript';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const PLUGINS = join(ROOT, 'src', 'plugins');
/** Loaded as it is installed: it cannot be bundled with the test. */
const ts = createRequire(join(ROOT, 'package.json'))('typescript') as typeof typescript;

/** Python's conversions and what asks for a type: `runtime/loader/params.ts` applies them, function bodies do not. */
const CONVERSIONS: ReadonlySet<string> = new Set([
  ...['truthy', 'pyStr', 'optionalText', 'textOf', 'pyCount', 'pyInt', 'toNumber', 'isTrue'],
  ...['isDict', 'Array.isArray'],
]);

/**
 * The conversions of raw arguments that are left, by file. Most of those in `grains`, `pillar` and `cron` stay: they show
 * or compare a value that may truly be any. The numbers only go down: who converts a parameter lowers its file's.
 */
const LEFT: Readonly<Record<string, number>> = {
  'modules/alternatives.ts': 1,
  'modules/archive.ts': 7,
  'modules/cmd.ts': 4,
  'modules/config.ts': 5,
  'modules/cp.ts': 4,
  'modules/cron.ts': 9,
  'modules/data.ts': 1,
  'modules/disk.ts': 1,
  'modules/environ.ts': 1,
  'modules/event.ts': 1,
  'modules/file/owner.ts': 1,
  'modules/file/sed.ts': 1,
  'modules/file/sources.ts': 1,
  'modules/grains.ts': 7,
  'modules/group.ts': 1,
  'modules/http.ts': 1,
  'modules/locale.ts': 1,
  'modules/match.ts': 3,
  'modules/mine.ts': 1,
  'modules/network.ts': 1,
  'modules/pillar.ts': 4,
  'modules/pkg.ts': 4,
  'modules/random.ts': 2,
  'modules/saltutil.ts': 3,
  'modules/schedule.ts': 1,
  'modules/slsutil.ts': 4,
  'modules/ssh.ts': 3,
  'modules/state/control.ts': 6,
  'modules/state/requests.ts': 1,
  'modules/test.ts': 1,
  'modules/user.ts': 2,
  'modules/yumpkg.ts': 3,
  'runners/cache.ts': 2,
  'runners/error.ts': 2,
  'runners/event.ts': 1,
  'runners/jobs.ts': 2,
  'runners/mine.ts': 2,
  'runners/test.ts': 2,
};

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : path.endsWith('.ts') ? [path] : [];
  });
}

type FunctionNode =
  | typescript.ArrowFunction
  | typescript.FunctionDeclaration
  | typescript.FunctionExpression
  | typescript.MethodDeclaration;

function isFunctionNode(node: typescript.Node): node is FunctionNode {
  return (
    ts.isArrowFunction(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isMethodDeclaration(node)
  );
}

/** The body of a described function: `run: (ctx, args) => …`. */
function isRun(node: FunctionNode): boolean {
  if (ts.isMethodDeclaration(node)) return node.name.getText() === 'run';
  return ts.isPropertyAssignment(node.parent) && node.parent.name.getText() === 'run';
}

/** What holds arguments in a function: names of whole bags (`args.`), and of single arguments that were taken out of one. */
function argumentNames(node: FunctionNode): string[] {
  const bags = node.parameters.filter(({ name }) => name.getText() === 'args').map(() => 'args.');
  const name = isRun(node) ? node.parameters[1]?.name : undefined;
  if (name === undefined) return bags;
  if (ts.isIdentifier(name)) return [...bags, `${name.text}.`];
  if (!ts.isObjectBindingPattern(name)) return bags;
  return [...bags, ...name.elements.map((element) => element.name.getText())];
}

/** Whether an expression is an argument as it was given: `args.x`, `args['x'] ?? null`, `x` of `({ x })`. */
function isArgument(expression: typescript.Expression, names: ReadonlySet<string>): boolean {
  if (ts.isBinaryExpression(expression) && expression.operatorToken.getText() === '??')
    return isArgument(expression.left, names);
  if (ts.isIdentifier(expression)) return names.has(expression.text);
  const isField = ts.isPropertyAccessExpression(expression) || ts.isElementAccessExpression(expression);
  return isField && names.has(`${expression.expression.getText()}.`);
}

function conversionsIn(source: typescript.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: typescript.Node, names: ReadonlySet<string>): void => {
    const known = isFunctionNode(node) ? new Set([...names, ...argumentNames(node)]) : names;
    if (ts.isCallExpression(node) && CONVERSIONS.has(node.expression.getText())) {
      const [argument, ...more] = node.arguments;
      if (argument !== undefined && more.length === 0 && isArgument(argument, known))
        found.push(node.getText());
    }
    ts.forEachChild(node, (child) => {
      visit(child, known);
    });
  };
  visit(source, new Set());
  return found;
}

function parse(path: string, text: string): typescript.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

test('typed arguments - a conversion of a raw argument is seen, one of anything else is not', () => {
  const text = `
    const a = defineFunction({ run: (ctx, args) => pyStr(args.name) + truthy(args['force'] ?? null) });
    const b = defineFunction({ run: (ctx, { name, other }) => [1].map(() => isDict(name)) });
    function helper(ctx, args) { return pyCount(args.count) + pyStr(ctx.name) + truthy(found.get('x')); }
    const c = { parse: (ctx, args2) => pyStr(args2.x) };`;
  assert.deepEqual(conversionsIn(parse('sample.ts', text)), [
    'pyStr(args.name)',
    "truthy(args['force'] ?? null)",
    'isDict(name)',
    'pyCount(args.count)',
  ]);
});

test('typed arguments - functions of modules and runners do not convert what they are given, but where it is listed', () => {
  const found: Record<string, string[]> = {};
  for (const kind of ['modules', 'runners'])
    for (const path of filesBelow(join(PLUGINS, kind))) {
      const calls = conversionsIn(parse(path, readFileSync(path, 'utf8')));
      if (calls.length > 0) found[path.slice(PLUGINS.length + 1)] = calls;
    }
  const more = Object.entries(found).filter(([path, calls]) => calls.length > (LEFT[path] ?? 0));
  assert.deepEqual(
    more.map(([path, calls]) => `${path}: ${calls.join(', ')}`),
    [],
    'declare these parameters by their kind (param.text, param.flag … in runtime/loader/params.ts)',
  );
  const fewer = Object.keys(LEFT).filter((path) => (found[path]?.length ?? 0) < (LEFT[path] ?? 0));
  assert.deepEqual(fewer, [], 'fewer than listed: lower their numbers in LEFT');
});
