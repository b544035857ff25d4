/** Releases of the file server: which there are, as far as that is signed, and how one comes to this machine. */
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { readTextIfExists, writeFileAtomic } from '../../../host/files.ts';
import { runProcess } from '../../../host/process.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { compareVersions, isVersion, type Installation } from '../../../runtime/upgrade/installation.ts';
import { UntrustedError, type ReleaseTarget } from '../../../runtime/upgrade/signed/metadata.ts';
import { METADATA_BYTES_MAX, update, type Trust } from '../../../runtime/upgrade/signed/update.ts';
import type { FileSource } from '../../../storage/fileclient/file-source.ts';
import { defaultEnvironment, openFileClient } from '../../../storage/fileclient/open.ts';

/** Where artefacts lie below the place of releases, as metadata names them with their sums. */
const TARGETS = 'targets';
const TRUST = 'trust.json';
/** Left free on the disk beside what is brought. */
const ROOM_BYTES = 64 * 1024 * 1024;
const UNPACK_MS = 300_000;

/** The release to be brought: the one that is asked for, or the newest for this machine. @throws UntrustedError */
export async function findRelease(
  ctx: ModuleContext,
  here: Installation,
  { version, allowsOlder }: { readonly version: string | undefined; readonly allowsOlder: boolean },
): Promise<ReleaseTarget> {
  const place = placeOf(ctx);
  const trust = trustOf(ctx, here);
  const targets = await update(trust.trust, {
    fetch: (name) => place.text(name),
    nowMs: ctx.clock.nowMs(),
    keep: (now) => trust.keep(now),
  });
  const usable = targets.filter((target) => isVersion(target.version));
  const ours = usable.filter(({ arch }) => arch === ownArch());
  const named = version === undefined ? ours : ours.filter((target) => target.version === version);
  const [newest] = named.sort((a, b) => compareVersions(b.version, a.version));
  if (newest === undefined) throw new CommandExecutionError(notThere(version, usable));
  // without a name the newest is meant, and one that is older is not
  if (version === undefined && compareVersions(newest.version, here.version) <= 0 && !allowsOlder)
    return { ...newest, version: here.version };
  return newest;
}

function notThere(version: string | undefined, usable: readonly ReleaseTarget[]): string {
  const others = usable.filter((target) => version === undefined || target.version === version);
  if (others.length > 0)
    return `${version ?? 'Every release'} is there for ${[...new Set(others.map(({ arch }) => arch))].join(', ')} and not for this machine, which is ${ownArch()}.`;
  const all = [...new Set(usable.map((target) => target.version))].sort(compareVersions);
  const which = all.length === 0 ? 'none at all' : all.join(', ');
  return `There is no release ${version ?? ''} that is signed; there is ${which}.`.replace(
    'release  that',
    'release that',
  );
}

/** The names that releases have for machines: `x64`, `arm64`, with the library of C where it is not glibc. */
function ownArch(): string {
  return process.arch;
}

/** Brings a release to its folder. @throws CommandExecutionError; nothing is left behind */
export async function fetchRelease(
  ctx: ModuleContext,
  here: Installation,
  release: ReleaseTarget,
): Promise<void> {
  const { base } = here;
  const unready = here.unready(release.version);
  const archive = `${unready}.tar.gz`;
  rmSync(unready, { recursive: true, force: true });
  requireRoom(base, release);
  try {
    await placeOf(ctx).download(`${TARGETS}/${release.sha256}.${release.name}`, archive, release);
    mkdirSync(unready, { mode: 0o755 });
    await unpack(ctx, archive, unready);
    requireWhole(unready, release);
    await makeCaches(ctx, unready);
    // files that are not on the disk yet could be empty after a failure of power
    await runProcess(['sync', '-f', unready], { clock: ctx.clock, timeoutMs: UNPACK_MS });
    rmSync(archive);
    here.adopt(release.version);
  } catch (error) {
    rmSync(unready, { recursive: true, force: true });
    rmSync(archive, { force: true });
    throw error;
  }
}

function requireRoom(base: string, { length, unpackedBytes, version }: ReleaseTarget): void {
  const { bavail, bsize } = statfsSync(base);
  const needed = length + unpackedBytes + ROOM_BYTES;
  if (bavail * bsize < needed)
    throw new CommandExecutionError(
      `There is no room for ${version} in ${base}: it needs ${megabytes(needed)} MB, and ${megabytes(bavail * bsize)} MB are free.`,
    );
}

async function unpack(ctx: ModuleContext, archive: string, folder: string): Promise<void> {
  const words = ['tar', '-xzf', archive, '-C', folder, '--strip-components=1', '--no-same-owner'];
  const { retcode, stderr } = await runProcess(words, {
    clock: ctx.clock,
    signal: ctx.signal,
    timeoutMs: UNPACK_MS,
    diesWithUs: true,
  });
  if (retcode !== 0)
    throw new CommandExecutionError(`${archive} could not be unpacked: ${stderr.toString('utf8').trim()}`);
}

