// Builds `dist/` (or the folder named by BRINE_DIST): one CommonJS bundle for each program, because one file starts
// fastest, and parts for the program of which a master runs many at once.
import { build, transform } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { buildConsole } from './build-console.mjs';
import { COMMANDS, writeCodeCaches } from './code-caches.mjs';
import { externalPackages, filesBelow, root } from './bundle.mjs';
import { buildLayers } from './layers.mjs';
import { deferred, writePack } from './pack.mjs';

const REQUESTER = 'src/network/transport/zmtp/requester.ts';
const OUTPUTTERS = ['src/plugins/outputters/highstate.ts', 'src/plugins/outputters/json.ts'];
/** What usual state runs load. */
const USUAL_STATES = [
  ...['state', 'config', 'saltutil', 'grains', 'pillar', 'file', 'cmd', 'cp'].map(
    (name) => `src/plugins/${name}/module.ts`,
  ),
  'src/plugins/registry/state/table.generated.ts',
  ...['test', 'file', 'cmd'].map((name) => `src/plugins/${name}/state.ts`),
  'src/runtime/extensions/sync.ts',
  'src/runtime/loader/salts-modules.ts',
];
/** Layers that programs share, and the modules that each is for. What none has lies in the pack. */
const SHARED = [['usual', USUAL_STATES]];
/**
 * Those in layers; for each layer of their own after the first the modules that it is for, which usual runs import on
 * demand; and what they share. With BRINE_LAYERS=1 in the environment a program names what it looks up beyond its first
 * layer, and the layers that it loads.
 */
const LAYERED = new Map([
  ['salt', { own: [[REQUESTER, ...OUTPUTTERS]], shared: [] }],
  [
    'salt-call',
    {
      own: [[REQUESTER, ...OUTPUTTERS, 'src/programs/minion/keys.ts', 'src/plugins/test/module.ts']],
      shared: ['usual'],
    },
  ],
  ['salt-cp', { own: [[REQUESTER]], shared: [] }],
  [
    'salt-run',
    {
      own: [
        [REQUESTER, ...['jobs', 'manage', 'cache', 'test'].map((name) => `src/plugins/${name}/runner.ts`)],
        [
          'src/plugins/state/runner.ts',
          'src/plugins/registry/module/table.generated.ts',
          ...['state', 'config', 'saltutil', 'grains'].map((name) => `src/plugins/${name}/module.ts`),
          ...['programs/runner/master-grains', 'runtime/pillar/service', 'storage/fileserver/open'].map(
            (path) => `src/${path}.ts`,
          ),
          'src/runtime/loader/registry.ts',
          ...OUTPUTTERS,
        ],
      ],
      shared: [],
    },
  ],
  ['salt-minion-worker', { own: [], shared: ['usual'], isDaemon: true }],
  [
    'salt-key',
    {
      own: [
        ['src/network/events/bus-client.ts', 'src/config/master-sockets.ts', 'src/plugins/outputters/key.ts'],
      ],
      shared: [],
    },
  ],
  ...['sls', 'brine', 'salt-call-grains', 'function-catalog'].map((name) => [name, { own: [], shared: [] }]),
  // programs of which many run at once, or for long
  ...['master', 'master-child', 'api', 'minion', 'minion-engine', 'syndic'].map((name) => [
    `salt-${name}`,
    { own: [], shared: [], isDaemon: true },
  ]),
]);

const outdir = process.env.BRINE_DIST ? resolve(process.env.BRINE_DIST) : join(root, 'dist');
// bundles are made aside and moved over one by one: programs that are running meanwhile never find a file missing
const fresh = `${outdir}.${process.pid}`;
mkdirSync(outdir, { recursive: true });
/**
 * What stands at the beginning of each layer until its build is known. Whatever is put into a text that has a map is as
 * long as what it stands for.
 */
