// Programs in layers: what every run needs in one small file, what usual runs need besides in further ones, and each
// other module for itself in the last, the pack, which all programs share. A command that lives for a twentieth of a
// second does not read, or have V8 look through, the four megabytes of functions that it will not call, and a daemon
// holds the text of those alone that it calls. bin/launch.cjs puts the layers together. Layers of one program hold each
// module once: what one has in common with an earlier one is taken from the earlier.
import { build } from 'esbuild';
import { relative } from 'node:path';
import { root } from './bundle.mjs';
import { exportsOf, importsOf, isLibrary, isStatic, usesOf, withLoads } from './module-graph.mjs';

/** What stands for a module of another layer: its exports, taken from there when this is evaluated. */
const ELSEWHERE = 'brine-layer';
/** Entries, which are no files, and what a program imports before all else. */
const ENTRY = 'brine-entry';
const REGISTRY = 'brine-registry';
/** How many units of the pack are put into one call of the bundler, which keeps all their texts. */
const UNITS_AT_ONCE = 400;

/**
 * @param settings of esbuild, for each layer
 * @param programs path of each program's entry, its own layers after the first (the modules that each is for), the
 *   names of the shared ones that follow, and whether it is a daemon, which holds the pack open
 * @param shared the modules that each shared layer is for, by its name
 * @returns `layers`, the text and map of each by the name of its file; `units`, those of each module of the pack by its
 *   number; and `names`, the path of each module
 */
export async function buildLayers(settings, programs, shared) {
  const graph = await importsOf(programs.map(({ entry }) => entry));
  const names = [...graph.keys()].sort();
  const modules = {
    graph,
    uses: usesOf(graph),
    exported: await exportsOf(names.filter((path) => !isLibrary(path))),
    numbers: new Map(names.map((path, number) => [path, number])),
  };
  const plans = programs.map((program) => ({ ...program, layers: ownLayers(graph, program) }));
  const common = shared.map(([name, roots]) => sharedLayer(graph, name, roots, plans));
  const jobs = [...plans.flatMap((plan) => layersOfProgram(plan, common)), ...common];
  const isEverybodys = (path) => plans.every(({ layers }) => layers.some((layer) => layer.has(path)));
  const packed = names.filter((path) => !isEverybodys(path));
  const layers = await Promise.all(jobs.map((job) => buildLayer(settings, job, modules)));
  return { layers: new Map(layers.flat()), units: await buildUnits(settings, packed, modules), names };
}

/** The modules of each layer that is the program's own. */
function ownLayers(graph, { entry, own }) {
  const layers = [closure(graph, [entry])];
  for (const some of own) layers.push(minus(closure(graph, some), ...layers));
  return layers;
}

function layersOfProgram({ entry, layers, shared, isDaemon = false }, common) {
  const name = entry.slice(entry.lastIndexOf('/') + 1, -3);
  const files = layers.map((_, at) => `${name}${at === 0 ? '' : `.${at}`}.cjs`);
  const later = [
    ...layers.slice(1).map((has, at) => [files[at + 1], has]),
    ...shared.map((each) => [`${each}.cjs`, common.find(({ file }) => file === `${each}.cjs`).has]),
  ];
  return layers.map((own, at) => ({
    file: files[at],
    own,
    has: own,
    ...(at === 0 ? { entry, later, isDaemon } : {}),
  }));
}

/** Modules that one of its users has in an earlier layer are looked up, so that they exist once. */
function sharedLayer(graph, name, roots, plans) {
  const users = plans.filter(({ shared }) => shared.includes(name));
  const isEarlier = (path) => (user) => user.layers.some((layer) => layer.has(path));
  const all = [...closure(graph, roots)];
  const has = new Set(all.filter((path) => !users.every(isEarlier(path))));
  const own = new Set([...has].filter((path) => !users.some(isEarlier(path))));
  return { file: `${name}.cjs`, has, own };
}

async function buildLayer(settings, job, modules) {
  const isFirst = job.entry !== undefined;
  const contents = isFirst
    ? `import ${JSON.stringify(REGISTRY)}; import ${JSON.stringify(`./${job.entry}`)};`
    : lazyEntry(job.has, modules);
  const { outputFiles } = await build({
    ...settings,
    format: 'cjs',
    write: false,
    entryPoints: undefined,
    stdin: { contents, resolveDir: root, sourcefile: `${ENTRY}.ts`, loader: 'ts' },
    plugins: [...settings.plugins, ...(isFirst ? [registry(job, modules)] : []), elsewhere(modules, job)],
  });
  return outputFiles.map(({ path, text }) => [path.endsWith('.map') ? `${job.file}.map` : job.file, text]);
}

function registry(job, modules) {
  return {
    name: REGISTRY,
    setup(plugged) {
      plugged.onResolve({ filter: new RegExp(`^${REGISTRY}$`) }, ({ path }) => ({
        path,
        namespace: REGISTRY,
      }));
      plugged.onLoad({ filter: /.*/, namespace: REGISTRY }, () => ({
        contents: registryText(job, modules),
        resolveDir: root,
        loader: 'js',
      }));
    },
  };
}

/** Evaluates all modules of the first layer and hands out what others import of them, before the program runs. */
function registryText({ entry, own, later, isDaemon }, modules) {
  const imports = [];
  const entries = [];
  for (const path of own) {
    const isAsked = (importer) => !own.has(importer) || importsOnDemand(modules.graph, importer, path);
    const names = namesUsed(modules, path, isAsked);
    if (path === entry || names === undefined) continue;
    const number = modules.numbers.get(path);
    const [line, values] = handedOut(path, names, `m${number}_`);
    imports.push(line);
    entries.push(`${number}: () => (${values})`);
  }
  const further = later.map(([file, has]) => [file, [...has].map((path) => modules.numbers.get(path))]);
  return [
    ...imports,
    `__brineModules({${entries.join(',\n')}}, ${JSON.stringify(further)}, ${isDaemon});`,
  ].join('\n');
}

