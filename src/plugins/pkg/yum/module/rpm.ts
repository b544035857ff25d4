/** What `rpm` knows of installed packages. Follows 3006.16 salt/utils/pkg/rpm.py, salt/modules/rpm_lowpkg.py. */
import { findProgram } from '../../../../host/which.ts';
import type { ModuleContext } from '../../../../runtime/loader/module.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { compareText } from '../../../../python/values/order.ts';
import { splitLines } from '../../../../python/values/text.ts';
import { dict, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import { runStdout, runText } from '../../../shared/program.ts';
import { packageName, type Versions } from '../../../shared/packages.ts';

const SEPARATOR = '_|-';
const QUERY = ['NAME', 'EPOCH', 'VERSION', 'RELEASE', 'ARCH'].map((tag) => `%{${tag}}`);
/** What is asked of rpm about a package: seven fields. */
export const RPM_FORMAT = [...QUERY, '(none)', '%{INSTALLTIME}'].join(SEPARATOR);
/** Packages for newer processors are named as their system is. Salt compat: as later releases do (68540). */
const INTEL_64 = ['x86_64', 'x86_64_v2'];
const INTEL_32 = ['i386', 'i486', 'i586', 'i686'];
const ARM_32 = ['armv5tel', 'armv5tejl', 'armv6l', 'armv6hl', 'armv7l', 'armv7hl', 'armv7hnl'];
/** Names of architectures, as they stand behind the dot of a package's name. */
const RPM_ARCHITECTURES: ReadonlySet<string> = new Set([
  ...INTEL_64,
  ...['athlon', 'amd64', 'ia32e', 'ia64', 'geode', 'noarch', 'aarch64', 'riscv64'],
  ...INTEL_32,
  ...ARM_32,
  ...['ppc', 'ppc64', 'ppc64le', 'ppc64iseries', 'ppc64pseries', 's390', 's390x', 'sh3', 'sh4', 'sh4a'],
]);

/** True where rpm and one of the programs before it are there. */
export function hasRpm(): boolean {
  return findProgram('rpm') !== undefined;
}

const RPM_SYSTEMS: readonly string[] =
  'amazon,xcp,xenserver,virtuozzolinux,virtuozzo,issabel pbx,openeuler'.split(',');

/** True on systems of one of the families, and on those that Salt names one by one. */
export function isRpmHost(grains: Dict, families: readonly string[]): boolean {
  const [family, os] = ['os_family', 'os'].map((name) => pyStr(grains.get(name) ?? ''));
  return families.includes(family ?? '') || RPM_SYSTEMS.includes((os ?? '').toLowerCase());
}

/** The architecture of this machine, as rpm names it. */
export function machineArchitecture(ctx: ModuleContext): string {
  return pyStr(ctx.grains.get('osarch') ?? ctx.grains.get('cpuarch') ?? '');
}

/** True when both are of one family, and so go by one name. */
function areOfOneFamily(a: string, b: string): boolean {
  return [INTEL_64, INTEL_32, ARM_32].some((family) => family.includes(a) && family.includes(b));
}

/** A name with its architecture where that is not the machine's own. */
export function resolvedName(name: string, arch: string, own: string): string {
  return arch === own || arch === 'noarch' || areOfOneFamily(arch, own) ? name : `${name}.${arch}`;
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
  return arch !== undefined && (arch === own || arch === 'noarch' || areOfOneFamily(arch, own))
    ? name
    : given;
}

/** What is known of one installed version. */
export interface RpmRecord {
  readonly epoch: string | null;
  readonly version: string;
  readonly release: string | null;
  readonly arch: string;
  /** Seconds since 1970; null when it is not installed. */
  readonly installed: number | null;
}

/**
 * The versions of each installed package, in the order of their version texts.
 * @param root the folder of another system
 */
export async function rpmRecords(ctx: ModuleContext, root: Value = null): Promise<Map<string, RpmRecord[]>> {
  const place = truthy(root) ? ['--root', pyStr(root)] : [];
  const words = ['rpm', ...place, '-qa', '--nodigest', '--nosignature', '--queryformat', `${RPM_FORMAT}\n`];
  return parseRpms(await runText(ctx, words, { output_loglevel: 'trace' }), machineArchitecture(ctx));
}

/** Installed packages and their versions, `epoch:version-release` with an epoch that is not 0. */
export async function installedRpms(ctx: ModuleContext): Promise<Versions> {
  const records = await rpmRecords(ctx);
  return new Map([...records].map(([name, versions]) => [name, versions.map(fullVersion)]));
}

/** `epoch:version-release`, without what there is not. */
export function fullVersion({ epoch, version, release }: RpmRecord): string {
  return `${epoch === null ? '' : `${epoch}:`}${version}${release === null ? '' : `-${release}`}`;
}

/** One line of a query in the form above; undefined when it is none. @param own the machine's architecture */
export function parseRpmLine(line: string, own: string): (RpmRecord & { readonly name: string }) | undefined {
  const [name = '', epoch = '', version = '', release = '', arch = '', repository, installed] =
    line.split(SEPARATOR);
  if (repository === undefined || installed === undefined) return undefined;
  return {
    name: resolvedName(name, arch, own),
    epoch: epoch === '(none)' || epoch === '0' ? null : epoch,
    version,
    release: release === '' ? null : release,
    arch,
    installed: installed === '(none)' || installed === '0' ? null : Number(installed),
  };
}

/** The lines of a query in the form above. */
function parseRpms(text: string, own: string): Map<string, RpmRecord[]> {
  const packages = new Map<string, RpmRecord[]>();
  for (const line of text.split('\n')) {
    const record = parseRpmLine(line, own);
    if (record === undefined) continue;
    const known = packages.get(record.name);
    if (known === undefined) packages.set(record.name, [record]);
    else known.push(record);
  }
  for (const versions of packages.values()) versions.sort((a, b) => compareText(a.version, b.version));
  return packages;
}

/** The parts of a version that `attr` may ask for. */
function attributesOf(record: RpmRecord): Dict {
  const { epoch, version, release, arch, installed } = record;
  return dict({
    epoch,
    version,
    release,
    arch,
    install_date: installed === null ? null : isoDate(installed),
    install_date_time_t: installed,
  });
}

/** Seconds since 1970 as `2024-01-02T03:04:05Z`. */
export function isoDate(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/**
 * `pkg.list_pkgs`
 * @param given.attr the parts wanted of each version, `all`, or nothing for its text
 */
export async function listRpms(
  ctx: ModuleContext,
  given: { readonly asList: boolean; readonly attr?: Value },
): Promise<Dict> {
  return shownRpms(await rpmRecords(ctx), given);
}

/** Packages as `pkg.list_pkgs` shows them. */
export function shownRpms(
  records: ReadonlyMap<string, readonly RpmRecord[]>,
  given: { readonly asList: boolean; readonly attr?: Value },
): Dict {
  const { asList, attr = null } = given;
  const out: Dict = new Map();
  if (!truthy(attr)) {
    for (const [name, versions] of records) {
      const texts = versions.map(fullVersion);
      out.set(name, asList ? texts : texts.join(','));
    }
    return out;
  }
  const wanted = attr === 'all' ? undefined : new Set([...inputList(attr), 'version', 'arch']);
  for (const [name, versions] of records) {
    const { name: bare, arch = null } = splitArchitecture(name);
    const shown = versions.map(
      (record) => new Map([...attributesOf(record)].filter(([key]) => wanted?.has(pyStr(key)) ?? true)),
    );
    const key = versions.some((record) => record.arch === arch) ? bare : name;
    const known = out.get(key);
    out.set(key, [...(Array.isArray(known) ? known : []), ...shown]);
  }
  return out;
}

/** A list, or a text with commas between, as texts (Salt's `split_input`). */
export function inputList(value: Value | undefined): string[] {
  if (!truthy(value)) return [];
  return Array.isArray(value)
    ? value.map(pyStr)
    : pyStr(value ?? '')
        .split(',')
        .map((word) => word.trim());
}

/** `rpm` with the keyword `root` of the functions of `lowpkg`. */
export function rpmCommand(kwargs: Dict, ...words: readonly string[]): string[] {
  const root = kwargs.get('root');
  return ['rpm', ...(truthy(root) ? ['--root', pyStr(root ?? '')] : []), ...words];
}

/** `lowpkg.list_pkgs`: versions without epoch and release; what is not installed comes as a line of its own. */
export async function namedRpms(
  ctx: ModuleContext,
  packages: readonly string[],
  kwargs: Dict,
): Promise<{ readonly versions: Dict; readonly missing: string[] }> {
  const which = packages.length === 0 ? ['-qa'] : ['-q'];
  const words = [...which, '--queryformat', '%{NAME} %{VERSION}\\n', ...packages.map(packageName)];
  const text = await runText(ctx, rpmCommand(kwargs, ...words), { output_loglevel: 'trace' });
  const [versions, missing]: [Dict, string[]] = [new Map(), []];
  for (const line of text.split('\n')) {
    const [name, version] = line.split(/\s+/);
    if (line.includes('is not installed')) missing.push(line);
    else if (name !== undefined && version !== undefined) versions.set(name, version);
  }
  return { versions, missing };
}

/** `lowpkg.file_list`: all files of packages, and rpm's words about those that are not installed. */
export async function rpmFiles(
  ctx: ModuleContext,
  packages: readonly string[],
  kwargs: Dict,
): Promise<string[]> {
  const words = packages.length === 0 ? ['-qla'] : ['-ql', ...packages.map(packageName)];
  return splitLines(await runText(ctx, rpmCommand(kwargs, ...words), { output_loglevel: 'trace' }));
}

/** `lowpkg.owner`: the package of each file, empty when none has it; of a single file its package. */
export async function rpmOwners(ctx: ModuleContext, paths: readonly Value[], kwargs: Dict): Promise<Value> {
  const out: Dict = new Map();
  for (const path of paths) {
    const words = rpmCommand(kwargs, '-qf', '--queryformat', '%{name}', '--', pyStr(path));
    const owner = await runStdout(ctx, words, { output_loglevel: 'trace' });
    out.set(path, owner.toLowerCase().includes('not owned') ? '' : owner);
  }
  return paths.length === 0 ? '' : out.size === 1 ? ([...out.values()][0] ?? '') : out;
}
