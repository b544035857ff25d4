/**
 * Custom beacons, renderers and outputters as the programs that use them see them: what there is, and asking them in a
 * process apart.
 */
import type { ErrorCode } from '../../errors/codes.ts';
import type { Logger } from '../../host/log.ts';
import { BrineError } from '../../errors/errors.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { eachFile, type DescribeDeps } from './describe.ts';
import { extensionFiles, type ExtensionFile } from './folder.ts';
import type { ValueOrFault, ServeHost } from '../../network/ipc/contracts/extension-host.ts';
import type { SingleKind } from './host-singles.ts';

/** One of them. */
export interface OwnSingle {
  /** Name of the file. */
  readonly file: string;
  readonly path: string;
  /** The name it goes by. */
  readonly name: string;
  readonly doc: string;
  /** A beacon that looks at its configuration. */
  readonly validates: boolean;
}

/** A custom module failed; the message names the place in its file. */
export class OwnFaultError extends BrineError {
  static override readonly errorCode: ErrorCode = 'own-module-failed';
  override readonly name = 'OwnFaultError';
}

/** The option that names files of a kind which are not to be used (salt/loader/lazy.py `disabled`, 3006.16). */
const DISABLED_BY: Readonly<Partial<Record<SingleKind, string>>> = {
  beacons: 'disable_beacons',
  renderers: 'disable_renders',
  output: 'disable_outputs',
};

/** The files of a kind that are not disabled. */
function singleFiles(opts: Dict, kind: SingleKind): ExtensionFile[] {
  const disabled = opts.get(DISABLED_BY[kind] ?? null);
  const names: readonly Value[] = Array.isArray(disabled) ? disabled : [disabled ?? null];
  return extensionFiles(opts, kind).filter(({ name }) => !names.includes(name));
}

/** Those of a kind that can be used here, by name; faults are reported. */
export async function describeSingles(
  deps: DescribeDeps,
  kind: SingleKind,
): Promise<ReadonlyMap<string, OwnSingle>> {
  const found = new Map<string, OwnSingle>();
  await eachFile(
    deps,
    singleFiles(deps.opts, kind),
    (host, file) => host.describe({ ...file, kind }),
    (described) => {
      if (described.kind === 'broken') deps.report(described.reason);
      if (described.kind === 'found') found.set(described.name, described);
    },
  );
  return found;
}

/** What a custom module returned. @throws OwnFaultError what its code has thrown, HostError when the process is gone */
export async function given<T>(asked: Promise<ValueOrFault<T>>): Promise<T> {
  const outcome = await asked;
  if ('fault' in outcome) throw new OwnFaultError(outcome.fault);
  return outcome.value;
}

/** Serves what the code asks back for. @param call calls a function by its full name */
export function serveSingles(
  log: Logger,
  call: (fun: string, args: readonly Value[], kwargs: Dict) => Value | Promise<Value>,
): ServeHost {
  return {
    log: ({ level, text }) => log[level](text),
    call: ({ fun, args, kwargs }) => call(fun, args, kwargs),
  };
}
