/** What a run changed on its copy of the root: the layer that took the changes, held against the layers below. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** A changed path: `gone`, or its kind, mode, owner and content. */
export interface Entry {
  readonly about: string;
  /** Its content, where it is a text that one may want to read. */
  readonly text?: string;
}

/**
 * Where caches, logs, locks and what is of the harness lie; of none of them any side says that it is the same twice.
 */
const LEFT_OUT =
  /^\/(?:tmp|proc|sys|dev|work|srv\/(?:salt|pillar)|run\/(?:lock|lvm|salt|stand-in)|root\/\.(?:cache|npm|config)|var\/(?:tmp|run|log|backups|lib\/apt|lib\/dpkg|lib\/systemd\/deb-systemd-.*|cache\/(?:salt|apt|man|debconf|fontconfig|ldconfig|apparmor))|etc\/salt\/(?:pki|minion_id)|etc\/ld\.so\.cache|usr\/lib\/locale\/locale-archive)(?:\/|$)|\/__pycache__(?:\/|$)|\.pyc$/;

/** Files of packages, which nobody wants to read. */
const UNREADABLE = /^\/(?:usr(?!\/local\/)|boot|lib(?!\/systemd\/)\w*)\//;

/** What changed, by path, of a layer over others (the nearest first, the host's root last). */
export function snapshot(layer: string, below: readonly string[]): Record<string, Entry> {
  const out: Record<string, Entry> = {};
  const visit = (path: string): void => {
    for (const name of readdirSync(join(layer, path))) {
      const at = `${path}/${name}`;
      if (LEFT_OUT.test(at)) continue;
      const stats = lstatSync(join(layer, at));
      const entry = entryOf(join(layer, at), stats, !UNREADABLE.test(at));
      if (entry.about !== aboutBelow(at, below)) out[at] = entry;
      if (stats.isDirectory()) visit(at);
    }
  };
  visit('');
  out['(packages)'] = packagesOf([layer, ...below]);
  return out;
}

function entryOf(file: string, stats: Stats, isReadable: boolean): Entry {
  if (stats.isCharacterDevice() && stats.rdev === 0) return { about: 'gone' };
  const head = `${(stats.mode & 0o7777).toString(8)} ${stats.uid}:${stats.gid}`;
  if (stats.isSymbolicLink()) return { about: `link to ${readlinkSync(file)}` };
  if (stats.isDirectory()) return { about: `folder ${head}` };
  if (!stats.isFile()) return { about: `other ${head}` };
  const content = readFileSync(file);
  const about = `file ${head} ${createHash('sha256').update(content).digest('hex').slice(0, 16)}`;
  const isText = isReadable && content.length < 65536 && !content.includes(0);
  return isText ? { about, text: content.toString() } : { about };
}

function aboutBelow(path: string, below: readonly string[]): string {
  for (const folder of below)
    try {
      const stats = lstatSync(join(folder, path));
      return entryOf(join(folder, path), stats, false).about;
    } catch {
      continue;
    }
  return 'gone';
}

/** The packages that dpkg knows, with their versions and states. */
function packagesOf(folders: readonly string[]): Entry {
  const all = ['/var/lib/dpkg/status'].flatMap((path) => {
    for (const folder of folders)
      try {
        return readFileSync(join(folder, path), 'utf8').split('\n\n');
      } catch {
        continue;
      }
    return [];
  });
  const lines = all.map((stanza) => (stanza.match(/^(?:Package|Status|Version): .*$/gm) ?? []).join(' '));
  const text = lines.sort().join('\n');
  return { about: createHash('sha256').update(text).digest('hex').slice(0, 16), text };
}
