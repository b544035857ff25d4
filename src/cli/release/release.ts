/** `brine release`: what minions may take for a new version, made and signed where releases are. */
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { createGunzip } from 'node:zlib';
import { ConfigError, messageOf, UsageError } from '../../errors/errors.ts';
import { didYouMean } from '../../errors/did-you-mean.ts';
import { systemClock } from '../../host/clock.ts';
import { createFile } from '../../host/files.ts';
import { requirePrivate } from '../../host/loose-modes.ts';
import { publicHexOf } from '../../runtime/upgrade/signed/keys.ts';
import type { Role } from '../../runtime/upgrade/signed/metadata.ts';
import { ReleasePlace, type NewTarget, type RoleKeys } from '../../runtime/upgrade/signed/release-place.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';
import type { CommandIo } from '../terminal/io.ts';

const ACTIONS = ['key', 'init', 'add', 'sign', 'renew', 'rotate', 'status'];
const ARCHIVE =
  /^brine-(?<version>[0-9][0-9A-Za-z.+~]*(?:-[0-9A-Za-z.+~]+)*)-linux-(?<arch>[a-z0-9]+)\.tar\.gz$/;

/** Runs `brine release ACTION FOLDER …`. @returns the exit code. @throws UsageError, CommandExecutionError */
export async function runRelease(
  words: readonly string[],
  parsed: ParsedOptions,
  io: CommandIo,
): Promise<number> {
  const [action, folder, ...rest] = words;
  if (action === undefined || !ACTIONS.includes(action))
    throw new UsageError(
      `release is followed by one of ${ACTIONS.join(', ')}.${didYouMean(action ?? '', ACTIONS)}`,
    );
  if (folder === undefined)
    throw new UsageError(
      `release ${action} is followed by ${action === 'key' ? 'a file' : 'the folder of releases'}.`,
    );
  if (action === 'key') return makeKey(folder, io);
  const place = new ReleasePlace(folder, systemClock.nowMs());
  const keys = privateKeys(parsed.text('keys'));
  const lines = await act(action, place, { keys, parsed, rest });
  io.stdout.write(lines.map((line) => `${line}\n`).join(''));
  return 0;
}

interface Given {
  readonly keys: readonly KeyObject[];
  readonly parsed: ParsedOptions;
  readonly rest: readonly string[];
}

async function act(action: string, place: ReleasePlace, { keys, parsed, rest }: Given): Promise<string[]> {
  if (action === 'status') return place.status();
  if (keys.length === 0) throw new UsageError('Name the private keys that sign with --keys.');
  if (action === 'init') return place.init(rolesOf(parsed), keys);
  if (action === 'rotate') return place.rotate(rolesOf(parsed), keys);
  if (action === 'sign') return place.sign(keys);
  if (action === 'renew') return place.renew(keys);
  if (rest.length === 0)
    throw new UsageError('release add is followed by the folder of releases and by archives.');
  return place.add(await Promise.all(rest.map(targetOf)), keys);
}

function makeKey(path: string, io: CommandIo): number {
  const { privateKey } = generateKeyPairSync('ed25519');
  try {
    createFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, durable: true });
    createFile(`${path}.pub`, `${publicHexOf(privateKey)}\n`, { mode: 0o644 });
  } catch (error) {
    throw new ConfigError(`The key ${path} could not be made: ${messageOf(error)}.`);
  }
  io.stdout.write(`${path} signs releases and stays with you; ${path}.pub may be seen by everybody.\n`);
  return 0;
}

/** Who signs what: without further options the same keys sign everything. */
function rolesOf(parsed: ParsedOptions): RoleKeys {
  const root = publicKeys(parsed.text('root_keys') || parsed.text('keys'));
  const targets = publicKeys(parsed.text('targets_keys') || parsed.text('root_keys') || parsed.text('keys'));
  const online = publicKeys(parsed.text('online_keys') || parsed.text('targets_keys') || parsed.text('keys'));
  const threshold = Number(parsed.text('threshold') || '1');
  if (!Number.isInteger(threshold) || threshold < 1 || threshold > Math.min(root.length, targets.length))
    throw new UsageError(
      `--threshold says how many keys have to sign, from 1 to ${Math.min(root.length, targets.length)}.`,
    );
  return new Map<Role, { keys: readonly string[]; threshold: number }>([
    ['root', { keys: root, threshold }],
    ['targets', { keys: targets, threshold }],
    ['snapshot', { keys: online, threshold: 1 }],
    ['timestamp', { keys: online, threshold: 1 }],
  ]);
}

function filesIn(text: string): string[] {
  return text.split(',').filter((name) => name !== '');
}

function privateKeys(text: string): KeyObject[] {
  return filesIn(text).map((path) => {
    requirePrivate(path);
    try {
      const key = createPrivateKey(readFileSync(path));
      if (key.asymmetricKeyType !== 'ed25519') throw new Error(`it is a key of ${key.asymmetricKeyType}`);
      return key;
    } catch (error) {
      throw new ConfigError(
        `${path} cannot be used to sign releases: ${messageOf(error)}. "brine release key FILE" makes one.`,
      );
    }
  });
}

/** Public ones by themselves, or as the halves of private ones. */
function publicKeys(text: string): string[] {
  return filesIn(text).map((path) => {
    if (!path.endsWith('.pub')) return publicHexOf(privateKeys(path)[0] as KeyObject);
    try {
      return readFileSync(path, 'utf8').trim();
    } catch (error) {
      throw new ConfigError(`The public key ${path} cannot be read: ${messageOf(error)}.`);
    }
  });
}

async function targetOf(path: string): Promise<NewTarget> {
  const name = basename(path);
  const { version, arch } = ARCHIVE.exec(name)?.groups ?? {};
  if (version === undefined || arch === undefined)
    throw new UsageError(`${path} has not the name of a release, brine-VERSION-linux-ARCH.tar.gz.`);
  const hash = createHash('sha256');
  let unpacked = 0;
  try {
    const packed = createReadStream(path);
    packed.on('data', (bytes) => hash.update(bytes));
    const plain = packed.pipe(createGunzip());
    packed.on('error', (error) => plain.destroy(error));
    for await (const bytes of plain) unpacked += (bytes as Buffer).length;
    return { name, path, version, arch, length: statSync(path).size, sha256: hash.digest('hex'), unpacked };
  } catch (error) {
    throw new ConfigError(`${path} cannot be read as an archive: ${messageOf(error)}.`);
  }
}
