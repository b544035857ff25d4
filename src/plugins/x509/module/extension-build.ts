/** Extensions as SLS files give them, made to DER. Follows 3006.16 salt/utils/x509.py `_create_*`. */
import type { KeyObject } from 'node:crypto';
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { strptime } from '../../../python/text/strftime.ts';
import { isBytes, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { Certificate, Extension } from './certificates.ts';
import {
  childrenOf,
  der,
  derBoolean,
  derInteger,
  derNamedBits,
  derOid,
  derSequence,
  readDer,
  TAG,
} from './der.ts';
import { ACCESS_OIDS, ENTRY_OIDS, EXTENSION_OIDS, REASONS, USAGE_OIDS } from './extension-oids.ts';
import {
  confDict,
  issuersOf,
  mentions,
  namePairs,
  numberOf,
  oneName,
  pointName,
  reasonBits,
} from './extension-parts.ts';
import { checkedOid, generalName, pairOf, type NamePair } from './general-names.ts';
import { keyIdentifier } from './keys.ts';
import { nameDer } from './names.ts';

/** What extensions refer to. */
export interface ExtensionSubject {
  /** The public key of the certificate. */
  readonly publicKey?: KeyObject | undefined;
  /** The certificate that signs. */
  readonly caCert?: Certificate | undefined;
  /** The key that signs, of a certificate that signs itself. */
  readonly caKey?: KeyObject | undefined;
}

/** The value of an extension, and whether it is critical. */
interface Built {
  readonly value: Buffer;
  readonly critical: boolean;
}
type Builder = (given: Value, subject: ExtensionSubject) => Built;

const refuse = (text: string): never => {
  throw new SaltInvocationError(text);
};

const basicConstraints: Builder = (given) => {
  let critical = isDict(given) && truthy(given.get('critical'));
  let values: Dict;
  if (typeof given === 'string') {
    ({ values, critical } = confDict(given.toLowerCase()));
    if (!values.has('ca')) return refuse("Invalid configuration for basicContraints: 'ca'");
    values.set('ca', values.get('ca') === 'true');
  } else if (isDict(given)) values = given;
  else return refuse('basicConstraints must be a string or a mapping');
  const isCa = values.get('ca');
  if (isCa === undefined) return refuse("Undefined required key for basicConstraints: 'ca'");
  if (typeof isCa !== 'boolean') return refuse('ca must be a boolean value');
  const pathlen = values.get('pathlen') ?? null;
  if (pathlen !== null && !isCa) return refuse('path_length must be None when ca is False');
  const length = pathlen === null ? undefined : numberOf(pathlen, 'pathlen of basicConstraints');
  if (length !== undefined && length < 0n)
    return refuse('path_length must be a non-negative integer or None');
  const value = derSequence(
    ...(isCa ? [derBoolean(true)] : []),
    ...(length === undefined ? [] : [derInteger(length)]),
  );
  return { value, critical };
};

/** The bits of keyUsage in their order. */
export const KEY_USAGES = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const;

const isUsage = (word: string): boolean => KEY_USAGES.some((usage) => usage === word);

/** The words of a text, a list or a mapping. */
function wordsOf(given: Value): string[] {
  if (typeof given === 'string') return given.split(/[\s,]+/).filter((word) => word !== '');
  return (Array.isArray(given) ? given : isDict(given) ? [...given.keys()] : []).map(pyStr);
}

const keyUsage: Builder = (given) => {
  // Salt compat: Salt leaves out what it does not know, and signs a certificate that is good for nothing
  const unknown = wordsOf(given).find((word) => word !== 'critical' && !isUsage(word));
  if (unknown !== undefined) return refuse(`'${unknown}' is no keyUsage: there are ${KEY_USAGES.join(', ')}`);
  const bits = KEY_USAGES.map((usage) => mentions(given, usage));
  if (!mentions(given, 'keyAgreement') && (bits[7] === true || bits[8] === true))
    return refuse('encipher_only and decipher_only can only be true when key_agreement is true');
  return { value: derNamedBits(bits), critical: mentions(given, 'critical') };
};

const extendedKeyUsage: Builder = (given) => {
  let critical = mentions(given, 'critical');
  let usages = Array.isArray(given) ? given : [given];
  if (typeof given === 'string') {
    const conf = confDict(given);
    ({ critical } = conf);
    usages = [...conf.values.keys()];
  }
  const oids = usages
    .filter((usage) => usage !== 'critical')
    .map((usage) => derOid(USAGE_OIDS.get(pyStr(usage)) ?? checkedOid(usage)));
  return { value: derSequence(...oids), critical };
};

const subjectKeyIdentifier: Builder = (given, { publicKey }) => {
  if (mentions(given, 'critical')) return refuse('subjectKeyIdentifier must be marked as non-critical');
  let digest: Buffer;
  if (given === 'hash') {
    if (publicKey === undefined)
      throw new CommandExecutionError('Cannot calculate digest for subjectKeyIdentifier: missing pubkey');
    digest = keyIdentifier(publicKey);
  } else if (isBytes(given)) digest = Buffer.from(given);
  else {
    const hex = typeof given === 'string' ? given.replaceAll(':', '') : 'none';
    if (typeof given !== 'string') return refuse('Value must be a (hex-)digest or pubkey');
    if (!/^(?:[0-9A-Fa-f]{2})*$/.test(hex)) return refuse('Value must be precomputed hash');
    digest = Buffer.from(hex, 'hex');
  }
  return { value: der(TAG.octetString, digest), critical: false };
};

const identifierOf = (cert: Certificate): Buffer => {
  const own = cert.extensions.find(({ oid }) => oid === EXTENSION_OIDS.get('subjectKeyIdentifier'));
  return own === undefined ? keyIdentifier(cert.publicKey) : readDer(own.value, TAG.octetString).content;
};

const authorityKeyIdentifier: Builder = (given, { caCert, caKey }) => {
  if (mentions(given, 'critical')) return refuse('authorityKeyIdentifier must be marked as non-critical');
  if (caCert === undefined && caKey === undefined)
    throw new CommandExecutionError('Need CA certificate or CA pubkey to calculate authorityKeyIdentifier');
  const values = typeof given === 'string' ? confDict(given).values : isDict(given) ? given : undefined;
  if (values === undefined) return refuse('authorityKeyIdentifier must be a string or a mapping');
  const parts: Buffer[] = [];
  const hasKey = values.has('keyid');
  if (hasKey && caCert !== undefined) parts.push(der(0x80, identifierOf(caCert)));
  else if (hasKey && caKey !== undefined) parts.push(der(0x80, keyIdentifier(caKey)));
  const issuer = values.get('issuer');
  if (issuer === 'always' || (issuer !== undefined && parts.length === 0)) {
    if (caCert !== undefined) {
      parts.push(der(0xa1, der(0xa4, nameDer(caCert.issuer))), derInteger(caCert.serial, 0x82));
    } else if (issuer === 'always')
      throw new CommandExecutionError(
        'Could not add authority_cert_issuer and authority_cert_serial_number, but was set to always.',
      );
  }
  return { value: derSequence(...parts), critical: false };
};

/** The names of an issuer; `issuer:copy` stands for those of the certificate that signs. */
const issuerNames: Builder = (given, { caCert }) => {
  const { pairs, critical } = namePairs(given);
  const isCopy = ([kind, value]: NamePair): boolean => kind === 'issuer' && value === 'copy';
  const copied: Buffer[] = [];
  if (pairs.some(isCopy)) {
    if (caCert === undefined) throw new CommandExecutionError('Need CA certificate to copy to issuerAltName');
    const names = caCert.extensions.find(({ oid }) => oid === EXTENSION_OIDS.get('subjectAltName'));
    if (names === undefined)
      throw new CommandExecutionError(
        'The signing certificate has no subjectAltName that could be copied to issuerAltName',
      );
    copied.push(...childrenOf(readDer(names.value, TAG.sequence)).map(({ whole }) => whole));
  }
  const own = pairs.filter((pair) => !isCopy(pair)).map(generalName);
  return { value: derSequence(...copied, ...own), critical };
};

const subjectAltName: Builder = (given) => {
  const { pairs, critical } = namePairs(given);
  return { value: derSequence(...pairs.map(generalName)), critical };
};

const authorityInfoAccess: Builder = (given) => {
  const pairs: NamePair[] =
    typeof given === 'string'
      ? given
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== 'critical')
          .map((item): [string, string] => {
            const [kind = '', name = ''] = item.split(';');
            return [kind, name];
          })
      : (Array.isArray(given) ? given : [given]).flatMap((item) =>
          isDict(item) ? [...item].filter(([key]) => key !== 'critical') : [],
        );
  const descriptions = pairs.map(([kind, name]) => {
    const oid = ACCESS_OIDS.get(pyStr(kind)) ?? pyStr(kind);
    if (!/^[012]\.[\d.]+$/.test(oid)) throw new CommandExecutionError(`Unknown access OID: ${oid}`);
    return derSequence(derOid(checkedOid(oid)), oneName(name));
  });
  return { value: derSequence(...descriptions), critical: false };
};

