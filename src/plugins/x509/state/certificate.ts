/** `x509.certificate_managed`. */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { TypedArguments } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import type { Certificate } from '../module/certificates.ts';
import { CERT_ENCODINGS, checkedEncoding } from '../module/encode.ts';
import { checkExtensions, currentNames, draftCertificate, underPolicy, type Draft } from '../module/issue.ts';
import { checkedDigest, digestOfSignature } from '../module/keys.ts';
import { loadCertificate, loadChain, type LoadedCertificate } from '../module/load.ts';
import { policyOf, policyToSignBy } from '../module/policies.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { certificateChanges } from './compare.ts';
import { DAY_MS, daysToRenew } from './renewal.ts';
import { splitArguments } from './files.ts';
import { manage, textOfAnswer, type Inspection } from './managed.ts';

const or = (type: string, doc: string, fallback: Value = null) =>
  param.value({ default: fallback, type, doc });

/** The parameters of the state. */
export const CERTIFICATE = {
  name: param.text({ doc: 'The file.' }),
  days_remaining: or(
    'int',
    'Make it anew when it is valid for fewer days than this; 90, or 7 for one of no more than 90 days.',
  ),
  ca_server: or('str', 'The minion that signs.'),
  signing_policy: or('str', 'The policy by which is signed.'),
  encoding: or('str', 'The form: `pem`, `der`, `pkcs7_pem`, `pkcs7_der`, `pkcs12`.', 'pem'),
  append_certs: or('list', 'Certificates to put behind it.'),
  copypath: or('str', 'The folder for a copy of each certificate that is made.'),
  prepend_cn: or('bool', 'Let the names of copies begin with the common name.', false),
  digest: or('str', 'The hash that is signed.', 'sha256'),
  signing_private_key: or('str', 'The key that signs.'),
  signing_private_key_passphrase: or('str', 'Its password.'),
  signing_cert: or('str', 'The certificate of the key that signs; without it the certificate signs itself.'),
  public_key: or('str', 'The public key of the certificate.'),
  private_key: or('str', 'The private key of the certificate.'),
  private_key_passphrase: or('str', 'Its password.'),
  csr: or('str', 'A request whose key and extensions are taken.'),
  subject: or('str, list or dict', 'The name; otherwise it is made of `CN`, `O` and so on.'),
  serial_number: or('str or int', 'The number; one by chance without it.'),
  not_before: or('str', 'When it begins: `2024-01-31 00:00:00`.'),
  not_after: or('str', 'When it ends.'),
  days_valid: or('int', 'For how many days it is valid; 365.'),
  pkcs12_passphrase: or('str', 'The password of PKCS 12.'),
  pkcs12_encryption_compat: or('bool', 'Encrypt PKCS 12 so that old programs read it.', false),
  pkcs12_friendlyname: or('str', 'The name within PKCS 12.'),
} as const;

type Arguments = TypedArguments<typeof CERTIFICATE>;

/** Changes after which the same certificate is only written in another form. */
const FORM_ONLY = new Set(['additional_certs', 'encoding', 'pkcs12_friendlyname']);
/** Arguments that make the certificate, as they are handed on. */
const MAKING = [
  ...['digest', 'signing_private_key', 'signing_private_key_passphrase', 'signing_cert', 'public_key'],
  ...['private_key', 'private_key_passphrase', 'csr', 'subject', 'serial_number', 'not_before', 'not_after'],
  'days_valid',
] as const;
const PKCS12 = ['pkcs12_passphrase', 'pkcs12_encryption_compat', 'pkcs12_friendlyname'] as const;

/** The chosen arguments, those that are None left out. */
function chosen(args: Arguments, names: readonly (keyof Arguments)[]): Dict {
  return new Map(
    names.flatMap((name): [Value, Value][] => (args[name] === null ? [] : [[name, args[name]]])),
  );
}

const chainOf = (given: Value): Certificate[] =>
  (Array.isArray(given) ? given : truthy(given) ? [given] : []).map((one) => loadCertificate(one));

const sameChain = (a: readonly Certificate[], b: readonly Certificate[]): boolean =>
  a.length === b.length && a.every((one, i) => b[i]?.whole.equals(one.whole) === true);

/** What is in the file; a sentence where it is no certificate. */
function readCurrent(path: string, passphrase: Value): LoadedCertificate | 'no password' | 'no certificate' {
  try {
    return loadChain(path, passphrase);
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    if (text.includes('Bad decrypt')) return 'no password';
    if (/Could not (?:deserialize|load)/.test(text)) return 'no certificate';
    throw error;
  }
}

