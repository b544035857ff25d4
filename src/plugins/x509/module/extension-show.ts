/** Extensions as `x509.read_*` shows them. Follows 3006.16 salt/utils/x509.py `_render_*`. */
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { strftime } from '../../../python/text/strftime.ts';
import type { Extension } from './certificates.ts';
import { childrenOf, hasBit, integerOf, oidOf, readDer, TAG, textOf, timeOf, type DerNode } from './der.ts';
import { accessName, ENTRY_OIDS, EXTENSION_OIDS, REASONS, usageName } from './extension-oids.ts';
import { KEY_USAGES, TIME_FORMAT } from './extension-build.ts';
import { generalNameText } from './general-names.ts';
import { readRelative, relativeText } from './names.ts';

/** Bytes as `0A:1B`. */
export function prettyHex(bytes: Uint8Array): string {
  return (Buffer.from(bytes).toString('hex').toUpperCase().match(/../g) ?? []).join(':');
}

/** A number as `0A:1B`. */
export function numberHex(number: bigint): string {
  const hex = number.toString(16).toUpperCase();
  return (hex.padStart(hex.length + (hex.length % 2), '0').match(/../g) ?? []).join(':');
}

/** A time as Salt writes it. */
export const timeText = (ms: number): string => strftime(ms, TIME_FORMAT);

const small = (node: DerNode | undefined): Value => (node === undefined ? null : Number(integerOf(node)));
const under = (nodes: readonly DerNode[], tag: number): DerNode | undefined =>
  nodes.find((one) => one.tag === tag);
const names = (node: DerNode | undefined): string[] =>
  node === undefined ? [] : childrenOf(node).map(generalNameText);

function pointNames(nodes: readonly DerNode[]): { fullname: string[]; relativename: Value } {
  const wrapped = under(nodes, 0xa0);
  const [inner] = wrapped === undefined ? [] : childrenOf(wrapped);
  return {
    fullname: inner?.tag === 0xa0 ? names(inner) : [],
    relativename: inner?.tag === 0xa1 ? relativeText(readRelative(inner)) : null,
  };
}

function reasonNames(node: DerNode | undefined): string[] {
  if (node === undefined) return [];
  return REASONS.flatMap(([name, , bit]) => (bit !== undefined && hasBit(node, bit) ? [name] : [])).sort();
}

function distributionPoints(node: DerNode): Dict {
  const value = childrenOf(node).map((point): Value => {
    const parts = childrenOf(point);
    const { fullname, relativename } = pointNames(parts);
    const [reasons, issuers] = [under(parts, 0x81), under(parts, 0xa2)];
    return dict({ crlissuer: names(issuers), fullname, reasons: reasonNames(reasons), relativename });
  });
  return dict({ value });
}

function keyUsage(node: DerNode): Dict {
  const has = new Map(KEY_USAGES.map((usage, i) => [usage, hasBit(node, i)]));
  const agreement = has.get('keyAgreement') === true;
  return dict({
    cRLSign: has.get('cRLSign') ?? false,
    dataEncipherment: has.get('dataEncipherment') ?? false,
    decipherOnly: agreement && has.get('decipherOnly') === true,
    digitalSignature: has.get('digitalSignature') ?? false,
    encipherOnly: agreement && has.get('encipherOnly') === true,
    keyAgreement: agreement,
    keyCertSign: has.get('keyCertSign') ?? false,
    keyEncipherment: has.get('keyEncipherment') ?? false,
    nonRepudiation: has.get('nonRepudiation') ?? false,
  });
}

function issuingPoint(node: DerNode): Dict {
  const parts = childrenOf(node);
  const { fullname, relativename } = pointNames(parts);
  const flag = (tag: number): boolean => (under(parts, tag)?.content[0] ?? 0) !== 0;
  return dict({
    fullname,
    // the word is Salt's
    onysomereasons: reasonNames(under(parts, 0x83)),
    relativename,
    onlyuser: flag(0x81),
    onlyCA: flag(0x82),
    onlyAA: flag(0x85),
    indirectCRL: flag(0x84),
  });
}

function qualifierOf(node: DerNode): Value {
  const [oid, value] = childrenOf(node);
  if (oidOf(oid) === '1.3.6.1.5.5.7.2.1')
    return dict({ practice_statement: value === undefined ? '' : textOf(value) });
  const parts = value === undefined ? [] : childrenOf(value);
  const reference = under(parts, TAG.sequence);
  const [organization, numbers] = reference === undefined ? [] : childrenOf(reference);
  const text = parts.find(({ tag }) => tag !== TAG.sequence);
  return dict({
    // the word is Salt's
    organizataion: organization === undefined ? null : textOf(organization),
    notice_numbers: numbers === undefined ? null : childrenOf(numbers).map(small),
    explicit_text: text === undefined ? null : textOf(text),
  });
}

