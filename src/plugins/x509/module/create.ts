/** `x509.create_*`, `encode_*` and `sign_remote_certificate`. */
import type { KeyObject } from 'node:crypto';
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { isFile, joinPath } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isBytes, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction, type ModuleContext, type TypedArguments } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import {
  readCertificateDer,
  signCertificate,
  signList,
  signRequest,
  type Certificate,
} from './certificates.ts';
import {
  CERT_ENCODINGS,
  checkedEncoding,
  encodeCertificate,
  encodeKey,
  handedOut,
  KEY_ENCODINGS,
  PLAIN_ENCODINGS,
} from './encode.ts';
import { currentNames, draftCertificate, draftList, draftRequest, underPolicy } from './issue.ts';
import { checkedDigest, loadKey, loadPublicKey, keyMaker, spkiOf } from './keys.ts';
import { loadCertificate, loadList, loadRequest } from './load.ts';
import { attributeOf } from './names.ts';
import { writePem, writePrivately } from './pem-entries.ts';
import { askSigner, mayUse, ownPolicy, policyOf, policyToSignBy } from './policies.ts';
import { toPem } from './sources.ts';

/** A certificate that was made, and its private key where that was given. */
interface Issued {
  readonly cert: Certificate;
  readonly privateKey: KeyObject | undefined;
}

function issueHere(ctx: ModuleContext, args: Dict): Issued {
  const digest = checkedDigest(args.get('digest') ?? 'sha256');
  const { body, signingKey, privateKey } = draftCertificate(args, false, ctx);
  if (signingKey === undefined) throw new SaltInvocationError('There is no key to sign with.');
  const cert = readCertificateDer(signCertificate(body, signingKey, digest));
  const folder = args.get('copypath') ?? null;
  if (truthy(folder)) {
    const cn = truthy(args.get('prepend_cn')) ? attributeOf(cert.subject, 'CN') : undefined;
    if (cn !== undefined && /[/\0]/.test(cn))
      throw new SaltInvocationError(
        `The name ${cn} cannot be a part of a file's name: leave prepend_cn out.`,
      );
    const file = `${cn === undefined ? '' : `${cn}-`}${cert.serial.toString(16)}.crt`;
    writePem(toPem('CERTIFICATE', cert.whole), joinPath(pyStr(folder), file), { type: 'CERTIFICATE' });
  }
  return { cert, privateKey };
}

/** Has another minion sign: the private key stays here. */
async function issueThere(ctx: ModuleContext, caServer: Value, policy: Value, args: Dict): Promise<Issued> {
  const sent: Dict = new Map(args);
  let privateKey: KeyObject | undefined;
  const passphrase = sent.get('private_key_passphrase') ?? null;
  const [own, pub, csr] = ['private_key', 'public_key', 'csr'].map((name) => sent.get(name) ?? null);
  for (const name of ['private_key', 'private_key_passphrase', 'signing_private_key']) sent.delete(name);
  sent.delete('signing_private_key_passphrase');
  if (truthy(own)) {
    privateKey = loadKey(own ?? null, passphrase).key;
    sent.set('public_key', new Uint8Array(spkiOf(privateKey)));
  } else if (truthy(pub)) sent.set('public_key', new Uint8Array(spkiOf(loadPublicKey(pub ?? null))));
  if (truthy(csr)) sent.set('csr', new Uint8Array(loadRequest(csr ?? null).loaded.whole));
  const answer = await askSigner(ctx, caServer, [policy, sent, false]);
  try {
    return { cert: loadCertificate(answer), privateKey };
  } catch (error) {
    throw new CommandExecutionError(
      `ca_server did not return a certificate: ${isBytes(answer) ? 'bytes' : pyStr(answer)}`,
      { cause: error },
    );
  }
}

const listOf = (given: Value): Certificate[] =>
  (Array.isArray(given) ? given : truthy(given) ? [given] : []).map((one) => loadCertificate(one));

/** Writes what was encoded where a path is given, or hands it out. @param type the kind of entry in PEM */
function delivered(
  encoded: string | Buffer,
  { path, raw, overwrite }: { path: string | undefined; raw: boolean; overwrite?: boolean },
  type: string,
  what: string,
): Value {
  if (path === undefined) return handedOut(encoded, raw);
  if (typeof encoded === 'string' && type !== '')
    return writePem(encoded, path, { type, ...(overwrite === undefined ? {} : { overwrite }) });
  writePrivately(path, encoded);
  return what === '' ? null : `${what} written to ${path}`;
}

