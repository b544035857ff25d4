/** `x509`: keys, certificates, requests and revocation lists in files (3006.16 salt/states/x509_v2.py). */
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isBytes, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { checkedEncoding, KEY_ENCODINGS, PLAIN_ENCODINGS } from './module/encode.ts';
import { EXTENSION_OIDS } from './module/extension-oids.ts';
import { checkExtensions, currentNames, draftList, draftRequest } from './module/issue.ts';
import { integerOf, readDer } from './module/der.ts';
import {
  digestOfSignature,
  checkedDigest,
  isPair,
  keyMaker,
  keySizeOf,
  keyTypeOf,
  loadKey,
  publicHalf,
  type LoadedKey,
} from './module/keys.ts';
import { loadList, loadRequest } from './module/load.ts';
import type { RevocationList } from './module/certificates.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { CERTIFICATE, certificateManaged } from './state/certificate.ts';
import { listChanges, requestChanges } from './state/compare.ts';
import { splitArguments } from './state/files.ts';
import { manage, textOfAnswer, type Inspection } from './state/managed.ts';
import { DAY_MS, daysToRenew } from './state/renewal.ts';

const or = (type: string, doc: string, fallback: Value = null) =>
  param.value({ default: fallback, type, doc });
const NAME = { name: param.text({ doc: 'The file.' }) } as const;

/** @throws SaltInvocationError for keywords that the state does not know */
function noMore(others: Dict, dropped: readonly string[]): void {
  const unknown = [...others.keys()]
    .map(pyStr)
    .filter((one) => !dropped.includes(one) && !one.startsWith('_'));
  if (unknown.length > 0)
    throw new SaltInvocationError(
      `Unrecognized keyword arguments: [${unknown.map((one) => `'${one}'`).join(', ')}]`,
    );
}

/** Reads what is in a file; undefined where it is none of its kind. */
function readOr<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && /Could not (?:load|deserialize)/.test(error.message)) return undefined;
    throw error;
  }
}

const onlyForm = (changes: Dict, names: readonly string[]): boolean =>
  [...changes.keys()].every((key) => names.includes(pyStr(key)));

const PRIVATE_KEY = {
  ...NAME,
  algo: or('str', 'The kind: `rsa`, `ec`, `ed25519`, `ed448`.', 'rsa'),
  keysize: or('int', 'The bits.'),
  passphrase: or('str', 'The password.'),
  encoding: or('str', 'The form: `pem`, `der`, `pkcs12`.', 'pem'),
  new: param.flag({ default: false, doc: 'Make a new key at each run.' }),
  overwrite: param.flag({ default: false, doc: 'Replace what is no key, or one of another password.' }),
  pkcs12_encryption_compat: or('bool', 'Encrypt PKCS 12 so that old programs read it.', false),
} as const;

type KeyArguments = TypedArguments<typeof PRIVATE_KEY>;

/** The key that is there. @returns undefined where a new one is to take its place; what is to change besides */
function currentKey(path: string, args: KeyArguments): { current?: LoadedKey; changes: Dict } {
  const refuse = (text: string): Dict => {
    if (!args.overwrite) throw new CommandExecutionError(text);
    return dict();
  };
  try {
    return { current: loadKey(path, args.passphrase), changes: dict() };
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    if (text.includes('Private key is unencrypted'))
      return { current: loadKey(path), changes: dict({ passphrase: true }) };
    if (text.includes('Bad decrypt'))
      return {
        changes: refuse(
          'The provided passphrase cannot decrypt the private key. Pass overwrite: true to force regeneration',
        ).set('passphrase', true),
      };
    if (text.includes('Private key is encrypted'))
      return {
        changes: refuse(
          'The existing file is encrypted. Pass overwrite: true to force regeneration without passphrase',
        ).set('passphrase', true),
      };
    if (!/Could not (?:deserialize|load)/.test(text)) throw error;
    return {
      changes: refuse(
        'The existing file does not seem to be a private key formatted as DER, PEM or embedded in PKCS12. Pass overwrite: true to force regeneration',
      ),
    };
  }
}

