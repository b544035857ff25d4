/** The grains that name the software itself, in which Brine and Salt must differ. */
import { dict, type Dict } from '../../../python/values/value.ts';
import { brineVersion, saltCompatVersion } from '../../../version.ts';
import { option, type GrainsContext } from '../context.ts';

/** Grains in which a minion of ours and a real Salt minion on the same machine differ, and why. */
export const softwareGrains: ReadonlyMap<string, string> = new Map([
  ['brineversion', 'ours only: the version of this software'],
  ['pid', 'the process'],
  ['pythonexecutable', "the Python that the site's own modules run with, where Salt names its own"],
  ['pythonpath', 'where modules come from: the folder of this software'],
  ['pythonversion', "the Python of Salt's own packages, whose semantics templates see here"],
  ['saltpath', 'the folder of this software'],
  ['saltversion', 'equal for the Salt release we follow, else different'],
  ['saltversioninfo', 'as saltversion'],
  ['zmqversion', 'Salt only: the version of libzmq, which we do not use'],
]);

/** The Python in Salt 3006's own packages. Formulas ask `grains.pythonversion[0]` to choose package names. */
const PYTHON_COMPAT_VERSION = [3, 10, 18, 'final', 0];

/** What formulas make virtual environments with: the interpreter of the options, else the first on PATH, else where it would be. */
function interpreter(ctx: GrainsContext): string {
  const named = option(ctx, 'python_executable', '');
  if (typeof named === 'string' && named.includes('/')) return named;
  return ctx.which(typeof named === 'string' && named !== '' ? named : 'python3') ?? '/usr/bin/python3';
}

/** The grains of {@link softwareGrains} but `pid`, in Salt's order. */
export function softwareVersionGrains(ctx: GrainsContext): Dict {
  const { path } = ctx.host.software();
  return dict({
    pythonexecutable: interpreter(ctx),
    pythonpath: [path],
    pythonversion: PYTHON_COMPAT_VERSION,
    saltpath: path,
    saltversion: saltCompatVersion,
    saltversioninfo: saltCompatVersion.split('.').map(Number),
    brineversion: brineVersion,
  });
}
