// The description from which `rpmbuild` writes all RPM packages of an architecture, as a text.
import { dirname } from 'node:path';
import { scriptlets } from './rpm-scripts.mjs';

const WIDTH = 78;
/** The makers of Fedora and of openSUSE name it differently. */
const MAKES_ACCOUNTS = '(shadow-utils or shadow)';
const OCTAL = 8;

/** The architectures, as RPM names them. */
export const RPM_ARCHITECTURES = { amd64: 'x86_64', arm64: 'aarch64', all: 'noarch' };

/**
 * @param packages of `packagesOf`
 * @param settings `tree`, the folder that has all files; `maintainer`; `timeS` of the commit
 * @throws Error for a version that is none of RPM's
 */
export function specOf(packages, { tree, maintainer, timeS }) {
  const [{ version, homepage }] = packages;
  if (!/^[0-9A-Za-z.+~^_]+$/.test(version))
    throw new Error(`"${version}" is no version of an RPM package: a "-" divides it from the release.`);
  return `${[
    'Name: brine',
    `Version: ${version}`,
    'Release: 1',
    'Summary: Remote execution and configuration management',
    'Group: System/Management',
    'License: Apache-2.0',
    `URL: ${homepage}`,
    `Vendor: ${literal(maintainer)}`,
    `Packager: ${literal(maintainer)}`,
    '%description',
    'Packages that bring Node, and what they run with it.',
    '%install',
    'mkdir -p %{buildroot}',
    `cp -a --no-preserve=ownership ${literal(tree)}/. %{buildroot}/`,
    ...packages.flatMap(describe),
    '%changelog',
    `* ${dateOf(timeS)} ${literal(maintainer)} - ${version}-1`,
    '- What has changed is told in NEWS.md.',
  ].join('\n')}\n`;
}

function describe(each) {
  const { name, version, rpm = {} } = each;
  const needs = [
    ...(each.needsOwn ?? []).map((other) => `brine-${other} = ${version}-1`),
    ...(rpm.needs ?? []),
  ];
  return [
    '',
    `%package -n ${name}`,
    `Summary: ${literal(each.summary)}`,
    'Group: System/Management',
    ...(rpm.license === undefined ? [] : [`License: ${rpm.license}`]),
    // Node has its libraries inside, and nobody else is to be given them
    'AutoReqProv: no',
    ...needs.map((one) => `Requires: ${one}`),
    ...(each.account === undefined ? [] : [`Requires(pre): ${MAKES_ACCOUNTS}`]),
    ...(each.recommends ?? []).map((one) => `Recommends: ${one}`),
    ...(rpm.conflicts ?? each.conflicts ?? []).map((one) => `Conflicts: ${one}`),
    `%description -n ${name}`,
    ...wrapped(literal(each.text)),
    ...scriptlets(each).flatMap(([script, text]) => [`%${script} -n ${name}`, literal(text)]),
    `%files -n ${name}`,
    ...filesOf(each),
  ];
}

/** @returns each file as the list of a package names it */
function filesOf(each) {
  const own = each.caches === true ? ['/etc/salt', dirname(each.library)] : [];
  const conffiles = new Set(each.conffiles ?? []);
  return [
    '%defattr(-,root,root,-)',
    ...own.map((folder) => `%dir %attr(0755,root,root) ${folder}`),
    `%dir /usr/share/doc/${each.name}`,
    `%doc /usr/share/doc/${each.name}/NEWS.md`,
    ...each.files.map((file) => {
      const path = file.rpm?.to ?? file.to;
      if (file.from !== undefined && !path.startsWith('/usr/share/')) return path;
      const mode = (file.mode ?? 0o644).toString(OCTAL).padStart(4, '0');
      const marks = [
        ...(conffiles.has(file.to) ? ['%config(noreplace)'] : []),
        ...(path.startsWith('/usr/share/man/') || path.startsWith('/usr/share/doc/') ? ['%doc'] : []),
        `%attr(${mode},root,${file.rpm?.group ?? 'root'})`,
        ...(file.rpm?.isOfAnyGroup === true ? ['%verify(not group)'] : []),
      ];
      return `${marks.join(' ')} ${path}`;
    }),
  ];
}

/** RPM reads macros in every text. */
function literal(text) {
  return text.replaceAll('%', '%%');
}

function wrapped(text) {
  const lines = [''];
  for (const word of text.split(' ')) {
    if (lines.at(-1).length + word.length > WIDTH) lines.push('');
    lines[lines.length - 1] += `${lines.at(-1) === '' ? '' : ' '}${word}`;
  }
  return lines;
}

/** As `Mon Nov 30 2026`. */
function dateOf(timeS) {
  const [day, date, month, year] = new Date(timeS * 1000).toUTCString().replace(',', '').split(' ');
  return `${day} ${month} ${date} ${year}`;
}
