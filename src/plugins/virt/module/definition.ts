/**
 * Defining machines and changing them, as far as libvirt's programs do that (3006.16 salt/modules/virt.py `init`,
 * `update`).
 */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { toPyInt } from '../../../python/conversions.ts';
import { pathExists } from '../../../python/paths.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { programPath, runAll } from '../../shared/program.ts';
import { compareNics, nicsOfText, wantedNics, withNics } from './interfaces.ts';
import { LibvirtError, leadingNumber, type Virsh } from './virsh.ts';

const MIB_KIB = 1024;
const KIB_BYTES = 1024;
/** Sizes that differ by less are the same to Salt. */
const NEARLY = 1e-3;

/** Refuses what the programs cannot do, by name. */
function refuse(fun: string, options: Readonly<Record<string, Value>>): void {
  const given = Object.entries(options).filter(([, value]) => value !== null && value !== false);
  if (given.length === 0) return;
  const names = given.map(([name]) => `'${name}'`).join(', ');
  throw new SaltInvocationError(
    `virt.${fun}: libvirt's programs cannot do this with ${names}. Define the machine with virt.define_xml_str, ` +
      "or have Salt's own module do it (option salt_python, with libvirt's Python library).",
  );
}

/** A number of something, or nothing. @throws SaltInvocationError for anything else */
function numberOf(name: string, value: Value): number | undefined {
  if (!truthy(value)) return undefined;
  const number = isDict(value) || typeof value === 'boolean' ? undefined : toPyInt(value);
  if (number !== undefined && number > 0) return Number(number);
  throw new SaltInvocationError(`${name} is a number for libvirt's programs, not ${pyRepr(value)}.`);
}

/** How a machine is to be. */
export interface WantedMachine {
  readonly name: string;
  readonly cpu: Value;
  /** MiB */
  readonly mem: Value;
  readonly interfaces: Value;
  readonly boot_dev: string | undefined;
  readonly stop_on_reboot: boolean;
  readonly autostart: boolean;
  readonly live: boolean;
  /** Nothing is changed; it is only told. */
  readonly test: boolean;
  /** Options that are refused when they are given. */
  readonly others: Readonly<Record<string, Value>>;
}

/** Changes one part of a description. */
interface Edit {
  readonly text: string;
  readonly isChanged: boolean;
}

function editMemory({ text, isChanged }: Edit, element: string, wantedKib: number): Edit {
  const pattern = new RegExp(`^ {2}<${element}(?: unit='(\\w+)')?([^>]*)>(\\d+)</${element}>$`, 'm');
  const [, unit = 'KiB', , size = '0'] = pattern.exec(text) ?? [];
  const factor =
    { b: 1 / KIB_BYTES, bytes: 1 / KIB_BYTES, KiB: 1, MiB: MIB_KIB, GiB: MIB_KIB * MIB_KIB }[unit] ?? 1;
  const nowKib = Number(size) * factor;
  if (nowKib > 0 && Math.abs(nowKib - wantedKib) / nowKib < NEARLY) return { text, isChanged };
  const line = `  <${element} unit='KiB'>${wantedKib}</${element}>`;
  return { text: text.replace(pattern, () => line), isChanged: true };
}

function editProcessors({ text, isChanged }: Edit, wanted: number): Edit {
  const pattern = /^ {2}<vcpu([^>]*)>(\d+)<\/vcpu>$/m;
  const [, attributes = '', now = ''] = pattern.exec(text) ?? [];
  if (Number(now) === wanted) return { text, isChanged };
  const others = attributes.replace(/ current='[^']*'/, '');
  return {
    text: text.replace(pattern, () => `  <vcpu${others} current='${wanted}'>${wanted}</vcpu>`),
    isChanged: true,
  };
}

function editReboot({ text, isChanged }: Edit, stops: boolean): Edit {
  const wanted = stops ? 'destroy' : 'restart';
  const pattern = /^ {2}<on_reboot>(\w+)<\/on_reboot>$/m;
  if (pattern.exec(text)?.[1] === wanted) return { text, isChanged };
  const line = `  <on_reboot>${wanted}</on_reboot>`;
  const has = pattern.test(text);
  const made = has
    ? text.replace(pattern, () => line)
    : text.replace(/^ {2}<devices>$/m, (at) => `${line}\n${at}`);
  return { text: made, isChanged: true };
}

function editBoot({ text, isChanged }: Edit, devices: readonly string[]): Edit {
  const pattern = /^ {4}<boot dev='(\w+)'\/>\n/gm;
  const now = [...text.matchAll(pattern)].map(([, dev]) => dev);
  if (now.length === devices.length && devices.every((dev, i) => dev === now[i])) return { text, isChanged };
  const lines = devices.map((dev) => `    <boot dev='${dev}'/>\n`).join('');
  return {
    text: text.replace(pattern, '').replace(/^ {2}<\/os>$/m, (end) => `${lines}${end}`),
    isChanged: true,
  };
}

