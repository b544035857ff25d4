/** Options of the programs of LVM, as keywords (3006.16 salt/modules/linux_lvm.py). */
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Dict } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';

interface Known {
  readonly withValue: ReadonlySet<string>;
  /** Options that stand alone. */
  readonly alone: ReadonlySet<string>;
}

const names = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((name) => name !== ''));

const KNOWN: Readonly<Record<'pvcreate' | 'vgcreate' | 'lvcreate', Known>> = {
  pvcreate: {
    withValue:
      names(`metadatasize dataalignment dataalignmentoffset pvmetadatacopies metadatacopies metadataignore
      restorefile labelsector setphysicalvolumesize`),
    alone: names('norestorefile'),
  },
  vgcreate: {
    withValue: names(`addtag alloc autobackup clustered maxlogicalvolumes maxphysicalvolumes metadatatype
      vgmetadatacopies metadatacopies physicalextentsize zero`),
    alone: names(''),
  },
  lvcreate: {
    withValue:
      names(`activate chunksize contiguous discards stripes stripesize minor persistent mirrors monitor
      permission poolmetadatasize readahead regionsize type virtualsize zero`),
    alone: names('nosync noudevsync ignoremonitoring thin'),
  },
};

/** The words of the options that a program knows; the others are named in the log. */
export function optionWords(ctx: ModuleContext, program: keyof typeof KNOWN, kwargs: Dict): string[] {
  const { withValue, alone } = KNOWN[program];
  const unknown: string[] = [];
  const words = [...kwargs].flatMap(([key, value]) => {
    const name = pyStr(key);
    if (alone.has(name)) return program === 'lvcreate' || truthy(value) ? [`--${name}`] : [];
    if (withValue.has(name))
      return program === 'lvcreate' || truthy(value) ? [`--${name}`, pyStr(value)] : [];
    if (!name.startsWith('__')) unknown.push(name);
    return [];
  });
  if (unknown.length > 0)
    ctx.log.warning(`lvm: ${program} is not given these options: ${unknown.join(', ')}`);
  return words;
}