const PATH = { path: param.textOrNone({ default: null, doc: 'Write it to this file.' }) } as const;
const RAW = { raw: param.flag({ default: false, doc: 'Return bytes.' }) } as const;
const ENCODING = {
  encoding: param.value({
    default: 'pem',
    type: 'str',
    doc: 'The form: `pem`, `der`, and for some `pkcs7_pem`, `pkcs7_der`, `pkcs12`.',
  }),
} as const;
const DIGEST = {
  digest: param.value({ default: 'sha256', type: 'str', doc: 'The hash that is signed.' }),
} as const;
const PKCS12 = {
  pkcs12_passphrase: param.value({ default: null, type: 'str', doc: 'The password of PKCS 12.' }),
  pkcs12_encryption_compat: param.value({
    default: false,
    type: 'bool',
    doc: 'Encrypt PKCS 12 so that old programs read it.',
  }),
  pkcs12_friendlyname: param.value({ default: null, type: 'str', doc: 'The name within PKCS 12.' }),
} as const;
const APPEND = {
  append_certs: param.value({ default: null, type: 'list', doc: 'Certificates to put behind it.' }),
} as const;
const CREATE = {
  ca_server: param.value({ default: null, type: 'str', doc: 'The minion that signs.' }),
  signing_policy: param.value({ default: null, type: 'str', doc: 'The policy by which is signed.' }),
  ...ENCODING,
  ...APPEND,
  ...PKCS12,
  ...PATH,
  overwrite: param.flag({ default: true, doc: 'Replace what is in the file.' }),
  ...RAW,
} as const;

async function create(ctx: ModuleContext, args: TypedArguments<typeof CREATE>, given: Dict): Promise<Value> {
  const kwargs = currentNames(given, 'x509.create_certificate', ctx.log);
  if (!kwargs.has('days_valid') && !kwargs.has('not_after')) kwargs.set('days_valid', 365);
  const encoding = checkedEncoding(args.encoding, CERT_ENCODINGS);
  checkedDigest(kwargs.get('digest') ?? 'sha256');
  if (encoding === 'der' && truthy(args.append_certs))
    throw new SaltInvocationError('Cannot encode a certificate chain in DER');
  if (encoding === 'pkcs12' && !kwargs.has('private_key'))
    throw new SaltInvocationError(
      'Creating a PKCS12-encoded certificate without embedded private key is unsupported',
    );
  const { ca_server, signing_policy, path } = args;
  const policy = truthy(ca_server) ? new Map() : await policyToSignBy(ctx, signing_policy);
  if (!truthy(ca_server) && !kwargs.has('signing_private_key') && !policy.has('signing_private_key'))
    throw new SaltInvocationError('Creating a certificate locally at least requires a signing private key.');
  if (path !== undefined && !args.overwrite && isFile(path))
    return `The file at ${path} exists and overwrite was set to false`;
  if (truthy(ca_server) && signing_policy === null)
    throw new SaltInvocationError(
      'signing_policy must be specified to request a certificate from a remote ca_server',
    );
  const { cert, privateKey } = truthy(ca_server)
    ? await issueThere(ctx, ca_server, signing_policy, kwargs)
    : issueHere(ctx, underPolicy(policy, kwargs));
  const encoded = encodeCertificate(cert, {
    encoding,
    others: listOf(args.append_certs),
    key: privateKey,
    pkcs12: {
      passphrase: args.pkcs12_passphrase,
      compat: args.pkcs12_encryption_compat,
      friendlyName: args.pkcs12_friendlyname,
    },
    random: ctx.random,
  });
  // a chain has more than one entry, which is written as it is
  const isChain = listOf(args.append_certs).length > 0;
  const type = encoding === 'pem' && !isChain ? 'CERTIFICATE' : '';
  return delivered(encoded, args, type, encoding === 'pem' ? 'PEM' : 'Certificate');
}

async function signRemote(
  ctx: ModuleContext,
  name: Value,
  given: Dict,
  { policyOnly, requester }: { policyOnly: boolean; requester: Value | undefined },
): Promise<{ data: Value; errors: Value[] }> {
  const refuse = (error: string) => ({ data: null, errors: [error] });
  const policy = currentNames(await ownPolicy(ctx, name), `x509_signing_policies:${pyStr(name)}`, ctx.log);
  if (policy.size === 0) return refuse('signing_policy must be specified and defined on signing minion');
  const minions = policy.get('minions');
  policy.delete('minions');
  if (minions !== undefined) {
    if (requester === undefined) return refuse('minion sending this request could not be identified');
    if (!(await mayUse(ctx, minions, pyStr(requester))))
      return refuse('minion not permitted to use specified signing policy');
  }
  if (policyOnly) {
    policy.delete('signing_private_key');
    policy.delete('signing_private_key_passphrase');
    const signer = policy.get('signing_cert');
    if (signer !== undefined) policy.set('signing_cert', new Uint8Array(loadCertificate(signer).whole));
    return { data: policy, errors: [] };
  }
  const kwargs = underPolicy(
    policy,
    withoutPaths(currentNames(given, `request of ${pyStr(requester ?? 'a minion')}`, ctx.log)),
  );
  return { data: new Uint8Array(issueHere(ctx, kwargs).cert.whole), errors: [] };
}

