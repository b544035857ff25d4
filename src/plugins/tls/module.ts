/**
 * `tls`: authorities of one's own, and certificates that they sign. Follows 3006.16 salt/modules/tls.py, without
 * pyOpenSSL.
 */
import { CommandExecutionError } from '../../errors/errors.ts';
import { readBytes, writeInPlace } from '../../host/file-operations.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pathExists } from '../../python/paths.ts';
import { strftime } from '../../python/text/strftime.ts';
import { truthy, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { baseFolder, certificateIn, rememberBase } from './module/authority.ts';
import {
  authorityExists,
  authorityFile,
  createAuthority,
  createRequest,
  createSelfSigned,
  createSigned,
  extensionsOf,
  fixVersion,
  readCertificate,
} from './module/issue.ts';
import { createEmptyList, revokeCertificate, validate } from './module/revoke.ts';
import { certificateInfo } from './module/show.ts';
import { checkedDigest, loadKey } from '../x509/module/keys.ts';
import { loadCertificate } from '../x509/module/load.ts';
import { writePkcs12 } from '../x509/module/pkcs12.ts';
import { lineCode } from '../shared/program.ts';

const AUTHORITY = { ca_name: param.text({ doc: 'The authority.' }) } as const;
const BASE = {
  cacert_path: param.textIfGiven({
    default: null,
    doc: 'The folder of authorities, in place of the option ca.cert_base_path.',
  }),
} as const;
const FILE = {
  ca_filename: param.textIfGiven({
    default: null,
    doc: "Another name for the authority's files, without an ending.",
  }),
} as const;
const DIGEST = { digest: param.text({ default: 'sha256', doc: 'The digest that is signed.' }) } as const;
const REPLACE = { replace: param.flag({ default: false, doc: 'Make it anew where it is there.' }) } as const;
const DAYS = { days: param.count({ default: 365, doc: 'For how many days it is valid.' }) } as const;
const BITS = { bits: param.count({ default: 2048, doc: 'The bits of the RSA key.' }) } as const;
const COMMON_NAME = { CN: param.text({ default: 'localhost', doc: 'The common name.' }) } as const;
const SUBJECT = {
  ...COMMON_NAME,
  C: param.text({ default: 'US', doc: 'The country.' }),
  ST: param.text({ default: 'Utah', doc: 'The state.' }),
  L: param.text({ default: 'Salt Lake City', doc: 'The place.' }),
  O: param.text({ default: 'SaltStack', doc: 'The organization.' }),
  OU: param.textIfGiven({ default: null, doc: 'The unit of the organization.' }),
  emailAddress: param.textIfGiven({ default: null, doc: 'An address for mail.' }),
} as const;
const AS_TEXT = {
  as_text: param.flag({ default: false, doc: 'Return what is in it in place of its path.' }),
} as const;
const TYPES = {
  type_ext: param.flag({ default: false, doc: 'End the names of the files in `_<cert_type>`.' }),
} as const;

/** Whether a condition of `tls.create_ca` forbids it: a command, or a value. */
async function isForbidden(ctx: ModuleContext, onlyif: Value, unless: Value): Promise<boolean> {
  const isMet = async (condition: Value): Promise<boolean> =>
    typeof condition === 'string' ? (await lineCode(ctx, [condition])) === 0 : truthy(condition);
  if (onlyif !== null && !(await isMet(onlyif))) return true;
  return unless !== null && (await isMet(unless));
}

/** The path of a file that must be there, or what is in it. */
function fileOf(path: string, missing: string, asText: boolean): string {
  if (!pathExists(path)) throw new PythonError('ValueError', missing);
  return asText ? readBytes(path).toString('utf8') : path;
}

const reading = {
  cert_base_path: defineFunction({
    doc: 'Returns the folder of authorities.',
    params: BASE,
    returns: 'a path',
    examples: ["salt '*' tls.cert_base_path"],
    run: async (ctx, { cacert_path }) =>
      cacert_path !== undefined && cacert_path !== '' ? cacert_path : baseFolder(ctx, undefined),
  }),
  set_ca_path: defineFunction({
    doc: 'Sets the folder of authorities for the functions that follow in this run of states.',
    params: { cacert_path: param.textIfGiven({ doc: 'The folder.' }) },
    returns: 'the folder',
    examples: ["salt '*' tls.set_ca_path /etc/certs"],
    run: (ctx, { cacert_path }) => {
      rememberBase(ctx, cacert_path);
      return baseFolder(ctx, cacert_path);
    },
  }),
  ca_exists: defineFunction({
    doc: 'Whether there is an authority.',
    params: { ...AUTHORITY, ...BASE, ...FILE },
    returns: 'true or false',
    examples: ["salt '*' tls.ca_exists test_ca /etc/certs"],
    run: async (ctx, { ca_name, cacert_path, ca_filename }) =>
      authorityExists(ctx, await baseFolder(ctx, cacert_path), ca_name, authorityFile(ca_name, ca_filename)),
  }),
  maybe_fix_ssl_version: defineFunction({
    doc: 'Makes the certificate of an authority anew where it has the wrong version that old releases of Salt wrote.',
    params: { ...AUTHORITY, ...BASE, ...FILE },
    returns: 'nothing',
    examples: ["salt '*' tls.maybe_fix_ssl_version test_ca /etc/certs"],
    run: async (ctx, { ca_name, cacert_path, ca_filename }) => {
      const base = await baseFolder(ctx, cacert_path);
      await fixVersion(ctx, base, ca_name, authorityFile(ca_name, ca_filename));
      return null;
    },
  }),
  get_ca: defineFunction({
    doc: "Returns the path of an authority's certificate, or the certificate.",
    params: { ...AUTHORITY, ...AS_TEXT, ...BASE },
    returns: 'a path or a text',
    examples: ["salt '*' tls.get_ca test_ca as_text=False cacert_path=/etc/certs"],
    run: async (ctx, { ca_name, as_text, cacert_path }) =>
      fileOf(
        `${await baseFolder(ctx, cacert_path)}/${ca_name}/${ca_name}_ca_cert.crt`,
        `Certificate does not exist for ${ca_name}`,
        as_text,
      ),
  }),
  get_ca_signed_cert: defineFunction({
    doc: 'Returns the path of a certificate that an authority has signed, or the certificate.',
    params: {
      ...{ ...AUTHORITY, ...COMMON_NAME, ...AS_TEXT, ...BASE },
      cert_filename: param.textIfGiven({ default: null, doc: 'The name of its file, without its ending.' }),
    },
    returns: 'a path or a text',
    examples: ["salt '*' tls.get_ca_signed_cert test_ca CN=localhost as_text=False"],
    run: async (ctx, { ca_name, CN, as_text, cacert_path, cert_filename }) =>
      fileOf(
        `${await baseFolder(ctx, cacert_path)}/${ca_name}/certs/${(cert_filename ?? '') === '' ? CN : (cert_filename ?? '')}.crt`,
        `Certificate does not exists for ${CN}`,
        as_text,
      ),
  }),
  get_ca_signed_key: defineFunction({
    doc: 'Returns the path of the key of a certificate that an authority has signed, or the key.',
    params: {
      ...{ ...AUTHORITY, ...COMMON_NAME, ...AS_TEXT, ...BASE },
      key_filename: param.textIfGiven({ default: null, doc: 'The name of its file, without its ending.' }),
    },
    returns: 'a path or a text',
    examples: ["salt '*' tls.get_ca_signed_key test_ca CN=localhost as_text=False"],
    run: async (ctx, { ca_name, CN, as_text, cacert_path, key_filename }) =>
      fileOf(
        `${await baseFolder(ctx, cacert_path)}/${ca_name}/certs/${(key_filename ?? '') === '' ? CN : (key_filename ?? '')}.key`,
        `Certificate does not exists for ${CN}`,
        as_text,
      ),
  }),
  get_expiration_date: defineFunction({
    doc: 'Returns when a certificate ends, in UTC.',
    params: {
      cert: param.text({ doc: 'The path of the certificate.' }),
      date_format: param.text({ default: '%Y-%m-%d', doc: "The form of the time, in Python's letters." }),
    },
    returns: 'text',
    examples: ["salt '*' tls.get_expiration_date /path/to/foo.crt date_format='%d/%m/%Y'"],
    run: (_ctx, { cert, date_format }) => {
      const found = readCertificate(cert);
      if (found === undefined)
        throw new CommandExecutionError(`Failed to read cert from ${cert}, see log for details`);
      return strftime(found.notAfter, date_format);
    },
  }),
  get_extensions: defineFunction({
    doc: 'Returns the extensions of a kind of certificate: those of `tls.extensions` in the pillar, or the usual ones.',
    params: { cert_type: param.text({ doc: 'server, client, or a name of the pillar.' }) },
    returns: 'mapping of `csr` and `cert` to extensions',
    examples: ["salt '*' tls.get_extensions client"],
    run: (ctx, { cert_type }) => extensionsOf(ctx, cert_type),
  }),
  cert_info: defineFunction({
    doc: 'Describes a certificate.',
    params: { cert: param.text({ doc: 'The certificate or its path.' }), ...DIGEST },
    returns: 'mapping',
    examples: ["salt '*' tls.cert_info /dir/for/certs/cert.pem"],
    run: (ctx, { cert, digest }) => {
      const loaded = cert.includes('-----BEGIN') ? loadCertificate(cert) : certificateIn(cert);
      return certificateInfo(loaded, digest === 'md5' ? digest : checkedDigest(digest), ctx.log);
    },
  }),
  validate: defineFunction({
    doc: 'Whether a certificate of an authority is valid, by a list of what it has revoked.',
    params: {
      cert: param.text({ doc: 'The path of the certificate.' }),
      ...AUTHORITY,
      crl_file: param.textIfGiven({ doc: 'The path of the list.' }),
    },
    returns: 'mapping with valid, and with error where it is not',
    examples: ["salt '*' tls.validate /etc/pki/koji/certs/www.crt koji /etc/pki/koji/crl.pem"],
    run: async (ctx, given) => validate(ctx, await baseFolder(ctx, undefined), given),
  }),
};

const making = {
  create_ca: defineFunction({
    doc: 'Makes an authority: its key and its certificate. One that is there is kept.',
    params: {
      ...{ ...AUTHORITY, ...BITS, ...DAYS, ...SUBJECT },
      fixmode: param.flag({ default: false, doc: 'Make the certificate of one that is there anew.' }),
      ...{ ...BASE, ...FILE, ...DIGEST },
      onlyif: param.value({ default: null, type: 'str or bool', doc: 'Only if this command ends well.' }),
      unless: param.value({ default: null, type: 'str or bool', doc: 'Not if this command ends well.' }),
      ...REPLACE,
    },
    returns: 'a sentence; nothing where a condition forbids it',
    examples: ["salt '*' tls.create_ca test_ca"],
    run: async (ctx, { cacert_path, onlyif, unless, ...given }) =>
      (await isForbidden(ctx, onlyif, unless))
        ? null
        : createAuthority(ctx, await baseFolder(ctx, cacert_path), given),
  }),
  create_csr: defineFunction({
    doc: 'Makes a key and a request for a certificate of an authority.',
    params: {
      ...{ ...AUTHORITY, ...BITS, ...SUBJECT },
      subjectAltName: param.value({
        default: null,
        type: 'str or list',
        doc: 'Further names: DNS:www.example.com, IP:192.0.2.1, email:me@example.com.',
      }),
      ...{ ...BASE, ...FILE },
      csr_path: param.textIfGiven({
        default: null,
        doc: 'The folder for the request, with a slash behind it.',
      }),
      csr_filename: param.textIfGiven({
        default: null,
        doc: 'The name of its files, without their endings.',
      }),
      ...{ ...DIGEST, ...TYPES },
      cert_type: param.textOrEmpty({ default: 'server', doc: 'server, client, or a name of the pillar.' }),
      ...REPLACE,
    },
    returns: 'a sentence',
    examples: ["salt '*' tls.create_csr test"],
    run: async (ctx, { cacert_path, ...given }) =>
      createRequest(ctx, await baseFolder(ctx, cacert_path), given),
  }),
  create_self_signed_cert: defineFunction({
    doc: 'Makes a certificate that signs itself, and its key. One that is there is kept.',
    params: {
      tls_dir: param.text({ default: 'tls', doc: 'The folder below the one of authorities.' }),
      ...{ ...BITS, ...DAYS, ...SUBJECT, ...BASE },
      cert_filename: param.textIfGiven({
        default: null,
        doc: 'The name of its files, without their endings.',
      }),
      ...{ ...DIGEST, ...REPLACE },
    },
    returns: 'a sentence',
    examples: ["salt '*' tls.create_self_signed_cert CN='test.mysite.org'"],
    run: async (ctx, { cacert_path, ...given }) =>
      createSelfSigned(ctx, await baseFolder(ctx, cacert_path), given),
  }),
  create_ca_signed_cert: defineFunction({
    doc: 'Has an authority sign the request of a name, which `tls.create_csr` made. A certificate that is there is kept.',
    params: {
      ...{ ...AUTHORITY, CN: param.text({ doc: 'The common name.' }), ...DAYS, ...BASE, ...FILE },
      cert_path: param.textIfGiven({ default: null, doc: 'The folder of the request and the certificate.' }),
      cert_filename: param.textIfGiven({ default: null, doc: 'The name of its file, without its ending.' }),
      ...DIGEST,
      cert_type: param.textIfGiven({ default: null, doc: 'server, client, or a name of the pillar.' }),
      ...{ ...TYPES, ...REPLACE },
    },
    returns: 'a sentence; a mapping of retcode and comment where the authority or the request is missing',
    examples: ["salt '*' tls.create_ca_signed_cert test localhost"],
    run: async (ctx, { cacert_path, ...given }) =>
      createSigned(ctx, await baseFolder(ctx, cacert_path), given),
  }),
  create_pkcs12: defineFunction({
    doc: 'Puts a certificate, its key and its authority into a file of PKCS#12.',
    params: {
      ...{ ...AUTHORITY, CN: param.text({ doc: 'The common name.' }) },
      passphrase: param.textOrEmpty({ default: '', doc: 'What opens the file.' }),
      ...{ ...BASE, ...REPLACE },
    },
    returns: 'a sentence',
    examples: ["salt '*' tls.create_pkcs12 test localhost"],
    run: async (ctx, { ca_name, CN, passphrase, cacert_path, replace }) => {
      const folder = `${await baseFolder(ctx, cacert_path)}/${ca_name}`;
      const path = `${folder}/certs/${CN}`;
      if (!replace && pathExists(`${path}.p12`)) return `Certificate "${CN}" already exists`;
      const authority = readCertificate(`${folder}/${ca_name}_ca_cert.crt`);
      if (authority === undefined) return `There is no CA named "${ca_name}"`;
      const cert = readCertificate(`${path}.crt`);
      if (cert === undefined || !pathExists(`${path}.key`))
        return `There is no certificate that matches the CN "${CN}"`;
      const parts = { key: loadKey(`${path}.key`).key, cert: cert.whole, others: [authority.whole] };
      const bytes = writePkcs12(parts, { password: passphrase, compat: false, random: ctx.random });
      writeInPlace(`${path}.p12`, bytes);
      return `Created PKCS#12 Certificate for "${CN}": "${path}.p12"`;
    },
  }),
  create_empty_crl: defineFunction({
    doc: 'Makes a list in which an authority has revoked nothing.',
    params: {
      ...{ ...AUTHORITY, ...BASE, ...FILE },
      crl_file: param.textIfGiven({ default: null, doc: 'The path of the list.' }),
      ...DIGEST,
    },
    returns: 'a sentence',
    examples: [
      "salt '*' tls.create_empty_crl ca_name='koji' ca_filename='ca' crl_file='/etc/openvpn/crl.pem'",
    ],
    run: async (ctx, { cacert_path, ...order }) =>
      createEmptyList(ctx, await baseFolder(ctx, cacert_path), order),
  }),
  revoke_cert: defineFunction({
    doc: 'Revokes a certificate of an authority, in its index and in its list.',
    params: {
      ...{ ...AUTHORITY, CN: param.text({ doc: 'The common name.' }), ...BASE, ...FILE },
      cert_path: param.textIfGiven({ default: null, doc: 'The folder of the certificate.' }),
      cert_filename: param.textIfGiven({ default: null, doc: 'The name of its file, without its ending.' }),
      crl_file: param.textIfGiven({ default: null, doc: 'The path of the list.' }),
      ...DIGEST,
    },
    returns: 'a sentence; a mapping of retcode and comment where the list is a folder',
    examples: ["salt '*' tls.revoke_cert ca_name='koji' ca_filename='ca' crl_file='/etc/openvpn/crl.pem'"],
    run: async (ctx, { cacert_path, ...order }) =>
      revokeCertificate(ctx, await baseFolder(ctx, cacert_path), order),
  }),
};

/** The module. */
export const tlsModule = defineModule({
  name: 'tls',
  file: 'tls',
  doc: 'Certificate authorities of files, and certificates that they sign.',
  failsWith: { error: ['create_ca_signed_cert', 'revoke_cert'] },
  functions: { ...reading, ...making },
});
