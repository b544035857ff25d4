/**
 * `virt`: machines, networks and pools of libvirt, as far as its programs virsh, virt-install and qemu-img serve them.
 * Follows 3006.16 salt/modules/virt.py, which needs libvirt's Python library.
 */
import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CommandExecutionError } from '../../errors/errors.ts';
import { childOf } from '../../formats/xml/read.ts';
import { findProgram } from '../../host/which.ts';
import { isFile } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy } from '../../python/values/value.ts';
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { initMachine, updateMachine } from './module/definition.ts';
import {
  describeMachine,
  devicesOf,
  disksIn,
  graphicsIn,
  loaderIn,
  nicsIn,
  volumesIn,
} from './module/describe.ts';
import { asking, DONE, ofEach, ONE, STATE } from './module/functions.ts';
import { host } from './module/host.ts';
import { deleteSnapshots, listSnapshots, revertSnapshot, takeSnapshot } from './module/snapshots.ts';
import { networks, pools } from './module/stores.ts';
import { LibvirtError, Virsh } from './module/virsh.ts';

const VM = { vm_: param.text({ doc: 'The machine.' }) } as const;
const NAME = { name: param.text({ doc: 'The machine.' }) } as const;
const KIB = 1024;

/** A function that has one thing done to a machine. */
const actOnMachine = (doc: string, verb: string, ...more: readonly string[]) =>
  defineFunction({
    doc,
    params: VM,
    kwargs: 'kwargs',
    returns: DONE,
    run: asking((virsh, { vm_ }) => virsh.actOn(vm_, verb, ...more)),
  });

/** The same where Salt calls the machine `name`. */
const actOnNamed = (doc: string, verb: string) =>
  defineFunction({
    doc,
    params: NAME,
    kwargs: 'kwargs',
    returns: DONE,
    run: asking((virsh, { name }) => virsh.actOn(name, verb)),
  });

/** Has libvirt read a file. @returns false for one that cannot be read */
async function fromFile(virsh: Virsh, verb: string, path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text !== undefined && virsh.act([verb, '/dev/stdin'], text);
}

async function isShutDown(virsh: Virsh, name: string): Promise<boolean> {
  await virsh.needMachine(name);
  return (await virsh.state(name)) === 'shutdown';
}

const lists = {
  list_domains: defineFunction({
    doc: 'Lists all machines, those that run first.',
    kwargs: 'kwargs',
    returns: 'list of names',
    run: asking((virsh) => virsh.machines()),
  }),
  list_active_vms: defineFunction({
    doc: 'Lists the machines that run.',
    kwargs: 'kwargs',
    returns: 'list of names',
    run: asking((virsh) => virsh.machines('active')),
  }),
  list_inactive_vms: defineFunction({
    doc: 'Lists the machines that do not run.',
    kwargs: 'kwargs',
    returns: 'list of names',
    run: asking((virsh) => virsh.machines('inactive')),
  }),
  vm_info: defineFunction({
    doc: 'Describes machines.',
    params: ONE,
    kwargs: 'kwargs',
    returns: 'mapping of machine to cpu, disks, graphics, nics, mem, state and more',
    run: asking((virsh, { vm_ }, ctx) => ofEach(virsh, vm_, (name) => describeMachine(ctx, virsh, name))),
  }),
  vm_state: defineFunction({
    doc: 'Says whether machines run.',
    params: ONE,
    kwargs: 'kwargs',
    returns: 'mapping of machine to running, paused, shutdown, crashed or unknown',
    run: asking((virsh, { vm_ }) => ofEach(virsh, vm_, (name) => virsh.state(name))),
  }),
  get_xml: defineFunction({
    doc: "Returns libvirt's description of a machine.",
    params: VM,
    kwargs: 'kwargs',
    returns: 'XML',
    run: asking(async (virsh, { vm_ }) => {
      await virsh.needMachine(vm_);
      return virsh.say(['dumpxml', vm_]);
    }),
  }),
  get_nics: defineFunction({
    doc: 'Describes the network cards of a machine.',
    params: VM,
    kwargs: 'kwargs',
    returns: 'mapping of hardware address to type, source and more',
    run: asking(async (virsh, { vm_ }) => {
      await virsh.needMachine(vm_);
      return nicsIn(await virsh.xml(['dumpxml', vm_, '--inactive']));
    }),
  }),
  get_macs: defineFunction({
    doc: 'Lists the hardware addresses of a machine.',
    params: VM,
    kwargs: 'kwargs',
    returns: 'list of addresses',
    run: asking(async (virsh, { vm_ }) => {
      await virsh.needMachine(vm_);
      const nics = devicesOf(await virsh.xml(['dumpxml', vm_]), 'interface');
      return nics.flatMap((nic) => childOf(nic, 'mac')?.attributes.get('address') ?? []);
    }),
  }),
  get_graphics: defineFunction({
    doc: 'Describes the screen of a machine.',
    params: VM,
    kwargs: 'kwargs',
    returns: 'mapping of autoport, keymap, listen, port, type',
    run: asking(async (virsh, { vm_ }) => {
      await virsh.needMachine(vm_);
      return graphicsIn(await virsh.xml(['dumpxml', vm_]));
    }),
  }),
  get_loader: defineFunction({
    doc: 'Says what starts a machine.',
    params: VM,
    kwargs: 'kwargs',
    returns: 'mapping with path',
    run: asking(async (virsh, { vm_ }) => {
      await virsh.needMachine(vm_);
      return loaderIn(await virsh.xml(['dumpxml', vm_]));
    }),
  }),
  get_disks: defineFunction({
    doc: 'Describes the disks of a machine.',
    params: VM,
    kwargs: 'kwargs',
    returns: 'mapping of disk to file, type and more',
    run: asking(async (virsh, { vm_ }, ctx) => {
      await virsh.needMachine(vm_);
      return disksIn(ctx, virsh, await virsh.xml(['dumpxml', vm_]));
    }),
  }),
};

