/** What the programs of LVM print of volumes, with colons between the fields (3006.16 salt/modules/linux_lvm.py). */
import { realPath } from '../../../python/paths.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runAll } from '../../shared/program.ts';

/** The fields of each kind of volume, as Salt calls them. */
const FIELDS = {
  pvdisplay: [
    'Physical Volume Device',
    'Volume Group Name',
    'Physical Volume Size (kB)',
    'Internal Physical Volume Number',
    'Physical Volume Status',
    'Physical Volume (not) Allocatable',
    'Current Logical Volumes Here',
    'Physical Extent Size (kB)',
    'Total Physical Extents',
    'Free Physical Extents',
    'Allocated Physical Extents',
  ],
  vgdisplay: [
    'Volume Group Name',
    'Volume Group Access',
    'Volume Group Status',
    'Internal Volume Group Number',
    'Maximum Logical Volumes',
    'Current Logical Volumes',
    'Open Logical Volumes',
    'Maximum Logical Volume Size',
    'Maximum Physical Volumes',
    'Current Physical Volumes',
    'Actual Physical Volumes',
    'Volume Group Size (kB)',
    'Physical Extent Size (kB)',
    'Total Physical Extents',
    'Allocated Physical Extents',
    'Free Physical Extents',
    'UUID',
  ],
  lvdisplay: [
    'Logical Volume Name',
    'Volume Group Name',
    'Logical Volume Access',
    'Logical Volume Status',
    'Internal Logical Volume Number',
    'Open Logical Volumes',
    'Logical Volume Size',
    'Current Logical Extents Associated',
    'Allocated Logical Extents',
    'Allocation Policy',
    'Read Ahead Sectors',
    'Major Device Number',
    'Minor Device Number',
  ],
} as const;

/** One of the programs. */
export type DisplayProgram = keyof typeof FIELDS;

/**
 * The volumes that a program tells of, by name; none where it fails.
 * @param name only this volume; empty for all
 * @param isQuiet that there is none is no failure of the job
 */
export async function displayed(
  ctx: ModuleContext,
  program: DisplayProgram,
  name: string,
  isQuiet: boolean,
): Promise<Dict> {
  const words = [program, '-c', ...(name === '' ? [] : [name])];
  const { retcode, stdout } = await runAll(ctx, words, { ignore_retcode: isQuiet });
  const volumes = dict();
  if (retcode !== 0) return volumes;
  const fields = FIELDS[program];
  for (const line of stdout.split('\n')) {
    const values = line.trim().split(':');
    if (line.includes('is a new physical volume') || values.length < fields.length) continue;
    volumes.set(values[0] ?? '', new Map(fields.map((field, i): [Value, Value] => [field, values[i] ?? ''])));
  }
  return volumes;
}

/** Physical volumes by the devices that their names lead to. */
export function byRealDevice(volumes: Dict): Dict {
  return new Map(
    [...volumes].map(([name, fields]): [Value, Value] => {
      const device = realPath(String(name));
      const known: Dict = fields instanceof Map ? fields : dict();
      return [device, new Map([...known, ['Real Physical Volume Device', device]])];
    }),
  );
}

/** Whether there is a physical volume on a device. */
export async function hasPhysical(ctx: ModuleContext, device: string, isQuiet = false): Promise<boolean> {
  return (await displayed(ctx, 'pvdisplay', device, isQuiet)).size > 0;
}
