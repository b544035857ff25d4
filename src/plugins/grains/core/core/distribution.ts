/**
 * Which Linux distribution this is: os, os_family, osfullname, osrelease, oscodename and lsb_* (salt/grains/core.py).
 */
import type { GrainsContext } from '../context.ts';
import { isFile } from '../context.ts';
import type { GrainsHost } from '../host.ts';
import type { Dict, Value } from '../../../../python/values/value.ts';
import { osFamilies, osNames, osNamesByIdAndName } from './os-names.ts';
import {
  parseCpeName,
  readDistroFacts,
  readLsbRelease,
  readOsRelease,
  type OsRelease,
} from './os-release.ts';

type Names = Map<string, string>;

/** The `os` grain for a distribution's full name. */
function osName(fullName: string, id?: string): string {
  const special = osNamesByIdAndName.get(`${id ?? ''}\n${fullName}`);
  if (special !== undefined) return special;
  const name = fullName.replace(/[^\p{L}\p{N}_](?:gnu\/)?linux/giu, '').trim();
  return osNames.get(name.replaceAll(' ', '').toLowerCase().slice(0, 10)) ?? name;
}

/**
 * The grains that name the distribution.
 *
 * Salt's packages bring their own Python, which never has the distribution's `lsb_release` module, so that Salt takes
 * its older rules for every distribution; so do we.
 */
export async function distributionGrains(ctx: GrainsContext): Promise<Names> {
  const { host } = ctx;
  const grains = readLsbRelease(host);
  const osRelease = readOsRelease(host);
  if (osRelease) addOsRelease(grains, osRelease);
  describeByOldRules(ctx, grains, osRelease);
  await fillGaps(ctx, grains);
  shortenCodename(grains);
  const codename = (grains.get('lsb_distrib_codename') ?? '').trim();
  const needsDistro = codename === '' || codename.includes('Red Hat');
  grains.set('oscodename', needsDistro ? (await readDistroFacts(ctx)).codename : codename);
  if (!grains.has('os')) grains.set('os', osName(grains.get('osfullname') ?? ''));
  const os = grains.get('os') ?? '';
  grains.set('os_family', osFamilies.get(os) ?? os);
  return grains;
}

function addOsRelease(grains: Names, os: OsRelease): void {
  const name = os.get('NAME') ?? '';
  grains.set('os', osName(name, os.get('ID')));
  grains.set('os_family', '');
  grains.set('oscodename', os.get('VERSION_CODENAME') ?? '');
  grains.set('osfullname', name.trim());
  if (grains.get('os') === '') grains.delete('os');
  if (grains.get('osfullname') === '') grains.delete('osfullname');
}

function describeByOldRules(ctx: GrainsContext, grains: Names, os: OsRelease | undefined): void {
  const { host } = ctx;
  if ((grains.get('lsb_distrib_description') ?? '').toLowerCase().startsWith('antergos')) {
    grains.set('osfullname', 'Antergos Linux');
  } else if (grains.has('lsb_distrib_id')) {
    return;
  } else if (os) {
    describeByOsRelease(ctx, grains, os);
  } else if (isFile(host, '/etc/SuSE-release')) {
    describeSuse(grains, host);
  } else if (isFile(host, '/etc/altlinux-release')) {
    describeAlt(grains, host);
  } else if (isFile(host, '/etc/centos-release')) {
    describeCentos(grains, host);
  } else if (isFile(host, '/etc.defaults/VERSION') && isFile(host, '/etc.defaults/synoinfo.conf')) {
    describeSynology(ctx, grains);
  }
}

function describeByOsRelease(ctx: GrainsContext, grains: Names, os: OsRelease): void {
  grains.set('lsb_distrib_id', (os.get('NAME') ?? '').trim());
  const version = os.get('VERSION_ID');
  if (version !== undefined) grains.set('lsb_distrib_release', version);
  grains.set('lsb_distrib_codename', os.get('VERSION_CODENAME') ?? os.get('PRETTY_NAME') ?? '');
  const cpeName = os.get('CPE_NAME');
  if (cpeName !== undefined) {
    const cpe = parseCpeName(cpeName);
    const vendor = cpe?.vendor.toLowerCase();
    if (!cpe) {
      ctx.log.error(
        `The CPE_NAME of /etc/os-release, ${JSON.stringify(cpeName)}, is in no known form; ignored.`,
      );
    } else if (vendor === 'suse' || vendor === 'opensuse') {
      grains.set('os', 'SUSE');
      if (os.get('NAME') === 'openSUSE Leap') grains.set('osfullname', 'Leap');
      else if (os.get('VERSION') === 'Tumbleweed') grains.set('osfullname', 'Tumbleweed');
      if (cpe.version && cpe.vendor === 'opensuse') grains.set('lsb_distrib_release', cpe.version);
    }
  }
  if (os.get('ID')?.trim() === 'mendel') {
    const words = (os.get('PRETTY_NAME') ?? '').trim().split(/\s+/);
    if (words[2] !== undefined) grains.set('lsb_distrib_release', words[2]);
  }
}