const running = {
  start: actOnNamed('Starts a machine.', 'start'),
  stop: actOnNamed('Turns a machine off at once.', 'destroy'),
  reboot: actOnNamed('Has a machine start anew.', 'reboot'),
  shutdown: actOnMachine('Has a machine shut down.', 'shutdown'),
  pause: actOnMachine('Pauses a machine.', 'suspend'),
  resume: actOnMachine('Goes on with a machine that is paused.', 'resume'),
  reset: actOnMachine('Has a machine start anew at once.', 'reset'),
  ctrl_alt_del: actOnMachine(
    'Sends Ctrl+Alt+Del to a machine.',
    'send-key',
    ...['KEY_LEFTCTRL', 'KEY_LEFTALT', 'KEY_DELETE'],
  ),
  undefine: actOnMachine('Forgets a machine, whose disks stay.', 'undefine', '--nvram'),
  set_autostart: defineFunction({
    doc: 'Says whether a machine is started with the host.',
    params: { ...VM, ...STATE },
    kwargs: 'kwargs',
    returns: DONE,
    run: asking(async (virsh, { vm_, state }) => {
      await virsh.needMachine(vm_);
      if (state !== 'on' && state !== 'off') return false;
      return virsh.act(['autostart', vm_, ...(state === 'on' ? [] : ['--disable'])]);
    }),
  }),
  setmem: defineFunction({
    doc: 'Changes the memory of a machine that does not run.',
    params: {
      ...VM,
      memory: param.count({ doc: 'MiB.' }),
      config: param.flag({ default: false, doc: 'Also in what is kept.' }),
    },
    kwargs: 'kwargs',
    returns: 'true; false for a machine that runs',
    run: asking(async (virsh, { vm_, memory, config }) => {
      if (!(await isShutDown(virsh, vm_))) return false;
      const kib = String(memory * KIB);
      await virsh.act(['setmaxmem', vm_, kib, ...(config ? ['--config'] : [])]);
      return virsh.act(['setmem', vm_, kib, '--current']);
    }),
  }),
  setvcpus: defineFunction({
    doc: 'Changes the number of processors of a machine that does not run.',
    params: {
      ...VM,
      vcpus: param.count({ doc: 'How many.' }),
      config: param.flag({ default: false, doc: 'Also in what is kept.' }),
    },
    kwargs: 'kwargs',
    returns: 'true; false for a machine that runs',
    run: asking(async (virsh, { vm_, vcpus }) => {
      if (!(await isShutDown(virsh, vm_))) return false;
      // virsh changes the greatest number only in what is kept
      await virsh.act(['setvcpus', vm_, String(vcpus), '--maximum', '--config']);
      return virsh.act(['setvcpus', vm_, String(vcpus), '--current']);
    }),
  }),
  purge: defineFunction({
    doc: 'Forgets a machine and removes its disks.',
    params: {
      ...VM,
      dirs: param.flag({ default: false, doc: 'Also the folders that they are in.' }),
      removables: param.flag({ default: false, doc: 'Also what is in its drives.' }),
    },
    kwargs: 'kwargs',
    returns: DONE,
    run: asking(async (virsh, { vm_, dirs, removables }, ctx) => {
      await virsh.needMachine(vm_);
      const disks = await disksIn(ctx, virsh, await virsh.xml(['dumpxml', vm_]));
      if ((await virsh.state(vm_)) !== 'shutdown') await virsh.act(['destroy', vm_]);
      const folders = new Set<string>();
      for (const disk of disks.values()) {
        if (!isDict(disk) || (!removables && ['cdrom', 'floppy'].includes(pyStr(disk.get('type') ?? ''))))
          continue;
        const file = pyStr(disk.get('file') ?? '');
        if (truthy(disk.get('zfs') ?? null))
          await ctx.functions.call('zfs.destroy', [], { name: file.slice('/dev/zvol/'.length), force: true });
        else if (isFile(file)) {
          await rm(file);
          folders.add(dirname(file));
        } else await deleteVolume(virsh, file);
      }
      if (dirs) for (const folder of folders) await rm(folder, { recursive: true, force: true });
      return virsh.act(['undefine', vm_, '--nvram']);
    }),
  }),
};