/** V8's caches are made where they are used; without them programs start later, and do the same. */
async function makeCaches(ctx: ModuleContext, folder: string): Promise<void> {
  const [node, script] = [join(folder, 'node/bin/node'), join(folder, 'bin/code-caches.mjs')];
  if (!existsSync(node) || !existsSync(script)) return;
  await runProcess([node, script], { clock: ctx.clock, timeoutMs: UNPACK_MS, diesWithUs: true }).catch(
    () => undefined,
  );
}

function requireWhole(folder: string, { version, name }: ReleaseTarget): void {
  const missing = ['bin/salt-minion', 'bin/launch.cjs', 'dist/salt-minion.cjs', 'package.json'].find(
    (file) => !existsSync(join(folder, file)),
  );
  if (missing !== undefined)
    throw new CommandExecutionError(`${name} is not the archive of a release: ${missing} is not in it.`);
  const said: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const own = typeof said === 'object' && said !== null ? (said as { version?: unknown }).version : undefined;
  if (own !== version)
    throw new CommandExecutionError(`${name} holds the version ${String(own)}, and is signed as ${version}.`);
}

/** The place of releases on the file server. */
class Place {
  readonly #source: FileSource;
  readonly #folder: string;
  readonly #saltenv: string;

  constructor(source: FileSource, folder: string, saltenv: string) {
    this.#source = source;
    this.#folder = folder;
    this.#saltenv = saltenv;
  }

  /** A file of metadata; undefined when there is none. @throws UntrustedError when it is too large */
  async text(name: string): Promise<string | undefined> {
    const pieces: Buffer[] = [];
    const isThere = await this.#each(name, METADATA_BYTES_MAX, (bytes) => void pieces.push(bytes));
    return isThere ? Buffer.concat(pieces).toString('utf8') : undefined;
  }

  /** @throws UntrustedError when it is not the file that was signed */
  async download(name: string, to: string, { length, sha256 }: ReleaseTarget): Promise<void> {
    const hash = createHash('sha256');
    const fd = openSync(to, 'w', 0o600);
    let had = 0;
    try {
      const isThere = await this.#each(name, length, (bytes) => {
        hash.update(bytes);
        had += bytes.length;
        for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      });
      if (!isThere)
        throw new CommandExecutionError(`${this.#folder}/${name} is signed, and is not on the file server.`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    if (had !== length || hash.digest('hex') !== sha256)
      throw new UntrustedError(`${this.#folder}/${name} is not the file that was signed.`);
  }

  async #each(name: string, bytesMax: number, take: (bytes: Buffer) => void): Promise<boolean> {
    const path = `${this.#folder}/${name}`;
    for (let at = 0; ;) {
      const { bytes, dest } = await this.#source.piece(path, this.#saltenv, at, undefined);
      if (dest === '') return false;
      if (bytes.length === 0) return true;
      at += bytes.length;
      if (at > bytesMax) throw new UntrustedError(`${path} is larger than it may be (${bytesMax} bytes).`);
      take(bytes);
    }
  }
}

function placeOf(ctx: ModuleContext): Place {
  const url = pyStr(ctx.opts.get('brine_upgrade_source') ?? 'salt://brine');
  const folder = /^salt:\/\/(?<folder>[^?]+?)\/*$/.exec(url)?.groups?.['folder'];
  if (folder === undefined)
    throw new CommandExecutionError(
      `brine_upgrade_source is to be a folder such as salt://brine, not ${url}.`,
    );
  return new Place(openFileClient(ctx).source, folder, defaultEnvironment(ctx.opts));
}

/** What is remembered of the releases, for as long as the operator's root of trust is the same. */
function trustOf(ctx: ModuleContext, here: Installation): { trust: Trust; keep: (trust: Trust) => void } {
  const named = pyStr(ctx.opts.get('brine_upgrade_root') ?? '');
  const path =
    named === ''
      ? join(dirname(pyStr(ctx.opts.get('conf_file') ?? '/etc/salt/minion')), 'brine-root.json')
      : named;
  const given = readTextIfExists(path);
  if (given === undefined)
    throw new UntrustedError(
      `There is no root of trust at ${path}, so that no release can be trusted. Put 1.root.json there, which "brine release init" has made where releases are signed, or name its place in brine_upgrade_root.`,
    );
  const sum = createHash('sha256').update(given).digest('hex');
  const file = join(here.base, TRUST);
  const keep = (trust: Trust): void =>
    writeFileAtomic(file, `${JSON.stringify({ sum, ...trust })}\n`, { mode: 0o600, durable: true });
  return { trust: remembered(file, sum) ?? emptyTrust(given), keep };
}

function emptyTrust(root: string): Trust {
  return { root, timestamp: undefined, snapshot: undefined, targets: undefined };
}

function remembered(file: string, sum: string): Trust | undefined {
  const text = readTextIfExists(file);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = new Map(Object.entries(value));
  const textOf = (name: string): string | undefined => {
    const found: unknown = fields.get(name);
    return typeof found === 'string' ? found : undefined;
  };
  const root = textOf('root');
  // another root of trust is another place, with a memory of its own
  if (fields.get('sum') !== sum || root === undefined) return undefined;
  return { root, timestamp: textOf('timestamp'), snapshot: textOf('snapshot'), targets: textOf('targets') };
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024);
}
