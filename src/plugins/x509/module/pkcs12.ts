/** PKCS 12 (RFC 7292): a key with its certificates in one file, under a password. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  pbkdf2Sync,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import type { Random } from '../../../host/random.ts';
import {
  childrenOf,
  der,
  DerError,
  derInteger,
  derOid,
  derSequence,
  derSetOf,
  integerOf,
  oidOf,
  readDer,
  TAG,
  textOf,
  expectTag,
  type DerNode,
} from './der.ts';

/** What a file of PKCS 12 holds. */
export interface Pkcs12 {
  readonly key: KeyObject | undefined;
  /** The certificate of the key, in DER. */
  readonly cert: Buffer | undefined;
  readonly friendlyName: string | undefined;
  readonly others: readonly Buffer[];
}

const OID = {
  data: '1.2.840.113549.1.7.1',
  encryptedData: '1.2.840.113549.1.7.6',
  keyBag: '1.2.840.113549.1.12.10.1.1',
  shroudedKeyBag: '1.2.840.113549.1.12.10.1.2',
  certBag: '1.2.840.113549.1.12.10.1.3',
  x509Certificate: '1.2.840.113549.1.9.22.1',
  friendlyName: '1.2.840.113549.1.9.20',
  localKeyId: '1.2.840.113549.1.9.21',
  pbes2: '1.2.840.113549.1.5.13',
  pbkdf2: '1.2.840.113549.1.5.12',
  tripleDes: '1.2.840.113549.1.12.1.3',
  aes256: '2.16.840.1.101.3.4.1.42',
  hmacSha256: '1.2.840.113549.2.9',
  sha1: '1.3.14.3.2.26',
  sha256: '2.16.840.1.101.3.4.2.1',
} as const;
const CIPHERS: ReadonlyMap<string, readonly [name: string, keyBytes: number]> = new Map([
  ['2.16.840.1.101.3.4.1.2', ['aes-128-cbc', 16]],
  ['2.16.840.1.101.3.4.1.22', ['aes-192-cbc', 24]],
  [OID.aes256, ['aes-256-cbc', 32]],
  ['1.2.840.113549.3.7', ['des-ede3-cbc', 24]],
]);
const HASHES: ReadonlyMap<string, readonly [name: string, block: number]> = new Map([
  [OID.sha1, ['sha1', 64]],
  ['2.16.840.1.101.3.4.2.4', ['sha224', 64]],
  [OID.sha256, ['sha256', 64]],
  ['2.16.840.1.101.3.4.2.2', ['sha384', 128]],
  ['2.16.840.1.101.3.4.2.3', ['sha512', 128]],
]);
const PRFS: ReadonlyMap<string, string> = new Map([
  ['1.2.840.113549.2.7', 'sha1'],
  ['1.2.840.113549.2.8', 'sha224'],
  [OID.hmacSha256, 'sha256'],
  ['1.2.840.113549.2.10', 'sha384'],
  ['1.2.840.113549.2.11', 'sha512'],
]);
/** More rounds than this are an attack on the minion's time. */
const MOST_ROUNDS = 10_000_000;
const ROUNDS = 20_000;

/** A password as PKCS 12 hashes it: UTF-16 with two zeros behind. */
function wide(password: string | undefined): Buffer {
  if (password === undefined) return Buffer.alloc(0);
  return Buffer.from(`${password}\0`, 'utf16le').swap16();
}

const repeated = (bytes: Buffer, block: number): Buffer =>
  bytes.length === 0 ? bytes : Buffer.alloc(block * Math.ceil(bytes.length / block), bytes);

/** The key derivation of RFC 7292, appendix B. @param id 1 for keys, 2 for initial vectors, 3 for MACs */
function derive(
  {
    name,
    block,
    password,
    salt,
    rounds,
  }: { name: string; block: number; password: Buffer; salt: Buffer; rounds: number },
  id: number,
  length: number,
): Buffer {
  const input = Buffer.concat([repeated(salt, block), repeated(password, block)]);
  const out: Buffer[] = [];
  for (let have = 0; have < length;) {
    let hash = createHash(name).update(Buffer.alloc(block, id)).update(input).digest();
    for (let i = 1; i < rounds; i++) hash = createHash(name).update(hash).digest();
    out.push(hash);
    have += hash.length;
    const added = BigInt(`0x${Buffer.alloc(block, hash).toString('hex')}`) + 1n;
    for (let at = 0; at < input.length; at += block) {
      const sum = BigInt(`0x${input.subarray(at, at + block).toString('hex')}`) + added;
      const hex = BigInt.asUintN(block * 8, sum)
        .toString(16)
        .padStart(block * 2, '0');
      Buffer.from(hex, 'hex').copy(input, at);
    }
  }
  return Buffer.concat(out).subarray(0, length);
}