/**
 * What a requester hands over is content: of a path it would get what only this minion may read, or have it write a
 * file.
 */
function withoutPaths(given: Dict): Dict {
  const out: Dict = new Map(given);
  for (const name of [
    'ca_server',
    'copypath',
    'signing_private_key',
    'signing_private_key_passphrase',
    'signing_cert',
  ])
    out.delete(name);
  for (const name of ['public_key', 'csr', 'private_key']) {
    const value = out.get(name) ?? null;
    if (typeof value === 'string' && !value.includes('-----BEGIN') && value.includes('/') && isFile(value))
      throw new SaltInvocationError(`${name} of a request is to be content, not a path: ${value}`);
  }
  return out;
}

/** Making and encoding certificates. */
export const certificateFunctions = {
  create_certificate: defineFunction({
    doc: 'Makes a certificate. Further keywords: parts of the name (`CN`, `O`), extensions (`basicConstraints`), `signing_private_key`, `signing_cert`, `public_key`, `private_key`, `csr`, `subject`, `serial_number`, `not_before`, `not_after`, `days_valid`, `digest`, `copypath`, `prepend_cn`.',
    params: CREATE,
    kwargs: 'kwargs',
    returns: 'the certificate: text in PEM, otherwise base64; a sentence where it was written to a file',
    examples: [
      "salt '*' x509.create_certificate signing_private_key=/etc/pki/my.key CN=example.com basicConstraints='critical, CA:true'",
    ],
    run: (ctx, args, _rest, kwargs) => create(ctx, args, kwargs),
  }),
  encode_certificate: defineFunction({
    doc: 'Returns a certificate in another form.',
    params: {
      certificate: param.value({ type: 'str', doc: 'The certificate.' }),
      ...ENCODING,
      ...APPEND,
      private_key: param.value({ default: null, type: 'str', doc: 'The private key, for PKCS 12.' }),
      private_key_passphrase: param.value({ default: null, type: 'str', doc: 'Its password.' }),
      ...PKCS12,
      ...RAW,
    },
    returns: 'text in PEM, otherwise base64',
    examples: ["salt '*' x509.encode_certificate /etc/pki/my.crt encoding=der"],
    run: (ctx, args) => {
      const encoding = checkedEncoding(args.encoding, CERT_ENCODINGS);
      if (encoding === 'der' && truthy(args.append_certs))
        throw new SaltInvocationError('Cannot encode a certificate chain in DER');
      if (encoding !== 'pkcs12' && truthy(args.private_key))
        throw new SaltInvocationError('Embedding private keys is only supported for pkcs12 encoding');
      const encoded = encodeCertificate(loadCertificate(args.certificate), {
        encoding,
        others: listOf(args.append_certs),
        key: truthy(args.private_key)
          ? loadKey(args.private_key, args.private_key_passphrase).key
          : undefined,
        pkcs12: {
          passphrase: args.pkcs12_passphrase,
          compat: args.pkcs12_encryption_compat,
          friendlyName: args.pkcs12_friendlyname,
        },
        random: ctx.random,
      });
      return handedOut(encoded, args.raw);
    },
  }),
  get_signing_policy: defineFunction({
    doc: 'Returns a signing policy, of this minion or of another.',
    params: {
      signing_policy: param.value({ type: 'str', doc: 'Its name.' }),
      ca_server: param.value({ default: null, type: 'str', doc: 'The minion that signs.' }),
    },
    returns: 'a mapping; empty where there is none',
    examples: ["salt '*' x509.get_signing_policy www"],
    run: (ctx, { signing_policy, ca_server }) => policyOf(ctx, signing_policy, ca_server),
  }),
  sign_remote_certificate: defineFunction({
    doc: 'Signs a certificate for another minion, which calls this by peer publishing.',
    params: {
      signing_policy: param.value({ type: 'str', doc: 'The policy by which is signed.' }),
      kwargs: param.mapping({ doc: 'What the certificate is to say.' }),
      get_signing_policy_only: param.flag({
        default: false,
        doc: 'Return the policy, without what is secret.',
      }),
    },
    kwargs: 'more_kwargs',
    returns: 'data and errors',
    examples: ["salt '*' x509.sign_remote_certificate www kwargs=\"{'public_key': '/etc/pki/www.key'}\""],
    run: async (ctx, { signing_policy, kwargs, get_signing_policy_only }, _rest, further) => {
      try {
        const requester = further.get('__pub_id');
        const asked = { policyOnly: get_signing_policy_only, requester };
        return dict(await signRemote(ctx, signing_policy, kwargs, asked));
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        ctx.log.error(text);
        return dict({ data: null, errors: [text] });
      }
    },
  }),
};