const NO_STAMP = `/*${'0'.repeat(16)}*/`;
/** Libraries whose messages name their own classes, as in `BindRequest: Operation timed out`. */
const keepsNames = {
  name: 'keeps-names',
  setup(plugged) {
    const filter = /node_modules\/(?:jose|ldapts)\/.*\.[cm]?js$/;
    plugged.onLoad({ filter, namespace: 'file' }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), { keepNames: true });
      return { contents: code, loader: 'js' };
    });
  },
};
const settings = {
  absWorkingDir: root,
  outdir: fresh,
  bundle: true,
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  minifySyntax: true,
  minifyIdentifiers: true,
  // apart from the texts: see moveMaps
  sourcemap: 'external',
  sourcesContent: false,
  legalComments: 'none',
  outExtension: { '.js': '.cjs' },
  external: externalPackages,
  plugins: [keepsNames],
  // programs run out of a code cache, where `import()` is not to be had
  supported: { 'dynamic-import': false },
  define: {
    'import.meta.filename': '__filename',
    'import.meta.dirname': '__dirname',
    // a library's; a path does for what it asks
    'import.meta.url': '__filename',
  },
  logLevel: 'warning',
};
const programs = filesBelow(join(root, 'src', 'bin'), '.ts');
const isLayered = (path) => LAYERED.has(basename(path, '.ts'));
// a program that is started with its code cache cannot import, only require
await build({ ...settings, format: 'cjs', entryPoints: programs.filter((path) => !isLayered(path)) });
const layered = [...LAYERED].map(([name, layers]) => ({ entry: `src/bin/${name}.ts`, ...layers }));
const { layers, units, names } = await buildLayers(
  { ...settings, banner: { js: NO_STAMP } },
  layered,
  SHARED,
);
for (const [name, text] of layers) writeFileSync(join(fresh, name), text);
writePack(join(fresh, 'pack.cjs'), units, names.length, NO_STAMP);
for (const name of layers.keys())
  if (isOfCommands(name.split('.')[0]) && name.endsWith('.cjs')) deferBuiltins(join(fresh, name));
stampLayers(
  [...layers.keys(), 'pack.cjs']
    .filter((name) => name.endsWith('.cjs'))
    .sort()
    .map((name) => join(fresh, name)),
);
requireAscii();
// V8 tells a cache that is of another text by the length of the text alone
for (const name of readdirSync(outdir)) if (name.endsWith('.cache')) rmSync(join(outdir, name));
const builtOf = sourcesInMaps();
moveMaps();
const builtNames = readdirSync(fresh);
for (const name of builtNames) renameSync(join(fresh, name), join(outdir, name));
removeStale(new Set(builtNames));
copyPython();
await buildApiClient();
builtOf.push(...(await buildConsole(outdir)));
writeBundled(builtOf);
rmSync(fresh, { recursive: true, force: true });
for (const file of filesBelow(join(root, 'bin'), '')) if (!/\.(json|cjs)$/.test(file)) chmodSync(file, 0o755);
// for whoever changes the source: see scripts/watch.mjs
const isQuick = process.env.BRINE_BUILD === 'quick';
if (!isQuick && outdir === join(root, 'dist'))
  await writeCodeCaches(root, [join(root, 'scripts/run-ts.mjs'), 'scripts/train-worker.ts']);
if (!isQuick && outdir === join(root, 'dist')) writeDocuments();

/**
 * The maps from what is built to what it is made of lie where a package does not have them; `-l debug` reads them
 * (src/host/source-places.ts).
 */
function moveMaps() {
  const to = join(root, 'build/maps');
  const isCheckouts = outdir === join(root, 'dist');
  if (isCheckouts) rmSync(to, { recursive: true, force: true });
  if (isCheckouts) mkdirSync(to, { recursive: true });
  for (const name of readdirSync(fresh).filter((each) => each.endsWith('.map'))) {
    if (isCheckouts) renameSync(join(fresh, name), join(to, name));
    else rmSync(join(fresh, name));
  }
  // bin/launch.cjs names modules by their numbers
  if (isCheckouts) writeFileSync(join(to, 'modules.json'), JSON.stringify(names));
}

