/** Keeps ARCHITECTURE.md and the house rules true. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { test } from 'node:test';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const SRC = join(ROOT, 'src');

interface SourceFile {
  /** Below `src`, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly folder: string;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : path.endsWith('.ts') ? [path] : [];
  });
}

const sources: SourceFile[] = filesBelow(SRC).map((file) => {
  const path = relative(SRC, file);
  return {
    path,
    text: readFileSync(file, 'utf8'),
    folder: path.includes('/') ? (path.split('/')[0] as string) : path,
  };
});

/** The rows of the map: folder to what it may import. */
function allowedImports(): Map<string, Set<string>> {
  const out = new Map<string, Set<string>>();
  for (const line of readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8').split('\n')) {
    const row = /^\| `(\w+)`\s*\|[^|]*\|([^|]*)\|/.exec(line);
    if (row !== null)
      out.set(row[1] as string, new Set((row[2] as string).split(/\s+/).filter((word) => word !== '')));
  }
  return out;
}

/** The folders (or files at the top) a file imports from. */
function importsOf(file: SourceFile): string[] {
  const targets = [...file.text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(
    (match) => match[1] as string,
  );
  return targets.map((target) => normalize(join(dirname(file.path), target)).split('/')[0] as string);
}

const violations = (pattern: RegExp, exempt: (path: string) => boolean): string[] =>
  sources.filter(({ path, text }) => !exempt(path) && pattern.test(text)).map(({ path }) => path);

test('architecture - every folder has a row in the map, and every row a folder', () => {
  const rows = allowedImports();
  const folders = new Set(sources.map(({ folder }) => folder).filter((folder) => !folder.endsWith('.ts')));
  assert.deepEqual(
    [...folders].filter((folder) => !rows.has(folder)),
    [],
  );
  assert.deepEqual(
    [...rows.keys()].filter((row) => !existsSync(join(SRC, row)) && row !== 'runners' && row !== 'swarm'),
    [],
  );
});

test('architecture - no folder imports what its row does not name', () => {
  const rows = allowedImports();
  const wrong = sources.flatMap((file) =>
    importsOf(file)
      .filter(
        (target) =>
          target !== file.folder && !file.folder.endsWith('.ts') && !rows.get(file.folder)?.has(target),
      )
      .map((target) => `${file.path} imports ${target}`),
  );
  assert.deepEqual(wrong, []);
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
  const clock = (path: string): boolean => path === 'host/clock.ts';
  assert.deepEqual(violations(/\b(Date\.now|performance\.now|setTimeout|setInterval)\s*\(/, clock), []);
  assert.deepEqual(
    violations(/\bMath\.random\s*\(/, () => false),
    [],
  );
});

test('house rules - processes are started in known places only', () => {
  const known = [
    'host/process.ts',
    'host/process-streams.ts',
    'master/supervisor.ts',
    'minion/worker-pool.ts',
    'daemon/daemonize.ts',
    'grains/node-host.ts',
    'config/host-names.ts',
    'cli/call/caller-grains.ts',
    'extensions/host-process.ts',
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

test('house rules - files have one subject, a comment that says which, and a bearable length', () => {
  const vague = sources.filter(({ path }) => /(^|\/)(utils?|helpers?|misc|common)\.ts$/.test(path));
  assert.deepEqual(
    vague.map(({ path }) => path),
    [],
  );
  const long = sources.filter(
    ({ path, text }) => text.split('\n').length > 600 && !/-options\.ts$/.test(path),
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
