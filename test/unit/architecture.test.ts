/** Keeps ARCHITECTURE.md and the house rules true. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { test } from 'node:test';
import {
  entriesOfTheMap,
  folderOf,
  joinedSubjects,
  SUBJECTS_OF_SUBJECTS,
} from '../../scripts/import-map.mjs';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const SRC = join(ROOT, 'src');

interface SourceFile {
  /** Below `src`, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The entry of the map that it belongs to: `host`, `formats/yaml`; a file at the top is its own. */
  readonly folder: string;
  /** The files it imports, below `src`. */
  readonly imports: readonly string[];
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : /\.tsx?$/.test(path) ? [path] : [];
  });
}

const sources: SourceFile[] = filesBelow(SRC).map((file) => {
  const path = relative(SRC, file);
  const text = readFileSync(file, 'utf8');
  const targets = [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) => match[1] as string);
  const imports = targets.map((target) => normalize(join(dirname(path), target)));
  return { path, text, folder: folderOf(path), imports };
});

/** What each folder imports of other folders, by the files themselves. */
function importsByFolder(nameOf: (path: string) => string): Map<string, Set<string>> {
  const out = new Map<string, Set<string>>();
  for (const { path, imports } of sources) {
    const folder = nameOf(path);
    const others = out.get(folder) ?? new Set();
    for (const target of imports.map(nameOf)) if (target !== folder) others.add(target);
    out.set(folder, others);
  }
  return out;
}

/** The names that a text imports in braces, wherever from. */
function importedNames(text: string): string[] {
  return [...text.matchAll(/(?:import|export) (?:type )?\{([^}]*)\} from/g)].flatMap(([, list = '']) =>
    list.split(',').map((name) => name.replace(/^\s*(?:type )?/, '').split(/\s/)[0] ?? ''),
  );
}

/** Circles of a graph, each as a chain that ends where it began. */
function circles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (name: string, chain: readonly string[]): void => {
    const at = chain.indexOf(name);
    if (at >= 0) found.push([...chain.slice(at), name].join(' -> '));
    if (at >= 0 || done.has(name)) return;
    for (const target of graph.get(name) ?? []) visit(target, [...chain, name]);
    done.add(name);
  };
  for (const name of graph.keys()) visit(name, []);
  return found;
}

const violations = (pattern: RegExp, exempt: (path: string) => boolean): string[] =>
  sources.filter(({ path, text }) => !exempt(path) && pattern.test(text)).map(({ path }) => path);

test('architecture - the map says what each folder imports, no more and no less', () => {
  const real = [...importsByFolder(folderOf)].filter(([folder]) => !folder.endsWith('.ts'));
  const sorted = (rows: Iterable<readonly [string, Iterable<string>]>): [string, string[]][] =>
    [...rows].map(([folder, imports]): [string, string[]] => [folder, [...imports].sort()]).sort();
  assert.deepEqual(sorted(entriesOfTheMap()), sorted(real));
});

test('architecture - there is no circle between folders, nor between groups of them', () => {
  assert.deepEqual(circles(importsByFolder(folderOf)), []);
  assert.deepEqual(circles(importsByFolder((path) => path.split('/')[0] as string)), []);
  // subjects of plug-ins have a rule of their own
  const level = (path: string): string =>
    path.startsWith('plugins/') ? folderOf(path) : dirname(path).split('/').slice(0, 2).join('/');
  assert.deepEqual(circles(importsByFolder(level)), []);
});

test('architecture - a subject of plug-ins imports itself and what all share, others are called by name', () => {
  const others = new Map<string, Set<string>>();
  for (const { path, imports } of sources)
    for (const target of imports) {
      const [from, to] = joinedSubjects(path, target) ?? [];
      if (from !== undefined && to !== undefined) others.set(from, (others.get(from) ?? new Set()).add(to));
    }
  assert.deepEqual(
    [...others].map(([from, to]) => [from, [...to].sort()]).sort(),
    [...SUBJECTS_OF_SUBJECTS].map(([from, to]) => [from, to]),
  );
});

test('architecture - files import in one direction, types as well', () => {
  assert.deepEqual(circles(importsByFolder((path) => path)), []);
});

test('architecture - what is exported is imported somewhere', () => {
  const tested = ['test', 'bench', 'scripts'].flatMap((folder) => filesBelow(join(ROOT, folder)));
  const texts = [...sources.map(({ text }) => text), ...tested.map((path) => readFileSync(path, 'utf8'))];
  const imported = new Set(texts.flatMap(importedNames));
  // whole modules, and those that are loaded when needed: whoever names it there uses it
  const loose = new Set(
    texts
      .filter((text) => /import \* as|import\(/.test(text))
      .flatMap((text) => text.match(/\b\w+\b/g) ?? []),
  );
  const unused = sources
    // what custom modules import
    .filter(({ path }) => path !== 'runtime/extensions/api.ts' && !path.endsWith('.d.ts'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:abstract |async )*(?:function\*?|const|class) (\w+)/gm)]
        .filter(([, name = '']) => !imported.has(name) && !loose.has(name))
        .map(([, name]) => `${path}: ${name}`),
    );
  assert.deepEqual(unused, []);
});

test('architecture - the files that the document names exist', () => {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const named = [...text.matchAll(/`((?:src|scripts|test|bin)\/[\w./-]+)`/g)].map(
    (match) => match[1] as string,
  );
  assert.ok(named.length > 15);
  assert.deepEqual(
    named.filter((path) => !existsSync(join(ROOT, path))),
    [],
  );
});