async function inspectKey(
  ctx: StateContext,
  args: KeyArguments,
  path: string | undefined,
): Promise<Inspection> {
  const { algo, keysize, passphrase, encoding, pkcs12_encryption_compat } = args;
  const create = async (): Promise<string> => {
    const words = dict({ algo, keysize, passphrase, encoding, pkcs12_encryption_compat });
    return textOfAnswer(await ctx.functions.call('x509.create_private_key', [], words));
  };
  const check = (): void => void keyMaker(algo, keysize);
  if (path === undefined)
    return { changes: dict({ created: args.name }), isRecreation: false, check, make: create };
  if (args.new) return { changes: dict({ replaced: args.name }), isRecreation: true, check, make: create };
  const { current, changes } = currentKey(path, args);
  if (current === undefined)
    return { changes: changes.set('created', args.name), isRecreation: true, check, make: create };
  if (keyTypeOf(current.key) !== algo) changes.set('algo', algo);
  else if (algo === 'rsa' || algo === 'ec') {
    const wanted = toNumber(keysize) ?? (algo === 'rsa' ? 2048 : 256);
    if (keySizeOf(current.key) !== wanted) changes.set('keysize', wanted);
  }
  if (encoding !== current.encoding) changes.set('encoding', encoding);
  const encode = async (): Promise<string> => {
    const der = new Uint8Array(current.key.export({ format: 'der', type: 'pkcs8' }));
    const words = dict({ passphrase, encoding, pkcs12_encryption_compat });
    return textOfAnswer(await ctx.functions.call('x509.encode_private_key', [der], words));
  };
  const make = onlyForm(changes, ['encoding', 'passphrase']) ? encode : create;
  return { changes, isRecreation: true, check, make };
}

async function privateKeyManaged(ctx: StateContext, given: KeyArguments, kwargs: Dict): Promise<StateResult> {
  const [fileArguments, others] = splitArguments(kwargs);
  noMore(others, ['bits', 'cipher', 'verbose', 'text']);
  const args = { ...given, keysize: others.get('bits') ?? given.keysize };
  if (!truthy(fileArguments.get('mode'))) fileArguments.set('mode', '0400');
  return manage(ctx, args.name, fileArguments, {
    what: 'private key',
    isText: checkedEncoding(args.encoding, KEY_ENCODINGS) === 'pem',
    inspect: (path) => {
      if (truthy(args.keysize) && (args.algo === 'ed25519' || args.algo === 'ed448'))
        throw new SaltInvocationError(`keysize is an invalid parameter for ${pyStr(args.algo)}`);
      return inspectKey(ctx, args, path);
    },
  });
}

const CSR = {
  ...NAME,
  private_key: or('str', 'The key of the certificate.'),
  private_key_passphrase: or('str', 'Its password.'),
  digest: or('str', 'The hash that is signed.', 'sha256'),
  encoding: or('str', 'The form: `pem`, `der`.', 'pem'),
  subject: or('str, list or dict', 'The name; otherwise it is made of `CN`, `O` and so on.'),
} as const;

async function csrManaged(
  ctx: StateContext,
  args: TypedArguments<typeof CSR>,
  kwargs: Dict,
): Promise<StateResult> {
  const [fileArguments, others] = splitArguments(kwargs);
  const further = currentNames(others, 'x509.csr_managed', ctx.log);
  const digest = further.get('digest') ?? args.digest;
  const { name, encoding, private_key, private_key_passphrase, subject } = args;
  further.delete('digest');
  const create = async (): Promise<string> => {
    const words = dict({ private_key, private_key_passphrase, digest, encoding });
    if (subject !== null) words.set('subject', subject);
    return textOfAnswer(await ctx.functions.call('x509.create_csr', [], new Map([...further, ...words])));
  };
  const draft = (): ReturnType<typeof draftRequest> => {
    checkedDigest(digest);
    checkExtensions(further);
    return draftRequest(new Map([...further, ...dict({ private_key, private_key_passphrase, subject })]));
  };
  const check = (): void => void draft();
  const inspect = (path: string | undefined): Inspection => {
    if (path === undefined)
      return { changes: dict({ created: name }), isRecreation: false, check, make: create };
    const current = readOr(() => loadRequest(path));
    if (current === undefined)
      return { changes: dict({ replaced: name }), isRecreation: false, check, make: create };
    const changes = dict();
    const signed = digestOfSignature(current.loaded.signatureOid);
    if (signed !== undefined && signed !== pyStr(digest).toLowerCase()) changes.set('digest', digest);
    if (encoding !== current.encoding) changes.set('encoding', encoding);
    const wanted = draft();
    if (!isPair(current.loaded.publicKey, wanted.key)) changes.set('private_key', true);
    for (const [key, value] of requestChanges(current.loaded, wanted.body)) changes.set(key, value);
    const encode = async (): Promise<string> =>
      textOfAnswer(
        await ctx.functions.call('x509.encode_csr', [new Uint8Array(current.loaded.whole)], { encoding }),
      );
    return { changes, isRecreation: true, make: onlyForm(changes, ['encoding']) ? encode : create };
  };
  return manage(ctx, name, fileArguments, {
    what: 'certificate signing request',
    isText: checkedEncoding(encoding, PLAIN_ENCODINGS) === 'pem',
    inspect: (path) => Promise.resolve().then(() => inspect(path)),
  });
}