const bootDevices = (given: string | undefined): string[] | undefined => {
  const devices = given?.split(/\s+/).filter((dev) => dev !== '');
  const wrong = devices?.find((dev) => !['hd', 'network', 'cdrom', 'fd'].includes(dev));
  if (wrong !== undefined)
    throw new SaltInvocationError(
      `A machine cannot be started from ${pyRepr(wrong)}: hd, network, cdrom, fd.`,
    );
  return devices;
};

/** Changes the machine that runs. @returns what was done, and what libvirt refused */
async function updateLive(
  virsh: Virsh,
  {
    name,
    test,
    ...wanted
  }: { name: string; test: boolean; cpu: number | undefined; memKib: number | undefined; interfaces: Value },
  domain: string,
): Promise<{ readonly status: Dict; readonly errors: string[] }> {
  const status = dict();
  const errors: string[] = [];
  const attempt = async (words: readonly string[], stdin?: string): Promise<boolean> => {
    if (test) return true;
    try {
      return await virsh.act(words, stdin);
    } catch (error) {
      if (!(error instanceof LibvirtError)) throw error;
      errors.push(error.message);
      return false;
    }
  };
  const { cpu, memKib } = wanted;
  if (cpu !== undefined && (await attempt(['setvcpus', name, String(cpu), '--live'])))
    status.set('cpu', true);
  if (memKib !== undefined && (await attempt(['setmem', name, String(memKib), '--live'])))
    status.set('mem', true);
  if (wanted.interfaces === null) return { status, errors };
  const there = nicsOfText(await virsh.say(['dumpxml', name]));
  const { added, removed } = compareNics(there, wantedNics(wanted.interfaces, hypervisorOf(domain)));
  const done: Record<'attached' | 'detached', string[]> = { attached: [], detached: [] };
  for (const [verb, list, xmls] of [
    ['attach-device', done.attached, added],
    ['detach-device', done.detached, removed],
  ] as const)
    for (const xml of xmls) if (await attempt([verb, name, '/dev/stdin', '--live'], xml)) list.push(xml);
  const made = Object.entries(done).filter(([, xmls]) => xmls.length > 0);
  if (made.length > 0) status.set('interface', dict(Object.fromEntries(made)));
  return { status, errors };
}

const hypervisorOf = (domain: string): string => /^<domain type='(\w+)'/.exec(domain)?.[1] ?? '';

/** Makes a machine what is wanted. @returns what was changed */
export async function updateMachine(virsh: Virsh, wanted: WantedMachine): Promise<Dict> {
  const { name, test } = wanted;
  refuse('update', wanted.others);
  await virsh.needMachine(name);
  const [cpu, mem, boot] = [
    numberOf('cpu', wanted.cpu),
    numberOf('mem', wanted.mem),
    bootDevices(wanted.boot_dev),
  ];
  const text = await virsh.say(['dumpxml', name, '--inactive']);
  const facts = await virsh.facts(['dominfo', name]);
  const isAutostart = facts.get('autostart') === 'enable';
  if (!test && isAutostart !== wanted.autostart)
    await virsh.act(['autostart', name, ...(wanted.autostart ? [] : ['--disable'])]);
  let edit: Edit = editReboot({ text, isChanged: false }, wanted.stop_on_reboot);
  if (cpu !== undefined) edit = editProcessors(edit, cpu);
  const memKib = mem === undefined ? undefined : mem * MIB_KIB;
  if (memKib !== undefined) edit = editMemory(editMemory(edit, 'memory', memKib), 'currentMemory', memKib);
  if (boot !== undefined) edit = editBoot(edit, boot);
  if (wanted.interfaces !== null) {
    const { added, removed, all } = compareNics(
      nicsOfText(text),
      wantedNics(wanted.interfaces, hypervisorOf(text)),
    );
    if (added.length + removed.length > 0) edit = { text: withNics(edit.text, all), isChanged: true };
  }
  if (edit.isChanged && !test) await virsh.act(['define', '/dev/stdin'], edit.text);
  const status = dict({
    definition: edit.isChanged,
    disk: { attached: [], detached: [], updated: [] },
    interface: { attached: [], detached: [] },
    // Salt compat: Salt does not tell that it has turned the start with the host on or off
    ...(isAutostart === wanted.autostart ? {} : { autostart: wanted.autostart }),
  });
  if (!wanted.live || (await virsh.state(name)) !== 'running') return status;
  const oldCpu = leadingNumber(/^ {2}<vcpu[^>]*>(\d+)/m.exec(text)?.[1]);
  const isMemChanged =
    memKib !== undefined && editMemory({ text, isChanged: false }, 'memory', memKib).isChanged;
  const { status: done, errors } = await updateLive(
    virsh,
    {
      name,
      test,
      cpu: cpu === oldCpu ? undefined : cpu,
      memKib: isMemChanged ? memKib : undefined,
      interfaces: wanted.interfaces,
    },
    text,
  );
  for (const [key, value] of done) status.set(key, value);
  return errors.length > 0 ? status.set('errors', errors) : status;
}