function roundsOf(node: DerNode | undefined): number {
  const rounds = Number(integerOf(node));
  if (rounds < 1 || rounds > MOST_ROUNDS) throw new DerError('PKCS#12 with too many rounds');
  return rounds;
}

/** Opens what an AlgorithmIdentifier says is encrypted. @throws SaltInvocationError for a wrong password */
function decrypt(algorithm: DerNode | undefined, bytes: Buffer, password: string | undefined): Buffer {
  const [kind, parameters] = childrenOf(algorithm);
  const oid = oidOf(kind);
  const open = (cipher: string, key: Buffer, iv: Buffer): Buffer => {
    const opener = createDecipheriv(cipher, key, iv);
    try {
      return Buffer.concat([opener.update(bytes), opener.final()]);
    } catch {
      throw new SaltInvocationError('Bad decrypt - is the password correct?');
    }
  };
  if (oid === OID.tripleDes) {
    const [salt, rounds] = childrenOf(parameters);
    const material = {
      name: 'sha1',
      block: 64,
      password: wide(password ?? ''),
      salt: expectTag(salt).content,
      rounds: roundsOf(rounds),
    };
    return open('des-ede3-cbc', derive(material, 1, 24), derive(material, 2, 8));
  }
  if (oid !== OID.pbes2)
    throw new CommandExecutionError(
      `PKCS#12 with the encryption ${oid}, which is not supported: write it anew with openssl pkcs12 -export`,
    );
  const [derivation, encryption] = childrenOf(parameters);
  const [salt, rounds, ...further] = childrenOf(childrenOf(derivation)[1]);
  const prf = further.find(({ tag }) => tag === TAG.sequence);
  const digest = prf === undefined ? 'sha1' : (PRFS.get(oidOf(childrenOf(prf)[0])) ?? 'sha1');
  const [cipherOid, iv] = childrenOf(encryption);
  const [cipher, size] = CIPHERS.get(oidOf(cipherOid)) ?? ['', 0];
  if (cipher === '')
    throw new CommandExecutionError(`PKCS#12 with the cipher ${oidOf(cipherOid)}, which is not supported`);
  const key = pbkdf2Sync(password ?? '', expectTag(salt).content, roundsOf(rounds), size, digest);
  return open(cipher, key, expectTag(iv).content);
}

function checkMac(macData: DerNode, content: Buffer, password: string | undefined): void {
  const [info, salt, rounds] = childrenOf(macData);
  const [algorithm, digest] = childrenOf(info);
  const [name, block] = HASHES.get(oidOf(childrenOf(algorithm)[0])) ?? ['', 0];
  if (name === '') throw new DerError('PKCS#12 with a digest that is not known');
  const right = expectTag(digest).content;
  // without a password some programs hash none, and some the empty one
  const isRight = (password === undefined ? [undefined, ''] : [password]).some((one) => {
    const material = {
      name,
      block,
      password: wide(one),
      salt: expectTag(salt).content,
      rounds: rounds === undefined ? 1 : roundsOf(rounds),
    };
    const mac = createHmac(name, derive(material, 3, right.length))
      .update(content)
      .digest();
    return mac.length === right.length && timingSafeEqual(mac, right);
  });
  if (!isRight) throw new SaltInvocationError('Bad decrypt - is the password correct?');
}

/** A bag: a key or a certificate, and its attributes. */
interface Bag {
  readonly key?: KeyObject;
  readonly cert?: Buffer;
  readonly friendlyName: string | undefined;
  readonly localKeyId: string | undefined;
}

function attribute(attributes: DerNode | undefined, oid: string): DerNode | undefined {
  if (attributes === undefined) return undefined;
  const found = childrenOf(attributes).find((one) => oidOf(childrenOf(one)[0]) === oid);
  return found === undefined ? undefined : childrenOf(childrenOf(found)[1])[0];
}

