/**
 * Keeps arguments typed: a function's parameters say what they are, and its body does not convert what it was given.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { MODULE_TABLE } from '../../../src/plugins/registry/module/table.generated.ts';
import { STATE_TABLE } from '../../../src/plugins/registry/state/table.generated.ts';
import { kindOf } from '../../../scripts/import-map.mjs';
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

/** What converts an argument in its body after all, by file: how often, and why it has to. */
const EXCEPTIONS: Readonly<Record<string, { readonly count: number; readonly why: string }>> = {
  'archive/module.ts': { count: 1, why: 'a cwd that is no text is refused by zip, and a folder for tar' },
  'data/module.ts': { count: 1, why: 'a key of the store may be any value; a list is several keys' },
  'docker/module/functions/networks.ts': {
    count: 1,
    why: "options of a driver that are no mapping are refused in docker-py's words",
  },
  'event/module.ts': {
    count: 1,
    why: 'data that is no mapping is left aside, after what the other arguments add',
  },
  'file/state/missing-parents.ts': {
    count: 1,
    why: 'it stands before states of several signatures, which then read their own arguments',
  },
  'grains/module.ts': { count: 7, why: 'a grain holds any value, and sentences show it' },
  'hg/module.ts': { count: 3, why: 'one repository or several: the answer has another shape' },
  'match/module.ts': { count: 2, why: 'what is no mapping is refused, but only after a match' },
  'network/module.ts': { count: 1, why: 'an address may be a number, unless it has a netmask' },
  'partition/module.ts': { count: 3, why: 'numbers are checked before, in the words of Salt' },
  'pillar/module.ts': { count: 5, why: 'keys and defaults may be any value, and sentences show them' },
  'pkg/pkg-resource.module.ts': { count: 1, why: 'what is false is given back as it was given' },
  'pip/module/install.ts': {
    count: 5,
    why: 'packages and files are one text or a list, handed on as they were given',
  },
  'rabbitmq/module.ts': { count: 1, why: 'one tag or a list, each an operand as it was given' },
  'rabbitmq/module/policies.ts': {
    count: 2,
    why: 'a definition is a mapping or a text; what is false is left out, and anything else handed on as it was given',
  },
  'ssh/module/key-files.ts': { count: 1, why: 'one user or a list of them' },
  'ssh/module.ts': { count: 1, why: 'one user or a list: the answer has another shape' },
  'x509/module/create.ts': {
    count: 8,
    why: 'keys and certificates are text, bytes or a list of them; what is false is left to the policy',
  },
  'x509/module/issue.ts': { count: 3, why: 'as above; days are a number of any kind' },
  'user/module.ts': { count: 3, why: "one text or a list, looked into as Python's `in` looks into each" },
  'event/runner.ts': {
    count: 1,
    why: "what is no mapping is refused in Python's words, with the value in them",
  },
  'jobs/runner.ts': { count: 4, why: 'metadata that is no mapping is said, and matches no job' },
  'salt/runner.ts': { count: 1, why: 'the target is that of the job, as it was given' },
  'state/runner/orchestrate.ts': { count: 1, why: 'handed to the states as it was given' },
  'config/wheel.ts': { count: 1, why: 'what is no mapping is refused' },
  'aliases/state.ts': { count: 1, why: 'one address or a list, shown in the comment as it was given' },
  'x509/state/certificate.ts': {
    count: 5,
    why: 'as the functions of x509, which get them as they were given',
  },
  'x509/state.ts': { count: 3, why: 'the same' },
  'git/state/detached.ts': {
    count: 2,
    why: 'a target that is no absolute path is refused with what was given',
  },
  'git/state/latest.ts': {
    count: 3,
    why: 'a target that is no absolute path is refused with what was given',
  },
  'git/state/other-checkouts.ts': { count: 1, why: 'the same' },
  'alternatives/state.ts': { count: 4, why: 'name, path and priority are in the result as they were given' },
  'cron/state.ts': {
    count: 2,
    why: 'the name of a variable that is no text: in the result as it was given, or as text',
  },
  'docker/volume.state.ts': {
    count: 4,
    why: 'name and driver are compared with those there as they were given',
  },
  'debconf/state.ts': {
    count: 3,
    why: "what is no mapping is refused in Salt's words; a source is looked for as it was given",
  },
  'environ/state.ts': { count: 2, why: 'the value is a text, False or a mapping, and refused otherwise' },
  'file/state/accumulators.ts': { count: 1, why: 'any value is gathered; a list is several' },
  'file/state/keyvalue.ts': { count: 2, why: "what is no mapping is refused in Salt's words" },
  'file/state/managed-plan.ts': {
    count: 4,
    why: "what is no mapping is refused in Salt's words, in Salt's order",
  },
  'file/state/template-texts.ts': { count: 1, why: 'whether it was given at all is asked before' },
  'locale/state.ts': { count: 2, why: 'the locale is in the changes as it was given' },
  'pip/state/installed.ts': {
    count: 7,
    why: 'packages that are no list are refused, what is false is handed on, and comments show files as they were given',
  },
  'pkg/state/downloaded.ts': { count: 3, why: 'packages that are no list are refused later' },
  'pkg/state/held.ts': { count: 2, why: 'packages that are no list are refused later' },
  'pkg/state/installed.ts': { count: 1, why: 'packages that are no list are refused later' },
  'pkg/state/latest.ts': { count: 2, why: 'packages that are no list are refused later' },
  'pkg/state/uptodate.ts': { count: 1, why: 'packages are handed on as they were given' },
  'rabbitmq/policy.state.ts': {
    count: 2,
    why: 'the virtual host is in comments, and looked up as it was given',
  },
  'salt/state/function.ts': {
    count: 2,
    why: 'target and arguments are those of the job, as they were given',
  },
  'salt/state/state.ts': {
    count: 4,
    why: 'pillar, expectation and test are those of the job, as they were given',
  },
  'sysctl/state.ts': { count: 1, why: 'the value is in the changes as it was given' },
  'virtualenv/state.ts': {
    count: 6,
    why: 'clear is handed on as it was given, since only True empties an environment; comments show files as they were given',
  },
  'webutil/state.ts': { count: 1, why: 'the file is handed on as it was given' },
  'test/state.ts': { count: 1, why: 'the comment may be any value' },
  'nfs/export.state.ts': { count: 2, why: 'what is false counts as not given' },
  'openstack-config/state.ts': { count: 2, why: 'a value that is no text is compared as it is printed' },
};