/** What differs in the certificate that is there. */
function changesOf(
  ctx: StateContext,
  current: LoadedCertificate,
  args: Arguments,
  { draft, digest, final }: { draft: Draft; digest: string; final: Dict },
): Dict {
  const changes = dict();
  const friendly = truthy(args.pkcs12_friendlyname) ? pyStr(args.pkcs12_friendlyname) : undefined;
  if (args.encoding !== current.encoding) changes.set('encoding', args.encoding);
  else if (current.encoding === 'pkcs12' && current.pkcs12?.friendlyName !== friendly)
    changes.set('pkcs12_friendlyname', args.pkcs12_friendlyname);
  const { notBefore, notAfter } = current.cert;
  const usual = daysToRenew(notAfter - notBefore, [90, 7]);
  const remaining = toNumber(args.days_remaining ?? usual) ?? usual;
  if (notAfter < ctx.clock.nowMs() + remaining * DAY_MS) changes.set('expiration', true);
  if (!sameChain(current.chain, chainOf(args.append_certs))) changes.set('additional_certs', true);
  const signed = digestOfSignature(current.cert.signatureOid);
  if (signed !== undefined && signed !== digest.toLowerCase()) changes.set('digest', args.digest);
  // Salt compat: Salt leaves a certificate as it is whose dates are not those that are given
  for (const [field, date] of [
    ['not_before', 'notBefore'],
    ['not_after', 'notAfter'],
  ] as const)
    if (truthy(final.get(field)) && draft.body[date] !== current.cert[date])
      changes.set(field, final.get(field) ?? null);
  for (const [key, value] of certificateChanges(current.cert, draft, args.serial_number))
    changes.set(key, value);
  return changes;
}

async function inspect(
  ctx: StateContext,
  args: Arguments,
  further: Dict,
  path: string | undefined,
): Promise<Inspection> {
  const making = new Map([...further, ...chosen(args, MAKING)]);
  if (args.days_valid === null && args.not_after === null) making.set('days_valid', 365);
  const create = async (): Promise<string> => {
    const where = chosen(args, ['ca_server', 'signing_policy', 'encoding', 'append_certs', ...PKCS12]);
    const copies = chosen(args, ['copypath', 'prepend_cn']);
    const keywords = new Map([...making, ...where, ...(truthy(args.ca_server) ? [] : copies)]);
    return textOfAnswer(await ctx.functions.call('x509.create_certificate', [], keywords));
  };
  const isRemote = truthy(args.ca_server);
  const own = isRemote ? undefined : await policyToSignBy(ctx, args.signing_policy);
  const current = path === undefined ? undefined : readCurrent(path, args.pkcs12_passphrase);
  // what another minion makes is for its policy to decide
  const check = (): void => {
    if (own === undefined) return;
    const words = underPolicy(own, making);
    checkedDigest(words.get('digest') ?? 'sha256');
    checkExtensions(words);
    draftCertificate(words, false, ctx);
  };
  const anew = (why: Dict): Inspection => ({ changes: why, isRecreation: false, check, make: create });
  if (current === undefined) return anew(dict({ created: args.name }));
  if (current === 'no certificate') return anew(dict({ replaced: args.name }));
  if (current === 'no password') return anew(dict({ pkcs12_passphrase: true }));
  const policy = own ?? (await policyOf(ctx, args.signing_policy, args.ca_server));
  const final = underPolicy(policy, making);
  if (!isRemote && !truthy(final.get('signing_private_key')))
    throw new SaltInvocationError('Creating a certificate locally at least requires a signing private key.');
  const draft = draftCertificate(final, isRemote, ctx);
  const digest = pyStr(final.get('digest') ?? 'sha256');
  const changes = changesOf(ctx, current, args, { draft, digest, final });
  const encode = async (): Promise<string> => {
    const words = chosen(args, ['encoding', 'append_certs']);
    if (args.encoding === 'pkcs12')
      for (const [key, value] of chosen(args, ['private_key', 'private_key_passphrase', ...PKCS12]))
        words.set(key, value);
    const given = new Uint8Array(current.cert.whole);
    return textOfAnswer(await ctx.functions.call('x509.encode_certificate', [given], words));
  };
  const isFormOnly = [...changes.keys()].every((key) => FORM_ONLY.has(pyStr(key)));
  return { changes, isRecreation: true, make: isFormOnly ? encode : create };
}

/** Keeps a certificate in a file. */
export async function certificateManaged(
  ctx: StateContext,
  given: Arguments,
  kwargs: Dict,
): Promise<StateResult> {
  const [fileArguments, others] = splitArguments(kwargs);
  const further = currentNames(others, 'x509.certificate_managed', ctx.log);
  const args = { ...given, digest: further.get('digest') ?? given.digest };
  further.delete('digest');
  return manage(ctx, args.name, fileArguments, {
    what: 'certificate',
    isText: ['pem', 'pkcs7_pem'].includes(checkedEncoding(args.encoding, CERT_ENCODINGS)),
    inspect: (path) => inspect(ctx, args, further, path),
  });
}