/** A machine that is to be made. */
export interface NewMachine extends Pick<
  WantedMachine,
  'name' | 'cpu' | 'mem' | 'interfaces' | 'boot_dev' | 'others'
> {
  readonly disks: Value[] | undefined;
  readonly hypervisor: string | undefined;
  readonly os_type: string | undefined;
  readonly arch: string | undefined;
  readonly graphics: Dict | undefined;
  readonly start: boolean;
}

const DISK_FIELDS = ['name', 'size', 'source_file', 'pool', 'format', 'model', 'device'];

/** A part of an option of virt-install, which has commas between its parts. */
function part(name: string, value: string): string {
  if (value.includes(','))
    throw new SaltInvocationError(`${name} of a machine cannot have a comma in it: ${pyRepr(value)}`);
  return `${name}=${value}`;
}

/** The disk of a machine for virt-install; a volume is made. */
async function diskWord(virsh: Virsh, machine: string, disk: Value): Promise<string> {
  if (!isDict(disk)) throw new SaltInvocationError('The disks of a machine are a list of mappings.');
  const unknown = [...disk.keys()].map(pyStr).filter((key) => !DISK_FIELDS.includes(key));
  refuse('init', Object.fromEntries(unknown.map((key) => [`disks: ${key}`, disk.get(key) ?? null])));
  const field = (name: string): string | undefined =>
    truthy(disk.get(name) ?? null) ? pyStr(disk.get(name) ?? null) : undefined;
  const [file, pool, format = 'qcow2'] = [field('source_file'), field('pool'), field('format')];
  const size = numberOf('the size of a disk', disk.get('size') ?? null);
  const more = [
    part('bus', field('model') ?? 'virtio'),
    ...(field('device') === undefined ? [] : [part('device', field('device') ?? '')]),
  ];
  if (file !== undefined) {
    const toMake = pathExists(file) ? [] : [`size=${(size ?? 0) / MIB_KIB}`, part('format', format)];
    return [part('path', file), ...toMake, ...more].join(',');
  }
  const volume = `${machine}_${field('name') ?? 'system'}${format === 'qcow2' ? '.qcow2' : ''}`;
  const place = pool ?? 'default';
  await virsh.act([
    'vol-create-as',
    '--pool',
    place,
    '--name',
    volume,
    '--capacity',
    `${size ?? 0}M`,
    '--format',
    format,
  ]);
  return [`vol=${place}/${volume}`, ...more].join(',');
}

/** Makes a machine of the program virt-install's description. @returns true */
export async function initMachine(ctx: ModuleContext, virsh: Virsh, wanted: NewMachine): Promise<true> {
  const { name, boot_dev, hypervisor = 'kvm' } = wanted;
  refuse('init', wanted.others);
  const [cpu, mem, boot] = [numberOf('cpu', wanted.cpu), numberOf('mem', wanted.mem), bootDevices(boot_dev)];
  if (cpu === undefined || mem === undefined)
    throw new SaltInvocationError(
      `The machine ${name} is not there, and cpu and mem have to be said to make it.`,
    );
  const disks: string[] = [];
  for (const disk of wanted.disks !== undefined ? wanted.disks : [])
    disks.push('--disk', await diskWord(virsh, name, disk));
  const nics = wanted.interfaces === null ? [] : wantedNics(wanted.interfaces, hypervisor);
  const networks = nics.flatMap(({ type = 'bridge', source = '', model, mac }) => [
    '--network',
    [
      part(type, source),
      ...(model === undefined ? [] : [part('model', model)]),
      ...(mac === undefined ? [] : [part('mac', mac)]),
    ].join(','),
  ]);
  const screen = wanted.graphics !== undefined ? pyStr(wanted.graphics.get('type') ?? 'none') : 'none';
  const { retcode, stdout, stderr } = await runAll(ctx, [
    programPath('virt-install'),
    ...virsh.connection,
    ...['--name', name, '--vcpus', String(cpu), '--memory', String(mem), '--virt-type', hypervisor],
    ...(wanted.arch === undefined ? [] : ['--arch', wanted.arch]),
    ...(boot === undefined ? [] : ['--boot', boot.join(',')]),
    ...(disks.length > 0 ? disks : ['--disk', 'none']),
    ...(networks.length > 0 ? networks : ['--network', 'none']),
    ...[
      '--graphics',
      screen,
      '--osinfo',
      'detect=on,require=off',
      '--import',
      '--noautoconsole',
      '--print-xml',
    ],
  ]);
  if (retcode !== 0) throw new LibvirtError(stderr);
  await virsh.act(['define', '/dev/stdin'], stdout);
  return wanted.start ? virsh.act(['start', name]) : true;
}
