/**
 * Functions of a site's file of a kind that other modules use by name: drivers of `sdb://` (`_sdb`), backends of queues
 * (`_queues`). They are called in a process apart, which lives for one use, in daemons and commands alike.
 */
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { extensionFiles, hasExtensions } from './folder.ts';

/** The kinds. */
export type UsedKind = 'sdb' | 'queues';

/** What the files are looked up and run with. */
export interface KindModuleDeps {
  /** The options of the program by Salt's names. */
  readonly opts: Dict;
  readonly clock: Clock;
  readonly log: Logger;
}

/** One file, while it is used. */
export interface KindModule {
  has(fun: string): boolean;
  /**
   * Calls a function; in Python, keywords that it has no parameter for are left out.
   * @throws KindModuleError what the function throws
   */
  call(fun: string, args: readonly Value[], named: Dict): Promise<Value>;
}

/** A custom driver or backend failed. */
export class KindModuleError extends BrineError {
  static override readonly errorCode: ErrorCode = 'own-module-failed';
  override readonly name = 'KindModuleError';
}

/** What was done with the file; undefined when there is none of that name. */
type Used<T> = { readonly result: T } | undefined;

/** Has a custom file of that name used, if there is one. Nothing is started where the folders are empty. */
export async function useKindModule<T>(
  kind: UsedKind,
  name: string,
  deps: KindModuleDeps,
  use: (module: KindModule) => Promise<T>,
): Promise<Used<T>> {
  if (!hasExtensions(deps.opts, kind)) return undefined;
  return (await useSource(kind, name, deps, use)) ?? (await usePython(kind, name, deps, use));
}

/** A file in TypeScript or JavaScript. */
async function useSource<T>(
  kind: UsedKind,
  name: string,
  { opts, clock, log }: KindModuleDeps,
  use: (module: KindModule) => Promise<T>,
): Promise<Used<T>> {
  const files = extensionFiles(opts, kind);
  if (files.length === 0) return undefined;
  const [{ ExtensionHost }, { given, serveSingles }] = await Promise.all([
    import('./host-process.ts'),
    import('./singles.ts'),
  ]);
  const serve = serveSingles(log, (fun) => {
    throw new KindModuleError(`${fun} cannot be called from here.`);
  });
  const host = new ExtensionHost(clock, { serve });
  try {
    for (const file of files) {
      const tried = await host.asks.tryModule({ ...file, opts, grains: dict({}) });
      if (tried.kind === 'broken') log.error(tried.reason);
      if (tried.kind !== 'module' || tried.name !== name) continue;
      const about = { id: pyStr(opts.get('id') ?? ''), opts, grains: dict({}), pillar: dict({}) };
      await host.asks.surroundings(about);
      const module: KindModule = {
        has: (fun) => tried.functions.has(fun),
        call: (fun, args, kwargs) =>
          given(host.asks.run({ file: file.name, path: file.path, fun, args: [...args], kwargs })),
      };
      return { result: await use(module) };
    }
    return undefined;
  } finally {
    host.close();
  }
}

/** A file in Python. */
async function usePython<T>(
  kind: UsedKind,
  name: string,
  { opts, clock, log }: KindModuleDeps,
  use: (module: KindModule) => Promise<T>,
): Promise<Used<T>> {
  const { openPythonSingles } = await import('./python-singles.ts');
  const singles = await openPythonSingles(kind, { opts, grains: dict({}) }, { clock, log });
  try {
    const own = singles.found.get(name);
    if (own === undefined) return undefined;
    const module: KindModule = {
      has: (fun) => Object.hasOwn(own.module.functions, fun),
      call: (fun, args, named) => own.call(fun, args, named),
    };
    return { result: await use(module) };
  } finally {
    singles.close();
  }
}