function readBag(node: DerNode, password: string | undefined): Bag {
  const [kind, wrapped, attributes] = childrenOf(node);
  const [inner] = childrenOf(wrapped);
  const name = attribute(attributes, OID.friendlyName);
  const facts = {
    friendlyName: name === undefined ? undefined : textOf(name),
    localKeyId: attribute(attributes, OID.localKeyId)?.content.toString('hex'),
  };
  const keyOf = (key: Buffer): KeyObject => createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  switch (oidOf(kind)) {
    case OID.keyBag:
      return { ...facts, key: keyOf(expectTag(inner).whole) };
    case OID.shroudedKeyBag: {
      const [algorithm, bytes] = childrenOf(inner);
      return { ...facts, key: keyOf(decrypt(algorithm, expectTag(bytes).content, password)) };
    }
    case OID.certBag: {
      const [type, value] = childrenOf(inner);
      return oidOf(type) === OID.x509Certificate
        ? { ...facts, cert: expectTag(childrenOf(value)[0]).content }
        : facts;
    }
    default:
      return facts;
  }
}

function bagsOf(contentInfo: DerNode, password: string | undefined): Bag[] {
  const [type, wrapped] = childrenOf(contentInfo);
  const [inner] = childrenOf(wrapped);
  let safe: Buffer;
  if (oidOf(type) === OID.data) safe = expectTag(inner).content;
  else if (oidOf(type) === OID.encryptedData) {
    const [, info] = childrenOf(inner);
    const [, algorithm, bytes] = childrenOf(info);
    safe = decrypt(algorithm, expectTag(bytes).content, password);
  } else return [];
  return childrenOf(readDer(safe, TAG.sequence)).map((bag) => readBag(bag, password));
}

/**
 * Reads a file of PKCS 12.
 * @returns undefined for bytes that are none
 * @throws SaltInvocationError for a wrong password, CommandExecutionError for encryptions that are not supported
 */