function distributionPoint(given: Value): Buffer {
  if (!isDict(given)) {
    const pair = Array.isArray(given) ? given : pairOf(pyStr(given));
    return derSequence(der(0xa0, der(0xa0, generalName([pair[0] ?? '', pair[1] ?? '']))));
  }
  const parts = [...pointName(given), ...reasonBits(given.get('reasons'), 0x81), ...issuersOf(given)];
  if (parts.length === 0) return refuse('You must provide something in addition to reasons.');
  return derSequence(...parts);
}

const distributionPoints: Builder = (given) => {
  if (typeof given === 'string') {
    const { pairs, critical } = namePairs(given);
    return { value: derSequence(...pairs.map(([k, v]) => distributionPoint([k, v]))), critical };
  }
  const list = (Array.isArray(given) ? given : [given]).filter((item) => item !== 'critical');
  const points = list.map((item) => {
    if (typeof item !== 'string') return distributionPoint(item);
    const [kind, value] = pairOf(item);
    return distributionPoint([kind.trim(), value.trim()]);
  });
  return { value: derSequence(...points), critical: mentions(given, 'critical') };
};

const issuingDistributionPoint: Builder = (given) => {
  if (!isDict(given)) return refuse('issuingDistributionPoint must be a dictionary');
  const flag = (name: string): boolean => truthy(given.get(name));
  const only = ['onlyuser', 'onlyCA', 'onlyAA'].filter(flag);
  if (only.length + (flag('indirectCRL') ? 1 : 0) > 1)
    return refuse(
      'Only one of the following can be set to True: only_contains_user_certs, only_contains_ca_certs, indirect_crl, only_contains_attribute_certs',
    );
  const mark = (name: string, tag: number): Buffer[] => (flag(name) ? [derBoolean(true, tag)] : []);
  const parts = [
    ...pointName(given),
    ...mark('onlyuser', 0x81),
    ...mark('onlyCA', 0x82),
    ...reasonBits(given.get('onlysomereasons'), 0x83),
    ...mark('indirectCRL', 0x84),
    ...mark('onlyAA', 0x85),
  ];
  if (parts.length === 0) return refuse('Cannot create empty extension: if nothing is given, leave it out');
  return { value: derSequence(...parts), critical: flag('critical') };
};