/** Whoever does, looks it up, though both lie in one layer. */
function importsOnDemand(graph, importer, path) {
  return graph.get(importer).some((each) => each.path === path && !isStatic(each));
}

/** The statement that imports some names of a module, and the object that has them. */
function handedOut(path, names, prefix) {
  const from = JSON.stringify(`./${path}`);
  if (names === 'all') return [`import * as ${prefix} from ${from};`, prefix];
  const imported = names.map((name) => `${name} as ${prefix}${name}`);
  return [
    `import {${imported.join()}} from ${from};`,
    `{${names.map((name) => `${name}: ${prefix}${name}`).join()}}`,
  ];
}

/** Hands out its modules, and evaluates each when somebody asks for it. */
function lazyEntry(has, { numbers }) {
  const entries = [...has].map(
    (path) => `${numbers.get(path)}: () => require(${JSON.stringify(`./${path}`)})`,
  );
  return `__brineModules({${entries.join(',\n')}});`;
}

/** Each module for itself: it has what others import of it, and looks up all that it imports. */
async function buildUnits(settings, paths, modules) {
  const units = new Map();
  for (let at = 0; at < paths.length; at += UNITS_AT_ONCE) {
    const some = paths.slice(at, at + UNITS_AT_ONCE);
    const { outputFiles } = await build({
      ...settings,
      banner: {},
      format: 'cjs',
      write: false,
      entryPoints: some.map((path) => ({ in: `${ENTRY}:${path}`, out: String(modules.numbers.get(path)) })),
      plugins: [...settings.plugins, unitEntries(modules), elsewhere(modules)],
    });
    for (const { path, text } of outputFiles) {
      const number = Number(/(\d+)\.cjs(?:\.map)?$/.exec(path)[1]);
      units.set(number, { ...units.get(number), [path.endsWith('.map') ? 'map' : 'text']: text });
    }
  }
  return units;
}

function unitEntries(modules) {
  return {
    name: ENTRY,
    setup(plugged) {
      plugged.onResolve({ filter: new RegExp(`^${ENTRY}:`) }, ({ path }) => ({
        path: path.slice(ENTRY.length + 1),
        namespace: ENTRY,
      }));
      plugged.onLoad({ filter: /.*/, namespace: ENTRY }, ({ path }) => {
        const [line, values] = handedOut(path, namesUsed(modules, path, () => true) ?? [], 'm_');
        return { contents: `${line}\n__brineExports(${values});`, resolveDir: root, loader: 'js' };
      });
    },
  };
}

/**
 * Bundles the modules of one layer, and has all others looked up.
 * @param layer the modules that it `has`, and of those its `own`, which no other layer hands it; without it each module
 *   is for itself
 */
function elsewhere(modules, layer) {
  const { graph, numbers } = modules;
  return {
    name: ELSEWHERE,
    setup(plugged) {
      plugged.onResolve({ filter: /.*/ }, ({ path, importer, namespace, kind }) => {
        if (kind === 'entry-point' || namespace !== 'file') return undefined;
        const from = relative(root, importer);
        const target = graph.get(from)?.find(({ original }) => original === path)?.path;
        if (target === undefined || layer?.own.has(target) === true) return undefined;
        return { path: layer === undefined ? `${target}?${from}` : target, namespace: ELSEWHERE };
      });
      plugged.onLoad({ filter: /.*/, namespace: ELSEWHERE }, ({ path }) => {
        const [target, from] = path.split('?');
        const isImporter = (each) => (layer === undefined ? each === from : layer.has.has(each));
        return {
          contents: lookUp(numbers.get(target), namesUsed(modules, target, isImporter)),
          loader: 'js',
        };
      });
      plugged.onLoad({ filter: /\.ts$/, namespace: 'file' }, ({ path }) => {
        const imports = graph.get(relative(root, path)) ?? [];
        if (imports.every(isStatic)) return undefined;
        return { contents: withLoads(path, imports, numbers), loader: 'ts' };
      });
    },
  };
}

/** What stands for a module that another layer has. */
function lookUp(number, names) {
  if (names === 'all') throw new Error('a library is imported as a whole, or at once and on demand');
  if (names.length === 0) return `__brineModule(${number});`;
  const taken = names.map((name, at) => `${name}: e${at}`);
  const given = names.map((name, at) => `e${at} as ${name}`);
  return `const {${taken.join()}} = __brineModule(${number}); export {${given.join()}};`;
}

/**
 * @param isImporter who of those that import the module counts
 * @returns what they take of it; `all` of a library that is imported on demand; undefined when none of them imports it
 */
function namesUsed({ uses, exported }, path, isImporter) {
  const those = [...(uses.get(path) ?? [])]
    .filter(([importer]) => isImporter(importer))
    .map(([, names]) => names);
  if (those.length === 0) return undefined;
  return those.includes('all') ? (exported.get(path) ?? 'all') : [...new Set(those.flat())].sort();
}

function closure(graph, roots) {
  const found = new Set(roots);
  for (const path of found) {
    const imports = graph.get(path);
    if (imports === undefined) throw new Error(`there is no module ${path}`);
    for (const to of imports) if (isStatic(to)) found.add(to.path);
  }
  return found;
}

function minus(set, ...others) {
  return new Set([...set].filter((path) => !others.some((other) => other.has(path))));
}
