/**
 * From what a file exports to a module that the loader can use. What does not fit is refused with the place and the
 * reason.
 */
import type { Dict } from '../../python/values/value.ts';
import type {
  AuthSpec,
  Availability,
  BeaconSpec,
  EngineSpec,
  FunctionSpec as OwnFunction,
  GrainsSpec,
  ModuleSpec as OwnModule,
  OutputterSpec,
  RendererSpec,
} from './brine.d.ts';
import { toRecord } from './convert.ts';
import type { Exports } from './load-file.ts';

/** A file that is no module; the message says why. */
class ExtensionError extends Error {
  override readonly name = 'ExtensionError';
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const TYPES: ReadonlySet<string> = new Set(['str', 'int', 'float', 'bool', 'list', 'dict', 'any']);

/** The default export; for `module.exports = …` that itself. */
function described(exports: Exports, definer: string): Record<string, unknown> {
  const value = Object.hasOwn(exports, 'default') ? exports['default'] : exports;
  if (typeof value !== 'object' || value === null)
    throw new ExtensionError(
      `it does not export a description; end it with \`export default ${definer}({ … })\``,
    );
  return value as Record<string, unknown>;
}

/** Reads a module with functions. @throws ExtensionError */
export function readOwnModule(exports: Exports): OwnModule {
  const value = described(exports, 'defineModule');
  checkAvailability(value);
  const functions = value['functions'];
  if (typeof functions !== 'object' || functions === null)
    throw new ExtensionError(
      'it has no `functions`; end it with `export default defineModule({ functions: { … } })`',
    );
  for (const [name, spec] of Object.entries(functions)) checkFunction(name, spec);
  const aliases = value['aliases'] ?? {};
  for (const [alias, name] of Object.entries(aliases)) {
    if (typeof name !== 'string' || !Object.hasOwn(functions, name))
      throw new ExtensionError(
        `the alias ${alias} names the function ${String(name)}, which it does not have`,
      );
    if (!NAME.test(alias)) throw new ExtensionError(`${JSON.stringify(alias)} is no name of a function`);
  }
  return value as unknown as OwnModule;
}

/** Reads a module with grains. @throws ExtensionError */
export function readOwnGrains(exports: Exports): GrainsSpec {
  const value = described(exports, 'defineGrains');
  checkAvailability(value);
  const grains = value['grains'];
  if (typeof grains !== 'object' || grains === null)
    throw new ExtensionError(
      'it has no `grains`; end it with `export default defineGrains({ grains: { … } })`',
    );
  for (const [name, give] of Object.entries(grains))
    if (typeof give !== 'function') throw new ExtensionError(`grains.${name} is no function`);
  return value as unknown as GrainsSpec;
}

/** Something that works by one function: a beacon, a renderer, an outputter, an authentication system, an engine. */
type Single = AuthSpec | BeaconSpec | RendererSpec | OutputterSpec | EngineSpec;

function readSingle<S extends Single>(exports: Exports, works: string, define: string): S {
  const value = described(exports, define);
  checkAvailability(value);
  if (typeof value[works] !== 'function')
    throw new ExtensionError(
      `it has no function \`${works}\`; end it with \`export default ${define}({ ${works}(…) { … } })\``,
    );
  return value as unknown as S;
}

/** Reads a beacon. @throws ExtensionError */
export function readOwnBeacon(exports: Exports): BeaconSpec {
  const beacon = readSingle<BeaconSpec>(exports, 'look', 'defineBeacon');
  if (beacon.validate !== undefined && typeof beacon.validate !== 'function')
    throw new ExtensionError('`validate` is no function');
  return beacon;
}

/** Reads an authentication system. @throws ExtensionError */
export function readOwnAuth(exports: Exports): AuthSpec {
  const system = readSingle<AuthSpec>(exports, 'auth', 'defineAuth');
  for (const name of ['groups', 'acl'] as const)
    if (system[name] !== undefined && typeof system[name] !== 'function')
      throw new ExtensionError(`\`${name}\` is no function`);
  return system;
}

/** Reads an engine. @throws ExtensionError */
export function readOwnEngine(exports: Exports): EngineSpec {
  const engine = readSingle<EngineSpec>(exports, 'start', 'defineEngine');
  if (engine.options !== undefined && (typeof engine.options !== 'object' || engine.options === null))
    throw new ExtensionError('`options` is no object of parameters');
  return engine;
}

/** Reads a renderer. @throws ExtensionError */
export function readOwnRenderer(exports: Exports): RendererSpec {
  return readSingle<RendererSpec>(exports, 'render', 'defineRenderer');
}

/** Reads an outputter. @throws ExtensionError */
export function readOwnOutputter(exports: Exports): OutputterSpec {
  return readSingle<OutputterSpec>(exports, 'render', 'defineOutputter');
}

function checkAvailability(value: Record<string, unknown>): void {
  const { name, platforms, available } = value;
  if (name !== undefined && (typeof name !== 'string' || !NAME.test(name)))
    throw new ExtensionError(`${JSON.stringify(name)} is no name of a module`);
  if (platforms !== undefined && !Array.isArray(platforms))
    throw new ExtensionError("`platforms` is no list, such as ['Linux']");
  if (available !== undefined && typeof available !== 'function')
    throw new ExtensionError('`available` is no function');
}

function checkFunction(name: string, spec: unknown): void {
  if (!NAME.test(name)) throw new ExtensionError(`${JSON.stringify(name)} is no name of a function`);
  if (typeof spec !== 'object' || spec === null)
    throw new ExtensionError(`the function ${name} is not described; write ${name}: defineFunction({ … })`);
  const { run, doc, params = {} } = spec as Partial<OwnFunction>;
  if (typeof run !== 'function') throw new ExtensionError(`the function ${name} has no \`run\``);
  if (typeof doc !== 'string') throw new ExtensionError(`the function ${name} has no \`doc\``);
  for (const [param, about] of Object.entries(params)) {
    const { type } = about ?? {};
    if (!NAME.test(param))
      throw new ExtensionError(`${name}: ${JSON.stringify(param)} is no name of a parameter`);
    if (type !== undefined && !TYPES.has(type))
      throw new ExtensionError(
        `${name}: the parameter ${param} has the type ${JSON.stringify(type)}; there are ${[...TYPES].join(', ')}`,
      );
  }
}

/** Whether grains decide on the use of a file; false for one that cannot be loaded, which is found out later. */
export function asksForGrains(loader: { load(path: string): Exports }, path: string): boolean {
  try {
    const { platforms, available } = described(loader.load(path), 'defineModule');
    return platforms !== undefined || available !== undefined;
  } catch {
    return false;
  }
}

/** Why a module cannot be used here; undefined when it can. */
export function whyUnavailable(spec: Availability, opts: Dict, grains: Dict): string | undefined {
  const kernel = grains.get('kernel');
  if (spec.platforms !== undefined && !spec.platforms.includes(String(kernel)))
    return `it is for ${spec.platforms.join(' and ')}, and this is ${String(kernel)}`;
  if (spec.available === undefined) return undefined;
  const answer: unknown = spec.available({ opts: toRecord(opts), grains: toRecord(grains) });
  if (answer === true || answer === undefined) return undefined;
  return typeof answer === 'string' && answer !== '' ? answer : 'its `available` says no';
}
