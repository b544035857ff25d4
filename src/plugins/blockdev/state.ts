/** `blockdev`: block devices and the file systems on them (3006.16 salt/states/blockdev.py). */
import { findProgram } from '../../host/which.ts';
import { pathExists } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { runText } from '../shared/program.ts';

/** A file system may show only after a moment: how often it is looked for, and the time between. */
const LOOKS = 10;
const BETWEEN_MS = 3000;

/** The answers of `disk.dump` by the options of `disk.tune`. */
const ANSWERS: ReadonlyMap<string, string> = new Map([
  ['read-ahead', 'getra'],
  ['filesystem-read-ahead', 'getfra'],
  ['read-only', 'getro'],
  ['read-write', 'getro'],
]);

/** The file system on a device; empty where there is none. */
async function fileSystemOn(ctx: StateContext, name: string): Promise<string> {
  const words = ['blkid', '-o', 'value', '-s', 'TYPE', name];
  return runText(ctx, words, { ignore_retcode: true });
}

interface Wanted {
  readonly name: string;
  readonly fsType: string;
  readonly force: boolean;
}

async function formatted(ctx: StateContext, wanted: Wanted, kwargs: Dict): Promise<StateResult> {
  const { name, fsType, force } = wanted;
  const made = (result: boolean | null, comment: string, changes = dict()): StateResult => ({
    ...{ changes, comment, name, result },
  });
  if (!pathExists(name)) return made(false, `${name} does not exist`);
  const before = await fileSystemOn(ctx, name);
  if (before === fsType) return made(true, `${name} already formatted with ${fsType}`);
  // a type with a slash in it is no name of a program
  if (fsType.includes('/') || findProgram(`mkfs.${fsType}`) === undefined)
    return made(false, `Invalid fs_type: ${fsType}`);
  if (ctx.state.test) return made(null, `Changes to ${name} will be applied `);
  await ctx.functions.call('disk.format', [name, fsType], new Map([...kwargs, ...dict({ force })]));
  for (let look = 1; look <= LOOKS; look++) {
    const now = await fileSystemOn(ctx, name);
    // Salt compat: Salt shows the new file system as the old one, too.
    if (now === fsType)
      return made(true, `${name} has been formatted with ${fsType}`, dict({ new: fsType, old: before }));
    if (now !== '') break;
    if (look < LOOKS) await ctx.clock.sleep(BETWEEN_MS);
  }
  return made(false, `Failed to format ${name}`);
}

/** How a change is told. */
function changeText(key: string, given: Value, before: Value, after: Value): string {
  if (typeof given !== 'boolean') return `Changed from ${pyStr(before)} to ${pyStr(after)}`;
  const isOn = (value: Value): boolean => (value === '1') !== (key === 'read-write');
  return `Changed from ${pyStr(isOn(before))} to ${pyStr(isOn(after))}`;
}

async function tuned(ctx: StateContext, name: string, kwargs: Dict): Promise<StateResult> {
  const made = (result: boolean | null, comment: string, changes = dict()): StateResult => ({
    ...{ changes, comment, name, result },
  });
  if (ctx.state.test) return made(null, `Changes to ${name} will be applied `);
  const before = await ctx.functions.call('disk.dump', [name]);
  const asked = [...kwargs.keys()].flatMap((key) => ANSWERS.get(pyStr(key)) ?? []);
  // Salt compat: Salt ends with a TypeError or a KeyError.
  if (!isDict(before) || asked.some((answer) => !before.has(answer)))
    return made(false, `Changes to ${name} cannot be applied. Not a block device. `);
  const after = await ctx.functions.call('disk.tune', [name], kwargs);
  if (!isDict(after) || after.size === 0) return made(false, `Failed to modify block device ${name}`);
  const changes = dict();
  for (const [key, given] of kwargs) {
    const answer = ANSWERS.get(pyStr(key));
    const [old, now] = [before.get(answer ?? '') ?? null, after.get(answer ?? '') ?? null];
    if (answer !== undefined && old !== now) changes.set(key, changeText(pyStr(key), given, old, now));
  }
  return changes.size === 0
    ? made(true, `Block device ${name} already in correct state`)
    : made(true, `Block device ${name} successfully modified `, changes);
}

/** The states of `blockdev`. */
export const blockdevStates = defineModule({
  name: 'blockdev',
  file: 'blockdev',
  doc: 'Block devices and the file systems on them.',
  functions: {
    tuned: defineState({
      doc: 'Makes sure of options of a block device: read-ahead, filesystem-read-ahead, read-only, read-write.',
      params: { name: param.text({ doc: 'The device.' }) },
      kwargs: 'kwargs',
      run: (ctx, { name }, kwargs) => tuned(ctx, name, kwargs),
    }),
    formatted: defineState({
      doc: 'Makes sure that a device has a file system; another one on it is lost.',
      params: {
        name: param.text({ doc: 'The device.' }),
        fs_type: param.text({ default: 'ext4', doc: 'The file system.' }),
        force: param.flag({ default: false, doc: 'Also on what is no device (ext and xfs).' }),
      },
      kwargs: 'kwargs',
      run: (ctx, { name, fs_type, force }, kwargs) =>
        formatted(ctx, { name, fsType: fs_type, force }, kwargs),
    }),
  },
});
