/** The grains that name the software itself, in which Brine and Salt must differ. */
import { parseJson } from '../../../../formats/json/parse.ts';
import { dict, type Dict, type Value } from '../../../../python/values/value.ts';
import { brineVersion, saltCompatVersion } from '../../../../version.ts';
import { option, type GrainsContext } from '../context.ts';
import { keptAnswer } from '../python-answer.ts';

/** Grains in which a minion of ours and a real Salt minion on the same machine differ, and why. */
export const softwareGrains: ReadonlyMap<string, string> = new Map([
  ['brineversion', 'ours only: the version of this software'],
  ['pid', 'the process'],
  ['pythonexecutable', "the Python that the site's own modules run with, where Salt names its own"],
  ['pythonpath', 'that of pythonexecutable'],
  ['pythonversion', 'that of pythonexecutable'],
  ['saltpath', 'the folder of this software'],
  ['saltversion', 'equal for the Salt release we follow, else different'],
  ['saltversioninfo', 'as saltversion'],
  ['zmqversion', 'Salt only: the version of libzmq, which we do not use'],
]);

/**
 * The Python in Salt 3006's own packages, for machines without one. Formulas ask `grains.pythonversion[0]` to choose
 * package names.
 */
const PYTHON_COMPAT_VERSION = [3, 10, 18, 'final', 0];

/**
 * What formulas make virtual environments with: the interpreter of the options, else the first on PATH, else where it
 * would be.
 */
function interpreter(ctx: GrainsContext): string {
  const named = option(ctx, 'python_executable', '');
  if (typeof named === 'string' && named.includes('/')) return named;
  return ctx.which(typeof named === 'string' && named !== '' ? named : 'python3') ?? '/usr/bin/python3';
}

/** One line of JSON: what it is called by, its version, and where it looks for modules. */
const ABOUT_PYTHON =
  'import json, sys; print(json.dumps([sys.executable, list(sys.version_info), [p for p in sys.path if p]]))';

/**
 * Three grains that are those of one Python: what it says itself; a name in a folder of shims stands for another one.
 */
async function pythonGrains(ctx: GrainsContext, softwarePath: string): Promise<Dict> {
  const named = interpreter(ctx);
  const said = await keptAnswer(ctx, named, async () => (await ctx.run([named, '-c', ABOUT_PYTHON]))?.stdout);
  let about: Value = null;
  try {
    about = parseJson(said ?? '');
  } catch {
    ctx.log.debug(`${named} does not say which Python it is, or is not there.`);
  }
  const [executable, version, path] = Array.isArray(about) ? about : [];
  return dict({
    pythonexecutable: typeof executable === 'string' && executable !== '' ? executable : named,
    pythonpath: path ?? [softwarePath],
    pythonversion: version ?? PYTHON_COMPAT_VERSION,
  });
}

/** The grains of {@link softwareGrains} but `pid`, in Salt's order. */
export async function softwareVersionGrains(ctx: GrainsContext): Promise<Dict> {
  const { path } = ctx.host.software();
  const own = dict({
    saltpath: path,
    saltversion: saltCompatVersion,
    saltversioninfo: saltCompatVersion.split('.').map(Number),
    brineversion: brineVersion,
  });
  return new Map([...(await pythonGrains(ctx, path)), ...own]);
}