/** Kinds that take no arguments of people. */
const WITHOUT_ARGUMENTS: ReadonlySet<string> = new Set(['auth', 'cache', 'grains', 'returner']);

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

/** Bodies of what is described, with the place of their arguments: `run: (ctx, args) => …`, `look: (options) => …`. */
const BODIES: ReadonlyMap<string, number> = new Map([
  ['run', 1],
  ['start', 1],
  ['look', 0],
]);

/** The parameter by which a described body gets its arguments. */
function argumentsOf(node: FunctionNode): typescript.BindingName | undefined {
  const named = ts.isMethodDeclaration(node) ? node : node.parent;
  const isNamed = ts.isMethodDeclaration(named) || ts.isPropertyAssignment(named);
  const place = isNamed ? BODIES.get(named.name.getText()) : undefined;
  return place === undefined ? undefined : node.parameters[place]?.name;
}

/** The names that a pattern `{ a, b: c }` of arguments binds; of another name the whole bag. */
function boundNames(name: typescript.BindingName): string[] {
  if (ts.isIdentifier(name)) return [`${name.text}.`];
  return ts.isObjectBindingPattern(name) ? name.elements.map((element) => element.name.getText()) : [];
}

/**
 * What holds arguments in a function: names of whole bags (`args.`), and of single arguments that were taken out of
 * one.
 */
