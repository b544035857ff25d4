// Which module of the source imports which, and what of it: esbuild tells the first, the texts the second.
import { build } from 'esbuild';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { externalPackages, root } from './bundle.mjs';

const QUIET = {
  absWorkingDir: root,
  outdir: 'nowhere',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  write: false,
  metafile: true,
  logLevel: 'error',
};
/** An import or export of another module, as prettier writes it: the type's own are left out by the compiler, too. */
const FROM = /^(?:import|export) (?!type )([^'"`;]*?) from '([^']+)';$/gm;
const DYNAMIC = /\bimport\((\s*)('[^']+')(\s*)\)/g;

/**
 * Every module of some programs, with what it imports. A library is one module, whatever it has inside.
 * @returns by path: the imports, each with its `path`, its `kind` and the text (`original`) that names it
 */
export async function importsOf(entryPoints) {
  const { metafile } = await build({
    ...QUIET,
    entryPoints,
    bundle: true,
    splitting: true,
    external: externalPackages,
  });
  const graph = new Map(entryPoints.map((path) => [path, undefined]));
  for (const path of graph.keys()) {
    const inside = isLibrary(path) ? [] : metafile.inputs[path].imports.filter(({ external }) => !external);
    graph.set(path, inside);
    for (const { path: to } of inside) if (!graph.has(to)) graph.set(to, undefined);
  }
  return graph;
}

/**
 * What modules take from others.
 * @returns by path of the module: by path of who imports it, the names; `all` where it is imported on demand or as a whole
 */
export function usesOf(graph) {
  const uses = new Map();
  const add = (target, importer, names) => {
    const of = uses.get(target) ?? new Map();
    uses.set(target, of);
    const before = of.get(importer) ?? [];
    of.set(importer, names === 'all' || before === 'all' ? 'all' : [...before, ...names]);
  };
  for (const [importer, imports] of graph) {
    for (const { path, kind } of imports) add(path, importer, isStatic({ kind }) ? [] : 'all');
    if (isLibrary(importer)) continue;
    const targets = new Map(imports.map(({ original, path }) => [original, path]));
    for (const [, clause, from] of readFileSync(join(root, importer), 'utf8').matchAll(FROM))
      if (targets.has(from)) add(targets.get(from), importer, namesIn(clause, importer));
  }
  return uses;
}

/** The names that a clause `{ a, b as c, type D }` takes. */
function namesIn(clause, path) {
  if (clause === '*') throw new Error(`${path} exports all of another module: programs in layers need names`);
  if (clause.startsWith('* as ')) return 'all';
  const names = /^\{([^}]*)\}$/s
    .exec(clause)?.[1]
    .split(',')
    .map((name) => name.trim());
  if (names === undefined) throw new Error(`${path} imports ${clause}: programs in layers need names`);
  return names
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.split(' as ')[0]);
}

/** The names that each of some modules exports. */
export async function exportsOf(paths) {
  const { metafile } = await build({ ...QUIET, entryPoints: paths, outbase: '.' });
  return new Map(Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]));
}

/** A text in which every import on demand of one of our modules asks `__load` for its number; each place stays. */
export function withLoads(path, imports, numbers) {
  const targets = new Map(
    imports.filter((each) => !isStatic(each)).map((each) => [`'${each.original}'`, each.path]),
  );
  const missing = new Set(targets.keys());
  const text = readFileSync(path, 'utf8').replaceAll(DYNAMIC, (asked, before, from, behind) => {
    if (!targets.has(from)) return asked;
    missing.delete(from);
    return `__load(${before}${String(numbers.get(targets.get(from))).padEnd(from.length)}${behind})`;
  });
  if (missing.size > 0) throw new Error(`${path}: no import of ${[...missing].join(', ')} was found`);
  return text;
}

export function isStatic({ kind }) {
  return kind !== 'dynamic-import';
}

export function isLibrary(path) {
  return path.startsWith('node_modules/');
}