const CRL = {
  ...NAME,
  signing_private_key: param.value({ type: 'str', doc: 'The key that signs.' }),
  revoked: param.value({
    type: 'list',
    doc: 'The revoked certificates: `certificate` or `serial_number`, `not_after`, `revocation_date`, `extensions`.',
  }),
  days_remaining: or(
    'int',
    'Make it anew when it is valid for fewer days than this; 30, or 3 for one of no more than 30 days.',
  ),
  signing_cert: or('str', 'The certificate of the key.'),
  signing_private_key_passphrase: or('str', 'The password of the key.'),
  include_expired: param.flag({ default: false, doc: 'Name expired certificates as well.' }),
  days_valid: or('int', 'How long it is valid; 100 days.'),
  digest: or('str', 'The hash that is signed.', 'sha256'),
  encoding: or('str', 'The form: `pem`, `der`.', 'pem'),
  extensions: param.mapping({
    default: null,
    doc: 'Extensions of the list; `cRLNumber: auto` counts by itself.',
  }),
} as const;

type ListState = TypedArguments<typeof CRL>;

/** The extensions with the number that `cRLNumber: auto` stands for. */
function numbered(extensions: Dict, current: RevocationList | undefined): Dict {
  if (extensions.get('cRLNumber') !== 'auto') return extensions;
  const old = current?.extensions.find(({ oid }) => oid === EXTENSION_OIDS.get('cRLNumber'));
  const number = old === undefined ? 1n : integerOf(readDer(old.value)) + 1n;
  return new Map(extensions).set('cRLNumber', Number(number));
}

/** What differs; the number of a list that counts by itself does not. */
function changesOfList(
  ctx: StateContext,
  current: RevocationList,
  currentEncoding: string,
  args: ListState,
): Dict {
  const changes = dict();
  const signed = digestOfSignature(current.signatureOid);
  if (signed !== undefined && signed !== pyStr(args.digest).toLowerCase()) changes.set('digest', args.digest);
  if (args.encoding !== currentEncoding) changes.set('encoding', args.encoding);
  const end = current.nextUpdate ?? 0;
  const usual = daysToRenew(end - current.lastUpdate, [30, 3]);
  const remaining = toNumber(args.days_remaining ?? usual) ?? usual;
  if (remaining !== 0 && end < ctx.clock.nowMs() + remaining * DAY_MS) changes.set('expiration', true);
  const isAuto = args.extensions.get('cRLNumber') === 'auto';
  const extensions = new Map(args.extensions);
  if (isAuto) extensions.delete('cRLNumber');
  const wanted = draftList({ ...args, extensions }, ctx);
  const old = isAuto
    ? {
        ...current,
        extensions: current.extensions.filter(({ oid }) => oid !== EXTENSION_OIDS.get('cRLNumber')),
      }
    : current;
  for (const [key, value] of listChanges(old, wanted.body, publicHalf(wanted.key))) changes.set(key, value);
  return changes;
}