const PRACTICE = '1.3.6.1.5.5.7.2.1';
const NOTICE = '1.3.6.1.5.5.7.2.2';
const utf8 = (text: Value): Buffer => der(TAG.utf8, Buffer.from(pyStr(text)));

function qualifier(given: Value): Buffer[] {
  if (!isDict(given)) return [derSequence(derOid(PRACTICE), der(TAG.ia5, Buffer.from(pyStr(given))))];
  const numbers = given.get('noticeNumbers');
  const text = given.get('text');
  const reference = Array.isArray(numbers)
    ? [
        derSequence(
          utf8(given.get('organization') ?? ''),
          derSequence(...numbers.map((one) => derInteger(numberOf(one, 'noticeNumbers')))),
        ),
      ]
    : [];
  // Salt compat: Salt drops notices that have no numbers.
  if (reference.length === 0 && !truthy(text)) return [];
  return [
    derSequence(derOid(NOTICE), derSequence(...reference, ...(truthy(text) ? [utf8(text ?? '')] : []))),
  ];
}

const certificatePolicies: Builder = (given) => {
  if (typeof given === 'string') {
    const oids = given
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== 'critical');
    if (!oids.every((oid) => /^[012]\.[\d.]+$/.test(oid)))
      return refuse('certificatePolicies defined as string must be a comma-separated list of OID.');
    const policies = oids.map((oid) => derSequence(derOid(checkedOid(oid))));
    return { value: derSequence(...policies), critical: given.startsWith('critical') };
  }
  if (!isDict(given)) return refuse('certificatePolicies must be a string or a mapping');
  const policies = [...given]
    .filter(([oid]) => oid !== 'critical')
    .map(([oid, qualifiers]) => {
      const parts = (Array.isArray(qualifiers) ? qualifiers : [qualifiers]).flatMap(qualifier);
      return derSequence(derOid(checkedOid(oid)), ...(parts.length === 0 ? [] : [derSequence(...parts)]));
    });
  return { value: derSequence(...policies), critical: truthy(given.get('critical')) };
};

