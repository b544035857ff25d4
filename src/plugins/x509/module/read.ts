/** `x509.read_*`, `expired` and what else asks something of certificates. */
import { createHash } from 'node:crypto';
import { globPaths } from '../../../host/glob.ts';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { isFile } from '../../../python/paths.ts';
import { fnmatch } from '../../../python/text/fnmatch.ts';
import { dict, toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { fingerprint, isSignedBy, type Certificate } from './certificates.ts';
import { numberHex, prettyHex, showEntryExtensions, showExtensions, timeText } from './extension-show.ts';
import {
  digestOfSignature,
  isPair,
  keyIdentifier,
  keySizeOf,
  keyTypeOf,
  loadKey,
  loadPublicKey,
  publicPem,
} from './keys.ts';
import { loadCertificate, loadList, loadRequest } from './load.ts';
import { attributeOf, nameDer, nameDict, nameText, type Name } from './names.ts';
import { pemEntry } from './pem-entries.ts';
import { isFileSource, type Source } from './sources.ts';

/** The hash of a name by which openssl calls files of certificates, as Salt shows it. */
const nameHash = (name: Name): string =>
  prettyHex(createHash('sha1').update(nameDer(name)).digest().subarray(0, 4).reverse());

const SIGNATURE_NAMES: Readonly<Record<string, (digest: string) => string>> = {
  '1.2.840.113549.1.1': (digest) => `${digest}WithRSAEncryption`,
  '1.2.840.10045.4': (digest) => `ecdsa-with-${digest.toUpperCase()}`,
};

/** A signature algorithm as Salt shows it; those that cryptography has no name for are its `Unknown OID`. */
function signatureName(oid: string): string {
  if (oid === '1.2.840.113549.1.1.10') return 'RSASSA-PSS';
  if (oid === '1.3.101.112') return 'ed25519';
  if (oid === '1.3.101.113') return 'ed448';
  const digest = digestOfSignature(oid);
  const kind = Object.entries(SIGNATURE_NAMES).find(([start]) => oid.startsWith(start));
  if (digest === undefined || kind === undefined) return 'Unknown OID';
  return kind[1](digest);
}

function described(ctx: ModuleContext, cert: Certificate): Dict {
  const fingerprints = dict({
    sha1: prettyHex(fingerprint(cert, 'sha1')),
    sha256: prettyHex(fingerprint(cert, 'sha256')),
  });
  if (ctx.opts.get('fips_mode') !== true) fingerprints.set('md5', prettyHex(fingerprint(cert, 'md5')));
  return dict({
    version: cert.version,
    key_size: keySizeOf(cert.publicKey),
    key_type: keyTypeOf(cert.publicKey),
    serial_number: numberHex(cert.serial),
    fingerprints,
    subject: nameDict(cert.subject),
    subject_hash: nameHash(cert.subject),
    subject_str: nameText(cert.subject),
    issuer: nameDict(cert.issuer),
    issuer_hash: nameHash(cert.issuer),
    issuer_str: nameText(cert.issuer),
    not_before: timeText(cert.notBefore),
    not_after: timeText(cert.notAfter),
    public_key: publicPem(cert.publicKey),
    extensions: showExtensions(cert.extensions),
    signature_algorithm: signatureName(cert.signatureOid),
  });
}

/** What is made of each file of a glob that is one of its kind. */
function eachFile(pattern: string, read: (path: string) => Value): Dict {
  const out = dict();
  for (const path of globPaths(pattern, fnmatch)) {
    if (!isFile(path)) continue;
    try {
      out.set(path, read(path));
    } catch {
      // Salt compat: Salt ends at the first file that is none; a folder of certificates often has others
    }
  }
  return out;
}

/**
 * The public key that is in something: a public key, a certificate, a private key or a request.
 * @throws CommandExecutionError
 */
function publicKeyIn(source: Source, passphrase: Value = null): string {
  const readers = [
    () => publicPem(loadPublicKey(source)),
    () => publicPem(loadCertificate(source, passphrase).publicKey),
    () => publicPem(loadKey(source, passphrase).key),
    () => publicPem(loadRequest(source).loaded.publicKey),
  ];
  for (const read of readers)
    try {
      return read();
    } catch {
      // it may be something else
    }
  throw new CommandExecutionError('Could not load key as certificate, public key, private key or CSR');
}

const DAY = 86_400_000;

function expires(ctx: ModuleContext, certificate: Source, days: Value): boolean {
  return loadCertificate(certificate).notAfter <= ctx.clock.nowMs() + (toNumber(days) ?? 0) * DAY;
}

/** The path and the common name of a certificate, where there are such. */
function about(certificate: Source): Dict {
  const out = dict();
  if (isFileSource(certificate)) out.set('path', certificate);
  const cn = attributeOf(loadCertificate(certificate).subject, 'CN');
  if (cn !== undefined) out.set('cn', cn);
  return out;
}

const CERTIFICATE = {
  certificate: param.value({ type: 'str', doc: 'The certificate: a path, PEM, or DER in hex or base64.' }),
} as const;
const GLOB = { glob_path: param.text({ doc: 'Which files, as a glob.' }) } as const;
const PASSPHRASE = {
  passphrase: param.value({ default: null, type: 'str', doc: 'The password of the key.' }),
} as const;

/** The functions that read. */
export const readingFunctions = {
  read_certificate: defineFunction({
    doc: 'Returns what a certificate says.',
    params: CERTIFICATE,
    returns: 'a mapping',
    examples: ["salt '*' x509.read_certificate /etc/pki/mycert.crt"],
    run: (ctx, { certificate }) => described(ctx, loadCertificate(certificate)),
  }),
  read_certificates: defineFunction({
    doc: 'Returns what the certificates of several files say.',
    params: GLOB,
    returns: 'a mapping of path to what x509.read_certificate returns',
    examples: ["salt '*' x509.read_certificates '/etc/pki/*.crt'"],
    run: (ctx, { glob_path }) => eachFile(glob_path, (path) => described(ctx, loadCertificate(path))),
  }),
  read_crl: defineFunction({
    doc: 'Returns what a revocation list says.',
    params: {
      crl: param.value({ type: 'str', doc: 'The revocation list: a path, PEM, or DER in hex or base64.' }),
    },
    returns: 'a mapping',
    examples: ["salt '*' x509.read_crl /etc/pki/my.crl"],
    run: (_ctx, { crl }) => {
      const { loaded } = loadList(crl);
      const revoked = loaded.revoked.map(({ serial, date, extensions }): [Value, Value] => [
        numberHex(serial).replaceAll(':', ''),
        dict({ revocation_date: timeText(date), extensions: showEntryExtensions(extensions) }),
      ]);
      return dict({
        issuer: nameDict(loaded.issuer),
        last_update: timeText(loaded.lastUpdate),
        next_update: loaded.nextUpdate === undefined ? null : timeText(loaded.nextUpdate),
        revoked_certificates: new Map(revoked),
        extensions: showExtensions(loaded.extensions),
        signature_algorithm: signatureName(loaded.signatureOid),
      });
    },
  }),
  read_csr: defineFunction({
    doc: 'Returns what a request for a certificate says.',
    params: { csr: param.value({ type: 'str', doc: 'The request: a path, PEM, or DER in hex or base64.' }) },
    returns: 'a mapping',
    examples: ["salt '*' x509.read_csr /etc/pki/mycert.csr"],
    run: (_ctx, { csr }) => {
      const { subject, publicKey, extensions } = loadRequest(csr).loaded;
      return dict({
        key_size: keySizeOf(publicKey),
        key_type: keyTypeOf(publicKey),
        subject: nameDict(subject),
        subject_hash: nameHash(subject),
        subject_str: nameText(subject),
        public_key_hash: prettyHex(keyIdentifier(publicKey)),
        extensions: showExtensions(extensions),
      });
    },
  }),
  get_pem_entry: defineFunction({
    doc: 'Returns the first entry of PEM in a text, with proper lines.',
    params: {
      text: param.value({ type: 'str', doc: 'The text, or the path of a file.' }),
      pem_type: param.textIfGiven({ default: null, doc: 'Which kind: `CERTIFICATE`, `X509 CRL`.' }),
    },
    returns: 'the entry, as bytes',
    examples: [`salt '*' x509.get_pem_entry "-----BEGIN CERTIFICATE REQUEST-----MIICyzCC..."`],
    run: (_ctx, { text, pem_type }) => new Uint8Array(Buffer.from(pemEntry(text, pem_type))),
  }),
  get_pem_entries: defineFunction({
    doc: 'Returns the first entries of PEM of several files.',
    params: GLOB,
    returns: 'a mapping of path to entry',
    examples: ["salt '*' x509.get_pem_entries '/etc/pki/*.crt'"],
    run: (_ctx, { glob_path }) => eachFile(glob_path, (path) => new Uint8Array(Buffer.from(pemEntry(path)))),
  }),
};

const PUBLIC_KEY = param.value({
  type: 'str',
  doc: 'A public key, or what has one: a certificate, a private key, a request.',
});

/** The functions that compare and check. */
export const checkingFunctions = {
  expires: defineFunction({
    doc: 'Says whether a certificate expires within some days.',
    params: { ...CERTIFICATE, days: param.value({ default: 0, type: 'int', doc: 'How many days.' }) },
    returns: 'true or false',
    examples: ["salt '*' x509.expires /etc/pki/my.crt days=7"],
    run: (ctx, { certificate, days }) => expires(ctx, certificate, days),
  }),
  expired: defineFunction({
    doc: 'Says whether a certificate has expired.',
    params: CERTIFICATE,
    returns: 'a mapping: path, cn, expired',
    examples: ["salt '*' x509.expired /etc/pki/mycert.crt"],
    run: (ctx, { certificate }) => about(certificate).set('expired', expires(ctx, certificate, 0)),
  }),
  will_expire: defineFunction({
    doc: 'Says whether a certificate expires within some days.',
    params: { ...CERTIFICATE, days: param.value({ type: 'int', doc: 'How many days.' }) },
    returns: 'a mapping: check_days, path, cn, will_expire',
    examples: ["salt '*' x509.will_expire /etc/pki/mycert.crt days=30"],
    run: (ctx, { certificate, days }) =>
      new Map<Value, Value>([['check_days', days], ...about(certificate)]).set(
        'will_expire',
        expires(ctx, certificate, days),
      ),
  }),
  get_private_key_size: defineFunction({
    doc: 'Returns the bits of a private key.',
    params: { private_key: param.value({ type: 'str', doc: 'The private key.' }), ...PASSPHRASE },
    returns: 'a number; none for Edwards curves',
    examples: ["salt '*' x509.get_private_key_size /etc/pki/my.key"],
    run: (_ctx, { private_key, passphrase }) => keySizeOf(loadKey(private_key, passphrase).key),
  }),
  get_public_key: defineFunction({
    doc: 'Returns the public key that is in something.',
    params: {
      key: PUBLIC_KEY,
      ...PASSPHRASE,
      asObj: param.value({ default: null, type: 'bool', doc: 'Has no effect.' }),
    },
    returns: 'the key in PEM',
    examples: ["salt '*' x509.get_public_key /etc/pki/my.key"],
    run: (_ctx, { key, passphrase }) => publicKeyIn(key, passphrase),
  }),
  verify_crl: defineFunction({
    doc: 'Says whether a revocation list is signed by a certificate.',
    params: { crl: param.value({ type: 'str', doc: 'The revocation list.' }), cert: PUBLIC_KEY },
    returns: 'true or false',
    examples: ["salt '*' x509.verify_crl /etc/pki/my.crl /etc/pki/my.crt"],
    run: (_ctx, { crl, cert }) => isSignedBy(loadList(crl).loaded, loadPublicKey(publicKeyIn(cert))),
  }),
  verify_private_key: defineFunction({
    doc: 'Says whether a private key and a public one belong together.',
    params: {
      private_key: param.value({ type: 'str', doc: 'The private key.' }),
      public_key: PUBLIC_KEY,
      ...PASSPHRASE,
    },
    returns: 'true or false',
    examples: ["salt '*' x509.verify_private_key /etc/pki/my.key /etc/pki/my.crt"],
    run: (_ctx, { private_key, public_key, passphrase }) =>
      isPair(loadKey(private_key, passphrase).key, loadPublicKey(publicKeyIn(public_key))),
  }),
  verify_signature: defineFunction({
    doc: 'Says whether a certificate is signed by a key, by its own where none is given.',
    params: {
      ...CERTIFICATE,
      signing_pub_key: { default: null, ...PUBLIC_KEY },
      signing_pub_key_passphrase: param.value({ default: null, type: 'str', doc: 'Its password.' }),
    },
    returns: 'true or false',
    examples: ["salt '*' x509.verify_signature /etc/pki/my.crt /etc/pki/ca.crt"],
    run: (_ctx, { certificate, signing_pub_key, signing_pub_key_passphrase }) => {
      const key = publicKeyIn(signing_pub_key ?? certificate, signing_pub_key_passphrase);
      return isSignedBy(loadCertificate(certificate), loadPublicKey(key));
    },
  }),
};