test('house rules - time and randomness come from their one place', () => {
  const clock = (path: string): boolean => path === 'host/clock.ts' || path === 'console/model/clock.ts';
  assert.deepEqual(violations(/\b(Date\.now|performance\.now|setTimeout|setInterval)\s*\(/, clock), []);
  assert.deepEqual(
    violations(/\bMath\.random\s*\(/, () => false),
    [],
  );
});

test('house rules - nothing becomes HTML or an address in the browser but what the console itself has written', () => {
  const pattern =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySet|\beval\(|new Function|\bhref=\{(?!linkTo\()/;
  assert.deepEqual(
    violations(pattern, (path) => !path.startsWith('console/')),
    [],
  );
});

test('house rules - processes are started in known places only', () => {
  const known = [
    'host/process.ts',
    'host/process-streams.ts',
    'programs/daemon/supervisor.ts',
    'host/piped-process.ts',
    'host/log-network.ts',
    'programs/minion/worker-process.ts',
    'programs/minion/upgrade/new-minion.ts',
    'programs/daemon/daemonize.ts',
    'plugins/grains/core/node-host.ts',
    'config/host-names.ts',
    'cli/call/caller-grains.ts',
    'runtime/extensions/host-process.ts',
    'runtime/python-host/python-process.ts',
  ];
  assert.deepEqual(
    violations(/from 'node:child_process'/, (path) => known.includes(path)),
    [],
  );
});

test('house rules - no default exports, no any, no enum, no console', () => {
  assert.deepEqual(
    violations(/^export default/m, () => false),
    [],
  );
  assert.deepEqual(
    violations(/\bas any\b|: any\b|<any>/, () => false),
    [],
  );
  assert.deepEqual(
    violations(/^(export )?(const )?enum /m, () => false),
    [],
  );
  assert.deepEqual(
    violations(/\bconsole\.\w+\(/, () => false),
    [],
  );
});

test('house rules - no file of tests waits outside of a test, which would make its tests parts of one of another file', () => {
  // such tests run, and nobody is told of them
  const waiting = ['unit', 'support'].flatMap((folder) =>
    filesBelow(join(ROOT, 'test', folder)).filter((path) =>
      /^(?:(?:export )?(?:const|let) [^\n]*[=(] *)?(?:\(|for )?await /m.test(readFileSync(path, 'utf8')),
    ),
  );
  assert.deepEqual(waiting, []);
});

test('house rules - no file of unit tests has suites, which would take in the tests of the files behind it', () => {
  // without asynchronous hooks (scripts/plain-promises.cjs) Node does not see where a suite ends
  const suites = filesBelow(join(ROOT, 'test/unit')).filter((path) =>
    /^import [^;]*\b(?:describe|suite|it)\b[^;]* from 'node:test'/m.test(readFileSync(path, 'utf8')),
  );
  assert.deepEqual(suites, []);
});

test('house rules - a type that several folders or subjects use has its name alone', () => {
  // what an API's schema calls its objects is generated, and what custom modules import is told a second time
  const named = sources.filter(({ path }) => !path.startsWith('api-client/') && !path.endsWith('.d.ts'));
  const homeOf = (path: string): string => /^plugins\/[^/]+/.exec(path)?.[0] ?? dirname(path);
  const users = new Map<string, Set<string>>();
  for (const { path, text } of named)
    for (const [, list = '', from = ''] of text.matchAll(/import (?:type )?\{([^}]*)\} from '(\.[^']+)'/g))
      for (const name of list.split(',').map(
        (one) =>
          one
            .trim()
            .replace(/^type /, '')
            .split(' ')[0] ?? '',
      )) {
        const key = `${normalize(join(dirname(path), from))} ${name}`;
        users.set(key, (users.get(key) ?? new Set()).add(homeOf(path)));
      }
  const places = new Map<string, string[]>();
  for (const { path, text } of named)
    for (const [, name = ''] of text.matchAll(/^export (?:abstract )?(?:interface|type|class) (\w+)/gm))
      if ([...(users.get(`${path} ${name}`) ?? [])].some((home) => home !== homeOf(path)))
        places.set(name, [...(places.get(name) ?? []), path]);
  assert.deepEqual(
    [...places].filter(([, paths]) => paths.length > 1),
    [],
  );
});

test('house rules - files have one subject, a comment that says which, and a bearable length', () => {
  const vague = sources.filter(({ path }) => /(^|\/)(utils?|helpers?|misc|common)\.tsx?$/.test(path));
  assert.deepEqual(
    vague.map(({ path }) => path),
    [],
  );
  const long = sources.filter(
    ({ path, text }) =>
      text.split('\n').length > 600 &&
      !/-options\.ts$|\.generated\.ts$/.test(path) &&
      path !== 'api-client/operations.ts',
  );
  assert.deepEqual(
    long.map(({ path }) => path),
    [],
  );
  const silent = sources.filter(
    ({ path, text }) => !path.startsWith('bin/') && !/^(?:import [^;]+;\s*)*\/\*\*/.test(text),
  );
  assert.deepEqual(
    silent.map(({ path }) => path),
    [],
  );
});

test('house rules - what something is given to work with is called its Deps', () => {
  const consistsOfParts = ['plugins/shared/source-url.ts'];
  assert.deepEqual(
    violations(/\binterface \w*Parts\b/, (path) => consistsOfParts.includes(path)),
    [],
  );
});

test('dependencies - every package has its line', () => {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>;
  const text = readFileSync(join(ROOT, 'docs', 'dependencies.md'), 'utf8');
  const names = [...Object.keys(dependencies), ...Object.keys(devDependencies)];
  assert.deepEqual(
    names.filter((name) => !text.includes(`\`${name}\``)),
    [],
  );
});
