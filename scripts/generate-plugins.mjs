// Writes the tables of plug-ins, `table.generated.ts` of each kind in `src/plugins/registry`: reads every definition
// below `src/plugins`, and lists them with literal imports, so that a bundler finds them and a program loads only what
// it uses; what Salt has besides, `src/runtime/loader/salts-names.generated.ts`; what each function takes,
// `built-in-calls.generated.ts` beside it; and what the options of returners begin with and which renderers there are,
// `src/config/*.generated.ts`. With `--check` it writes nothing and exits 1 when a table would change.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { format, resolveConfig } from 'prettier';
import { externalPackages, filesBelow, root } from './bundle.mjs';
import { SALTS_FUNCTIONS, SALTS_MODULES, SALTS_STATES } from './salts-names.mjs';

const PLUGINS = join(root, 'src/plugins');
const MODULE_ENTRY = "import type { ModuleEntry } from '../../../runtime/loader/module-entry.ts';";
const RUNNER_MODULE = "import type { RunnerModule } from '../../shared/runner/runner.ts';";

/** An import and the definition in it, called where it makes its definition. */
const imported = ({ path, exported, isMade }) =>
  `(await import('../../${path}')).${exported}${isMade ? '()' : ''}`;
const quoted = (text) => `'${text}'`;

/** An entry of a list of modules. */
function moduleEntry(one) {
  const isolated = Object.entries(one.spec.functions ?? {}).filter(
    ([, { isolation }]) => isolation === 'process',
  );
  const parts = [
    `name: ${quoted(one.name)}`,
    `file: ${quoted(one.spec.file)}`,
    ...(isolated.length === 0 ? [] : [`isolated: [${isolated.map(([name]) => quoted(name)).join(', ')}]`]),
    `load: async () => ${imported(one)}`,
  ];
  return `{ ${parts.join(', ')} },`;
}

const list = (type, doc, head) => (name, found) =>
  `${head}\n\n/** ${doc} */\nexport const ${name}: readonly ${type}[] = [\n${found.map(moduleEntry).join('\n')}\n];\n`;

/** A table whose files are imported when they are first used. */
const lazy = (type, doc, head) => (name, found) => {
  const rows = found.map((one) => `[${quoted(one.name)}, async () => ${imported(one)}],`);
  return `${head}\n\n/** ${doc} */\nexport const ${name}: ReadonlyMap<string, () => Promise<${type}>> = new Map([\n${rows.join('\n')}\n]);\n`;
};

/** A table of small files that are all needed before the first is chosen. */
const eager = (type, doc, head) => (name, found) => {
  const imports = found.map(({ exported, path }) => `import { ${exported} } from '../../${path}';`);
  const rows = found.map(({ exported }) => `${exported},`);
  return `${head}\n${imports.join('\n')}\n\n/** ${doc} */\nexport const ${name}: ReadonlyMap<string, ${type}> = new Map(\n[${rows.join(' ')}].map((spec) => [spec.name, spec]),\n);\n`;
};

