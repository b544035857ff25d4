/**
 * Metadata of releases, read once into what can be relied on: who signs what (`root`), which artefacts there are
 * (`targets`), which metadata belongs together (`snapshot`), and which of that is the newest (`timestamp`). The form is
 * that of The Update Framework 1.0, with Ed25519 and without delegations.
 */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { canonicalJson, type Json } from './canonical-json.ts';
import { isSignedBy, releaseKey, type ReleaseKey } from './keys.ts';

/** The roles, each with keys of its own. */
export const ROLES = ['root', 'timestamp', 'snapshot', 'targets'] as const;
/** One of them. */
export type Role = (typeof ROLES)[number];

/** What all metadata has. */
export interface Metadata {
  readonly role: Role;
  readonly version: number;
  readonly expiresMs: number;
  readonly signatures: ReadonlyMap<string, string>;
  /** What is signed. */
  readonly bytes: Uint8Array;
  readonly fields: ReadonlyMap<string, unknown>;
}

/** Who may sign for a role. */
export interface Signers {
  readonly keys: readonly ReleaseKey[];
  readonly threshold: number;
}

/** The root of trust. */
export interface Root extends Metadata {
  readonly signers: ReadonlyMap<Role, Signers>;
}

/** A file that metadata speaks of; sums and length where they are said. */
export interface FileFacts {
  readonly version: number;
  readonly length: number | undefined;
  readonly sha256: string | undefined;
}

/** An artefact. */
export interface ReleaseTarget {
  readonly name: string;
  readonly length: number;
  readonly sha256: string;
  readonly version: string;
  readonly arch: string;
  readonly unpackedBytes: number;
}

/** Metadata that cannot be relied on. */
export class UntrustedError extends CommandExecutionError {}

/** @param what for messages: the name of the file. @throws UntrustedError */
export function readMetadata(text: string, role: Role, what: string): Metadata {
  const outer = mapOf(parse(text, what), what);
  const signed = outer.get('signed');
  const fields = mapOf(signed, what);
  if (fields.get('_type') !== role) throw new UntrustedError(`${what} is not of the role ${role}.`);
  const version = fields.get('version');
  if (!isCount(version) || version < 1) throw new UntrustedError(`${what} has no version.`);
  const expires = fields.get('expires');
  const expiresMs = typeof expires === 'string' ? Date.parse(expires) : NaN;
  if (!Number.isFinite(expiresMs)) throw new UntrustedError(`${what} has no time at which it expires.`);
  return {
    role,
    version,
    expiresMs,
    signatures: signaturesIn(outer.get('signatures'), what),
    bytes: signedBytes(signed as Json, what),
    fields,
  };
}

function signedBytes(signed: Json, what: string): Uint8Array {
  try {
    return Buffer.from(canonicalJson(signed));
  } catch (error) {
    throw new UntrustedError(`${what}: ${(error as Error).message}.`);
  }
}

/** @throws UntrustedError */
export function readRoot(text: string, what: string): Root {
  const metadata = readMetadata(text, 'root', what);
  const keys = new Map<string, ReleaseKey>();
  for (const [id, value] of mapOf(metadata.fields.get('keys'), what)) {
    const given = mapOf(value, what);
    const hex = mapOf(given.get('keyval'), what).get('public');
    if (given.get('keytype') !== 'ed25519' || given.get('scheme') !== 'ed25519' || typeof hex !== 'string')
      throw new UntrustedError(`${what} has a key that is not of ed25519.`);
    const key = releaseKey(hex);
    // one key under two names would count twice
    if (key.id !== id) throw new UntrustedError(`${what} has a key under the name of another one.`);
    keys.set(id, key);
  }
  const roles = mapOf(metadata.fields.get('roles'), what);
  const signers = new Map(
    ROLES.map((role) => [role, signersIn(roles.get(role), keys, `${role} of ${what}`)]),
  );
  return { ...metadata, signers };
}

function signersIn(given: unknown, keys: ReadonlyMap<string, ReleaseKey>, what: string): Signers {
  const role = mapOf(given, what);
  const [ids, threshold] = [role.get('keyids'), role.get('threshold')];
  if (!Array.isArray(ids) || !isCount(threshold) || threshold < 1)
    throw new UntrustedError(`The role ${what} has no keys or no threshold.`);
  const found = [...new Set(ids.map(String))].map((id) => keys.get(id)).filter((key) => key !== undefined);
  if (found.length < threshold)
    throw new UntrustedError(`The role ${what} has fewer keys than have to sign for it.`);
  return { keys: found, threshold };
}

/** @throws UntrustedError when fewer of the role's keys have signed than have to */
export function requireSigned(metadata: Metadata, signers: Signers, what: string): void {
  const count = signers.keys.filter((key) => {
    const signature = metadata.signatures.get(key.id);
    return signature !== undefined && isSignedBy(key, metadata.bytes, signature);
  }).length;
  if (count < signers.threshold)
    throw new UntrustedError(
      `${what} is signed by ${count} of the keys that count for it, and ${signers.threshold} have to sign.`,
    );
}

/** @throws UntrustedError */
export function requireFresh({ expiresMs }: Metadata, nowMs: number, what: string): void {
  if (expiresMs <= nowMs)
    throw new UntrustedError(
      `${what} has expired at ${new Date(expiresMs).toISOString()}, and the clock of this machine says ${new Date(nowMs).toISOString()}. Renew it where releases are signed (brine release renew).`,
    );
}

/** What a timestamp or a snapshot says of a file. @throws UntrustedError */
export function factsOf(metadata: Metadata, name: string, what: string): FileFacts {
  const given = mapOf(mapOf(metadata.fields.get('meta'), what).get(name), `${name} in ${what}`);
  const version = given.get('version');
  if (!isCount(version)) throw new UntrustedError(`${what} does not say which version ${name} has.`);
  const length = given.get('length');
  const hashes = given.get('hashes');
  const sha256 = hashes === undefined ? undefined : mapOf(hashes, what).get('sha256');
  return {
    version,
    length: isCount(length) ? length : undefined,
    sha256: typeof sha256 === 'string' ? sha256 : undefined,
  };
}

/** The artefacts that there are. @throws UntrustedError */
export function targetsOf(metadata: Metadata, what: string): ReleaseTarget[] {
  return [...mapOf(metadata.fields.get('targets'), what)].map(([name, value]) => {
    const given = mapOf(value, what);
    const custom = mapOf(given.get('custom') ?? {}, what);
    const [length, sha256] = [given.get('length'), mapOf(given.get('hashes'), what).get('sha256')];
    if (!isCount(length) || typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
      throw new UntrustedError(`${what} says of ${name} neither length nor sum.`);
    const unpacked = custom.get('unpacked');
    return {
      ...{ name, length, sha256 },
      version: String(custom.get('version') ?? ''),
      arch: String(custom.get('arch') ?? ''),
      unpackedBytes: isCount(unpacked) ? unpacked : length * 4,
    };
  });
}

function signaturesIn(given: unknown, what: string): Map<string, string> {
  if (!Array.isArray(given)) throw new UntrustedError(`${what} is not signed.`);
  return new Map(
    given.map((each) => {
      const fields = mapOf(each, what);
      return [String(fields.get('keyid')), String(fields.get('sig'))];
    }),
  );
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UntrustedError(`${what} is no JSON.`);
  }
}

function mapOf(value: unknown, what: string): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UntrustedError(`${what} has not the form of signed metadata.`);
  return new Map(Object.entries(value));
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
