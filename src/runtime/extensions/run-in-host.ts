/** Functions of drivers of `sdb://` and of backends of queues, inside the process that is theirs. */
import { systemClock } from '../../host/clock.ts';
import { createLogger, LOG_LEVELS, type LogLevel, type LogSink } from '../../host/log.ts';
import { systemRandom } from '../../host/random.ts';
import type { Client } from '../../network/ipc/contract.ts';
import type { extensionServices, HostClient } from '../../network/ipc/contracts/extension-host.ts';
import type { Value } from '../../python/values/value.ts';
import { withoutMinion } from '../loader/no-minion.ts';
import { createModuleContext, ModuleRegistry } from '../loader/registry.ts';
import type { FileLoader } from './load-file.ts';
import { readOwnModule } from './read-module.ts';
import { toModuleSpec } from './to-module-spec.ts';

/** What the code may know of the program. */
export type HostSurroundings = Parameters<HostClient['surroundings']>[0];

/** Hands lines to the program. */
function sinkTo(services: Client<typeof extensionServices>): LogSink {
  const told = (level: LogLevel): 'debug' | 'info' | 'warning' | 'error' => {
    if (LOG_LEVELS[level] >= LOG_LEVELS.error) return 'error';
    if (LOG_LEVELS[level] >= LOG_LEVELS.warning) return 'warning';
    return LOG_LEVELS[level] >= LOG_LEVELS.info ? 'info' : 'debug';
  };
  return {
    level: LOG_LEVELS.debug,
    write: ({ level, message }) => services.log({ level: told(level), text: message }),
  };
}

/**
 * Calls a function of a file; the other functions that it may call are those of the same file. Throws what the code
 * throws.
 */
export async function runInHost(
  loader: FileLoader,
  services: Client<typeof extensionServices>,
  { id, opts, grains, pillar }: HostSurroundings,
  { file, path, fun, args, kwargs }: Parameters<HostClient['run']>[0],
): Promise<Value> {
  const module = toModuleSpec(file, readOwnModule(loader.load(path)));
  const load = (): Promise<typeof module> => Promise.resolve(module);
  const registry = new ModuleRegistry({
    ...{ opts, grains, table: [] },
    custom: () => Promise.resolve([{ file, name: module.name, load }]),
  });
  const full = `${module.name}.${fun}`;
  const { functions } = createModuleContext(registry, {
    ...{ id, opts, grains, pillar },
    job: { jid: '', fun: full, pub: new Map() },
    signal: new AbortController().signal,
    services: withoutMinion('There is no master to ask from here.'),
    clock: systemClock,
    random: systemRandom,
    log: createLogger(module.name, [sinkTo(services)]),
  });
  return functions.call(full, args, kwargs);
}
