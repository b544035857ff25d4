/**
 * Network cards as they are wanted, and as a description has them (3006.16 salt/modules/virt.py `_get_merged_nics`,
 * `_nics_equal`).
 */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { childOf, parseXml } from '../../../formats/xml/read.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Value } from '../../../python/values/value.ts';

/** A network card. */
export interface Nic {
  readonly type: string | undefined;
  /** The bridge, network or interface that it is on. */
  readonly source: string | undefined;
  readonly model: string | undefined;
  readonly mac: string | undefined;
}

const OF_KVM = { type: 'bridge', source: 'br0', model: 'virtio' };
const DEFAULTS: ReadonlyMap<string, Partial<Nic>> = new Map<string, Partial<Nic>>([
  ['xen', { type: 'bridge', source: 'br0' }],
  ['kvm', OF_KVM],
  ['qemu', OF_KVM],
  ['bhyve', { ...OF_KVM, source: 'bridge0' }],
  ['vmware', { type: 'bridge', source: 'DEFAULT', model: 'e1000' }],
]);

/** Reads the wanted network cards. @param hypervisor whose defaults stand for what is not said */
export function wantedNics(interfaces: Value, hypervisor: string): Nic[] {
  if (!Array.isArray(interfaces) || !interfaces.every(isDict))
    throw new SaltInvocationError(
      'The interfaces of a machine are a list of mappings: name, type, source, mac, model.',
    );
  const fallback = DEFAULTS.get(hypervisor) ?? {};
  return interfaces.map((given) => {
    const field = (name: string): string | undefined => {
      const value = given.get(name) ?? null;
      return truthy(value) ? pyStr(value) : undefined;
    };
    const short = (['bridge', 'network'] as const).find((kind) => given.has(kind));
    return {
      type: short ?? field('type') ?? fallback.type,
      source: (short === undefined ? field('source') : field(short)) ?? fallback.source,
      model: field('model') ?? fallback.model,
      mac: field('mac')?.toLowerCase(),
    };
  });
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&apos;');

/** A network card as libvirt is told of it. */
function nicXml({ type = '', source = '', model, mac }: Nic): string {
  return [
    `    <interface type='${escaped(type)}'>`,
    `      <source ${escaped(type)}='${escaped(source)}'/>`,
    ...(mac === undefined ? [] : [`      <mac address='${escaped(mac)}'/>`]),
    ...(model === undefined ? [] : [`      <model type='${escaped(model)}'/>`]),
    '    </interface>',
  ].join('\n');
}

/** A network card that a description has: its text, and what it says. */
export interface FoundNic extends Nic {
  readonly xml: string;
}

const INTERFACE = /^ {4}<interface [^]*?^ {4}<\/interface>$/gm;

/** The network cards of a description, as libvirt writes it. */
export function nicsOfText(domain: string): FoundNic[] {
  return (domain.match(INTERFACE) ?? []).map((xml) => {
    const node = parseXml(xml);
    const source = childOf(node, 'source');
    const hasNetwork = source?.attributes.has('network') === true;
    const type = hasNetwork ? 'network' : node.attributes.get('type');
    return {
      xml,
      type,
      source: source?.attributes.get(type === 'direct' ? 'dev' : (type ?? '')),
      model: childOf(node, 'model')?.attributes.get('type'),
      mac: childOf(node, 'mac')?.attributes.get('address')?.toLowerCase(),
    };
  });
}

const isSame = (one: Nic, other: Nic): boolean =>
  one.type === other.type &&
  one.source === other.source &&
  one.model === other.model &&
  (one.mac === undefined || other.mac === undefined || one.mac === other.mac);

/** What is to be done so that a description has the wanted network cards. */
export interface NicChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** All, in the wanted order. */
  readonly all: readonly string[];
}

/** Compares the wanted network cards with those that are there. */
export function compareNics(there: readonly FoundNic[], wanted: readonly Nic[]): NicChanges {
  const left = [...there];
  const [added, all]: [string[], string[]] = [[], []];
  for (const nic of wanted) {
    const at = left.findIndex((one) => isSame(one, nic));
    const found = at < 0 ? undefined : left.splice(at, 1)[0];
    const xml = found?.xml ?? nicXml(nic);
    if (found === undefined) added.push(xml);
    all.push(xml);
  }
  return { added, removed: left.map(({ xml }) => xml), all };
}

/** A description with other network cards. */
export function withNics(domain: string, nics: readonly string[]): string {
  const bare = domain.replace(/^ {4}<interface [^]*?^ {4}<\/interface>\n/gm, '');
  return bare.replace(/^ {2}<\/devices>$/m, (end) => [...nics, end].join('\n'));
}
