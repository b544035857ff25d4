/**
 * Authentication systems of the site's own (`_auth`, `auth_dirs`): they run in a process apart, which each worker has
 * for itself.
 */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { hasExtensions } from '../../../runtime/extensions/folder.ts';
import type { PythonSingle, PythonSinglesDeps } from '../../../runtime/extensions/python-singles.ts';
import type { AuthBackend, BackendSpec, Credentials } from './backend.ts';

/** The systems that there are. */
export interface OwnAuth {
  readonly find: (name: string) => BackendSpec | undefined;
  close(): void;
}

const NONE: OwnAuth = { find: () => undefined, close: () => undefined };
const KERNELS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { linux: 'Linux', darwin: 'Darwin' };

/**
 * Finds them. Files that cannot be used are told of in the log; a master whose `external_auth` names one of them does
 * not start. Nothing is started where there are none.
 * @param deps `functions` are those that systems in Python call (3006.16 salt/loader/__init__.py `auth`)
 */
export async function openOwnAuth(
  opts: Dict,
  { clock, log, functions }: PythonSinglesDeps,
): Promise<OwnAuth> {
  if (!hasExtensions(opts, 'auth')) return NONE;
  const [{ describeSingles, given, serveSingles }, { ExtensionHost }, { openPythonSingles }] =
    await Promise.all([
      import('../../../runtime/extensions/singles.ts'),
      import('../../../runtime/extensions/host-process.ts'),
      import('../../../runtime/extensions/python-singles.ts'),
    ]);
  const grains = dict({ kernel: KERNELS[process.platform] ?? process.platform });
  const report = (fault: string): void => log.error(fault);
  const found = await describeSingles({ opts, grains, clock, report }, 'auth');
  const serve = serveSingles(log, (fun) => {
    throw new CommandExecutionError(`${fun} cannot be called from here: there is no minion.`);
  });
  const host = new ExtensionHost(clock, { serve });
  const ask = async (
    path: string,
    what: 'auth' | 'groups' | 'acl',
    { username, password }: Credentials,
  ): Promise<Value> => {
    if (!host.isRunning)
      await host.asks.surroundings({ id: pyStr(opts.get('id') ?? ''), opts, grains, pillar: new Map() });
    const asked = host.asks.authenticate({ path, what, username, password: password.reveal() });
    return withoutPassword(given(asked), password.reveal());
  };
  const backendOf = (path: string): AuthBackend => ({
    authenticate: async (credentials) => (await ask(path, 'auth', credentials)) === true,
    groups: async (credentials) => textsOf(await ask(path, 'groups', credentials)),
    acl: async (credentials) => (await ask(path, 'acl', credentials)) ?? undefined,
  });
  const systems = new Map(
    [...found.values()].map(({ name, path, doc }): [string, BackendSpec] => [
      name,
      { name, doc, make: () => backendOf(path) },
    ]),
  );
  const parts = functions === undefined ? { clock, log } : { clock, log, functions };
  const python = await openPythonSingles('auth', { opts, grains }, parts);
  for (const [name, own] of python.found) {
    const spec = { name, doc: own.module.doc, make: () => pythonBackend(own) };
    if (!systems.has(name)) systems.set(name, spec);
  }
  const close = (): void => {
    host.close();
    python.close();
  };
  return { find: (name) => systems.get(name), close };
}

/**
 * Salt compat: values are handed over by the names of parameters (3006.16 salt/auth/__init__.py); without a function
 * there is nothing.
 */
function pythonBackend(own: PythonSingle): AuthBackend {
  const ask = async (fun: string, { username, password }: Credentials): Promise<Value> => {
    if (own.module.functions[fun] === undefined) return null;
    const given: Dict = new Map([
      ['username', username],
      ['password', password.reveal()],
    ]);
    return withoutPassword(own.call(fun, [], given), password.reveal());
  };
  return {
    authenticate: async (credentials) => truthy(await ask('auth', credentials)),
    groups: async (credentials) => textsOf(await ask('groups', credentials)),
    acl: async (credentials) => (await ask('acl', credentials)) ?? undefined,
  };
}

/** What the code throws is logged; it may say what it was given. */
async function withoutPassword<T>(asked: Promise<T>, secret: string): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new CommandExecutionError(secret === '' ? text : text.split(secret).join('***'));
  }
}

function textsOf(value: Value): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
