/**
 * Which files of public sites ours loads, to hold against those of a real Salt (loads.py): `run-ts.mjs loads.ts
 * REAL.json INTERPRETER`, in a sandbox, prints a JSON object of sites, each a list of `[kind, name, path, what became
 * of it]`.
 */
import { readFileSync } from 'node:fs';
import { systemClock } from '../../../src/host/clock.ts';
import type { PythonKind } from '../../../src/network/ipc/contracts/python-host.ts';
import type { FunctionLookup, LoadContext } from '../../../src/runtime/loader/module.ts';
import { PythonModules } from '../../../src/runtime/python-host/python-modules.ts';
import { isDict, type Dict, type Value } from '../../../src/python/values/value.ts';

type Listed = readonly [kind: string, name: string, path: string, became: string];

/** What loads.py has of a site. */
interface Site {
  readonly fault?: string;
  readonly grains: object;
  readonly functions: readonly string[];
  readonly files: readonly Listed[];
}

const [real = '', interpreter = 'python3'] = process.argv.slice(2);
const sites = JSON.parse(readFileSync(real, 'utf8')) as Record<string, Site>;
const told: Record<string, Listed[]> = {};
for (const [name, site] of Object.entries(sites))
  if (site.fault === undefined) told[name] = await loaded(site);
process.stdout.write(`\u001e${JSON.stringify(told)}`);

async function loaded({ grains, functions, files }: Site): Promise<Listed[]> {
  const utilities = files.filter(([kind]) => kind === 'utils');
  const own = files.filter(([kind]) => kind === 'modules');
  const known = new Set(functions);
  const python = new PythonModules({
    clock: systemClock,
    files: (_, kind) =>
      (kind === 'utils' ? utilities : own).map(([, file, path]) => ({ file, name: file, path })),
  });
  const around = dictOf(grains);
  const opts = dictOf({ id: 'web01', python_executable: interpreter, file_client: 'local', test: false }).set(
    'grains',
    around,
  );
  const context: LoadContext = {
    opts,
    grains: around,
    functions: { find: (fun) => Promise.resolve(lookup(known, fun)) },
  };
  const out: Listed[] = [];
  for (const [kind, file, path] of files)
    out.push([kind, file, path, await became(python, context, kind, file, path)]);
  python.close();
  return out;
}

async function became(
  python: PythonModules,
  context: LoadContext,
  kind: string,
  file: string,
  path: string,
): Promise<string> {
  if (kind === 'grains') {
    const { faults } = await python.grains({ file, path }, context);
    // what a function of such a file raises is its own affair, as with Salt
    const unusable = faults.filter((one) => /cannot be (?:used|loaded)/.test(one));
    return unusable.length === 0 ? 'loaded' : `broken: ${unusable.join('; ')}`;
  }
  const tried = await python.tryFile(
    kind === 'utils' ? 'modules' : (kind as PythonKind),
    { file, path },
    context,
  );
  if ('broken' in tried) return `broken: ${tried.broken}`;
  return 'unavailable' in tried ? `refused: ${tried.unavailable}` : 'loaded';
}

function lookup(known: ReadonlySet<string>, fun: string): FunctionLookup {
  return (known.has(fun)
    ? { spec: {} }
    : { missing: `'${fun}' is not available.` }) as unknown as FunctionLookup;
}

function valueOf(value: unknown): Value {
  if (Array.isArray(value)) return value.map(valueOf);
  return typeof value === 'object' && value !== null ? dictOf(value) : (value as Value);
}

function dictOf(value: object): Dict {
  const dict: Dict = new Map(Object.entries(value).map(([key, one]) => [key, valueOf(one)]));
  return isDict(dict) ? dict : new Map();
}
