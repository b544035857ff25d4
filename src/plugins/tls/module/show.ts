/** Certificates as `tls.cert_info` shows them: extensions in OpenSSL's words. Follows 3006.16 salt/modules/tls.py. */
import type { Logger } from '../../../host/log.ts';
import { pyRepr } from '../../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { fingerprint, type Certificate, type Extension } from '../../x509/module/certificates.ts';
import { KEY_USAGES } from '../../x509/module/extension-build.ts';
import { EXTENSION_OIDS, USAGE_OIDS } from '../../x509/module/extension-oids.ts';
import { numberHex, prettyHex } from '../../x509/module/extension-show.ts';
import { childrenOf, hasBit, integerOf, oidOf, readDer, TAG, type DerNode } from '../../x509/module/der.ts';
import { generalNameText } from '../../x509/module/general-names.ts';
import { digestOfSignature } from '../../x509/module/keys.ts';
import { readName } from '../../x509/module/names.ts';
import { componentsOf } from './authority.ts';

const USAGE_WORDS: ReadonlyMap<string, string> = new Map([
  ['digitalSignature', 'Digital Signature'],
  ['nonRepudiation', 'Non Repudiation'],
  ['keyEncipherment', 'Key Encipherment'],
  ['dataEncipherment', 'Data Encipherment'],
  ['keyAgreement', 'Key Agreement'],
  ['keyCertSign', 'Certificate Sign'],
  ['cRLSign', 'CRL Sign'],
  ['encipherOnly', 'Encipher Only'],
  ['decipherOnly', 'Decipher Only'],
]);
const EXTENDED_WORDS: ReadonlyMap<string, string> = new Map([
  ['serverAuth', 'TLS Web Server Authentication'],
  ['clientAuth', 'TLS Web Client Authentication'],
  ['codeSigning', 'Code Signing'],
  ['emailProtection', 'E-mail Protection'],
  ['timeStamping', 'Time Stamping'],
  ['OCSPSigning', 'OCSP Signing'],
]);
const EXTENDED_BY_OID: ReadonlyMap<string, string> = new Map(
  [...USAGE_OIDS].map(([name, oid]) => [oid, EXTENDED_WORDS.get(name) ?? name]),
);
const NAMES: ReadonlyMap<string, string> = new Map([...EXTENSION_OIDS].map(([name, oid]) => [oid, name]));

function generalName(node: DerNode): string {
  const text = generalNameText(node);
  if (text.startsWith('IP:')) return `IP Address:${text.slice('IP:'.length)}`;
  if (text.startsWith('mail:')) return `email:${text.slice('mail:'.length)}`;
  if (!text.startsWith('dirName:')) return text;
  const parts = componentsOf(readName(readDer(node.content, TAG.sequence)));
  return `DirName:${parts.map(([name, value]) => `/${name}=${value}`).join('')}`;
}

const names = (node: DerNode): string => childrenOf(node).map(generalName).join(', ');

function authorityKey(node: DerNode): string {
  const parts = childrenOf(node);
  const under = (tag: number): DerNode | undefined => parts.find((part) => part.tag === tag);
  const [keyid, issuer, serial] = [under(0x80), under(0xa1), under(0x82)];
  const lines = [
    ...(keyid === undefined ? [] : [`keyid:${prettyHex(keyid.content)}`]),
    ...(issuer === undefined ? [] : [names(issuer)]),
    ...(serial === undefined ? [] : [`serial:${numberHex(integerOf(serial))}`]),
  ];
  // with the key alone OpenSSL 3 leaves its label away
  return issuer === undefined && serial === undefined && keyid !== undefined
    ? prettyHex(keyid.content)
    : lines.join('\n');
}

const SHOWN: ReadonlyMap<string, (node: DerNode) => string> = new Map<string, (node: DerNode) => string>([
  [
    'basicConstraints',
    (node) => {
      const parts = childrenOf(node);
      const isCa = parts.some(({ tag, content }) => tag === TAG.boolean && content[0] !== 0);
      const length = parts.find(({ tag }) => tag === TAG.integer);
      return `CA:${isCa ? 'TRUE' : 'FALSE'}${length === undefined ? '' : `, pathlen:${integerOf(length)}`}`;
    },
  ],
  [
    'keyUsage',
    (node) =>
      KEY_USAGES.filter((_, bit) => hasBit(node, bit))
        .map((usage) => USAGE_WORDS.get(usage))
        .join(', '),
  ],
  [
    'extendedKeyUsage',
    (node) =>
      childrenOf(node)
        .map(oidOf)
        .map((oid) => EXTENDED_BY_OID.get(oid) ?? oid)
        .join(', '),
  ],
  ['subjectKeyIdentifier', (node) => prettyHex(node.content)],
  ['authorityKeyIdentifier', authorityKey],
  ['subjectAltName', names],
  ['issuerAltName', names],
]);

/** An extension by OpenSSL's short name, in its words; one without words of its own in hexadecimal digits. */
function shownExtension({ oid, value }: Extension): [string, string] {
  const name = NAMES.get(oid) ?? 'UNDEF';
  const show = SHOWN.get(name);
  return [name, show === undefined ? prettyHex(value) : show(readDer(value))];
}

function alternativeNames(text: string, subject: Dict, log: Logger): Value[] {
  const found = new Set<string>();
  for (const entry of text.split(', ')) {
    const [kind, name] = [entry.slice(0, entry.indexOf(':')), entry.slice(entry.indexOf(':') + 1)];
    if (kind === 'DNS' || kind === 'IP Address') found.add(name);
    else log.error(`Cert ${pyRepr(subject)} has an entry (${name}) which does not start with DNS/IP Address`);
  }
  return [...found];
}

/** What `tls.cert_info` returns. @param digest of the fingerprint, as Node calls it */
export function certificateInfo(cert: Certificate, digest: string, log: Logger): Dict {
  const subject: Dict = new Map<Value, Value>(componentsOf(cert.subject));
  const extensions = new Map(cert.extensions.map(shownExtension));
  const info = dict({
    fingerprint: prettyHex(fingerprint(cert, digest)),
    subject,
    issuer: new Map<Value, Value>(componentsOf(cert.issuer)),
    serial_number: cert.serial,
    not_before: Math.floor(cert.notBefore / 1000),
    not_after: Math.floor(cert.notAfter / 1000),
    extensions: new Map<Value, Value>(extensions),
  });
  const alternative = extensions.get('subjectAltName');
  if (alternative !== undefined) info.set('subject_alt_names', alternativeNames(alternative, subject, log));
  return info.set('signature_algorithm', algorithmOf(cert));
}

function algorithmOf({ signatureOid, publicKey }: Certificate): string {
  const digest = digestOfSignature(signatureOid);
  if (digest === undefined) return publicKey.asymmetricKeyType ?? 'UNDEF';
  const isRsa = signatureOid.startsWith('1.2.840.113549.1.1.');
  return isRsa ? `${digest}WithRSAEncryption` : `ecdsa-with-${digest.toUpperCase()}`;
}
