/** Beacons in Python (salt/beacons/__init__.py, 3006.16), each in a process of its own. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { VALID, type Verdict } from '../../plugins/shared/beacon/beacon.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { pyStr } from '../../python/values/repr.ts';
import { pythonFiles, type PythonFile } from '../../runtime/extensions/folder.ts';
import type { ModuleSpec } from '../../runtime/loader/module.ts';
import { jobCaller } from '../../runtime/python-host/callers.ts';
import { PythonModules } from '../../runtime/python-host/python-modules.ts';
import { PythonProcessError } from '../../runtime/python-host/python-process.ts';
import type { BeaconProcess, BeaconSurroundings, FoundBeacon, OwnBeaconsDeps } from './beacon-process.ts';

/** Files that are not to be used (salt/loader/lazy.py `disabled`, 3006.16). */
const DISABLED_BY = 'disable_beacons';

/** Those that can be used here; what is wrong with a file is logged. Starts nothing where there is none. */
export async function pythonBeacons(deps: OwnBeaconsDeps): Promise<FoundBeacon[]> {
  const { opts, grains } = deps.surroundings();
  const disabled = opts.get(DISABLED_BY);
  const names: readonly Value[] = Array.isArray(disabled) ? disabled : [disabled ?? null];
  const files = pythonFiles(opts, 'beacons').filter(({ file }) => !names.includes(file));
  if (files.length === 0) return [];
  const python = pythonOf(deps);
  try {
    const found: FoundBeacon[] = [];
    for (const file of files) {
      const tried = await python.tryFile('beacons', file, { opts, grains });
      if ('broken' in tried) deps.log.error(tried.broken);
      if ('module' in tried) found.push(foundOf(file, tried.module, deps));
    }
    return found;
  } finally {
    python.close();
  }
}

function pythonOf({ clock, log }: OwnBeaconsDeps): PythonModules {
  return new PythonModules({ clock, log, files: pythonFiles });
}

function foundOf(file: PythonFile, module: ModuleSpec, deps: OwnBeaconsDeps): FoundBeacon {
  const { name, doc, functions } = module;
  return {
    name,
    doc,
    seesAll: true,
    open: (beacon) =>
      new PythonBeacon({ file, beacon, functions: new Set(Object.keys(functions)) }, pythonOf(deps), deps),
  };
}

/** What is known of a beacon. */
interface Known {
  readonly file: PythonFile;
  /** The name under which it is configured. */
  readonly beacon: string;
  /** What the file has of `validate`, `beacon` and `close`. */
  readonly functions: ReadonlySet<string>;
}

class PythonBeacon implements BeaconProcess {
  readonly #known: Known;
  readonly #python: PythonModules;
  readonly #surroundings: () => BeaconSurroundings;
  readonly #functions: OwnBeaconsDeps['functions'];
  /** The configuration of the last look, which `close` gets. */
  #config: Value[] | undefined;

  constructor(known: Known, python: PythonModules, { surroundings, functions }: OwnBeaconsDeps) {
    this.#known = known;
    this.#python = python;
    this.#surroundings = surroundings;
    this.#functions = functions;
  }

  async validate(config: Value): Promise<Verdict> {
    if (!this.#known.functions.has('validate'))
      return Array.isArray(config) ? VALID : [false, 'Configuration for beacon must be a list.'];
    const answer = await this.#run('validate', config);
    if (!Array.isArray(answer) || answer.length !== 2)
      return [false, `validate of ${this.#known.file.path} gives no pair of a truth value and a text.`];
    return [truthy(answer[0] ?? null), pyStr(answer[1] ?? null)];
  }

  async look(config: readonly Value[]): Promise<readonly Dict[]> {
    const { beacon, file } = this.#known;
    this.#config = [...config, new Map<Value, Value>([['_beacon_name', beacon]])];
    const events = await this.#run('beacon', this.#config);
    if (Array.isArray(events) && events.every(isDict)) return events;
    throw new CommandExecutionError(`${file.path}: beacon() gives no list of mappings, one for each event`);
  }

  isEnd(error: unknown): boolean {
    return error instanceof CommandExecutionError && error.cause instanceof PythonProcessError;
  }

  close(): void {
    const end = (): void => this.#python.close();
    if (this.#config === undefined || !this.#known.functions.has('close')) return end();
    // it may have something to give back, such as a file it watches; a close that hangs is ended as a look is
    this.#run('close', this.#config).then(end, end);
  }

  #run(fun: string, config: Value): Promise<Value> {
    return this.#python.call(
      { kind: 'beacons', ...this.#known.file, fun, args: [config], kwargs: new Map() },
      this.#surroundings(),
      jobCaller(this.#functions()),
    );
  }
}