export function readPkcs12(bytes: Buffer, password: string | undefined): Pkcs12 | undefined {
  try {
    const [version, authSafe, macData] = childrenOf(readDer(bytes, TAG.sequence));
    if (integerOf(expectTag(version, TAG.integer)) !== 3n) return undefined;
    const content = expectTag(childrenOf(childrenOf(authSafe)[1])[0], TAG.octetString).content;
    if (macData !== undefined) checkMac(macData, content, password);
    const bags = childrenOf(readDer(content, TAG.sequence)).flatMap((one) => bagsOf(one, password));
    const key = bags.find((bag) => bag.key !== undefined);
    const certs = bags.filter((bag) => bag.cert !== undefined);
    const own =
      key === undefined
        ? undefined
        : (certs.find((bag) => key.localKeyId !== undefined && bag.localKeyId === key.localKeyId) ??
          certs[0]);
    return {
      key: key?.key,
      cert: own?.cert,
      friendlyName: own?.friendlyName,
      others: certs.flatMap((bag) => (bag === own || bag.cert === undefined ? [] : [bag.cert])),
    };
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

/** How a new file is encrypted. */
export interface Pkcs12Encryption {
  /** Undefined: not at all. */
  readonly password: string | undefined;
  /** With triple DES and SHA-1, for old programs. */
  readonly compat: boolean;
}

type Material = Pkcs12Encryption & { readonly random: Random };

function encrypted(
  bytes: Buffer,
  { password = '', compat, random }: Material,
): [algorithm: Buffer, bytes: Buffer] {
  const salt = random.bytes(8);
  const seal = (name: string, key: Buffer, iv: Buffer): Buffer => {
    const sealer = createCipheriv(name, key, iv);
    return Buffer.concat([sealer.update(bytes), sealer.final()]);
  };
  if (compat) {
    const material = { name: 'sha1', block: 64, password: wide(password), salt, rounds: 50_000 };
    const parameters = derSequence(der(TAG.octetString, salt), derInteger(50_000));
    const cipher = seal('des-ede3-cbc', derive(material, 1, 24), derive(material, 2, 8));
    return [derSequence(derOid(OID.tripleDes), parameters), cipher];
  }
  const iv = random.bytes(16);
  const prf = derSequence(derOid(OID.hmacSha256), der(TAG.null));
  const derivation = derSequence(
    derOid(OID.pbkdf2),
    derSequence(der(TAG.octetString, salt), derInteger(ROUNDS), prf),
  );
  const encryption = derSequence(derOid(OID.aes256), der(TAG.octetString, iv));
  const key = pbkdf2Sync(password, salt, ROUNDS, 32, 'sha256');
  return [derSequence(derOid(OID.pbes2), derSequence(derivation, encryption)), seal('aes-256-cbc', key, iv)];
}

const explicit = (bytes: Buffer): Buffer => der(0xa0, bytes);

function contentInfo(bags: readonly Buffer[], material: Material): Buffer {
  const safe = derSequence(...bags);
  if (material.password === undefined)
    return derSequence(derOid(OID.data), explicit(der(TAG.octetString, safe)));
  const [algorithm, bytes] = encrypted(safe, material);
  const info = derSequence(derOid(OID.data), algorithm, der(0x80, bytes));
  return derSequence(derOid(OID.encryptedData), explicit(derSequence(derInteger(0), info)));
}

function certBag(cert: Buffer, attributes: readonly Buffer[]): Buffer {
  const value = derSequence(derOid(OID.x509Certificate), explicit(der(TAG.octetString, cert)));
  return derSequence(derOid(OID.certBag), explicit(value), ...setOf(attributes));
}

const setOf = (attributes: readonly Buffer[]): Buffer[] =>
  attributes.length === 0 ? [] : [derSetOf(attributes)];

function keyInfo(key: KeyObject, attributes: readonly Buffer[], material: Material): Buffer {
  const pkcs8 = key.export({ format: 'der', type: 'pkcs8' });
  let bag: Buffer;
  if (material.password === undefined)
    bag = derSequence(derOid(OID.keyBag), explicit(pkcs8), ...setOf(attributes));
  else {
    const [algorithm, bytes] = encrypted(pkcs8, material);
    const shrouded = derSequence(algorithm, der(TAG.octetString, bytes));
    bag = derSequence(derOid(OID.shroudedKeyBag), explicit(shrouded), ...setOf(attributes));
  }
  return derSequence(derOid(OID.data), explicit(der(TAG.octetString, derSequence(bag))));
}

function macOf(content: Buffer, { password, compat, random }: Material): Buffer {
  const [oid, name] = compat ? [OID.sha1, 'sha1'] : [OID.sha256, 'sha256'];
  const salt = random.bytes(8);
  const rounds = password === undefined ? 1 : ROUNDS;
  const key = derive({ name, block: 64, password: wide(password ?? ''), salt, rounds }, 3, compat ? 20 : 32);
  const digest = createHmac(name, key).update(content).digest();
  const info = derSequence(derSequence(derOid(oid), der(TAG.null)), der(TAG.octetString, digest));
  return derSequence(info, der(TAG.octetString, salt), derInteger(rounds));
}

/**
 * Writes a file of PKCS 12.
 * @param parts the key, its certificate, further ones, and the name that they are shown under
 */
export function writePkcs12(
  parts: {
    readonly key: KeyObject;
    readonly cert: Buffer | undefined;
    readonly others: readonly Buffer[];
    readonly friendlyName?: string | undefined;
  },
  material: Material,
): Buffer {
  const { key, cert, others, friendlyName } = parts;
  const attributes: Buffer[] = [];
  const add = (oid: string, value: Buffer): number =>
    attributes.push(derSequence(derOid(oid), derSetOf([value])));
  if (friendlyName !== undefined)
    add(OID.friendlyName, der(TAG.bmp, Buffer.from(friendlyName, 'utf16le').swap16()));
  if (cert !== undefined) add(OID.localKeyId, der(TAG.octetString, createHash('sha1').update(cert).digest()));
  const certs = [
    ...(cert === undefined ? [] : [certBag(cert, attributes)]),
    ...others.map((one) => certBag(one, [])),
  ];
  const safes = derSequence(
    ...(certs.length === 0 ? [] : [contentInfo(certs, material)]),
    keyInfo(key, attributes, material),
  );
  const authSafe = derSequence(derOid(OID.data), explicit(der(TAG.octetString, safes)));
  return derSequence(derInteger(3), authSafe, macOf(safes, material));
}