/** Removes a volume that is named `pool/volume`, where there is one. */
async function deleteVolume(virsh: Virsh, place: string): Promise<void> {
  const [, pool, volume] = /^([^/]+)\/(.*)$/.exec(place) ?? [];
  if (pool === undefined || volume === undefined) return;
  if (!(await virsh.names(['pool-list', '--name'])).includes(pool)) return;
  const names = (await volumesIn(virsh, pool)).map(([name]) => name);
  if (names.includes(volume)) await virsh.act(['vol-delete', '--pool', pool, '--vol', volume]);
}

const XML = { xml: param.text({ doc: 'The description.' }) } as const;
const PATH = { path: param.text({ doc: 'A file with the description.' }) } as const;

const defining = {
  create_xml_str: defineFunction({
    doc: 'Starts a machine that is not kept, as a text describes it.',
    params: XML,
    kwargs: 'kwargs',
    returns: DONE,
    words: { lines: ['xml'] },
    run: asking((virsh, { xml }) => virsh.act(['create', '/dev/stdin'], xml)),
  }),
  create_xml_path: defineFunction({
    doc: 'Starts a machine that is not kept, as a file describes it.',
    params: PATH,
    kwargs: 'kwargs',
    returns: DONE,
    run: asking((virsh, { path }) => fromFile(virsh, 'create', path)),
  }),
  define_xml_str: defineFunction({
    doc: 'Defines a machine as a text describes it.',
    params: XML,
    kwargs: 'kwargs',
    returns: DONE,
    words: { lines: ['xml'] },
    run: asking((virsh, { xml }) => virsh.act(['define', '/dev/stdin'], xml)),
  }),
  define_xml_path: defineFunction({
    doc: 'Defines a machine as a file describes it.',
    params: PATH,
    kwargs: 'kwargs',
    returns: DONE,
    run: asking((virsh, { path }) => fromFile(virsh, 'define', path)),
  }),
  init: defineFunction({
    doc: 'Makes a machine, by virt-install. What that cannot do is refused by name.',
    params: {
      ...NAME,
      cpu: param.value({ type: 'int', doc: 'How many processors.' }),
      mem: param.value({ type: 'int', doc: 'MiB.' }),
      nic: param.value({
        default: 'default',
        type: 'str',
        doc: 'Not served but by its default: give interfaces.',
      }),
      interfaces: param.value({
        default: null,
        type: 'list',
        doc: 'Network cards: name, type, source, mac, model.',
      }),
      hypervisor: param.textIfGiven({ default: null, doc: 'kvm, qemu, xen.' }),
      start: param.flag({ default: true, doc: 'Start it.' }),
      disk: param.value({
        default: 'default',
        type: 'str',
        doc: 'Not served but by its default: give disks.',
      }),
      disks: param.listIfGiven({
        default: null,
        doc: 'Disks: name, size (MiB), pool or source_file, format, model.',
      }),
      saltenv: param.value({ default: 'base', type: 'str', doc: 'Has no meaning here.' }),
      seed: param.value({ default: true, type: 'bool', doc: 'Has no meaning here: no image is copied.' }),
      install: param.value({ default: true, type: 'bool', doc: 'Has no meaning here.' }),
      pub_key: param.value({ default: null, type: 'str', doc: 'Not served.' }),
      priv_key: param.value({ default: null, type: 'str', doc: 'Not served.' }),
      seed_cmd: param.value({ default: 'seed.apply', type: 'str', doc: 'Has no meaning here.' }),
      graphics: param.mappingIfGiven({ default: null, doc: 'The screen: type.' }),
      os_type: param.textIfGiven({ default: null, doc: 'hvm.' }),
      arch: param.textIfGiven({ default: null, doc: 'x86_64.' }),
      boot: param.value({ default: null, type: 'dict', doc: 'Not served.' }),
      boot_dev: param.textIfGiven({
        default: null,
        doc: 'hd, network, cdrom; several with spaces between them.',
      }),
      numatune: param.value({ default: null, type: 'dict', doc: 'Not served.' }),
      hypervisor_features: param.value({ default: null, type: 'dict', doc: 'Not served.' }),
      clock: param.value({ default: null, type: 'dict', doc: 'Not served.' }),
      serials: param.value({ default: null, type: 'list', doc: 'Not served.' }),
      consoles: param.value({ default: null, type: 'list', doc: 'Not served.' }),
      stop_on_reboot: param.flag({ default: false, doc: 'Not served.' }),
      host_devices: param.value({ default: null, type: 'list', doc: 'Not served.' }),
    },
    kwargs: 'kwargs',
    returns: 'true',
    run: asking((virsh, wanted, ctx) => {
      const { pub_key, priv_key, boot, numatune, hypervisor_features, clock, serials, consoles } = wanted;
      const profiles = {
        nic: wanted.nic === 'default' ? null : wanted.nic,
        disk: wanted.disk === 'default' ? null : wanted.disk,
      };
      const { stop_on_reboot, host_devices } = wanted;
      const more = { serials, consoles, stop_on_reboot, host_devices };
      const others = { ...profiles, pub_key, priv_key, boot, numatune, hypervisor_features, clock, ...more };
      return initMachine(ctx, virsh, { ...wanted, others });
    }),
  }),
  update: defineFunction({
    doc: 'Changes a machine: processors, memory, network cards, what it starts from. Everything else is refused by name.',
    params: {
      ...NAME,
      cpu: param.value({ default: 0, type: 'int', doc: 'How many processors.' }),
      mem: param.value({ default: 0, type: 'int', doc: 'MiB.' }),
      disk_profile: param.value({ default: null, type: 'str', doc: 'Not served.' }),
      disks: param.value({ default: null, type: 'list', doc: 'Not served.' }),
      nic_profile: param.value({ default: null, type: 'str', doc: 'Not served.' }),
      interfaces: param.value({
        default: null,
        type: 'list',
        doc: 'Network cards: name, type, source, mac, model.',
      }),
      graphics: param.value({ default: null, type: 'dict', doc: 'Not served.' }),
      live: param.flag({ default: true, doc: 'Also the machine that runs, not only its definition.' }),
      boot: param.value({ default: null, type: 'dict', doc: 'Not served.' }),
      numatune: param.value({ default: null, type: 'dict', doc: 'Not served.' }),
      test: param.flag({ default: false, doc: 'Only say what would be changed.' }),
      boot_dev: param.textIfGiven({
        default: null,
        doc: 'hd, network, cdrom; several with spaces between them.',
      }),
      hypervisor_features: param.value({ default: null, type: 'dict', doc: 'Not served.' }),
      clock: param.value({ default: null, type: 'dict', doc: 'Not served.' }),
      serials: param.value({ default: null, type: 'list', doc: 'Not served.' }),
      consoles: param.value({ default: null, type: 'list', doc: 'Not served.' }),
      stop_on_reboot: param.flag({ default: false, doc: 'Turn it off where it would start anew.' }),
      host_devices: param.value({ default: null, type: 'list', doc: 'Not served.' }),
      autostart: param.flag({ default: false, doc: 'Start it with the host.' }),
    },
    kwargs: 'kwargs',
    returns: 'mapping of definition, disk, interface, cpu, mem and errors: what was changed',
    run: asking((virsh, wanted) => {
      const { disk_profile, disks, nic_profile, graphics, boot, numatune, hypervisor_features } = wanted;
      const { clock, serials, consoles, host_devices } = wanted;
      const more = { hypervisor_features, clock, serials, consoles, host_devices };
      const others = { disk_profile, disks, nic_profile, graphics, boot, numatune, ...more };
      return updateMachine(virsh, { ...wanted, others });
    }),
  }),
};

