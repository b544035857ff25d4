/** Which processes have which files open, from /proc. Follows 3006.16 salt/modules/file.py `open_files`. */
import { readdirSync, statSync } from 'node:fs';
import { realPath } from '../../../python/paths.ts';
import { defineFunction } from '../../../runtime/loader/module.ts';
import { compareText } from '../../../python/values/order.ts';
import type { Value } from '../../../python/values/value.ts';
import { opt } from '../../shared/file-params.ts';
import { param } from '../../../runtime/loader/params.ts';

function names(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return []; // the process has ended, or is not ours to look at
  }
}

/** The files that a process has open, its program included; things that are no files are left out. */
function filesOf(pid: string): string[] {
  const places = names(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`);
  for (const thread of names(`/proc/${pid}/task`)) {
    const base = `/proc/${pid}/task/${thread}`;
    places.push(`${base}/exe`, ...names(`${base}/fd`).map((fd) => `${base}/fd/${fd}`));
  }
  const found = new Set<string>();
  for (const place of places) {
    try {
      const path = realPath(place);
      statSync(path);
      found.add(path);
    } catch {
      // a pipe, a socket, or a file that was removed
    }
  }
  return [...found].sort(compareText);
}

/** The function `open_files`. */
export const openFilesFunctions = {
  open_files: defineFunction({
    doc: 'Lists open files with the processes that have them open.',
    params: { by_pid: opt(param.flag({ doc: 'List by process.' }), false) },
    returns: 'mapping of path to list of pids; with by_pid the other way round',
    examples: ["salt '*' file.open_files", "salt '*' file.open_files by_pid=True"],
    isolation: 'process',
    run: (_ctx, { by_pid }) => {
      const byPid = new Map<Value, Value>();
      const byFile = new Map<Value, Value[]>();
      for (const pid of names('/proc').filter((name) => /^\d+$/.test(name))) {
        const files = filesOf(pid);
        byPid.set(Number(pid), files);
        for (const file of files) byFile.set(file, [...(byFile.get(file) ?? []), Number(pid)]);
      }
      return by_pid ? byPid : new Map<Value, Value>(byFile);
    },
  }),
};