function argumentNames(node: FunctionNode): string[] {
  const bags = node.parameters.filter(({ name }) => name.getText() === 'args').map(() => 'args.');
  const name = argumentsOf(node);
  return name === undefined ? bags : [...bags, ...boundNames(name)];
}

/**
 * What a declaration takes out of the arguments: `const { a } = args`, `const a = args.b ?? null`, `const all = args`.
 */
function takenOut(
  { name, initializer }: typescript.VariableDeclaration,
  names: ReadonlySet<string>,
): string[] {
  if (initializer === undefined) return [];
  if (names.has(`${initializer.getText()}.`)) return boundNames(name);
  return ts.isIdentifier(name) && isArgument(initializer, names) ? [name.text] : [];
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
  const visit = (node: typescript.Node, names: Set<string>): void => {
    const isScope = isFunctionNode(node) || ts.isBlock(node);
    const known = isScope ? new Set([...names, ...(isFunctionNode(node) ? argumentNames(node) : [])]) : names;
    if (ts.isVariableDeclaration(node)) for (const name of takenOut(node, names)) known.add(name);
    if (ts.isCallExpression(node) && CONVERSIONS.has(node.expression.getText())) {
      const [argument, ...more] = node.arguments;
      if (argument !== undefined && more.length === 0 && isArgument(argument, known))
        found.push(node.getText());
    }
    ts.forEachChild(node, (child) => {
      visit(child, known);
    });
  };
  visit(source, new Set<string>());
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
    const c = { parse: (ctx, args2) => pyStr(args2.x) };
    const d = defineFunction({ run(ctx, args) { const { tgt } = args; const own = args.user ?? null; const n = args.n + 1;
      return truthy(tgt) && pyStr(own) && pyStr(n); } });
    function elsewhere(ctx, tgt) { return truthy(tgt); }
    const e = defineBeacon({ start: (ctx) => ({ look: ({ files }) => isDict(files) && isDict(ctx) }) });`;
  assert.deepEqual(conversionsIn(parse('sample.ts', text)), [
    'pyStr(args.name)',
    "truthy(args['force'] ?? null)",
    'isDict(name)',
    'pyCount(args.count)',
    'truthy(tgt)',
    'pyStr(own)',
    'isDict(files)',
  ]);
});

test('typed arguments - functions and states do not convert what they are given, but for named exceptions', () => {
  const found: Record<string, string[]> = {};
  for (const path of filesBelow(PLUGINS)) {
    const name = path.slice(PLUGINS.length + 1);
    if (WITHOUT_ARGUMENTS.has(kindOf(name) ?? '')) continue;
    const calls = conversionsIn(parse(path, readFileSync(path, 'utf8')));
    if (calls.length > 0) found[name] = calls;
  }
  const more = Object.entries(found).filter(([path, calls]) => calls.length > (EXCEPTIONS[path]?.count ?? 0));
  assert.deepEqual(
    more.map(([path, calls]) => `${path}: ${calls.join(', ')}`),
    [],
    'declare these parameters by their kind (param.text, param.flag … in runtime/loader/params.ts)',
  );
  const fewer = Object.entries(EXCEPTIONS).filter(([path, { count }]) => (found[path]?.length ?? 0) < count);
  assert.deepEqual(fewer, [], 'fewer than listed: lower their numbers in EXCEPTIONS');
});

test('typed arguments - every parameter of every function of modules and states has a reader', async () => {
  const without: string[] = [];
  for (const entry of [...MODULE_TABLE, ...STATE_TABLE]) {
    const { name, functions } = await entry.load();
    for (const [fun, { params = {} }] of Object.entries(functions))
      for (const [key, { read }] of Object.entries(params))
        if (read === undefined) without.push(`${name}.${fun}: ${key}`);
  }
  assert.deepEqual(
    without,
    [],
    'declare these parameters by their kind; what is only handed on is param.value',
  );
});