const snapshots = {
  list_snapshots: defineFunction({
    doc: 'Lists the snapshots of machines.',
    params: { domain: param.textIfGiven({ default: null, doc: 'Only of this machine.' }) },
    kwargs: 'kwargs',
    returns: 'mapping of machine to a list of snapshots, or N/A',
    run: asking(async (virsh, { domain }) => {
      if (domain !== undefined) await virsh.needMachine(domain);
      return listSnapshots(virsh, domain === undefined ? await virsh.machines() : [domain]);
    }),
  }),
  snapshot: defineFunction({
    doc: 'Takes a snapshot of a machine.',
    params: {
      domain: param.text({ doc: 'The machine.' }),
      name: param.textIfGiven({
        default: null,
        doc: 'What it is called; after the time where it is left out.',
      }),
      suffix: param.textIfGiven({ default: null, doc: 'What stands behind the name.' }),
    },
    kwargs: 'kwargs',
    returns: 'mapping with name',
    run: asking((virsh, { domain, name, suffix }, ctx) =>
      takeSnapshot(ctx, virsh, { machine: domain, name, suffix }),
    ),
  }),
  delete_snapshots: defineFunction({
    doc: 'Removes snapshots of a machine; all, where none is named.',
    params: NAME,
    varargs: 'names',
    kwargs: 'kwargs',
    returns: 'mapping of available and deleted',
    run: async (ctx, { name }, names, kwargs) =>
      deleteSnapshots(await Virsh.open(ctx, kwargs), name, names.map(pyStr)),
  }),
  revert_snapshot: defineFunction({
    doc: 'Makes a machine what it was when a snapshot was taken.',
    params: {
      ...NAME,
      vm_snapshot: param.textIfGiven({ default: null, doc: 'The snapshot; the one before the current one.' }),
      cleanup: param.flag({ default: false, doc: 'Remove the later ones.' }),
    },
    kwargs: 'kwargs',
    returns: 'mapping of reverted and deleted',
    run: asking((virsh, { name, vm_snapshot, cleanup }) =>
      revertSnapshot(virsh, name, { wanted: vm_snapshot, cleanup }),
    ),
  }),
};

