/** `lvm.lv_present`: logical volumes and their sizes (3006.16 salt/states/lvm.py). */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';

/** A logical volume as it is wanted. */
export interface WantedLogical {
  readonly name: string;
  readonly vgname: string;
  readonly size: string | undefined;
  readonly extents: string | undefined;
  readonly snapshot: string | undefined;
  readonly pv: string;
  readonly thinvolume: boolean;
  readonly thinpool: boolean;
  readonly force: boolean;
  readonly resizefs: boolean;
}

const MEGABYTES: Readonly<Record<string, number>> = { s: 1 / 2048, m: 1, g: 2 ** 10, t: 2 ** 20, p: 2 ** 30 };

/** A size in megabytes: `10G`, `512`, `4096s`. @throws SaltInvocationError for what is no size */
export function megabytes(size: string): number {
  const [, number, unit = 'm'] = /^(\d+(?:\.\d+)?)([a-z]?)b?$/.exec(size.toLowerCase()) ?? [];
  if (number === undefined) throw new SaltInvocationError(`Size ${size} is invalid.`);
  const factor = unit === '' ? 1 : Object.hasOwn(MEGABYTES, unit) ? MEGABYTES[unit] : undefined;
  if (factor === undefined) throw new SaltInvocationError(`Unit ${unit} is invalid.`);
  return Number(number) * factor;
}

const wholeNumber = (text: string): number | undefined => (/^\d+$/.test(text) ? Number(text) : undefined);

interface Found {
  readonly extents: number;
  readonly sizeMb: number;
}

/** What LVM tells of a volume; undefined where there is none. */
async function find(ctx: StateContext, path: string): Promise<Found | undefined> {
  const volumes = await ctx.functions.call('lvm.lvdisplay', [path], { quiet: true });
  const fields = isDict(volumes) ? volumes.get(path) : undefined;
  if (!isDict(fields)) return undefined;
  const number = (name: string): number => wholeNumber(pyStr(fields.get(name) ?? '')) ?? 0;
  return {
    extents: number('Current Logical Extents Associated'),
    sizeMb: megabytes(`${number('Logical Volume Size')}s`),
  };
}

/**
 * What LVM makes of a size: as many extents as it takes. Salt compat: Salt compares what is asked for, so that a volume
 * which is no multiple of the extents is to be made smaller at each run.
 */
function inExtents(sizeMb: number, found: Found): number {
  if (found.extents === 0) return sizeMb;
  const extentMb = found.sizeMb / found.extents;
  return Math.ceil(sizeMb / extentMb) * extentMb;
}

function made(name: Value, result: boolean | null, comment: string, changes = dict()): StateResult {
  return { changes, comment, name, result };
}

const outputOf = (answer: Value, key: string): string =>
  isDict(answer) ? pyStr(answer.get(key) ?? null) : pyStr(answer);

async function create(
  ctx: StateContext,
  wanted: WantedLogical,
  path: string,
  kwargs: Dict,
): Promise<StateResult> {
  const { name, vgname, snapshot, resizefs: _, size = null, extents = null, ...rest } = wanted;
  const [lvname, origin] = snapshot === undefined ? [name, null] : [snapshot, name];
  if (ctx.state.test) return made(name, null, `Logical Volume ${lvname} is set to be created`);
  const words = dict({ ...rest, size, extents, snapshot: origin });
  const answer = await ctx.functions.call('lvm.lvcreate', [lvname, vgname], new Map([...words, ...kwargs]));
  const found = await ctx.functions.call('lvm.lvdisplay', [path]);
  if (isDict(found) && found.size > 0)
    return made(name, true, `Created Logical Volume ${lvname}`, dict({ created: answer }));
  const why = outputOf(answer, 'Output from lvcreate');
  return made(name, false, `Failed to create Logical Volume ${lvname}. Error: ${why}`);
}

async function resize(
  ctx: StateContext,
  wanted: WantedLogical,
  at: { readonly label: string; readonly path: string; readonly before: Found },
): Promise<StateResult> {
  const { name, size, extents, resizefs, force } = wanted;
  const { label, path, before } = at;
  if (ctx.state.test) return made(name, null, `Logical Volume ${label} is set to be resized`);
  const large = size === undefined ? { extents: extents ?? null } : { size };
  const words = dict({ lvpath: path, ...large, resizefs, force });
  const answer = await ctx.functions.call('lvm.lvresize', [], words);
  const now = await find(ctx, path);
  if (now !== undefined && now.sizeMb !== before.sizeMb)
    return made(name, true, `Resized Logical Volume ${label}`, dict({ resized: answer }));
  const why = outputOf(answer, 'Output from lvresize');
  return made(name, false, `Failed to resize Logical Volume ${label}.\nError: ${why}`);
}

/** Makes sure that there is a logical volume, as large as it is wanted. */
export async function logicalPresent(
  ctx: StateContext,
  wanted: WantedLogical,
  kwargs: Dict,
): Promise<StateResult> {
  const { name, vgname, size, extents, snapshot, thinvolume, force } = wanted;
  if (size !== undefined && extents !== undefined)
    return made(name, false, 'Only one of extents or size can be specified.');
  const label = snapshot ?? name;
  const path = `/dev/${thinvolume ? (vgname.split('/')[0] ?? '') : vgname}/${label}`;
  const asked = size === undefined ? undefined : megabytes(size);
  const found = await find(ctx, path);
  if (found === undefined) return create(ctx, wanted, path, kwargs);
  const present = `Logical Volume ${label} already present`;
  if (extents?.includes('%') === true) return made(name, true, `${present}, ${extents} won't be resized.`);
  const wantedExtents = extents === undefined ? found.extents : wholeNumber(extents);
  if (wantedExtents === undefined)
    return made(name, false, `Extents are a number or a percentage: ${extents ?? ''}`);
  const sizeMb = asked === undefined ? found.sizeMb : inExtents(asked, found);
  if (!force && (sizeMb < found.sizeMb || wantedExtents < found.extents))
    return made(name, false, "To reduce a Logical Volume option 'force' must be True.");
  if (sizeMb === found.sizeMb && wantedExtents === found.extents) return made(name, true, present);
  return resize(ctx, wanted, { label, path, before: found });
}
