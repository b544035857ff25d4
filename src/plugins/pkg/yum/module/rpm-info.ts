/** What `rpm` tells of packages and their files. Follows 3006.16 salt/modules/rpm_lowpkg.py. */
import { CommandExecutionError, SaltInvocationError } from '../../../../errors/errors.ts';
import { isAbs, pathExists } from '../../../../python/paths.ts';
import { quoteWord } from '../../../../python/shell-words.ts';
import { isTrue } from '../../../../python/conversions.ts';
import type { ModuleContext } from '../../../../runtime/loader/module.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import { programPath, runAll, runCode, runStdout } from '../../../shared/program.ts';
import { packageName } from '../../../shared/packages.ts';
import {
  fullVersion,
  inputList,
  isoDate,
  machineArchitecture,
  parseRpmLine,
  RPM_FORMAT,
  rpmCommand,
} from './rpm.ts';
import { compareLoose } from '../../module/versions.ts';
import { isFileAddress, neededFile } from '../../../shared/served-files.ts';
import { fileExists } from '../../../shared/file-answers.ts';

const END = '-----\\n';
const INSTALLED = '%|INSTALLTIME?{%{INSTALLTIME}}:{(not installed)}|\\n';
const SIGNATURE = ['DSAHEADER', 'RSAHEADER', 'SIGGPG', 'SIGPGP'].reduceRight(
  (otherwise, tag) => `%|${tag}?{%{${tag}:pgpsig}}:{${otherwise}}|`,
  '(none)',
);

/** The lines of a query by attribute, in Salt's order. */
const attributeLines = (sizeTag: string): ReadonlyMap<string, string> =>
  new Map([
    ['name', 'name: %{NAME}\\n'],
    ['relocations', 'relocations: %|PREFIXES?{[%{PREFIXES} ]}:{(not relocatable)}|\\n'],
    ['version', 'version: %{VERSION}\\n'],
    ['vendor', 'vendor: %{VENDOR}\\n'],
    ['release', 'release: %{RELEASE}\\n'],
    ['epoch', '%|EPOCH?{epoch: %{EPOCH}\\n}|'],
    ['build_date_time_t', 'build_date_time_t: %{BUILDTIME}\\n'],
    ['build_date', 'build_date: %{BUILDTIME}\\n'],
    ['install_date_time_t', `install_date_time_t: ${INSTALLED}`],
    ['install_date', `install_date: ${INSTALLED}`],
    ['build_host', 'build_host: %{BUILDHOST}\\n'],
    ['group', 'group: %{GROUP}\\n'],
    ['source_rpm', 'source_rpm: %{SOURCERPM}\\n'],
    ['size', `size: %{${sizeTag}}\\n`],
    ['arch', 'arch: %{ARCH}\\n'],
    ['license', '%|LICENSE?{license: %{LICENSE}\\n}|'],
    ['signature', `signature: ${SIGNATURE}\\n`],
    ['packager', '%|PACKAGER?{packager: %{PACKAGER}\\n}|'],
    ['url', '%|URL?{url: %{URL}\\n}|'],
    ['summary', 'summary: %{SUMMARY}\\n'],
    ['edition', 'edition: %|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\\n'],
  ]);

/** The query for the wanted attributes; name and edition are always asked for. @throws CommandExecutionError */
function infoQuery(wanted: readonly string[] | undefined, sizeTag: string): string {
  const lines = attributeLines(sizeTag);
  const asked = wanted === undefined ? [...lines.keys()] : wanted.filter((name) => lines.has(name));
  if (asked.length === 0) throw new CommandExecutionError('No valid attributes found.');
  const all = new Set([...asked, 'name', 'edition']);
  const description = wanted?.includes('description') ?? true;
  const texts = [...all].map((name) => lines.get(name) ?? '');
  return [...texts, ...(description ? ['description:\\n%{DESCRIPTION}\\n'] : []), END].join('');
}

