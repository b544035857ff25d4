/**
 * What descriptions of machines say: network cards, screens, disks (3006.16 salt/modules/virt.py `_get_nics`,
 * `_get_disks` and others).
 */
import { childOf, childrenOf, textIn, type XmlElement } from '../../../formats/xml/read.ts';
import { findProgram } from '../../../host/which.ts';
import { parseJson } from '../../../formats/json/text.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines, strip } from '../../../python/values/text.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runAll } from '../../shared/program.ts';
import { LibvirtError, leadingNumber, type Virsh } from './virsh.ts';

/** The devices of a kind. */
export function devicesOf(domain: XmlElement, kind: string): readonly XmlElement[] {
  const devices = childOf(domain, 'devices');
  return devices === undefined ? [] : childrenOf(devices, kind);
}

const attribute = (element: XmlElement | undefined, name: string): string | null =>
  element?.attributes.get(name) ?? null;
const attributesOf = (element: XmlElement): Dict => new Map<Value, Value>(element.attributes);

/** The network cards, by their hardware addresses. */
export function nicsIn(domain: XmlElement): Dict {
  const nics = dict();
  for (const node of devicesOf(domain, 'interface')) {
    const nic = dict({ type: attribute(node, 'type') });
    for (const part of node.children) {
      if (part.name === 'mac') nic.set('mac', attribute(part, 'address'));
      if (part.name === 'model') nic.set('model', attribute(part, 'type'));
      if (part.name === 'target') nic.set('target', attribute(part, 'dev'));
      if (/^(driver|source|address)/.test(part.name)) nic.set(part.name, attributesOf(part));
      if (part.name === 'virtualport')
        nic.set('virtualport', new Map([['type', attribute(part, 'type')], ...attributesOf(part)]));
    }
    const mac = nic.get('mac');
    if (mac !== undefined) nics.set(mac, nic);
  }
  return nics;
}

/** The screen. */
export function graphicsIn(domain: XmlElement): Dict {
  const found = dict({ autoport: 'None', keymap: 'None', listen: 'None', port: 'None', type: 'None' });
  for (const node of devicesOf(domain, 'graphics'))
    for (const [name, value] of node.attributes) found.set(name, value);
  return found;
}

/** What starts the machine. */
export function loaderIn(domain: XmlElement): Dict {
  const found = dict({ path: 'None' });
  const os = childOf(domain, 'os');
  for (const node of os === undefined ? [] : childrenOf(os, 'loader')) {
    found.set('path', node.text);
    for (const [name, value] of node.attributes) found.set(name, value);
  }
  return found;
}

/** A volume of a pool. */
interface Volume {
  readonly pool: string;
  readonly name: string;
}

/** All volumes of running pools, by their paths. */
async function volumePaths(virsh: Virsh): Promise<ReadonlyMap<string, Volume>> {
  const found = new Map<string, Volume>();
  for (const pool of await virsh.names(['pool-list', '--name']))
    for (const [name, path] of await volumesIn(virsh, pool)) found.set(path, { pool, name });
  return found;
}

/** The volumes of a pool, with their paths. */
export async function volumesIn(
  virsh: Virsh,
  pool: string,
): Promise<(readonly [name: string, path: string])[]> {
  return splitLines(await virsh.say(['vol-list', pool])).flatMap((line) => {
    const [name = '', path = ''] = strip(line).split(/\s{2,}/);
    return name === '' || (name === 'Name' && path === 'Path') || name.startsWith('---')
      ? []
      : [[name, path] as const];
  });
}

async function volumeFacts(virsh: Virsh, { pool, name }: Volume, disk: XmlElement): Promise<Dict> {
  try {
    const facts = await virsh.facts(['vol-info', '--bytes', '--pool', pool, '--vol', name]);
    const found = dict({
      'virtual size': leadingNumber(facts.get('capacity')),
      'disk size': leadingNumber(facts.get('allocation')),
    });
    const backing =
      backingOf(disk) ?? backingOf(await virsh.xml(['vol-dumpxml', '--pool', pool, '--vol', name]));
    return backing === undefined ? found : found.set('backing file', backing);
  } catch (error) {
    // a pool that does not run tells nothing of its volumes
    if (error instanceof LibvirtError) return dict();
    throw error;
  }
}

/** What a disk or volume lies on, and what that lies on. */
function backingOf(element: XmlElement): Dict | undefined {
  const store = childOf(element, 'backingStore');
  const source = store && childOf(store, 'source');
  const path = source?.attributes.get('file') ?? (store === undefined ? '' : textIn(store, 'path'));
  if (store === undefined || path === '') return undefined;
  const format = childOf(store, 'format');
  const found = dict({ file: path });
  if (format !== undefined) found.set('file format', attribute(format, 'type'));
  const below = backingOf(store);
  return below === undefined ? found : found.set('backing file', below);
}

