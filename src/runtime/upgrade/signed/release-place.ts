/**
 * A folder of releases as the file server has it, seen from the operator's side: metadata is made, signed by as many as
 * have to, and only then put where minions look. What still lacks signatures lies in `staged/`.
 */
import { createHash, type KeyObject } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { readTextIfExists, writeFileAtomic } from '../../../host/files.ts';
import { canonicalJson, type Json } from './canonical-json.ts';
import { keyRecord, publicHexOf, releaseKey, signatureOf, type ReleaseKey } from './keys.ts';
import {
  readMetadata,
  readRoot,
  ROLES,
  type Metadata,
  type Role,
  type Root,
  type Signers,
} from './metadata.ts';

const SPEC_VERSION = '1.0.31';
const DAY_MS = 86_400_000;
/** How long each is good for: what says which is the newest has to be renewed most often. */
const DAYS: Readonly<Record<Role, number>> = { root: 730, targets: 365, snapshot: 30, timestamp: 30 };
const MODE = { mode: 0o644, durable: true } as const;

/** The public keys of each role, and how many of them have to sign. */
export type RoleKeys = ReadonlyMap<Role, { readonly keys: readonly string[]; readonly threshold: number }>;

/** An archive that becomes a target. */
export interface NewTarget {
  /** `brine-VERSION-linux-ARCH.tar.gz` */
  readonly name: string;
  readonly path: string;
  readonly version: string;
  readonly arch: string;
  readonly length: number;
  readonly sha256: string;
  readonly unpacked: number;
}

type Signed = { readonly [key: string]: Json };
interface Envelope {
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
  readonly signed: Signed;
}

/** The folder. */
export class ReleasePlace {
  readonly #folder: string;
  readonly #nowMs: number;

  /** @param nowMs from when on what is made counts */
  constructor(folder: string, nowMs: number) {
    this.#folder = folder;
    this.#nowMs = nowMs;
  }

