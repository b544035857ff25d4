// Programs in layers: what every run needs in one small file, what usual runs need besides in further ones, all else in
// the last. A command that lives for a twentieth of a second does not read, or have V8 look through, the four megabytes
// of functions that it will not call. bin/launch.cjs puts the layers together. Those of one program hold each module
// once; the later ones are shared by many programs, and a module that a shared layer has in common with an earlier one
// of the program is taken from the earlier.
import { build } from 'esbuild';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { externalPackages, root } from './bundle.mjs';

/** What stands for a module of another layer: its exports, taken from there when this is evaluated. */
const ELSEWHERE = 'brine-layer';
const REGISTRY = 'brine-registry';
/** The file that a layer begins with, which there is not. */
const ENTRY = 'brine-layer.ts';

/**
 * @param settings of esbuild, for each layer
 * @param programs path of each program's entry, its own layers after the first (the modules that each is for), and the
 *   names of the shared ones that follow
 * @param shared the modules that each shared layer is for; the last, which every program has, is for all others
 * @returns text of each layer, and of its map, by the name of its file
 */
export async function buildLayers(settings, programs, shared) {
  const graph = await importsOf(programs.map(({ entry }) => entry));
  const exported = await exportsOf([...graph.keys()].filter((path) => path.endsWith('.ts')));
  const plans = programs.map((program) => ({ ...program, layers: ownLayers(graph, program) }));
  const jobs = plans.flatMap((plan) => layersOfProgram(plan));
  for (const [name, roots] of shared) {
    const users = plans.filter((plan) => plan.shared.includes(name));
    jobs.push(sharedLayer(graph, name, roots, users));
    for (const { layers } of users) layers.push(jobs.at(-1).has);
  }
  const texts = await Promise.all(jobs.map((job) => buildLayer(settings, job, exported)));
  return new Map(texts.flat());
}

/** The modules of each layer that is the program's own. */
function ownLayers(graph, { entry, own }) {
  const layers = [closure(graph, [entry], isStatic)];
  for (const some of own) layers.push(minus(closure(graph, some, isStatic), ...layers));
  return layers;
}

function layersOfProgram({ entry, layers, shared }) {
  const name = entry.slice(entry.lastIndexOf('/') + 1, -3);
  const files = layers.map((_, at) => `${name}${at === 0 ? '' : `.${at}`}.cjs`);
  const further = [...files.slice(1), ...shared.map((each) => `${each}.cjs`)];
  return [...layers].map((has, at) => {
    const first = `import ${JSON.stringify(REGISTRY)};\nimport ${JSON.stringify(`./${entry}`)};`;
    const contents = at === 0 ? first : lazyEntry(has);
    return { file: files[at], contents, has, own: has, entry, further };
  });
}

/** Modules that one of its users has in an earlier layer are looked up, so that they exist once. */
function sharedLayer(graph, name, roots, users) {
  const all =
    roots === undefined
      ? closure(
          graph,
          users.map(({ entry }) => entry),
          () => true,
        )
      : closure(graph, roots, isStatic);
  const isEarlier = (path) => (user) => user.layers.some((layer) => layer.has(path));
  const has = new Set([...all].filter((path) => !users.every(isEarlier(path))));
  const own = new Set([...has].filter((path) => !users.some(isEarlier(path))));
  return { file: `${name}.cjs`, contents: lazyEntry(has), has, own };
}

async function buildLayer(settings, job, exported) {
  const { outputFiles } = await build({
    ...settings,
    format: 'cjs',
    write: false,
    entryPoints: undefined,
    stdin: { contents: job.contents, resolveDir: root, sourcefile: ENTRY, loader: 'ts' },
    plugins: [...settings.plugins, elsewhere(job, exported)],
  });
  return outputFiles.map(({ path, text }) => [path.endsWith('.map') ? `${job.file}.map` : job.file, text]);
}

/** Bundles the modules of one layer, and has all others looked up. */
function elsewhere({ own, entry, further }, exported) {
  return {
    name: ELSEWHERE,
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${REGISTRY}$`) }, ({ path }) => ({ path, namespace: REGISTRY }));
      build.onLoad({ filter: /.*/, namespace: REGISTRY }, () => ({
        contents: registryText(own, entry, further),
        resolveDir: root,
        loader: 'ts',
      }));
      build.onResolve({ filter: /^\./ }, ({ path, importer, resolveDir, kind }) => {
        if (importer.includes('/node_modules/') || importer.endsWith(ENTRY)) return undefined;
        const target = relative(root, join(resolveDir || dirname(importer), path));
        const isOwn = own.has(target);
        // a module that is imported on demand here would have all that it imports evaluated on demand, and the whole
        // layer with it
        const isPlain = kind !== 'dynamic-import' && isOwn;
        return isPlain || !target.endsWith('.ts') ? undefined : { path: target, namespace: ELSEWHERE };
      });
      build.onLoad({ filter: /.*/, namespace: ELSEWHERE }, ({ path }) => {
        const names = exported.get(path);
        if (names === undefined) throw new Error(`${path} is in no layer`);
        const lines = names.map(
          (name, at) => `const e${at} = module_[${JSON.stringify(name)}]; export { e${at} as ${name} };`,
        );
        return {
          contents: `const module_ = __brineModule(${JSON.stringify(path)});${lines.join('\n')}`,
          loader: 'js',
        };
      });
    },
  };
}

/** Evaluates all its modules and hands them out, with the names of the further layers, before the program runs. */
function registryText(modules, entry, further) {
  const list = [...modules].filter((path) => path.endsWith('.ts') && path !== entry);
  const imports = list.map((path, at) => `import * as m${at} from ${JSON.stringify(`./${path}`)};`);
  const entries = list.map((path, at) => `${JSON.stringify(path)}: () => m${at}`);
  return `${imports.join('\n')}\n__brineModules({${entries.join(',\n')}}, ${JSON.stringify(further)});`;
}

/** Hands out its modules, and evaluates each when somebody asks for it. */
function lazyEntry(modules) {
  const entries = [...modules]
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${JSON.stringify(path)}: () => require(${JSON.stringify(`./${path}`)})`);
  return `__brineModules({${entries.join(',\n')}});`;
}

/** Every module of some programs, with what it imports. */
async function importsOf(entryPoints) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: 'nowhere',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    write: false,
    metafile: true,
    external: externalPackages,
    logLevel: 'error',
  });
  return new Map(
    Object.entries(metafile.inputs).map(([path, { imports }]) => [
      path,
      imports.filter(({ external }) => !external),
    ]),
  );
}

/** The names that each module exports. */
async function exportsOf(paths) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: paths,
    outdir: 'nowhere',
    outbase: '.',
    format: 'esm',
    target: 'node20',
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  const names = new Map();
  for (const { entryPoint, exports } of Object.values(metafile.outputs)) names.set(entryPoint, exports);
  for (const path of paths)
    if (/^export \*/m.test(readFileSync(join(root, path), 'utf8')))
      throw new Error(`${path} exports all of another module: programs in layers need names`);
  return names;
}

function closure(graph, roots, follows) {
  const found = new Set(roots);
  for (const path of found) {
    const imports = graph.get(path);
    if (imports === undefined) throw new Error(`there is no module ${path}`);
    for (const to of imports) if (follows(to)) found.add(to.path);
  }
  return found;
}

function isStatic({ kind }) {
  return kind !== 'dynamic-import';
}

function minus(set, ...others) {
  return new Set([...set].filter((path) => !others.some((other) => other.has(path))));
}