const policyConstraints: Builder = (given) => {
  const { values, critical } =
    typeof given === 'string'
      ? confDict(given)
      : { values: isDict(given) ? given : (new Map() as Dict), critical: mentions(given, 'critical') };
  const parts = (['requireExplicitPolicy', 'inhibitPolicyMapping'] as const).flatMap((name, i) => {
    const value = values.get(name);
    return value === undefined ? [] : [derInteger(numberOf(value, name), 0x80 + i)];
  });
  if (parts.length === 0)
    return refuse('At least one of require_explicit_policy and inhibit_policy_mapping must not be None');
  return { value: derSequence(...parts), critical };
};

const inhibitAnyPolicy: Builder = (given) => {
  if (typeof given === 'string') {
    const { values, critical } = confDict(given);
    return { value: derInteger(numberOf([...values.keys()][0] ?? '', 'inhibitAnyPolicy')), critical };
  }
  const number = isDict(given) ? given.get('value') : given;
  if (number === undefined) return refuse("Undefined required key for inhibitAnyPolicy: 'value'");
  return { value: derInteger(numberOf(number, 'inhibitAnyPolicy')), critical: mentions(given, 'critical') };
};

const nameConstraints: Builder = (given) => {
  const scopes = new Map<string, NamePair[]>();
  if (typeof given === 'string')
    for (const item of given.split(',')) {
      const [scope = '', name = ''] = item.trim().split(';');
      if (name !== '') scopes.set(scope, [...(scopes.get(scope) ?? []), pairOf(name)]);
    }
  else if (isDict(given))
    for (const scope of ['permitted', 'excluded'])
      if (given.has(scope)) scopes.set(scope, namePairs(given.get(scope) ?? null).pairs);
  const parts = (['permitted', 'excluded'] as const).flatMap((scope, i) => {
    const pairs = scopes.get(scope) ?? [];
    const subtrees = pairs.map((pair) => derSequence(generalName(pair)));
    return subtrees.length === 0 ? [] : [der(0xa0 + i, ...subtrees)];
  });
  if (parts.length === 0) return refuse('nameConstraints needs at least one definition');
  return { value: derSequence(...parts), critical: mentions(given, 'critical') };
};

const FEATURES: ReadonlyMap<string, number> = new Map([
  ['status_request', 5],
  ['status_request_v2', 17],
]);

const tlsfeature: Builder = (given) => {
  const list = typeof given === 'string' ? given.split(',').map((one) => one.trim()) : given;
  const features = (Array.isArray(list) ? list : []).filter((one) => one !== 'critical');
  const numbers = features.map((one) => {
    const number = FEATURES.get(pyStr(one));
    if (number === undefined)
      return refuse(`tlsfeature ${pyStr(one)} is not known: status_request, status_request_v2`);
    return derInteger(number);
  });
  return { value: derSequence(...numbers), critical: mentions(list, 'critical') };
};