/** The kinds: how the name of an exported definition ends, and the table that is made of them. */
const KINDS = [
  {
    kind: 'module',
    ending: 'Module',
    name: 'MODULE_TABLE',
    table: list(
      'ModuleEntry',
      'Every execution module, in the order in which files of one virtual name are tried.',
      MODULE_ENTRY,
    ),
  },
  {
    kind: 'state',
    ending: 'States',
    name: 'STATE_TABLE',
    table: list(
      'ModuleEntry',
      'Every state module, in the order in which files of one virtual name are tried.',
      MODULE_ENTRY,
    ),
  },
  {
    kind: 'returner',
    ending: 'Returner',
    name: 'RETURNER_TABLE',
    table: list(
      'ModuleEntry',
      'Every returner that is no database, by the name that `--return` takes.',
      MODULE_ENTRY,
    ),
  },
  {
    kind: 'returner',
    ending: 'Kind',
    output: 'store-kinds',
    name: 'STORE_KINDS',
    table: list(
      'StoreKindEntry',
      'Every kind of database, by the name that `--return`, `master_job_cache` and the like take.',
      "import type { StoreKindEntry } from '../../shared/returner/return-store.ts';",
    ),
  },
  {
    kind: 'runner',
    ending: 'Runners',
    name: 'RUNNER_TABLE',
    table: lazy('RunnerModule', 'Every runner, by its name.', RUNNER_MODULE),
  },
  {
    kind: 'wheel',
    ending: 'Wheel',
    name: 'WHEEL_TABLE',
    table: lazy(
      'RunnerModule',
      'Every module of wheel functions, which are described as runners are.',
      RUNNER_MODULE,
    ),
  },
  {
    kind: 'beacon',
    ending: 'Beacon',
    makes: true,
    name: 'BEACON_TABLE',
    table: lazy(
      'BeaconSpec',
      'Every beacon, in the order in which `beacons.list_available` gives them.',
      "import type { BeaconSpec } from '../../shared/beacon/beacon.ts';",
    ),
  },
  {
    kind: 'engine',
    ending: 'Engine',
    name: 'ENGINE_TABLE',
    table: lazy(
      'EngineSpec',
      'Every engine. `reactor` is not among them: its daemon starts it itself.',
      "import type { EngineSpec } from '../../shared/engine/engine.ts';",
    ),
  },
  {
    kind: 'sdb',
    ending: 'Driver',
    name: 'SDB_TABLE',
    table: lazy(
      'SdbDriver',
      'The drivers of `sdb://`, by the name that a profile gives.',
      "import type { SdbDriver } from '../../shared/sdb/sdb-driver.ts';",
    ),
  },
  {
    kind: 'queue',
    ending: 'Queues',
    name: 'QUEUE_TABLE',
    table: lazy(
      'QueueKind',
      'The backends of queues, by the name that `backend=` takes.',
      "import type { QueueKind } from '../../shared/queue/queue-backend.ts';",
    ),
  },
  {
    kind: 'auth',
    ending: 'Backend',
    name: 'AUTH_BACKENDS',
    table: eager(
      'BackendSpec',
      'The authentication systems, by the name that `external_auth` has for them.',
      "import type { BackendSpec } from '../../shared/auth/backend.ts';",
    ),
  },
  {
    kind: 'cache',
    ending: 'Driver',
    name: 'CACHE_DRIVERS',
    table: eager(
      'CacheDriver',
      'The drivers of the option `cache`, by the name that it takes.',
      "import type { CacheDriver } from '../../shared/cache/driver.ts';",
    ),
  },
];