function describeSuse(grains: Names, host: GrainsHost): void {
  grains.set('lsb_distrib_id', 'SUSE');
  let version = '';
  let patch = '';
  for (const line of lines(host, '/etc/SuSE-release')) {
    const lower = line.toLowerCase();
    if (lower.includes('enterprise')) {
      grains.set('lsb_distrib_id', 'SLES');
      grains.set('lsb_distrib_codename', line.replace(/\(.+\)/g, '').trim());
    } else if (lower.includes('version')) {
      version = line.replace(/[^0-9]/g, '');
    } else if (lower.includes('patchlevel')) {
      patch = line.replace(/[^0-9]/g, '');
    }
  }
  grains.set('lsb_distrib_release', patch === '' ? version : `${version}.${patch}`);
  const codename = grains.get('lsb_distrib_codename') ?? '';
  if (codename === '') grains.set('lsb_distrib_codename', 'n.a');
  else if (patch !== '' && !codename.includes(`SP${patch}`)) {
    grains.set('lsb_distrib_codename', `${codename} SP${patch}`);
  }
}

function describeAlt(grains: Names, host: GrainsHost): void {
  grains.set('lsb_distrib_id', 'altlinux');
  for (const line of lines(host, '/etc/altlinux-release')) {
    const words = line.trim().split(/\s+/);
    if (words[0] !== 'ALT' || words[2] === undefined || words[3] === undefined) continue;
    grains.set('lsb_distrib_release', words[2]);
    grains.set('lsb_distrib_codename', words[3].replace(/[()]/g, ''));
  }
}

function describeCentos(grains: Names, host: GrainsHost): void {
  grains.set('lsb_distrib_id', 'CentOS');
  for (const line of lines(host, '/etc/centos-release')) {
    const release = /\d+\.\d+/.exec(line);
    const codename = /(?<=\()(.*?)(?=\))/.exec(line);
    if (release) grains.set('lsb_distrib_release', release[0]);
    if (codename) grains.set('lsb_distrib_codename', codename[0]);
  }
}

function describeSynology(ctx: GrainsContext, grains: Names): void {
  grains.set('osfullname', 'Synology');
  const facts = new Map<string, string>();
  for (const line of lines(ctx.host, '/etc.defaults/VERSION')) {
    const [key = '', value, ...more] = line.split('=');
    if (value !== undefined && more.length === 0) facts.set(key, value.replace(/^"+|"+$/g, ''));
  }
  const [major, minor, build] = ['majorversion', 'minorversion', 'buildnumber'].map((x) => facts.get(x));
  if (major !== undefined && minor !== undefined && build !== undefined) {
    grains.set('osrelease', `${major}.${minor}-${build}`);
  } else {
    ctx.log.warning('/etc.defaults/VERSION does not name the Synology version; osrelease is left empty.');
  }
}

async function fillGaps(ctx: GrainsContext, grains: Names): Promise<void> {
  if (!grains.has('osfullname')) {
    const id = grains.get('lsb_distrib_id');
    const name = id?.toLowerCase().startsWith('nilrt') ? 'nilrt' : (id ?? (await readDistroFacts(ctx)).name);
    grains.set('osfullname', name.trim());
  }
  if (!grains.has('osrelease')) {
    // CentOS 7 and 8 leave the minor release out of os-release
    if (/CentOS Linux [78]/.test(grains.get('lsb_distrib_codename') ?? ''))
      grains.delete('lsb_distrib_release');
    const release = grains.get('lsb_distrib_release') ?? (await readDistroFacts(ctx)).version;
    grains.set('osrelease', release.trim());
  }
}

function shortenCodename(grains: Names): void {
  const os = grains.get('os') ?? '';
  if (!['Rocky', 'AlmaLinux', 'AstraLinuxSE'].some((x) => os.includes(x))) return;
  const bracket = (grains.get('lsb_distrib_codename') ?? '').split('(').slice(1).join('(');
  if (bracket === '') return;
  const inside = bracket.split(')')[0] ?? '';
  grains.set(
    'lsb_distrib_codename',
    os === 'AstraLinuxSE' ? (inside.trim().split(/\s+/)[0] ?? '').toLowerCase() : inside,
  );
}

function lines(host: GrainsHost, path: string): string[] {
  return (host.readText(path) ?? '').split('\n').filter((x) => x.trim() !== '');
}

const FINGER_BY_OS = new Set(['Debian', 'FreeBSD', 'OpenBSD', 'NetBSD', 'Mac', 'Raspbian']);

/** osrelease_info, osmajorrelease and osfinger. */
export function osReleaseGrains(os: string, fullName: string, release: string): Dict {
  const info: Value[] = release.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const grains: Dict = new Map<Value, Value>([['osrelease_info', info]]);
  const [major = ''] = info;
  if (typeof major === 'number') grains.set('osmajorrelease', major);
  const name = FINGER_BY_OS.has(os) ? os : fullName;
  grains.set('osfinger', `${name}-${os === 'Ubuntu' || os === 'Pop' ? release : String(major)}`);
  return grains;
}