function authorityKey(node: DerNode): Dict {
  const parts = childrenOf(node);
  const [keyid, issuer, serial] = [under(parts, 0x80), under(parts, 0xa1), under(parts, 0x82)];
  return dict({
    keyid: keyid === undefined ? null : prettyHex(keyid.content),
    issuer: issuer === undefined ? null : names(issuer),
    issuer_sn: serial === undefined ? null : numberHex(integerOf(serial)),
  });
}

const SHOWN: ReadonlyMap<string, (node: DerNode) => Dict> = new Map<string, (node: DerNode) => Dict>([
  [
    'basicConstraints',
    (node) => {
      const parts = childrenOf(node);
      const ca = under(parts, TAG.boolean);
      return dict({
        ca: ca !== undefined && ca.content[0] !== 0,
        pathlen: small(under(parts, TAG.integer)),
      });
    },
  ],
  ['keyUsage', keyUsage],
  ['extendedKeyUsage', (node) => dict({ value: childrenOf(node).map((one) => usageName(oidOf(one))) })],
  ['subjectKeyIdentifier', ({ content }) => dict({ value: prettyHex(content) })],
  ['authorityKeyIdentifier', authorityKey],
  ...(['issuerAltName', 'certificateIssuer', 'subjectAltName'] as const).map(
    (name): [string, (node: DerNode) => Dict] => [name, (node) => dict({ value: names(node) })],
  ),
  [
    'authorityInfoAccess',
    (node) =>
      dict({
        value: childrenOf(node).map((one): Value => {
          const [oid, name] = childrenOf(one);
          // Salt compat: without its kind
          const text = name === undefined ? '' : generalNameText(name).replace(/^\w+:/, '');
          return new Map<Value, Value>([[accessName(oidOf(oid)), text]]);
        }),
      }),
  ],
  ['crlDistributionPoints', distributionPoints],
  ['freshestCRL', distributionPoints],
  ['issuingDistributionPoint', issuingPoint],
  [
    'certificatePolicies',
    (node) =>
      dict({
        value: childrenOf(node).map((policy): Value => {
          const [oid, qualifiers] = childrenOf(policy);
          const shown = qualifiers === undefined ? [] : childrenOf(qualifiers).map(qualifierOf);
          return new Map<Value, Value>([[oidOf(oid), shown]]);
        }),
      }),
  ],
  [
    'policyConstraints',
    (node) => {
      const parts = childrenOf(node);
      return dict({
        inhibitPolicyMapping: small(under(parts, 0x81)),
        requireExplicitPolicy: small(under(parts, 0x80)),
      });
    },
  ],
  ['inhibitAnyPolicy', (node) => dict({ value: small(node) })],
  [
    'nameConstraints',
    (node) => {
      const parts = childrenOf(node);
      const trees = (tag: number): string[] => {
        const found = under(parts, tag);
        return found === undefined
          ? []
          : childrenOf(found).flatMap((tree) => childrenOf(tree).slice(0, 1).map(generalNameText));
      };
      return dict({ excluded: trees(0xa1), permitted: trees(0xa0) });
    },
  ],
  ['noCheck', () => dict({ value: true })],
  [
    'tlsfeature',
    (node) =>
      dict({
        value: childrenOf(node).map((one) => {
          const number = Number(integerOf(one));
          return number === 5 ? 'status_request' : number === 17 ? 'status_request_v2' : String(number);
        }),
      }),
  ],
  ['cRLNumber', (node) => dict({ value: small(node) })],
  ['deltaCRLIndicator', (node) => dict({ value: small(node) })],
  [
    'CRLReason',
    (node) => {
      const code = Number(integerOf(node));
      return dict({ value: REASONS.find(([, one]) => one === code)?.[0] ?? String(code) });
    },
  ],
  ['invalidityDate', (node) => dict({ value: timeText(timeOf(node)) })],
]);

function shownBy(table: ReadonlyMap<string, string>, extensions: readonly Extension[]): Dict {
  const out = dict();
  for (const [name, oid] of table) {
    const found = extensions.find((one) => one.oid === oid);
    if (found === undefined) continue;
    const show = SHOWN.get(name);
    const values =
      show === undefined ? dict({ value: found.value.toString('latin1') }) : show(readDer(found.value));
    out.set(name, new Map<Value, Value>([['critical', found.critical], ...values]));
  }
  return out;
}

/** The extensions that Salt knows, by their names. */
export const showExtensions = (extensions: readonly Extension[]): Dict => shownBy(EXTENSION_OIDS, extensions);

/** The same of an entry of a revocation list. */
export const showEntryExtensions = (extensions: readonly Extension[]): Dict =>
  shownBy(ENTRY_OIDS, extensions);
