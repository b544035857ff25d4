/**
 * A site's own sources of top data in Python (`_tops`), each a file with `top(**kwargs)` (3006.16
 * salt/daemons/masterapi.py `_master_tops`).
 */
import { CommandExecutionError } from '../../errors/errors.ts';
import type { Clock, Timer } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { dict, isDict, type Dict } from '../../python/values/value.ts';
import { pythonFiles, type PythonFile } from '../extensions/folder.ts';
import { callsNothing } from '../python-host/callers.ts';
import { PythonModules } from '../python-host/python-modules.ts';
import type { FindTop, TopSource } from './top-source.ts';

/** A process that nobody asks ends after this time. */
const IDLE_MS = 60_000;

/** What the files are run with. */
export interface PythonTopsDeps {
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Finds those of the master's `extension_modules` and `top_dirs`. They share a process, which is started when the first
 * is asked.
 */
export function pythonTops(opts: Dict, deps: PythonTopsDeps): FindTop {
  const { clock, log } = deps;
  let python: PythonModules | undefined;
  let idle: Timer | undefined;
  let asking = 0;
  return (name) => {
    const found = pythonFiles(opts, 'tops').find((one) => one.name === name || one.file === name);
    if (found === undefined) return undefined;
    return async (...asked) => {
      python ??= new PythonModules({ clock, log, files: pythonFiles });
      idle?.cancel();
      asking++;
      try {
        return await ask(python, found, asked);
      } finally {
        asking--;
        const process = python;
        if (asking === 0) idle = clock.after(IDLE_MS, () => process.close(), { background: true });
      }
    };
  };
}

async function ask(
  python: PythonModules,
  { file, path }: PythonFile,
  [, { minionId, opts, grains, masterOpts, log }]: Parameters<TopSource>,
): Promise<Dict> {
  const around = { opts: masterOpts, grains: dict(), pillar: dict() };
  const tried = await python.tryFile('tops', { file, path }, around);
  if ('broken' in tried) throw new CommandExecutionError(tried.broken);
  if ('unavailable' in tried)
    throw new CommandExecutionError(`${path} is not available: ${tried.unavailable}`);
  if (tried.module.functions['top'] === undefined)
    throw new CommandExecutionError(`${path} has no function top`);
  const kwargs = dict({ opts: new Map([...opts, ['id', minionId]]), grains });
  const call = { kind: 'tops', file, path, fun: 'top', args: [], kwargs } as const;
  // as in Salt, there is no `__salt__`
  const data = await python.call(call, around, callsNothing(log));
  if (!isDict(data)) throw new CommandExecutionError(`${path}: top gives no mapping`);
  return data;
}