const CRL = {
  signing_private_key: param.value({ type: 'str', doc: 'The key that signs.' }),
  revoked: param.value({
    type: 'list',
    doc: 'The revoked certificates: `certificate` or `serial_number`, `not_after`, `revocation_date`, `extensions`.',
  }),
  signing_cert: param.value({ default: null, type: 'str', doc: 'The certificate of the key.' }),
  signing_private_key_passphrase: param.value({
    default: null,
    type: 'str',
    doc: 'The password of the key.',
  }),
  include_expired: param.flag({ default: false, doc: 'Name expired certificates as well.' }),
  days_valid: param.value({ default: null, type: 'int', doc: 'How long it is valid; 100 days.' }),
  ...DIGEST,
  ...ENCODING,
  extensions: param.mapping({ default: null, doc: 'Extensions of the list.' }),
  ...PATH,
  ...RAW,
} as const;

/** @throws SaltInvocationError for keywords that no function knows */
function noMore(kwargs: Dict, dropped: readonly string[]): void {
  const unknown = [...kwargs.keys()]
    .map(pyStr)
    .filter((one) => !one.startsWith('_') && !dropped.includes(one));
  if (unknown.length > 0)
    throw new SaltInvocationError(
      `Unrecognized keyword arguments: [${unknown.map((one) => `'${one}'`).join(', ')}]`,
    );
}

/** Making and encoding revocation lists and requests. */
export const requestFunctions = {
  create_crl: defineFunction({
    doc: 'Makes a revocation list.',
    params: CRL,
    kwargs: 'kwargs',
    returns: 'the list: text in PEM, otherwise base64; a sentence where it was written to a file',
    examples: [
      "salt '*' x509.create_crl signing_private_key=/etc/pki/ca.key signing_cert=/etc/pki/ca.crt revoked=\"[{'serial_number': '0A'}]\"",
    ],
    run: (ctx, args, _rest, kwargs) => {
      noMore(kwargs, ['text']);
      const encoding = checkedEncoding(args.encoding, PLAIN_ENCODINGS);
      const digest = checkedDigest(args.digest);
      const { body, key } = draftList(args, ctx);
      const list = signList(body, key, digest);
      return delivered(encoding === 'pem' ? toPem('X509 CRL', list) : list, args, 'X509 CRL', 'CRL');
    },
  }),
  encode_crl: defineFunction({
    doc: 'Returns a revocation list in another form.',
    params: { crl: param.value({ type: 'str', doc: 'The revocation list.' }), ...ENCODING, ...RAW },
    returns: 'text in PEM, otherwise base64',
    examples: ["salt '*' x509.encode_crl /etc/pki/my.crl der"],
    run: (_ctx, { crl, encoding, raw }) => {
      const form = checkedEncoding(encoding, PLAIN_ENCODINGS);
      const { whole } = loadList(crl).loaded;
      return handedOut(form === 'pem' ? toPem('X509 CRL', whole) : whole, raw);
    },
  }),
  create_csr: defineFunction({
    doc: 'Makes a request for a certificate. Further keywords: parts of the name, extensions, `subject`.',
    params: {
      private_key: param.value({ type: 'str', doc: 'The key of the certificate.' }),
      private_key_passphrase: param.value({ default: null, type: 'str', doc: 'Its password.' }),
      ...DIGEST,
      ...ENCODING,
      ...PATH,
      ...RAW,
    },
    kwargs: 'kwargs',
    returns: 'the request: text in PEM, otherwise base64; a sentence where it was written to a file',
    examples: ["salt '*' x509.create_csr private_key=/etc/pki/my.key CN=example.com"],
    run: (ctx, args, _rest, kwargs) => {
      const given = currentNames(kwargs, 'x509.create_csr', ctx.log);
      const encoding = checkedEncoding(args.encoding, PLAIN_ENCODINGS);
      const digest = checkedDigest(given.get('digest') ?? args.digest);
      given.set('private_key', args.private_key).set('private_key_passphrase', args.private_key_passphrase);
      const { body, key } = draftRequest(given);
      const csr = signRequest(body, key, digest);
      const type = 'CERTIFICATE REQUEST';
      return delivered(encoding === 'pem' ? toPem(type, csr) : csr, args, type, 'CSR');
    },
  }),
  encode_csr: defineFunction({
    doc: 'Returns a request in another form.',
    params: { csr: param.value({ type: 'str', doc: 'The request.' }), ...ENCODING, ...RAW },
    returns: 'text in PEM, otherwise base64',
    examples: ["salt '*' x509.encode_csr /etc/pki/my.csr der"],
    run: (_ctx, { csr, encoding, raw }) => {
      const form = checkedEncoding(encoding, PLAIN_ENCODINGS);
      const { whole } = loadRequest(csr).loaded;
      return handedOut(form === 'pem' ? toPem('CERTIFICATE REQUEST', whole) : whole, raw);
    },
  }),
};