  /** Begins a place. @returns what was done, a line each. @throws CommandExecutionError when there is one */
  init(roles: RoleKeys, keys: readonly KeyObject[]): string[] {
    if (this.#newest('root') !== undefined)
      throw new CommandExecutionError(
        `${this.#folder} is a place of releases already; rotate changes its keys.`,
      );
    mkdirSync(join(this.#folder, 'targets'), { recursive: true });
    this.#stage('root', this.#rootOf(1, roles));
    this.#stage('targets', this.#signed('targets', 1, { targets: {} }));
    return this.sign(keys);
  }

  /** Adds archives to what there is; one of the same name takes the place of the other. */
  add(targets: readonly NewTarget[], keys: readonly KeyObject[]): string[] {
    this.#requireRoot();
    const base = this.#stagedOrNewest('targets');
    const before = (base?.signed['targets'] ?? {}) as Record<string, Json>;
    const all = new Map(Object.entries(before));
    for (const target of targets) {
      copyFileSync(target.path, join(this.#folder, 'targets', `${target.sha256}.${target.name}`));
      all.set(target.name, {
        length: target.length,
        hashes: { sha256: target.sha256 },
        custom: { version: target.version, arch: target.arch, unpacked: target.unpacked },
      });
    }
    this.#stage(
      'targets',
      this.#signed('targets', this.#next('targets'), { targets: Object.fromEntries(all) }),
    );
    return this.sign(keys);
  }

  /** Has other keys from now on; the old ones have to sign that, and the new ones, too. */
  rotate(roles: RoleKeys, keys: readonly KeyObject[]): string[] {
    this.#requireRoot();
    this.#stage('root', this.#rootOf(this.#next('root'), roles));
    // what was signed by keys that do not count any more is signed anew
    return [...this.sign(keys), ...this.renew(keys)];
  }

  /** Gives what these keys sign further time. */
  renew(keys: readonly KeyObject[]): string[] {
    const root = this.#requireRoot();
    for (const role of ['targets'] as const) {
      const newest = this.#newest(role);
      if (newest === undefined || !keys.some((key) => isOf(signersOf(root, role), key))) continue;
      const rest = this.#stagedOrNewest(role)?.signed['targets'] ?? {};
      this.#stage(role, this.#signed(role, this.#next(role), { targets: rest }));
    }
    return this.sign(keys, true);
  }

  /**
   * Signs what waits, and puts it where minions look when all have signed.
   * @param isRenewal whether snapshot and timestamp are made anew although nothing is new
   */
  sign(keys: readonly KeyObject[], isRenewal = false): string[] {
    const lines = [...this.#publish('root', keys), ...this.#publish('targets', keys)];
    const root = this.#newestRoot();
    const targets = this.#newest('targets');
    if (root === undefined || targets === undefined) return lines;
    const snapshot = this.#newest('snapshot');
    const version = targets.metadata.version;
    if (!isRenewal && snapshot !== undefined && versionIn(snapshot.envelope, 'targets.json') === version)
      return lines;
    const online = keys.filter((key) => isOf(signersOf(root, 'snapshot'), key));
    const clocks = keys.filter((key) => isOf(signersOf(root, 'timestamp'), key));
    if (
      online.length < signersOf(root, 'snapshot').threshold ||
      clocks.length < signersOf(root, 'timestamp').threshold
    )
      return [
        ...lines,
        'The keys of snapshot and timestamp have to sign, before minions see it: brine release sign',
      ];
    return [...lines, ...this.#seal(version, online, clocks)];
  }

  /** What there is, a line each. */
  status(): string[] {
    return ROLES.flatMap((role) => {
      const found = this.#newest(role);
      const lines =
        found === undefined
          ? []
          : [
              `${role}: version ${found.metadata.version}, until ${new Date(found.metadata.expiresMs).toISOString()}`,
            ];
      return this.#staged(role) === undefined
        ? lines
        : [...lines, `${role}: a further version waits for signatures`];
    });
  }

  #seal(targetsVersion: number, online: readonly KeyObject[], clocks: readonly KeyObject[]): string[] {
    const snapshotVersion = (this.#newest('snapshot')?.metadata.version ?? 0) + 1;
    const snapshot = envelopeOf(
      this.#signed('snapshot', snapshotVersion, { meta: { 'targets.json': { version: targetsVersion } } }),
      online,
    );
    const text = textOf(snapshot);
    writeFileAtomic(join(this.#folder, `${snapshotVersion}.snapshot.json`), text, MODE);
    const timestampVersion = (this.#newest('timestamp')?.metadata.version ?? 0) + 1;
    const facts = {
      version: snapshotVersion,
      length: Buffer.byteLength(text),
      hashes: { sha256: createHash('sha256').update(text).digest('hex') },
    };
    const timestamp = envelopeOf(
      this.#signed('timestamp', timestampVersion, { meta: { 'snapshot.json': facts } }),
      clocks,
    );
    // from here on minions see it
    writeFileAtomic(join(this.#folder, 'timestamp.json'), textOf(timestamp), MODE);
    return [`Minions see version ${targetsVersion} of the list of releases.`];
  }

  /** Signs a staged file, and puts it in its place when enough have signed. */
  #publish(role: 'root' | 'targets', keys: readonly KeyObject[]): string[] {
    const staged = this.#staged(role);
    if (staged === undefined) return [];
    const text = textOf(staged);
    const before = this.#newestRoot();
    const own = role === 'root' ? readRoot(text, role) : undefined;
    const all = [before, own].filter((root) => root !== undefined).map((root) => signersOf(root, role));
    if (all.length === 0) return ['targets waits for the root.'];
    const signed = withSignatures(
      staged,
      keys.filter((key) => all.some((signers) => isOf(signers, key))),
    );
    const metadata = readMetadata(textOf(signed), role, role);
    const missing = all.map((signers) => signers.threshold - countOf(metadata, signers));
    const lacks = Math.max(0, ...missing);
    if (lacks > 0) {
      this.#stage(role, signed);
      return [
        `${role} version ${metadata.version} waits for ${lacks} more signature${lacks === 1 ? '' : 's'}.`,
      ];
    }
    writeFileAtomic(join(this.#folder, `${metadata.version}.${role}.json`), textOf(signed), MODE);
    rmSync(this.#stagedPath(role));
    // whoever signs has to see for what
    const named = role === 'targets' ? `: ${Object.keys(signed.signed['targets'] ?? {}).join(', ')}` : '';
    return [`${role} version ${metadata.version} is signed${named}.`];
  }

  #signed(role: Role, version: number, rest: Signed): Signed {
    const expires = new Date(this.#nowMs + DAYS[role] * DAY_MS).toISOString().replace(/\.\d+Z$/, 'Z');
    return { _type: role, spec_version: SPEC_VERSION, version, expires, ...rest };
  }

  #rootOf(version: number, roles: RoleKeys): Signed {
    const keys = new Map<string, Json>();
    const described = ROLES.map((role) => {
      const given = roles.get(role) ?? { keys: [], threshold: 1 };
      const ids = given.keys.map((hex) => {
        const { id } = releaseKey(hex);
        keys.set(id, keyRecord(hex));
        return id;
      });
      return [role, { keyids: ids, threshold: given.threshold }] as const;
    });
    const root = this.#signed('root', version, {
      consistent_snapshot: true,
      keys: Object.fromEntries(keys),
      roles: Object.fromEntries(described),
    });
    readRoot(textOf({ signatures: [], signed: root }), 'the root of trust');
    return root;
  }

  #stage(role: Role, given: Signed | Envelope): void {
    mkdirSync(join(this.#folder, 'staged'), { recursive: true });
    const envelope = isEnvelope(given) ? given : { signatures: [], signed: given };
    writeFileAtomic(this.#stagedPath(role), textOf(envelope), MODE);
  }

  #stagedPath(role: Role): string {
    return join(this.#folder, 'staged', `${role}.json`);
  }

  #staged(role: Role): Envelope | undefined {
    const text = readTextIfExists(this.#stagedPath(role));
    return text === undefined ? undefined : (JSON.parse(text) as Envelope);
  }

  #stagedOrNewest(role: Role): Envelope | undefined {
    return this.#staged(role) ?? this.#newest(role)?.envelope;
  }

  #next(role: Role): number {
    return (this.#newest(role)?.metadata.version ?? 0) + 1;
  }

  #newest(role: Role): { readonly metadata: Metadata; readonly envelope: Envelope } | undefined {
    const name = role === 'timestamp' ? 'timestamp.json' : this.#newestName(role);
    const text = name === undefined ? undefined : readTextIfExists(join(this.#folder, name));
    if (text === undefined) return undefined;
    return { metadata: readMetadata(text, role, name ?? role), envelope: JSON.parse(text) as Envelope };
  }

  #newestName(role: Role): string | undefined {
    const pattern = new RegExp(`^(\\d+)\\.${role}\\.json$`);
    const versions = names(this.#folder).flatMap((name) => Number(pattern.exec(name)?.[1] ?? NaN) || []);
    return versions.length === 0 ? undefined : `${Math.max(...versions)}.${role}.json`;
  }

  #newestRoot(): Root | undefined {
    const name = this.#newestName('root');
    const text = name === undefined ? undefined : readTextIfExists(join(this.#folder, name));
    return text === undefined ? undefined : readRoot(text, name ?? 'root');
  }

  #requireRoot(): Root {
    const root = this.#newestRoot();
    if (root === undefined)
      throw new CommandExecutionError(
        `${this.#folder} is no place of releases, or its root lacks signatures; "brine release init" makes one.`,
      );
    return root;
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function signersOf(root: Root, role: Role): Signers {
  return root.signers.get(role) ?? { keys: [], threshold: 1 };
}

function isOf({ keys }: Signers, key: KeyObject): boolean {
  const hex = publicHexOf(key);
  return keys.some((each) => each.public === hex);
}

function countOf(metadata: Metadata, { keys }: Signers): number {
  return keys.filter(({ id }) => metadata.signatures.has(id)).length;
}

function envelopeOf(signed: Signed, keys: readonly KeyObject[]): Envelope {
  return withSignatures({ signatures: [], signed }, keys);
}

function withSignatures({ signatures, signed }: Envelope, keys: readonly KeyObject[]): Envelope {
  const bytes = Buffer.from(canonicalJson(signed));
  const all = new Map(signatures.map((each) => [each.keyid, each]));
  for (const key of keys) {
    const own: ReleaseKey = releaseKey(publicHexOf(key));
    all.set(own.id, { keyid: own.id, sig: signatureOf(key, bytes) });
  }
  return { signatures: [...all.values()], signed };
}

function versionIn({ signed }: Envelope, name: string): number | undefined {
  const meta = signed['meta'] as Record<string, { version?: number }> | undefined;
  return new Map(Object.entries(meta ?? {})).get(name)?.version;
}

function isEnvelope(given: Signed | Envelope): given is Envelope {
  return Array.isArray(given['signatures']);
}

function textOf(envelope: Envelope): string {
  return `${JSON.stringify(envelope, null, 1)}\n`;
}
