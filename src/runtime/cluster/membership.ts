/**
 * How masters become members of a cluster. The first makes the cluster's secret and its streams. Each further one asks
 * on a stream, with a public key of its own; when an operator has accepted it on a member, the secret and the key that
 * minions trust are sealed for that key and handed over on the same stream (docs/internals/cluster.md#joining).
 */
import { createHash, generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import type { ClusterSettings } from '../../config/cluster.ts';
import { BrineError, messageOf } from '../../errors/errors.ts';
import { makeDirectory, safeJoin, writeFileAtomic } from '../../host/files.ts';
import { Secret } from '../../host/secret.ts';
import { Crypticle, generateKeyString } from '../../network/crypto/crypticle.ts';
import { RsaPrivateKey, RsaPublicKey } from '../../network/crypto/rsa.ts';
import { SubjectTakenError, type NatsStreams } from '../../network/nats/stream.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { dict, isBytes, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { isMember, writeClusterSecret } from './membership-files.ts';
import { clusterNames, subjectToken, type ClusterNames } from './names.ts';

const DAY_MS = 86_400_000;
const JOIN_BITS = 3072;
/** Requests to join that are shown; whoever reaches NATS can make more. */
const APPLICANTS_MAX = 100;
const OAEP = 'OAEP-SHA224';

/** What becoming a member works with. */
export interface MembershipDeps {
  readonly settings: ClusterSettings;
  readonly streams: NatsStreams;
  readonly pkiDir: string;
  readonly trusted: TrustedKey;
}

/**
 * The key pair that minions trust, which every member has: the master key, or the one that signs the keys that members
 * have of their own.
 */
export interface TrustedKey {
  /** Its files are `<name>.pem` and `<name>.pub`. */
  readonly name: string;
  readonly passphrase: Secret | undefined;
}

/** A master that has asked to join. */
export interface Applicant {
  readonly member: string;
  /** SHA-256 of its public key, in hexadecimal with colons. */
  readonly fingerprint: string;
}

/** SHA-256 of a public key's text, as `salt-key -f` shows it. */
export function fingerprintOf(pem: string): string {
  const hex = createHash('sha256').update(pem.replace(/\s+/g, '')).digest('hex');
  return (hex.match(/../g) ?? []).join(':');
}

/**
 * Makes the cluster with this master as its first member.
 * @param keepJobsMs how long jobs are kept
 * @throws BrineError when there is one of this name already, or this master is a member of one
 */
export async function initCluster(
  { settings, streams, pkiDir }: MembershipDeps,
  keepJobsMs: number,
): Promise<void> {
  refuseMember(pkiDir);
  const names = clusterNames(settings.id);
  const { replicas } = settings;
  if (await streams.exists(names.state.stream))
    throw new BrineError(
      `NATS has streams of a cluster ${settings.id} already. If this master is to be one of its members, run salt-run cluster.join ` +
        `here; if the cluster is no more, remove the streams ${names.state.stream}, ${names.jobs.stream}, ${names.files.stream}, ${names.tokens.stream} and ${names.queues.stream}.`,
    );
  const all = { replicas, maxAgeMs: 0, perSubject: 1 };
  await streams.create({ ...all, name: names.state.stream, subjects: [`${names.state.prefix}.>`] });
  await streams.create({ ...all, name: names.files.stream, subjects: [`${names.files.prefix}.>`] });
  await streams.create({
    name: names.jobs.stream,
    subjects: [names.jobs.subject],
    replicas,
    // a master that was away for less can catch up
    maxAgeMs: keepJobsMs === 0 ? 0 : keepJobsMs + DAY_MS,
    perSubject: -1,
  });
  writeClusterSecret(pkiDir, settings.id, generateKeyString());
}

/**
 * Asks to join.
 * @returns the fingerprint that the operator compares on a member
 * @throws BrineError when this master cannot join
 */
export async function askToJoin({ settings, streams, pkiDir }: MembershipDeps): Promise<JoinRequest> {
  refuseMember(pkiDir);
  const names = clusterNames(settings.id);
  if (!(await streams.exists(names.state.stream)))
    throw new BrineError(
      `There is no cluster ${settings.id} yet. Run salt-run cluster.init on its first master.`,
    );
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: JOIN_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const subject = askSubject(names, settings.member);
  const before = await streams.last(names.state.stream, subject);
  const asked = encode(dict({ member: settings.member, publicKey }), 'local');
  await streams.append(subject, asked, { after: before?.sequence ?? 0 });
  return { fingerprint: fingerprintOf(publicKey), key: RsaPrivateKey.parse(privateKey) };
}

/** A request to join that was made, and the key that opens its answer. */
export interface JoinRequest {
  readonly fingerprint: string;
  readonly key: RsaPrivateKey;
}

/**
 * Becomes a member, when the request was accepted.
 * @param fingerprint of the key that the cluster's minions trust, which the operator has brought from a member
 * @returns false while nobody has accepted it
 * @throws BrineError when the answer is not from a member with that key, or this master has another key
 */
export async function finishJoin(
  { settings, streams, pkiDir, trusted }: MembershipDeps,
  request: JoinRequest,
  fingerprint: string,
): Promise<boolean> {
  const names = clusterNames(settings.id);
  const granted = await streams.last(names.state.stream, grantSubject(names, settings.member));
  const bundle = granted === undefined ? undefined : openGrant(granted.data, request.key);
  if (bundle === undefined) return false;
  const [secret, key, publicKey] = ['secret', 'key', 'publicKey'].map((name) => bundle.get(name));
  if (typeof secret !== 'string' || typeof key !== 'string' || typeof publicKey !== 'string')
    throw new BrineError(
      'The answer to the request to join cannot be read. Ask again with salt-run cluster.join.',
    );
  if ((bundle.get('isSigning') === true) !== settings.hasOwnKeys)
    throw new BrineError(
      settings.hasOwnKeys
        ? 'The masters of this cluster have one key. Remove own_keys from the option cluster, and ask again with salt-run cluster.join.'
        : 'The masters of this cluster have keys of their own. Set own_keys: True within the option cluster, and master_sign_pubkey: True, ' +
            'and ask again with salt-run cluster.join.',
      { code: 'config-invalid' },
    );
  if (fingerprintOf(publicKey) !== fingerprint || publicKeyIn(key, trusted).trim() !== publicKey.trim())
    throw new BrineError(
      `The ${settings.hasOwnKeys ? 'signing' : 'master'} key that came has the fingerprint ${fingerprintOf(publicKey)}, and not ${fingerprint}: whoever answered is no ` +
        'member of the cluster that you mean. Nothing was written. Compare with salt-run cluster.status on a member.',
      { code: 'master-fingerprint-wrong' },
    );
  makeDirectory(pkiDir, 0o700);
  keepOldKey(pkiDir, trusted);
  const { privatePath, publicPath } = trustedPaths(pkiDir, trusted);
  writeFileAtomic(privatePath, key, { mode: 0o400, durable: true });
  writeFileAtomic(publicPath, publicKey, { mode: 0o644, durable: true });
  writeClusterSecret(pkiDir, settings.id, new Secret(secret));
  return true;
}

function publicKeyIn(key: string, { name, passphrase }: TrustedKey): string {
  try {
    return RsaPrivateKey.parse(key, passphrase?.reveal()).publicKey.pem;
  } catch (cause) {
    throw new BrineError(
      `The key ${name}.pem of the cluster has come and cannot be opened: ${messageOf(cause)}. If it has a pass phrase, this master needs ` +
        'the same one in its configuration (key_pass, or signing_key_pass for the signing key). Nothing was written.',
      { cause, code: 'key-unusable' },
    );
  }
}

/** Who has asked to join and was not accepted yet. */
export async function applicants({ settings, streams }: MembershipDeps): Promise<Applicant[]> {
  const { stream, prefix } = clusterNames(settings.id).state;
  const granted = new Set((await streams.subjects(stream, `${prefix}.grant.>`)).map(lastToken));
  const asking = (await streams.subjects(stream, `${prefix}.join.>`)).filter(
    (subject) => !granted.has(lastToken(subject)),
  );
  const found: Applicant[] = [];
  for (const subject of asking.slice(0, APPLICANTS_MAX)) {
    const member = Buffer.from(lastToken(subject), 'hex').toString('utf8');
    const asked = await streams.last(stream, subject);
    const publicKey = asked === undefined ? undefined : publicKeyOf(asked.data, member);
    if (publicKey !== undefined) found.push({ member, fingerprint: fingerprintOf(publicKey) });
  }
  return found;
}

function lastToken(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}

/**
 * Accepts a master that has asked to join.
 * @param fingerprint that the other master shows
 * @throws BrineError when it has not asked, or with another key
 */
export async function acceptMember(
  { settings, streams, pkiDir, trusted }: MembershipDeps,
  secret: Secret,
  member: string,
  fingerprint: string,
): Promise<void> {
  const names = clusterNames(settings.id);
  const asked = await streams.last(names.state.stream, askSubject(names, member));
  const publicKey = asked === undefined ? undefined : publicKeyOf(asked.data, member);
  if (publicKey === undefined)
    throw new BrineError(
      `No master ${member} has asked to join the cluster ${settings.id}. Run salt-run cluster.join there.`,
    );
  if (fingerprintOf(publicKey) !== fingerprint)
    throw new BrineError(
      `The master ${member} has asked with a key whose fingerprint is ${fingerprintOf(publicKey)}, not ${fingerprint}. ` +
        'Nothing was handed over. Compare with what salt-run cluster.join shows there.',
      { code: 'master-fingerprint-wrong' },
    );
  const { privatePath, publicPath } = trustedPaths(pkiDir, trusted);
  const bundle = dict({
    secret: secret.reveal(),
    key: readFileSync(privatePath, 'utf8'),
    publicKey: readFileSync(publicPath, 'utf8'),
    isSigning: settings.hasOwnKeys,
  });
  const once = generateKeyString();
  const sealed = new Crypticle(once).encrypt(encode(bundle, 'local'));
  const wrapped = RsaPublicKey.parse(publicKey).encrypt(Buffer.from(once.reveal()), OAEP);
  const subject = grantSubject(names, member);
  const before = await streams.last(names.state.stream, subject);
  try {
    await streams.append(subject, encode(dict({ wrapped, sealed }), 'local'), {
      after: before?.sequence ?? 0,
    });
  } catch (error) {
    if (!(error instanceof SubjectTakenError)) throw error;
    throw new BrineError(`The master ${member} was accepted by somebody else at this moment.`, {
      cause: error,
    });
  }
}

/** The fingerprint of the key that the cluster's minions trust. */
export function clusterFingerprint(pkiDir: string, trusted: TrustedKey): string {
  return fingerprintOf(readFileSync(trustedPaths(pkiDir, trusted).publicPath, 'utf8'));
}

function trustedPaths(pkiDir: string, { name }: TrustedKey): { privatePath: string; publicPath: string } {
  return { privatePath: safeJoin(pkiDir, `${name}.pem`), publicPath: safeJoin(pkiDir, `${name}.pub`) };
}

function refuseMember(pkiDir: string): void {
  if (!isMember(pkiDir)) return;
  throw new BrineError(
    'This master is a member of a cluster already. Leave it first, with salt-run cluster.leave.',
  );
}

/** Anybody who reaches NATS may have written this. */
function publicKeyOf(data: Uint8Array, member: string): string | undefined {
  const asked = readDict(data);
  const publicKey = asked?.get('publicKey');
  return asked?.get('member') === member && typeof publicKey === 'string' && publicKey.length < 10_000
    ? publicKey
    : undefined;
}

function openGrant(data: Uint8Array, key: RsaPrivateKey): Dict | undefined {
  const granted = readDict(data);
  const [wrapped, sealed] = [granted?.get('wrapped'), granted?.get('sealed')];
  if (wrapped === undefined || sealed === undefined || !isBytes(wrapped) || !isBytes(sealed))
    return undefined;
  try {
    const once = key.decrypt(Buffer.from(wrapped), OAEP);
    if (once === undefined) return undefined;
    const bundle = decode(new Crypticle(new Secret(once.toString())).decrypt(Buffer.from(sealed)), 'local');
    return isDict(bundle) ? bundle : undefined;
  } catch {
    return undefined; // it is the answer to an earlier request, with another key
  }
}

function readDict(data: Uint8Array): Dict | undefined {
  try {
    const value: Value = decode(Buffer.from(data), 'local');
    return isDict(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function askSubject(names: ClusterNames, member: string): string {
  return `${names.state.prefix}.join.${subjectToken(member)}`;
}

function grantSubject(names: ClusterNames, member: string): string {
  return `${names.state.prefix}.grant.${subjectToken(member)}`;
}

/** A key that the master had alone is kept beside the cluster's, for the way back. */
function keepOldKey(pkiDir: string, trusted: TrustedKey): void {
  for (const path of Object.values(trustedPaths(pkiDir, trusted)))
    if (existsSync(path)) renameSync(path, `${path}.before_cluster`);
}
