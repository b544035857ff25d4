/** Disks, volumes and storage networks (salt/grains: disks, lvm, mdadm, zfs, iscsi, nvme, fibre_channel). */
import { dict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { option, type GrainsContext } from './context.ts';

/** disks (that turn) and ssds */
export function diskGrains({ host }: GrainsContext): Dict {
  if (host.platform !== 'linux') return new Map();
  const found: Record<'0' | '1', Value[]> = { '0': [], '1': [] };
  for (const name of host.list('/sys/block')) {
    if (name.startsWith('.') || host.readLink(`/sys/block/${name}`)?.startsWith('../devices/virtual/'))
      continue;
    const flag = host.readText(`/sys/block/${name}/queue/rotational`)?.charAt(0);
    if (flag === '0' || flag === '1') found[flag].push(name);
  }
  return dict({ disks: found['1'], ssds: found['0'] });
}

/** lvm: volume groups with their volumes, where LVM is installed */
export async function lvmGrains(ctx: GrainsContext): Promise<Dict> {
  if (ctx.host.platform !== 'linux' || !ctx.which('lvm')) return new Map();
  const report = async (command: string, fields: string): Promise<string[][]> => {
    const output = (await ctx.run(['lvm', command, '-o', fields, '--noheadings']))?.stdout ?? '';
    const rows = output.split('\n').map((line) => line.trim().split(/\s+/));
    return rows.filter((row) => row[0] !== '');
  };
  const [groups, volumes] = await Promise.all([report('vgs', 'vg_name'), report('lvs', 'vg_name,lv_name')]);
  const lvm: Dict = new Map();
  for (const [group = ''] of groups) {
    lvm.set(
      group,
      volumes.filter((row) => row[0] === group).map((row) => row[1] ?? ''),
    );
  }
  return new Map<Value, Value>([['lvm', lvm]]);
}

/** mdadm: software RAID devices, where the kernel has them */
export function mdadmGrains({ host }: GrainsContext): Dict {
  const text = host.readText('/proc/mdstat');
  if (text === undefined) return new Map();
  const devices = text
    .split('\n')
    .filter((line) => line.includes(' : ') && !/^(Personalities : |unused devices:)/.test(line))
    .map((line) => line.split(' : ')[0] ?? '');
  return dict({ mdadm: [...new Set(devices)].sort() });
}

/** zfs_support, zfs_feature_flags and, with pools, zpool (sizes in bytes by name) */
export async function zfsGrains(ctx: GrainsContext): Promise<Dict> {
  const { host } = ctx;
  if (host.platform === 'win32') return new Map();
  const inSystem =
    host.platform === 'linux'
      ? host.stat('/sys/module/zfs') !== undefined || ctx.which('zfs-fuse') !== undefined
      : host.platform === 'darwin' &&
        Boolean(host.stat('/Library/Extensions/zfs.kext') && host.stat('/dev/zfs'));
  const supported = inSystem && ctx.which('zpool') !== undefined;
  const grains = dict({ zfs_support: supported, zfs_feature_flags: await hasZpoolManual(ctx) });
  if (!supported) return grains;
  const pools: Dict = new Map();
  for (const line of ((await ctx.run(['zpool', 'list', '-H', '-o', 'name,size']))?.stdout ?? '').split(
    '\n',
  )) {
    const [name, size = ''] = line.trim().split(/\s+/);
    if (name) pools.set(name, zfsBytes(size));
  }
  if (pools.size > 0) grains.set('zpool', pools);
  return grains;
}

/** `1.5T` in bytes; texts that are no size stay as they are. */
function zfsBytes(size: string): Value {
  const match = /^(\d+|\d+\.\d+)([KMGTPE])B?$/i.exec(size);
  if (!match) return /^\d+$/.test(size) ? Number(size) : size;
  const power = 'KMGTPE'.indexOf((match[2] ?? '').toUpperCase()) + 1;
  return Math.floor(Number(match[1]) * 1024 ** power);
}

/**
 * Salt asks `man zpool-features`, which takes a tenth of a second to say whether a file is there. Where `man` is a
 * script that only says that there are no manuals (slim images), it is asked all the same.
 */
async function hasZpoolManual(ctx: GrainsContext): Promise<boolean> {
  const { host } = ctx;
  const man = ctx.which('man');
  if (man === undefined) return false;
  if (host.readBytes(man, 0, 2)?.toString('latin1') === '#!') {
    return (await ctx.run(['man', 'zpool-features']))?.retcode === 0;
  }
  const folders = (host.env.get('MANPATH') ?? '').split(':').filter((x) => x.startsWith('/'));
  return [...folders, '/usr/share/man', '/usr/local/share/man', '/usr/local/man'].some((folder) =>
    ['5', '7', '8'].some((section) =>
      ['', '.gz', '.xz', '.bz2', '.zst'].some((ending) =>
        host.stat(`${folder}/man${section}/zpool-features.${section}${ending}`),
      ),
    ),
  );
}

/** iscsi_iqn, with the option `iscsi_grains` */
export function iscsiGrains(ctx: GrainsContext): Dict {
  if (option(ctx, 'iscsi_grains', false) === false) return new Map();
  if (ctx.host.platform !== 'linux') return dict({ iscsi_iqn: false });
  const lines = linesOf(ctx, '/etc/iscsi/initiatorname.iscsi').filter((x) => x.startsWith('InitiatorName='));
  return dict({ iscsi_iqn: lines.map((x) => x.slice('InitiatorName='.length)) });
}

/** nvme_nqn, with the option `nvme_grains` */
export function nvmeGrains(ctx: GrainsContext): Dict {
  if (option(ctx, 'nvme_grains', false) === false) return new Map();
  if (ctx.host.platform !== 'linux') return dict({ nvme_nqn: false });
  return dict({ nvme_nqn: linesOf(ctx, '/etc/nvme/hostnqn').filter((x) => x.startsWith('nqn.')) });
}

/** fc_wwn, with the option `fibre_channel_grains` */
export function fibreChannelGrains(ctx: GrainsContext): Dict {
  if (!truthy(option(ctx, 'fibre_channel_grains', false))) return new Map();
  if (ctx.host.platform !== 'linux') return dict({ fc_wwn: false });
  const folder = '/sys/class/fc_host';
  const names = ctx.host.list(folder).flatMap((x) => linesOf(ctx, `${folder}/${x}/port_name`));
  return dict({ fc_wwn: names.map((x) => x.slice(2)) });
}

function linesOf(ctx: GrainsContext, path: string): string[] {
  const lines = (ctx.host.readText(path) ?? '').split('\n').map((x) => x.trim());
  return lines.filter((x) => x !== '');
}