const KEY_TYPE = '(?:(?:RSA|ENCRYPTED) )?PRIVATE KEY';

/** Making and encoding keys, and writing what is in PEM. */
export const keyFunctions = {
  create_private_key: defineFunction({
    doc: 'Makes a private key.',
    params: {
      algo: param.value({ default: 'rsa', type: 'str', doc: 'The kind: `rsa`, `ec`, `ed25519`, `ed448`.' }),
      keysize: param.value({
        default: null,
        type: 'int',
        doc: 'The bits: of rsa 2048, 3072 or 4096, of ec 256, 384 or 521.',
      }),
      passphrase: param.value({ default: null, type: 'str', doc: 'The password to encrypt it with.' }),
      ...ENCODING,
      pkcs12_encryption_compat: PKCS12.pkcs12_encryption_compat,
      ...PATH,
      ...RAW,
    },
    kwargs: 'kwargs',
    returns: 'the key: text in PEM, otherwise base64; a sentence where it was written to a file',
    examples: ["salt '*' x509.create_private_key algo=ec keysize=384"],
    run: async (ctx, args, _rest, kwargs) => {
      noMore(kwargs, ['bits', 'cipher', 'verbose', 'text']);
      const encoding = checkedEncoding(args.encoding, KEY_ENCODINGS);
      const key = await keyMaker(args.algo, kwargs.get('bits') ?? args.keysize)();
      const { passphrase, pkcs12_encryption_compat: compat } = args;
      return delivered(encodeKey(key, encoding, { passphrase, compat }, ctx.random), args, KEY_TYPE, '');
    },
  }),
  encode_private_key: defineFunction({
    doc: 'Returns a private key in another form.',
    params: {
      private_key: param.value({ type: 'str', doc: 'The private key.' }),
      ...ENCODING,
      passphrase: param.value({ default: null, type: 'str', doc: 'The password to encrypt it with.' }),
      private_key_passphrase: param.value({ default: null, type: 'str', doc: 'The password that it has.' }),
      pkcs12_encryption_compat: PKCS12.pkcs12_encryption_compat,
      ...RAW,
    },
    returns: 'text in PEM, otherwise base64',
    examples: ["salt '*' x509.encode_private_key /etc/pki/my.key der"],
    run: (ctx, args) => {
      const encoding = checkedEncoding(args.encoding, KEY_ENCODINGS);
      const { key } = loadKey(args.private_key, args.private_key_passphrase);
      const { passphrase, pkcs12_encryption_compat: compat } = args;
      return handedOut(encodeKey(key, encoding, { passphrase, compat }, ctx.random), args.raw);
    },
  }),
  write_pem: defineFunction({
    doc: 'Writes an entry of PEM to a file that only its owner can read.',
    params: {
      text: param.value({ type: 'str', doc: 'The entry, or the path of a file.' }),
      path: param.text({ doc: 'The file.' }),
      overwrite: param.flag({
        default: true,
        doc: 'Without it a key and DH parameters that are in the file stay.',
      }),
      pem_type: param.textIfGiven({ default: null, doc: 'Which kind: `CERTIFICATE`.' }),
    },
    returns: 'a sentence',
    examples: [
      `salt '*' x509.write_pem "-----BEGIN CERTIFICATE-----MIIGMzCCBBugA..." path=/etc/pki/mycert.crt`,
    ],
    run: (_ctx, { text, path, overwrite, pem_type }) => writePem(text, path, { overwrite, type: pem_type }),
  }),
};