/** One package of the answer; undefined for what has no name. */
function parseInfo(block: string, withDescription: boolean): Dict | undefined {
  const out: Dict = new Map();
  const lines = block.split('\n');
  if (lines.at(-1)?.toLowerCase().startsWith('distribution') === true) lines.pop();
  const at = lines.findIndex((line) => line.trim() === 'description:');
  for (const line of at < 0 ? lines : lines.slice(0, at)) {
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    const [key, value] = [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    const isTime = /^(build|install)_date/.test(key);
    if (isTime && !/^-?\d+$/.test(value)) continue;
    if (isTime) out.set(key, key.endsWith('_t') ? Number(value) : isoDate(Number(value)));
    else if (value !== '' && key !== 'name') out.set(key, value);
    else if (key === 'name') out.set('\0name', value);
  }
  if (withDescription) out.set('description', at < 0 ? '' : lines.slice(at + 1).join('\n'));
  const name = out.get('\0name');
  out.delete('\0name');
  return truthy(name) ? out.set('name', name ?? '') : undefined;
}

/** `lowpkg.info`. Keywords: `attr`, `all_versions`, `root`. */
export async function rpmInfo(ctx: ModuleContext, packages: readonly Value[], kwargs: Dict): Promise<Dict> {
  const wanted = truthy(kwargs.get('attr')) ? inputList(kwargs.get('attr')) : undefined;
  const tags = await runStdout(ctx, ['rpm', '--querytags']);
  const query = infoQuery(wanted, tags.split('\n').includes('LONGSIZE') ? 'LONGSIZE' : 'SIZE');
  const which = packages.length === 0 ? ['-qa'] : ['-q'];
  const names = packages.map((name) => packageName(pyStr(name)));
  const { stdout } = await runAll(ctx, rpmCommand(kwargs, ...which, '--queryformat', query, ...names), {
    output_loglevel: 'trace',
    env: { TZ: 'UTC' },
    clean_env: true,
    ignore_retcode: true,
  });
  return parseInfos(stdout, {
    withDescription: wanted?.includes('description') ?? true,
    allVersions: isTrue(kwargs.get('all_versions') ?? false),
  });
}

/** What rpm has answered, by package. */
export function parseInfos(
  stdout: string,
  given: { readonly withDescription: boolean; readonly allVersions: boolean },
): Dict {
  const found = stdout
    .split(/---+/)
    .map((block) => block.trim())
    .flatMap((block) => (block === '' ? [] : [parseInfo(block, given.withDescription)]))
    .filter((each) => each !== undefined);
  return newestFirst(found, given.allVersions);
}

function newestFirst(found: readonly Dict[], allVersions: boolean): Dict {
  const edition = (each: Dict): string => pyStr(each.get('edition') ?? '');
  const sorted = [...found].sort((a, b) => compareLoose(edition(a), edition(b))).reverse();
  const out: Dict = new Map();
  for (const each of sorted) {
    const name = pyStr(each.get('name') ?? '');
    each.delete('name');
    if (name.startsWith('gpg-pubkey')) continue;
    const known = out.get(name);
    if (allVersions) out.set(name, [...(Array.isArray(known) ? known : []), each]);
    else if (known === undefined) {
      each.delete('edition');
      out.set(name, each);
    }
  }
  return out;
}

const FILE_TYPES = new Map([
  ['c', 'config'],
  ['d', 'doc'],
  ['g', 'ghost'],
  ['l', 'license'],
  ['r', 'readme'],
]);
const MISMATCHES: readonly (readonly [mark: string, name: string])[] = [
  ['S', 'size'],
  ['M', 'mode'],
  ['5', 'md5sum'],
  ['D', 'device major/minor number'],
  ['L', 'readlink path'],
  ['U', 'user'],
  ['G', 'group'],
  ['T', 'mtime'],
  ['P', 'capabilities'],
];

/** A keyword that is a list or a text with commas between. @throws SaltInvocationError */
function listKeyword(kwargs: Dict, name: string): string[] {
  const value = kwargs.get(name) ?? [];
  if (Array.isArray(value) || typeof value === 'string') return inputList(value);
  throw new SaltInvocationError(`${name} must be a list or a comma-separated string`);
}

/** `lowpkg.verify`. Keywords: `ignore_types`, `verify_options`, `root`. @throws CommandExecutionError */
export async function verifyRpms(
  ctx: ModuleContext,
  packages: readonly Value[],
  kwargs: Dict,
): Promise<Dict> {
  const ignored = listKeyword(kwargs, 'ignore_types');
  const options = listKeyword(kwargs, 'verify_options').map((option) => `--${option}`);
  const which = packages.length === 0 ? ['-Va'] : ['-V', ...packages.map((name) => packageName(pyStr(name)))];
  const { retcode, stdout, stderr } = await runAll(ctx, rpmCommand(kwargs, ...options, ...which), {
    output_loglevel: 'trace',
    ignore_retcode: true,
  });
  if (stdout.trim() === '' && retcode !== 0)
    throw new CommandExecutionError(`Failed to verify package(s)${stderr === '' ? '' : `: ${stderr}`}`);
  const out: Dict = new Map();
  for (const given of stdout === '' ? [] : stdout.split('\n')) {
    const isMissing = given.includes('missing');
    const line = isMissing ? ` ${given}` : given;
    const type = FILE_TYPES.get(line.slice(11, 12));
    if (type !== undefined && ignored.includes(type)) continue;
    const marks = MISMATCHES.filter(([mark], i) => line[i] === mark).map(([, name]) => name);
    const entry = dict(isMissing ? { missing: true } : { mismatch: marks });
    if (type !== undefined) entry.set('type', type);
    out.set(line.slice(13), entry);
  }
  return out;
}

const MODIFICATIONS = [
  'size',
  'mode',
  'checksum',
  'device',
  'symlink',
  'owner',
  'group',
  'time',
  'capabilities',
];

/** `lowpkg.modified`: what has changed of which file; flags such as `owner=True` filter. */
export async function modifiedRpms(
  ctx: ModuleContext,
  packages: readonly Value[],
  flags: Dict,
): Promise<Dict> {
  const words = rpmCommand(flags, '-Va', ...packages.map((name) => packageName(pyStr(name))));
  const { retcode, stdout, stderr } = await runAll(ctx, words, { output_loglevel: 'trace' });
  if (retcode > 1) return dict({ retcode, stderr });
  const out: Dict = new Map();
  if (retcode === 0) return out;
  const wanted = [...flags].filter(([name]) => pyStr(name) !== 'root' && !pyStr(name).startsWith('_'));
  for (const line of stdout.split('\n')) {
    const parts = line.split(/\s+/);
    const [changes = '', path = ''] = parts.length === 3 ? [parts[0], parts[2]] : parts;
    const facts: string[] = MODIFICATIONS.filter((_, i) => (changes[i] ?? '.') !== '.');
    if (parts.length === 3) facts.push('config');
    if (wanted.every(([name, value]) => facts.includes(pyStr(name)) === truthy(value))) out.set(path, facts);
  }
  return out;
}

/** `lowpkg.bin_pkg_info`: null when rpm cannot read the file. @throws CommandExecutionError, SaltInvocationError */
export async function rpmFileInfo(ctx: ModuleContext, given: string, saltenv: string): Promise<Dict | null> {
  let path = given;
  if (await isFileAddress(ctx, [path])) path = await neededFile(ctx, path, saltenv);
  else if (!pathExists(path)) throw new CommandExecutionError(`${path} does not exist on minion`);
  else if (!isAbs(path)) throw new SaltInvocationError(`${path} does not exist on minion`);
  const line = await runStdout(ctx, ['rpm', '-qp', '--queryformat', RPM_FORMAT, path], {
    output_loglevel: 'trace',
    ignore_retcode: true,
  });
  const record = parseRpmLine(line, machineArchitecture(ctx));
  if (record === undefined) return null;
  const { name, arch, installed } = record;
  return dict({
    name,
    version: fullVersion(record),
    arch,
    repoid: 'none',
    install_date: installed === null ? null : isoDate(installed),
    install_date_time_t: installed,
  });
}

/** `lowpkg.checksum`: whether digests and signatures of package files are right. @throws CommandExecutionError */
export async function checkRpms(ctx: ModuleContext, paths: readonly Value[], kwargs: Dict): Promise<Dict> {
  if (paths.length === 0) throw new CommandExecutionError('No package files has been specified.');
  const out: Dict = new Map();
  for (const path of paths) {
    const words = rpmCommand(kwargs, '-K', '--quiet', packageName(pyStr(path)));
    const isThere = await fileExists(ctx, [path]);
    const quiet = { ignore_retcode: true, output_loglevel: 'trace' };
    out.set(path, isThere && (await runCode(ctx, words, quiet)) === 0);
  }
  return out;
}

/** `lowpkg.diff`: a file as it is against how it was in its package. */
export async function diffPackageFile(ctx: ModuleContext, packageFile: string, path: string): Promise<Value> {
  for (const program of ['rpm2cpio', 'cpio', 'diff']) programPath(program);
  const [quoted, label] = [quoteWord(path), quoteWord(`A ${path}`)];
  const command =
    `rpm2cpio ${quoteWord(packageFile)} | cpio -i --quiet --to-stdout ${quoteWord(`.${path}`)} | ` +
    `diff -u --label ${label} --from-file=- --label ${quoteWord(`B ${path}`)} ${quoted}`;
  const shown = await ctx.functions.call('cmd.shell', [command], { output_loglevel: 'trace' });
  return pyStr(shown).startsWith('Binary file')
    ? `File '${path}' is binary and its content has been modified.`
    : shown;
}
