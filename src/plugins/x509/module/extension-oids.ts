/**
 * Extensions of certificates, requests and revocation lists: their names with Salt, their numbers, and where each may
 * be.
 */

/** The extensions in the order in which Salt writes and shows them. */
export const EXTENSION_OIDS: ReadonlyMap<string, string> = new Map([
  ['basicConstraints', '2.5.29.19'],
  ['keyUsage', '2.5.29.15'],
  ['extendedKeyUsage', '2.5.29.37'],
  ['subjectKeyIdentifier', '2.5.29.14'],
  ['authorityKeyIdentifier', '2.5.29.35'],
  ['issuerAltName', '2.5.29.18'],
  ['authorityInfoAccess', '1.3.6.1.5.5.7.1.1'],
  ['subjectAltName', '2.5.29.17'],
  ['crlDistributionPoints', '2.5.29.31'],
  ['issuingDistributionPoint', '2.5.29.28'],
  ['certificatePolicies', '2.5.29.32'],
  ['policyConstraints', '2.5.29.36'],
  ['inhibitAnyPolicy', '2.5.29.54'],
  ['nameConstraints', '2.5.29.30'],
  ['noCheck', '1.3.6.1.5.5.7.48.1.5'],
  ['tlsfeature', '1.3.6.1.5.5.7.1.24'],
  ['nsComment', '2.16.840.1.113730.1.13'],
  ['nsCertType', '2.16.840.1.113730.1.1'],
  ['cRLNumber', '2.5.29.20'],
  ['deltaCRLIndicator', '2.5.29.27'],
  ['freshestCRL', '2.5.29.46'],
]);

/** Extensions of one entry of a revocation list. */
export const ENTRY_OIDS: ReadonlyMap<string, string> = new Map([
  ['certificateIssuer', '2.5.29.29'],
  ['CRLReason', '2.5.29.21'],
  ['invalidityDate', '2.5.29.24'],
]);

/** What only revocation lists have. */
const CRL_ONLY = new Set(['issuingDistributionPoint', 'cRLNumber', 'deltaCRLIndicator', 'freshestCRL']);

/** The extensions of certificates. */
export const CERT_EXTENSIONS: readonly string[] = [...EXTENSION_OIDS.keys()].filter(
  (one) => !CRL_ONLY.has(one),
);

/** The extensions of revocation lists. */
export const CRL_EXTENSIONS: ReadonlySet<string> = new Set([
  ...CRL_ONLY,
  'authorityKeyIdentifier',
  'authorityInfoAccess',
  'issuerAltName',
]);

/** What a request cannot ask for. */
export const CSR_FORBIDDEN: ReadonlySet<string> = new Set([
  'authorityInfoAccess',
  'authorityKeyIdentifier',
  'issuerAltName',
  'crlDistributionPoints',
]);

/** The uses of extendedKeyUsage. */
export const USAGE_OIDS: ReadonlyMap<string, string> = new Map([
  ['serverAuth', '1.3.6.1.5.5.7.3.1'],
  ['clientAuth', '1.3.6.1.5.5.7.3.2'],
  ['codeSigning', '1.3.6.1.5.5.7.3.3'],
  ['emailProtection', '1.3.6.1.5.5.7.3.4'],
  ['timeStamping', '1.3.6.1.5.5.7.3.8'],
  ['OCSPSigning', '1.3.6.1.5.5.7.3.9'],
  ['msSmartcardLogin', '1.3.6.1.4.1.311.20.2.2'],
  ['pkInitKDC', '1.3.6.1.5.2.3.5'],
  ['ipsecIKE', '1.3.6.1.5.5.7.3.17'],
  ['msCodeInd', '1.3.6.1.4.1.311.2.1.21'],
  ['msCodeCom', '1.3.6.1.4.1.311.2.1.22'],
  ['msCTLSign', '1.3.6.1.4.1.311.10.3.1'],
  ['msEFS', '1.3.6.1.4.1.311.10.3.4'],
]);

/** The kinds of authorityInfoAccess. */
export const ACCESS_OIDS: ReadonlyMap<string, string> = new Map([
  ['OCSP', '1.3.6.1.5.5.7.48.1'],
  ['caIssuers', '1.3.6.1.5.5.7.48.2'],
  ['caRepository', '1.3.6.1.5.5.7.48.5'],
]);

/** The uses that Python's cryptography shows by name; the others it shows by number. */
const NAMED_USAGES = new Set([...USAGE_OIDS.values()].slice(0, 8));

/**
 * The reasons of revocations: the names of cryptography with their number in CRLReason and their bit in ReasonFlags.
 */
export const REASONS: readonly (readonly [name: string, code: number, bit: number | undefined])[] = [
  ['unspecified', 0, undefined],
  ['keyCompromise', 1, 1],
  ['cACompromise', 2, 2],
  ['affiliationChanged', 3, 3],
  ['superseded', 4, 4],
  ['cessationOfOperation', 5, 5],
  ['certificateHold', 6, 6],
  ['removeFromCRL', 8, undefined],
  ['privilegeWithdrawn', 9, 7],
  ['aACompromise', 10, 8],
];

const inverted = (map: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...map].map(([name, oid]) => [oid, name]));
const USAGE_NAMES = inverted(USAGE_OIDS);
const ACCESS_NAMES = inverted(ACCESS_OIDS);

/** A use as Salt shows it. */
export const usageName = (oid: string): string =>
  NAMED_USAGES.has(oid) ? (USAGE_NAMES.get(oid) ?? oid) : oid;

/** A kind of access as Salt shows it. */
export const accessName = (oid: string): string => ACCESS_NAMES.get(oid) ?? oid;

/** Names that cryptography has otherwise than Salt: those in the changes of states. */
const SHOWN: ReadonlyMap<string, string> = new Map([
  ['1.3.6.1.5.5.7.48.1.5', 'OCSPNoCheck'],
  ['1.3.6.1.5.5.7.1.24', 'TLSFeature'],
  ['2.5.29.31', 'cRLDistributionPoints'],
  ['1.3.6.1.5.5.7.1.11', 'subjectInfoAccess'],
  ['2.5.29.9', 'subjectDirectoryAttributes'],
  ['2.5.29.33', 'policyMappings'],
  ['1.3.6.1.4.1.11129.2.4.2', 'signedCertificateTimestampList'],
]);
const EXTENSION_NAMES = inverted(EXTENSION_OIDS);

/** The name of an extension in the changes of a state. */
export const extensionName = (oid: string): string => SHOWN.get(oid) ?? EXTENSION_NAMES.get(oid) ?? oid;