/** The files that the bundles are made of. */
function sourcesInMaps() {
  const maps = readdirSync(fresh).filter((name) => name.endsWith('.map'));
  return maps.flatMap((name) => {
    const { sources, sections = [] } = JSON.parse(readFileSync(join(fresh, name), 'utf8'));
    return sources ?? sections.flatMap(({ map }) => map.sources);
  });
}

/** Names the libraries that lie in the bundles, so that packages can pass on their licences. */
function writeBundled(paths) {
  const found = paths.map(
    (path) => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path)?.[0],
  );
  const names = [...new Set(found)].filter((name) => name !== undefined).sort();
  writeFileSync(join(outdir, 'libraries.json'), `${JSON.stringify(names, null, 2)}\n`);
}

/** The client of the API's second version, for programs of others: one module for Node and browsers, and its types. */
async function buildApiClient() {
  const from = join(root, 'src/api-client');
  await build({
    entryPoints: [join(from, 'client.ts')],
    outfile: join(outdir, 'api-client/client.mjs'),
    bundle: true,
    platform: 'neutral',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const { default: typescript } = await import('typescript');
  for (const name of ['client', 'operations']) {
    const compilerOptions = { isolatedDeclarations: true, declaration: true, stripInternal: true };
    const text = readFileSync(join(from, `${name}.ts`), 'utf8');
    const { outputText, diagnostics = [] } = typescript.transpileDeclaration(text, {
      compilerOptions,
      fileName: `${name}.mts`,
    });
    if (diagnostics.length > 0) throw new Error(`${name}.ts: ${JSON.stringify(diagnostics[0].messageText)}`);
    writeFileSync(
      join(outdir, `api-client/${name}.d.mts`),
      outputText.replaceAll("'./operations.ts'", "'./operations.mjs'"),
    );
  }
}

/** The program that runs a site's own Python, as it is. */
function copyPython() {
  const from = join(root, 'src/runtime/python-host/guest');
  const to = join(outdir, 'python');
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true, filter: (path) => !path.includes('__pycache__') });
}

/** Removes what an earlier build left: a daemon that runs has the file open that it goes on reading. */
function removeStale(current) {
  for (const name of readdirSync(outdir))
    if (name.endsWith('.cjs') && !current.has(name)) rmSync(join(outdir, name));
}

/** Layers are read as bytes of one letter each; what the bundler does not escape is in regular expressions. */
function requireAscii() {
  for (const name of [...layers.keys(), 'pack.cjs'].filter((each) => each.endsWith('.cjs'))) {
    const other = /.{0,20}[^\0-\x7f].{0,20}/.exec(readFileSync(join(fresh, name), 'utf8'));
    if (other !== null) throw new Error(`${name}: "${other[0]}" has to be written with \\u escapes`);
  }
}

/**
 * Begins each layer with what tells this build from others, which bin/launch.cjs compares: a program that runs while
 * Brine is upgraded in place does not take a layer of the new version.
 */
function stampLayers(paths) {
  const texts = paths.map((path) => readFileSync(path, 'utf8'));
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text);
  const stamp = `/*${hash.digest('hex').slice(0, 16)}*/`;
  for (const [at, path] of paths.entries()) {
    if (!texts[at].startsWith(NO_STAMP)) throw new Error(`${path} has no place for what tells its build`);
    writeFileSync(path, `${stamp}${texts[at].slice(NO_STAMP.length)}`);
  }
}

function isOfCommands(name) {
  return COMMANDS.has(name) || SHARED.some(([shared]) => shared === name);
}

/**
 * A command that lives for a tenth of a second does not load those parts of Node which it seldom needs before it needs
 * them: `node:crypto` alone takes four milliseconds. bin/launch.cjs has `__defer`.
 */
function deferBuiltins(path) {
  writeFileSync(path, deferred(readFileSync(path, 'utf8')));
}

/** Writes the man pages and the completion scripts, which are made from the tables of the programs. */
function writeDocuments() {
  const args = [join(root, 'scripts/run-ts.mjs'), 'scripts/generate-docs.ts', '--built'];
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error('the man pages and completion scripts could not be written');
}