async function crlManaged(ctx: StateContext, args: ListState, kwargs: Dict): Promise<StateResult> {
  const [fileArguments, others] = splitArguments(kwargs);
  noMore(others, ['text']);
  const { name, encoding, revoked, signing_private_key, signing_cert, signing_private_key_passphrase } = args;
  const { include_expired, days_valid, digest } = args;
  const inspect = (path: string | undefined): Inspection => {
    const current = path === undefined ? undefined : readOr(() => loadList(path));
    const create = async (): Promise<string> => {
      const words = dict({ signing_cert, signing_private_key_passphrase, include_expired, days_valid });
      words.set('digest', digest).set('encoding', encoding);
      words.set('extensions', numbered(args.extensions, current?.loaded));
      return textOfAnswer(await ctx.functions.call('x509.create_crl', [signing_private_key, revoked], words));
    };
    if (current === undefined) {
      const changes = dict({ [path === undefined ? 'created' : 'replaced']: name });
      const check = (): void => {
        checkedDigest(digest);
        draftList({ ...args, extensions: numbered(args.extensions, undefined) }, ctx);
      };
      return { changes, isRecreation: false, check, make: create };
    }
    const changes = changesOfList(ctx, current.loaded, current.encoding, args);
    const encode = async (): Promise<string> => {
      const given = new Uint8Array(current.loaded.whole);
      return textOfAnswer(await ctx.functions.call('x509.encode_crl', [given], { encoding }));
    };
    return { changes, isRecreation: true, make: onlyForm(changes, ['encoding']) ? encode : create };
  };
  return manage(ctx, name, fileArguments, {
    what: 'certificate revocation list',
    isText: checkedEncoding(encoding, PLAIN_ENCODINGS) === 'pem',
    inspect: (path) => Promise.resolve().then(() => inspect(path)),
  });
}

async function pemManaged(
  ctx: StateContext,
  { name, text }: { readonly name: string; readonly text: Value },
  kwargs: Dict,
): Promise<Dict> {
  const [fileArguments, others] = splitArguments(kwargs);
  noMore(others, []);
  let contents: string;
  try {
    const entry = await ctx.functions.call('x509.get_pem_entry', [], { text });
    contents = isBytes(entry) ? Buffer.from(entry).toString('utf8') : textOfAnswer(entry);
  } catch (error) {
    if (!(error instanceof SaltInvocationError || error instanceof CommandExecutionError)) throw error;
    return dict({ name, result: false, comment: error.message, changes: dict() });
  }
  const answer = await ctx.state.call(
    'file.managed',
    new Map([...fileArguments, ...dict({ name, contents })]),
  );
  return answer instanceof Map
    ? answer
    : dict({ name, result: false, comment: pyStr(answer), changes: dict() });
}

/** The states of `x509`. */
export const x509States = defineModule({
  name: 'x509',
  file: 'x509_v2',
  doc: 'Keys, certificates, requests for certificates and revocation lists in files.',
  functions: {
    certificate_managed: defineState({
      doc: 'Keeps a certificate in a file. Further keywords: parts of the name, extensions, and those of file.managed.',
      params: CERTIFICATE,
      kwargs: 'kwargs',
      run: certificateManaged,
    }),
    crl_managed: defineState({
      doc: 'Keeps a revocation list in a file. Further keywords are those of file.managed.',
      params: CRL,
      kwargs: 'kwargs',
      run: crlManaged,
    }),
    csr_managed: defineState({
      doc: 'Keeps a request for a certificate in a file. Further keywords: parts of the name, extensions, and those of file.managed.',
      params: CSR,
      kwargs: 'kwargs',
      run: csrManaged,
    }),
    pem_managed: defineState({
      doc: 'Keeps an entry of PEM in a file, with proper lines. Further keywords are those of file.managed.',
      params: { ...NAME, text: param.value({ type: 'str', doc: 'The entry.' }) },
      kwargs: 'kwargs',
      run: pemManaged,
    }),
    private_key_managed: defineState({
      doc: 'Keeps a private key in a file that only its owner can read. Further keywords are those of file.managed.',
      params: PRIVATE_KEY,
      kwargs: 'kwargs',
      run: privateKeyManaged,
    }),
  },
});