/** The files of one kind, below `src/plugins`; what lies in the folder of a kind is a part of its file. */
function filesOf(kind) {
  const isOfKind = new RegExp(`(^|/|\\.)${kind}\\.ts$`);
  const isPart = new RegExp(`^[^/]+/(.*/)?(${KINDS.map((each) => each.kind).join('|')}|core)/`);
  return filesBelow(PLUGINS, '.ts')
    .map((file) => relative(PLUGINS, file))
    .filter((path) => isOfKind.test(path) && !isPart.test(path) && !/^(shared|registry)\//.test(path));
}

/** The sets of what Salt has and Brine has not. */
const MISSING = ['MISSING_MODULES', 'MISSING_FUNCTIONS', 'MISSING_STATES'];

/** The tables that are to be written are empty for the definitions that look into them. */
const noTables = {
  name: 'no tables',
  setup({ onResolve, onLoad }) {
    onResolve(
      { filter: /(table|store-kinds|salts-names|renderer-names|returner-settings)\.generated\.ts$/ },
      ({ path }) => ({
        path,
        namespace: 'none',
      }),
    );
    const settings = ['RETURNER_SETTINGS', 'RETURNER_PREFIXES'];
    const tables = [...KINDS.map(({ name }) => name), ...MISSING, 'FURTHER_RENDERERS', ...settings];
    const contents = [
      ...tables.map((name) => `export const ${name} = new Map();`),
      'export const FURTHER_RENDERER_NAMES = [];',
    ];
    onLoad({ filter: /./, namespace: 'none' }, () => ({ contents: contents.join('\n') }));
  },
};

/** What the files export. @returns path to exports */
async function definitions(paths) {
  const entry = paths
    .map((path, i) => `export * as m${i} from ${JSON.stringify(join(PLUGINS, path))};`)
    .join('\n');
  const outfile = join(root, 'build', `plugins-${process.pid}.mjs`);
  await build({
    stdin: { contents: entry, resolveDir: root, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: externalPackages,
    plugins: [noTables],
    banner: {
      js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);",
    },
    logLevel: 'warning',
  });
  try {
    const all = await import(pathToFileURL(outfile));
    return new Map(paths.map((path, i) => [path, all[`m${i}`]]));
  } finally {
    rmSync(outfile, { force: true });
  }
}

/** By name; among those of one virtual name by the order that they have, then by their file. */
const byName = (one, other) =>
  compare(one.name, other.name) ||
  (one.spec.order ?? 0) - (other.spec.order ?? 0) ||
  compare(one.spec.file ?? '', other.spec.file ?? '');
const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

/** Whether an export is a definition, or makes one where the kind has such functions. */
const isDefinition = ([exported, value], { ending, makes = false }) =>
  exported.endsWith(ending) && (typeof value === 'object' || makes);

/** The definitions among what the files of a kind export. */
function found(paths, exportsOf, kind) {
  return paths
    .flatMap((path) =>
      Object.entries(exportsOf.get(path))
        .filter((each) => isDefinition(each, kind))
        .map(([exported, value]) => {
          const isMade = typeof value === 'function';
          const spec = isMade ? value() : value;
          return { path, exported, isMade, spec, name: spec.name };
        }),
    )
    .sort(byName);
}

/** A file whose definition has another name would be in no table, without a word. */
function requireDefinitions(kind, paths, exportsOf) {
  const tables = [...KINDS, RENDERER].filter((each) => each.kind === kind);
  for (const path of paths)
    if (
      !Object.entries(exportsOf.get(path)).some((each) => tables.some((table) => isDefinition(each, table)))
    )
      throw new Error(
        `${relative(root, join(PLUGINS, path))} exports no definition: its name has to end with ${tables.map(({ ending }) => ending).join(' or ')}`,
      );
}

const checks = process.argv.includes('--check');
const perKind = new Map([...new Set(KINDS.map(({ kind }) => kind))].map((kind) => [kind, filesOf(kind)]));
const RENDERERS = join(root, 'src/runtime/renderers/further');
const RENDERER = { kind: 'renderer', ending: 'Renderer' };
const rendererFiles = readdirSync(RENDERERS, { withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.name.endsWith('.generated.ts'))
  .map(({ name }) => relative(PLUGINS, join(RENDERERS, name)));
const exportsOf = await definitions([...new Set([...perKind.values()].flat()), ...rendererFiles]);
for (const [kind, paths] of [...perKind, ['renderer', rendererFiles]])
  requireDefinitions(kind, paths, exportsOf);

/** Writes a file, or says that it is stale. */
async function write(file, text) {
  const content = await format(text, { ...(await resolveConfig(file)), filepath: file });
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return;
  process.stdout.write(`${relative(root, file)}\n`);
  if (checks) {
    process.exitCode = 1;
    return;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

const HEAD = '/** Written by scripts/generate-plugins.mjs, of the definitions in `src/plugins`. */';
const tables = KINDS.map((each) => ({ ...each, found: found(perKind.get(each.kind), exportsOf, each) }));
for (const { kind, name, output = 'table', table, found: listed } of tables)
  await write(join(PLUGINS, 'registry', kind, `${output}.generated.ts`), `${HEAD}\n${table(name, listed)}`);

/** The definitions of one kind. */
const ofKind = (kind) => tables.find((each) => each.kind === kind).found;
/** A set of those names of Salt's that are not ours. */
const missing = (name, doc, salts, ours) =>
  `/** ${doc} */\nexport const ${name}: ReadonlySet<string> = new Set('${salts.filter((each) => !ours.has(each)).join(' ')}'.split(' '));\n`;
const namesOf = (kind) => new Set(ofKind(kind).map(({ name }) => name));
const functions = new Set(
  ofKind('module').flatMap(({ name, spec }) => Object.keys(spec.functions).map((fun) => `${name}.${fun}`)),
);
await write(
  join(root, 'src/runtime/loader/salts-names.generated.ts'),
  [
    HEAD,
    missing(
      'MISSING_MODULES',
      'Execution modules of Salt that are not here.',
      SALTS_MODULES,
      namesOf('module'),
    ),
    missing('MISSING_FUNCTIONS', 'Functions that modules lack which are here.', SALTS_FUNCTIONS, functions),
    missing('MISSING_STATES', 'State modules of Salt that are not here.', SALTS_STATES, namesOf('state')),
  ].join('\n'),
);
/** Names as a type that is one of them. */
const oneOf = (names) => (names.length === 0 ? 'never' : names.map(quoted).join(' | '));

/** What a function takes, as the type of its calls has it. */
function taken({ params = {}, varargs, kwargs }) {
  const all = Object.entries(params);
  const places = all.filter(([, { keywordOnly }]) => keywordOnly !== true).map(([name]) => name);
  const required = all.filter(([, { default: usual }]) => usual === undefined).map(([name]) => name);
  const named = all.map(([name]) => name).filter((name) => !places.includes(name));
  const more = [...(varargs === undefined ? [] : ['places']), ...(kwargs === undefined ? [] : ['names'])];
  const parts = [`[${places.map(quoted).join(', ')}]`, oneOf(required), oneOf(named), oneOf(more)];
  while (parts.at(-1) === 'never') parts.pop();
  return `Takes<${parts.join(', ')}>`;
}

const calls = new Map();
for (const { name, spec } of ofKind('module'))
  for (const [fun, described] of Object.entries(spec.functions)) {
    const key = `${name}.${fun}`;
    calls.set(key, (calls.get(key) ?? new Set()).add(taken(described)));
  }
await write(
  join(root, 'src/runtime/loader/built-in-calls.generated.ts'),
  [
    HEAD,
    "import type { Takes } from './takes.ts';",
    '/** The built-in functions and what each takes; a union where several files have the name. */',
    'export interface BuiltInCalls {',
    ...Array.from(calls, ([key, kinds]) => `${quoted(key)}: ${[...kinds].join(' | ')};`),
    '}\n',
  ].join('\n'),
);
const returners = tables.filter(({ kind }) => kind === 'returner').flatMap(({ found: ones }) => ones);
const settings = new Map(
  returners.map(({ name, spec }) => [
    spec.optionPrefix ?? name,
    [...(spec.defaults?.keys() ?? spec.settings ?? [])],
  ]),
);
const elsewhere = returners.flatMap(({ name, spec }) =>
  (spec.optionPrefix ?? name) === name ? [] : [[name, spec.optionPrefix]],
);
const sorted = (rows) => rows.sort(([a], [b]) => compare(a, b));
const row = ([key, value]) =>
  `[${quoted(key)}, ${Array.isArray(value) ? `[${value.map(quoted).join(', ')}]` : quoted(value)}],`;
const texts = (rows) => `new Map([\n${sorted(rows).map(row).join('\n')}\n]);`;
await write(
  join(root, 'src/config/returner-settings.generated.ts'),
  `${HEAD}

/** What the options of returners begin with, which may stand in a mapping of that name as well, and the options. */
export const RETURNER_SETTINGS: ReadonlyMap<string, readonly string[]> = ${texts([...settings])}

/** The returners whose options begin with something else than their name. */
export const RETURNER_PREFIXES: ReadonlyMap<string, string> = ${texts(elsewhere)}
`,
);
const renderers = found(rendererFiles, exportsOf, RENDERER);
await write(
  join(RENDERERS, 'table.generated.ts'),
  `${HEAD.replace('src/plugins', 'src/runtime/renderers/further')}
import type { RendererSpec } from '../renderer.ts';

/** Every renderer that is loaded with the first file that names it. */
export const FURTHER_RENDERERS: ReadonlyMap<string, () => Promise<RendererSpec>> = new Map([
  ${renderers.map(({ name, path, exported }) => `[${quoted(name)}, async () => (await import('./${basename(path)}')).${exported}],`).join('\n')}
]);
`,
);
await write(
  join(root, 'src/config/renderer-names.generated.ts'),
  `${HEAD.replace('src/plugins', 'src/runtime/renderers/further')}

/** Their names. */
export const FURTHER_RENDERER_NAMES: readonly string[] = [${renderers.map(({ name }) => quoted(name)).join(', ')}];
`,
);
if (process.exitCode === 1)
  process.stderr.write('These tables are stale: node scripts/generate-plugins.mjs writes them.\n');
