/** What `rpm` knows of installed packages. Follows 3006.16 salt/utils/pkg/rpm.py, salt/modules/rpm_lowpkg.py. */
import { findProgram } from '../../host/which.ts';
import type { ModuleContext } from '../../loader/module.ts';
import { pyStr } from '../../values/repr.ts';
import type { Value } from '../../values/value.ts';
import { runAll, runText } from '../program.ts';
import { addVersion, packageName, problem, type Versions } from './packages.ts';

const SEPARATOR = '_|-';
const QUERY = ['NAME', 'EPOCH', 'VERSION', 'RELEASE', 'ARCH'].map((tag) => `%{${tag}}`);
const FORMAT = `${[...QUERY, '(none)', '%{INSTALLTIME}'].join(SEPARATOR)}\n`;
const INTEL_32 = ['i386', 'i486', 'i586', 'i686'];
const ARM_32 = ['armv5tel', 'armv5tejl', 'armv6l', 'armv6hl', 'armv7l', 'armv7hl', 'armv7hnl'];
/** Names of architectures, as they stand behind the dot of a package's name. */
export const RPM_ARCHITECTURES: ReadonlySet<string> = new Set([
  ...['x86_64', 'athlon', 'amd64', 'ia32e', 'ia64', 'geode', 'noarch', 'aarch64', 'riscv64'],
  ...INTEL_32,
  ...ARM_32,
  ...['ppc', 'ppc64', 'ppc64le', 'ppc64iseries', 'ppc64pseries', 's390', 's390x', 'sh3', 'sh4', 'sh4a'],
]);

/** True where rpm and one of the programs before it are there. */
export function hasRpm(): boolean {
  return findProgram('rpm') !== undefined;
}

/** The architecture of this machine, as rpm names it. */
export function machineArchitecture(ctx: ModuleContext): string {
  return pyStr(ctx.grains.get('osarch') ?? ctx.grains.get('cpuarch') ?? '');
}

/** True when both are of 32 bits and of one family, and so go by one name. */
function areOf32Bits(a: string, b: string): boolean {
  return [INTEL_32, ARM_32].some((family) => family.includes(a) && family.includes(b));
}

/** A name with its architecture where that is not the machine's own. */
export function resolvedName(name: string, arch: string, own: string): string {
  return arch === own || arch === 'noarch' || areOf32Bits(arch, own) ? name : `${name}.${arch}`;
}

/** `name.arch` taken apart; no architecture when the last part is none. */
export function splitArchitecture(name: string): {
  readonly name: string;
  readonly arch: string | undefined;
} {
  const at = name.lastIndexOf('.');
  const arch = name.slice(at + 1);
  return at > 0 && RPM_ARCHITECTURES.has(arch)
    ? { name: name.slice(0, at), arch }
    : { name, arch: undefined };
}

/** A name without an architecture that goes without saying. */
export function normalRpmName(ctx: ModuleContext, given: string): string {
  const { name, arch } = splitArchitecture(given);
  const own = machineArchitecture(ctx);
  return arch !== undefined && (arch === own || arch === 'noarch' || areOf32Bits(arch, own)) ? name : given;
}

/** Installed packages and their versions, `epoch:version-release` with an epoch that is not 0. */
export async function installedRpms(ctx: ModuleContext): Promise<Versions> {
  const words = ['rpm', '-qa', '--nodigest', '--nosignature', '--queryformat', FORMAT];
  return parseRpms(await runText(ctx, words, { output_loglevel: 'trace' }), machineArchitecture(ctx));
}

/** The lines of a query in the form above. @param own the machine's architecture */
export function parseRpms(text: string, own: string): Versions {
  const packages = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [name = '', epoch = '', version = '', release = '', arch = '', repository, installed] =
      line.split(SEPARATOR);
    if (repository === undefined || installed === undefined) continue;
    const full = release === '' ? version : `${version}-${release}`;
    const isPlain = epoch === '(none)' || epoch === '0';
    addVersion(packages, resolvedName(name, arch, own), isPlain ? full : `${epoch}:${full}`);
  }
  return packages;
}

/** `lowpkg.file_list`: all files of packages. @throws CommandExecutionError when a package is not installed */
export async function rpmFiles(ctx: ModuleContext, packages: readonly string[]): Promise<Map<Value, Value>> {
  const words = packages.length === 0 ? ['-qla'] : ['-ql', ...packages.map(packageName)];
  const { stdout } = await runAll(ctx, ['rpm', ...words], { output_loglevel: 'trace' });
  const lines = stdout.split('\n').filter((line) => line !== '');
  const isFile = (line: string): boolean => line.startsWith('/');
  return new Map<Value, Value>([
    ['errors', lines.filter((line) => !isFile(line))],
    ['files', lines.filter(isFile)],
  ]);
}

/** `lowpkg.owner`: the package of a file; empty when none has it. */
export async function rpmOwner(ctx: ModuleContext, path: string): Promise<string> {
  const words = ['rpm', '-qf', '--queryformat', '%{name}', '--', path];
  const { retcode, stdout } = await runAll(ctx, words, { output_loglevel: 'trace', ignore_retcode: true });
  return retcode !== 0 || stdout.toLowerCase().includes('not owned') ? '' : stdout;
}

/** A failure of dnf or yum, with what has changed all the same. */
export function rpmProblem(message: string, errors: readonly string[], changes: Value): Error {
  return problem(
    message,
    new Map<Value, Value>([
      ['errors', [...errors]],
      ['changes', changes],
    ]),
  );
}