const deltaCRLIndicator: Builder = (given) => {
  const numbers = pyStr(given).match(/\d+/g) ?? [];
  if (numbers.length !== 1)
    return refuse('deltaCRLIndicator must contain a single integer pointing to a cRLNumber');
  return { value: derInteger(BigInt(numbers[0] ?? 0)), critical: pyStr(given).includes('critical') };
};

const crlNumber: Builder = (given) => {
  if (!/^\s*[+-]?\d+\s*$/.test(pyStr(given)))
    return refuse('cRLNumber must be an integer and must be marked as non-critical');
  return { value: derInteger(BigInt(pyStr(given).trim())), critical: false };
};

const crlReason: Builder = (given) => {
  const { values, critical } =
    typeof given === 'string'
      ? confDict(given)
      : { values: new Map(namePlain(given)), critical: mentions(given, 'critical') };
  const [reason = ''] = [...values.keys()].map(pyStr);
  const found = REASONS.find(([name]) => name === reason);
  if (found === undefined) return refuse(`'${reason}' is not a valid ReasonFlags`);
  return { value: derInteger(found[1], TAG.enumerated), critical };
};

const namePlain = (given: Value): [Value, Value][] =>
  (Array.isArray(given) ? given : []).filter((one) => one !== 'critical').map((one) => [one, null]);

/** How Salt writes times. */
export const TIME_FORMAT = '%Y-%m-%d %H:%M:%S';

/** A time of Salt's form, in milliseconds since 1970. @throws SaltInvocationError */
export function timeFrom(given: Value): number {
  const at = strptime(pyStr(given), TIME_FORMAT);
  if (at !== undefined) return at;
  return refuse(`time data '${pyStr(given)}' does not match format '${TIME_FORMAT}'`);
}

const invalidityDate: Builder = (given) => {
  if (typeof given !== 'string') return refuse('invalidityDate must be a string');
  const critical = given.startsWith('critical');
  const at = new Date(timeFrom(critical ? given.slice(given.indexOf(' ') + 1) : given)).toISOString();
  return { value: der(TAG.generalizedTime, Buffer.from(`${at.replace(/[-:T]|\..*$/g, '')}Z`)), critical };
};

const BUILDERS: ReadonlyMap<string, Builder> = new Map<string, Builder>([
  ['basicConstraints', basicConstraints],
  ['keyUsage', keyUsage],
  ['extendedKeyUsage', extendedKeyUsage],
  ['subjectKeyIdentifier', subjectKeyIdentifier],
  ['authorityKeyIdentifier', authorityKeyIdentifier],
  ['issuerAltName', issuerNames],
  ['certificateIssuer', issuerNames],
  ['authorityInfoAccess', authorityInfoAccess],
  ['subjectAltName', subjectAltName],
  ['crlDistributionPoints', distributionPoints],
  ['freshestCRL', (given) => ({ value: distributionPoints(given, {}).value, critical: false })],
  ['issuingDistributionPoint', issuingDistributionPoint],
  ['certificatePolicies', certificatePolicies],
  ['policyConstraints', policyConstraints],
  ['inhibitAnyPolicy', inhibitAnyPolicy],
  ['nameConstraints', nameConstraints],
  ['noCheck', (given) => ({ value: der(TAG.null), critical: pyStr(given).includes('critical') })],
  ['tlsfeature', tlsfeature],
  ['nsComment', () => refuse('nsComment is currently not implemented.')],
  ['nsCertType', () => refuse('nsCertType is currently not implemented.')],
  ['cRLNumber', crlNumber],
  ['deltaCRLIndicator', deltaCRLIndicator],
  ['CRLReason', crlReason],
  ['invalidityDate', invalidityDate],
]);

/** Makes an extension. @throws SaltInvocationError, CommandExecutionError in Salt's words */
export function buildExtension(name: string, given: Value, subject: ExtensionSubject = {}): Extension {
  const builder = BUILDERS.get(name);
  const oid = EXTENSION_OIDS.get(name) ?? ENTRY_OIDS.get(name);
  if (builder === undefined || oid === undefined)
    throw new CommandExecutionError(`Unknown extension ${name}`);
  return { oid, ...builder(given, subject) };
}
