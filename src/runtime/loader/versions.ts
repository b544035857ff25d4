/** The versions that `test.version`, `test.versions_report` and `--versions-report` show. */
import { release, version as kernelVersion } from 'node:os';
import { dict, type Dict } from '../../python/values/value.ts';
import { brineVersion, saltCompatVersion } from '../../version.ts';

/** Section title to name to version, in the order of the report. */
export function versionsInformation(grains: Dict): Dict {
  const { node, openssl, v8, uv, zlib } = process.versions;
  const text = (grain: string): string => {
    const value = grains.get(grain);
    return typeof value === 'string' ? value : '';
  };
  return dict({
    'Salt Version': { Salt: saltCompatVersion, Brine: brineVersion },
    'Node Version': { Node: node },
    'Dependency Versions': { libuv: uv, OpenSSL: openssl, V8: v8, zlib },
    'System Versions': {
      dist: [text('os').toLowerCase(), text('osrelease'), text('oscodename')].join(' ').trim(),
      locale: 'utf-8',
      machine: process.arch === 'x64' ? 'x86_64' : process.arch,
      release: release(),
      system: process.platform === 'linux' ? 'Linux' : process.platform,
      version:
        text('osfullname') === ''
          ? kernelVersion()
          : [text('osfullname'), text('osrelease'), text('oscodename')].join(' ').trim(),
    },
  });
}

/** The report as lines: sections, names right-aligned to one width, a line with one blank between sections. */
export function versionsReport(information: Dict): string[] {
  const sections = [...information].map(([title, entries]) => ({
    title: String(title),
    entries:
      entries instanceof Map ? [...entries].map(([name, version]) => [String(name), String(version)]) : [],
  }));
  const names = sections.flatMap((section) => section.entries.map(([name = '']) => name.length));
  const width = Math.max('Not Installed'.length, ...names) + 1;
  const lines: string[] = [];
  for (const { title, entries } of sections) {
    if (lines.length > 0) lines.push(' ');
    lines.push(`${title}:`);
    const sorted = entries.sort(([a = ''], [b = '']) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    for (const [name = '', version = ''] of sorted) lines.push(`${name.padStart(width)}: ${version}`);
  }
  return lines;
}