/** The module. */
export const virtModule = defineModule({
  name: 'virt',
  file: 'virt',
  doc: "Machines, networks and pools of libvirt, as far as libvirt's programs serve them.",
  unavailable: () =>
    findProgram('virsh') === undefined
      ? "The virt module cannot be loaded: libvirt's program virsh is not in the path."
      : undefined,
  words: {},
  failsWith: {
    false: [
      'create_xml_path',
      'create_xml_str',
      'ctrl_alt_del',
      'define_xml_path',
      'define_xml_str',
      'network_set_autostart',
      'network_start',
      'network_stop',
      'network_undefine',
      'pause',
      'pool_build',
      'pool_delete',
      'pool_refresh',
      'pool_set_autostart',
      'pool_start',
      'pool_stop',
      'pool_undefine',
      'purge',
      'reboot',
      'reset',
      'resume',
      'set_autostart',
      'setmem',
      'setvcpus',
      'shutdown',
      'start',
      'stop',
      'undefine',
      'volume_delete',
    ],
  },
  functions: {
    ...lists,
    ...host,
    ...running,
    ...defining,
    ...snapshots,
    ...networks,
    ...pools,
  },
});

/** Whether an error is libvirt's refusal, which states tell in their results. */
export const isRefusal = (error: unknown): error is CommandExecutionError => error instanceof LibvirtError;