/** What qemu-img says of a file. */
async function imageFacts(ctx: ModuleContext, file: string): Promise<Dict> {
  if (findProgram('qemu-img') === undefined) return dict({ error: 'qemu-img not found' });
  const words = ['qemu-img', 'info', '-U', '--output', 'json', '--backing-chain', file];
  const { retcode, stdout, stderr } = await runAll(ctx, words, { ignore_retcode: true });
  if (retcode !== 0) return dict({ error: stderr });
  const said = parseJson(stdout);
  const images = (Array.isArray(said) ? said.filter(isDict) : []).map((about) => {
    const field = (name: string): Value => about.get(name) ?? null;
    const image = dict({
      file: field('filename'),
      'file format': field('format'),
      'disk size': field('actual-size'),
      'virtual size': field('virtual-size'),
      'cluster size': field('cluster-size'),
    });
    const backing = about.get('full-backing-filename');
    return backing === undefined ? image : image.set('backing file', pyStr(backing));
  });
  for (const image of images) {
    const below = images.find((other) => other.get('file') === image.get('backing file'));
    if (image.has('backing file') && below !== undefined) image.set('backing file', below);
  }
  return images[0] ?? dict();
}

/** Where a disk is that a server has. */
function networkPlace(disk: XmlElement, source: XmlElement): string {
  const [protocol, name, host] = [
    attribute(source, 'protocol') ?? '',
    attribute(source, 'name') ?? '',
    childOf(source, 'host'),
  ];
  if (attribute(disk, 'device') !== 'cdrom' || host === undefined)
    return name === '' ? protocol : `${protocol}:${name}`;
  const [port, query] = [attribute(host, 'port'), attribute(source, 'query')];
  const place = `${protocol}://${attribute(host, 'name') ?? ''}${port === null ? '' : `:${port}`}`;
  return `${place}${name.startsWith('/') ? '' : '/'}${name}${query === null ? '' : `?${query}`}`;
}

async function placeOf(
  ctx: ModuleContext,
  virsh: Virsh,
  { disk, source, volumes }: { disk: XmlElement; source: XmlElement; volumes: ReadonlyMap<string, Volume> },
): Promise<{ readonly file: string; readonly more: Dict }> {
  const type = attribute(disk, 'type');
  if (type === 'volume' || type === 'file' || type === 'block') {
    const path = attribute(source, type === 'file' ? 'file' : 'dev') ?? '';
    const volume =
      type === 'volume'
        ? { pool: attribute(source, 'pool') ?? '', name: attribute(source, 'volume') ?? '' }
        : volumes.get(path);
    if (volume !== undefined)
      return { file: `${volume.pool}/${volume.name}`, more: await volumeFacts(virsh, volume, disk) };
    const isLooked = type === 'file' && (attribute(disk, 'device') ?? 'disk') !== 'cdrom';
    return { file: path, more: isLooked ? await imageFacts(ctx, path) : dict() };
  }
  return { file: type === 'network' ? networkPlace(disk, source) : '', more: dict() };
}

/** The disks, by the names that the machine has for them. */
export async function disksIn(ctx: ModuleContext, virsh: Virsh, domain: XmlElement): Promise<Dict> {
  const disks = dict();
  const volumes = await volumePaths(virsh);
  for (const disk of devicesOf(domain, 'disk')) {
    const source = childOf(disk, 'source');
    const target = attribute(childOf(disk, 'target'), 'dev');
    if (source === undefined || target === null) continue;
    const zfs = attribute(source, 'file') ?? '';
    if (attribute(disk, 'type') === 'file' && zfs.startsWith('/dev/zvol/')) {
      disks.set(target, dict({ file: zfs, zfs: true }));
      continue;
    }
    const { file, more } = await placeOf(ctx, virsh, { disk, source, volumes });
    if (file === '') continue;
    const format = childOf(disk, 'driver')?.attributes.get('type');
    const about = dict({ file, type: attribute(disk, 'device') });
    if (format !== undefined) about.set('file format', format);
    disks.set(target, new Map([...about, ...more]));
  }
  return disks;
}

/** All that is told of a machine. */
export async function describeMachine(ctx: ModuleContext, virsh: Virsh, name: string): Promise<Dict> {
  const facts = await virsh.facts(['dominfo', name]);
  const domain = await virsh.xml(['dumpxml', name]);
  const NANOS = 1_000_000_000;
  return dict({
    cpu: leadingNumber(facts.get('cpu(s)')),
    cputime: Math.round(leadingNumber(facts.get('cpu time')) * NANOS),
    disks: await disksIn(ctx, virsh, domain),
    graphics: graphicsIn(domain),
    nics: nicsIn(await virsh.xml(['dumpxml', name, '--inactive'])),
    uuid: textIn(domain, 'uuid'),
    loader: loaderIn(domain),
    on_crash: textIn(domain, 'on_crash'),
    on_reboot: textIn(domain, 'on_reboot'),
    on_poweroff: textIn(domain, 'on_poweroff'),
    maxMem: leadingNumber(facts.get('max memory')),
    mem: leadingNumber(facts.get('used memory')),
    state: await virsh.state(name),
  });
}
