/**
 * General names of extensions: `dns:`, `email:`, `uri:`, `ip:`, `rid:`, `dirname:`, to DER and back to the texts that
 * Salt shows.
 */
import { domainToASCII } from 'node:url';
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { parseIpAddress, parseIpNetwork, netmask, type IpAddress } from '../../../python/ipaddress.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { pyTypeName, type Value } from '../../../python/values/value.ts';
import { der, derOid, oidOf, readDer, TAG, type DerNode } from './der.ts';
import { nameDer, nameOf, nameText, readName } from './names.ts';

/** A kind and a value, as `dns:example.com` gives them. */
export type NamePair = readonly [kind: Value, value: Value];

/** The tags of the kinds of names. */
const KIND = { email: 0x81, dns: 0x82, dirname: 0xa4, uri: 0x86, ip: 0x87, rid: 0x88 } as const;

/** An OID that is one. @throws CommandExecutionError */
export function checkedOid(given: Value): string {
  const text = pyStr(given);
  if (/^(?:[01]\.(?:[0-9]|[1-3][0-9])|2\.\d+)(?:\.\d+)*$/.test(text)) return text;
  throw new CommandExecutionError(`Invalid oid: ${text}`);
}

function asciiLabel(label: string, whole: string): string {
  if (label === '') throw new CommandExecutionError('Empty Label');
  if (!/^[\0-\x7f]*$/.test(label)) {
    const ascii = domainToASCII(label);
    if (ascii === '')
      throw new CommandExecutionError(`${pyRepr(label)} of ${pyRepr(whole)} is no name of a host`);
    return ascii;
  }
  const at = label.search(/[^A-Za-z0-9-]/);
  if (at >= 0) {
    const code = label.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
    throw new CommandExecutionError(
      `Codepoint U+${code} at position ${at + 1} of ${pyRepr(label)} not allowed`,
    );
  }
  if (label.startsWith('-') || label.endsWith('-'))
    throw new CommandExecutionError('Label must not start or end with a hyphen');
  if (label.length > 63) throw new CommandExecutionError('Label too long');
  return label;
}

/** A domain in ASCII. @throws CommandExecutionError in the words of Python's idna */
function asciiDomain(given: Value, allowed: { dot?: boolean; wildcard?: boolean } = {}): string {
  if (typeof given !== 'string')
    throw new SaltInvocationError(`Expected string value, got ${pyTypeName(given)}: \`${pyStr(given)}\``);
  const hasDot = given.startsWith('.');
  if (hasDot && allowed.dot !== true)
    throw new CommandExecutionError('Leading dots are not allowed in this context');
  let name = hasDot ? given.replace(/^\.+/, '') : given;
  const isWildcard = name.startsWith('*.');
  if (isWildcard) {
    if (allowed.wildcard !== true)
      throw new CommandExecutionError('Wildcards are not allowed in this context');
    if (hasDot) throw new CommandExecutionError('Wildcards and leading dots cannot be present together');
    name = name.slice(2);
    if (name.startsWith('.')) throw new CommandExecutionError('Empty label');
  }
  if (name === '') throw new CommandExecutionError('Empty domain');
  const isAbsolute = name.endsWith('.');
  const labels = (isAbsolute ? name.slice(0, -1) : name).split(/[.\u3002\uff0e\uff61]/);
  const ascii = labels.map((label) => asciiLabel(label, name)).join('.') + (isAbsolute ? '.' : '');
  return hasDot ? `.${ascii}` : isWildcard ? `*.${ascii}` : ascii;
}

function asciiMail(text: string): string {
  const at = text.lastIndexOf('@');
  return at < 0
    ? asciiDomain(text, { dot: true })
    : `${text.slice(0, at)}@${asciiDomain(text.slice(at + 1))}`;
}

/** An address with its host in ASCII. Salt compat: Salt refuses addresses with a port. */
function asciiUri(text: string): string {
  const [, before = '', host = '', after = ''] =
    /^([A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[^/?#@]*@)?)([^/?#:[\]]+)(.*)$/s.exec(text) ?? [];
  return host === '' ? text : `${before}${asciiDomain(host)}${after}`;
}

function addressBytes(given: Value): Buffer {
  const text = pyStr(given);
  const address = parseIpAddress(text);
  if (address !== undefined) return Buffer.from(address.bytes);
  const network = text.includes('/') ? parseIpNetwork(text) : undefined;
  if (network === undefined)
    throw new CommandExecutionError(
      `Provided value ${text} does not seem to be an IP address or network range.`,
    );
  return Buffer.concat([Buffer.from(network.address.bytes), Buffer.from(netmask(network).bytes)]);
}

const ia5 = (tag: number, text: string): Buffer => {
  if (!/^[\0-\x7f]*$/.test(text))
    throw new CommandExecutionError(
      `${pyRepr(text)} must have only ASCII characters: write its host part as an A-label`,
    );
  return der(tag, Buffer.from(text, 'latin1'));
};

/** A general name in DER. @throws CommandExecutionError, SaltInvocationError */
export function generalName([kind, value]: NamePair): Buffer {
  switch (pyStr(kind).toLowerCase()) {
    case 'email':
      return ia5(KIND.email, asciiMail(pyStr(value)));
    case 'dns':
      return ia5(KIND.dns, asciiDomain(value, { dot: true, wildcard: true }));
    case 'uri':
      return ia5(KIND.uri, asciiUri(pyStr(value)));
    case 'dirname':
      return der(KIND.dirname, nameDer(nameOf(value)));
    case 'ip':
      return der(KIND.ip, addressBytes(value));
    case 'rid':
      return derOid(checkedOid(value), KIND.rid);
    case 'othername':
      throw new SaltInvocationError('otherName is currently not implemented');
    default:
      throw new CommandExecutionError(`GeneralName type ${pyStr(kind).toLowerCase()} is invalid`);
  }
}

/** `dns:example.com` taken apart; the value is empty where there is no colon. */
export function pairOf(text: string): [string, string] {
  const at = text.indexOf(':');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

const long = ({ family, bytes }: IpAddress): string =>
  family === 4 ? [...bytes].join('.') : (Buffer.from(bytes).toString('hex').match(/.{4}/g) ?? []).join(':');

function addressText(content: Buffer): string {
  const isNetwork = content.length === 8 || content.length === 32;
  const size = isNetwork ? content.length / 2 : content.length;
  const family = size === 4 ? 4 : 6;
  const address = long({ family, bytes: content.subarray(0, size), scope: undefined });
  if (!isNetwork) return address;
  const bits = [...content.subarray(size)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return `${address}/${bits.replace(/0+$/, '').length}`;
}

/** A general name as Salt shows it. */
export function generalNameText({ tag, content, whole }: DerNode): string {
  switch (tag) {
    case KIND.dns:
      return `DNS:${content.toString('latin1')}`;
    case KIND.email:
      return `mail:${content.toString('latin1')}`;
    case KIND.uri:
      return `URI:${content.toString('latin1')}`;
    case KIND.ip:
      return `IP:${addressText(content)}`;
    case KIND.rid:
      return `RID:${oidOf({ tag, content, whole })}`;
    case KIND.dirname:
      return `dirName:${nameText(readName(readDer(content, TAG.sequence)))}`;
    default:
      return `otherName:${content.toString('hex')}`;
  }
}
