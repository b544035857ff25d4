/** Finding programs as Salt does (3006.16 salt/utils/path.py, which): PATH, then the usual folders. */
import type { GrainsHost } from './host.ts';

const USUAL_FOLDERS = ['/sbin', '/bin', '/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin'];

/**
 * Makes a finder that remembers what it found.
 * Salt compat: Salt also takes a program of that name in the working directory; we do not.
 * @returns a function from a program's name to its path, or undefined when it is not installed
 */
export function programFinder(host: GrainsHost): (program: string) => string | undefined {
  const windows = host.platform === 'win32';
  const separator = windows ? ';' : ':';
  const path = (host.env.get('PATH') ?? '').split(separator).filter((x) => x !== '');
  const folders = [...new Set(windows ? path : [...path, ...USUAL_FOLDERS])];
  const endings = windows ? (host.env.get('PATHEXT') ?? '.EXE').split(';') : [''];
  const known = new Map<string, string | undefined>();
  const find = (program: string): string | undefined => {
    if (program === '') return undefined;
    if (/^(\/|[A-Za-z]:\\)/.test(program)) return host.isExecutable(program) ? program : undefined;
    for (const folder of folders) {
      for (const ending of endings) {
        const candidate = `${folder}${windows ? '\\' : '/'}${program}${ending}`;
        if (host.isExecutable(candidate)) return candidate;
      }
    }
    return undefined;
  };
  return (program) => {
    if (!known.has(program)) known.set(program, find(program));
    return known.get(program);
  };
}
