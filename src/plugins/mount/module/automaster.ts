/** `mount`: the map of the automounter, /etc/auto_salt. Follows 3006.16 salt/modules/mount.py. */
import { isFile } from '../../../python/paths.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { dict, type Dict } from '../../../python/values/value.ts';
import { runText } from '../../shared/program.ts';
import { CONFIG as TABLE, DEVICE, FSTYPE, HOW, NAME, OPTS, SET } from './params.ts';
import { param } from '../../../runtime/loader/params.ts';
import { isTestMode, optionText, readLines, wordsOf, writeChanged, writeRemaining } from './table.ts';

/** The file that names all maps. */
const MASTER = '/etc/auto_master';
/** Stands before each mount point. */
const PREFIX = '/..';

/** The columns of a line: mount point, type with options, and type with device. */
type MapLine = readonly [place: string, options: string, source: string];

function parseLine(line: string): MapLine | undefined {
  if (line.startsWith('#')) return undefined;
  const [place, options, source, more] = wordsOf(line);
  if (options === undefined || source === undefined || more !== undefined) return undefined;
  return [place ?? '', options, source];
}

function mountPoint([place]: MapLine): string {
  return place.replaceAll(PREFIX, '');
}

/** The device. @throws PythonError when the line names none */
function deviceOf([, , source]: MapLine): string {
  const device = source.split(':')[1];
  if (device === undefined) throw new PythonError('IndexError', 'list index out of range');
  return device;
}

function listMap(config: string): Dict {
  const out: Dict = new Map();
  for (const line of isFile(config) ? readLines(config) : []) {
    const entry = parseLine(line);
    if (entry === undefined) continue;
    const [fstype = '', ...opts] = entry[1].split(',');
    out.set(mountPoint(entry), dict({ device: deviceOf(entry), fstype, opts }));
  }
  return out;
}

async function removeFromMap(
  ctx: ModuleContext,
  config: string,
  { name, device }: { readonly name: string; readonly device: string | undefined },
): Promise<true> {
  if (!listMap(config).has(name)) return true;
  const left = readLines(config).filter((line) => {
    const entry = parseLine(line);
    if (entry === undefined || mountPoint(entry) !== name) return true;
    return device !== undefined && deviceOf(entry) !== device;
  });
  writeRemaining(ctx.random, config, left);
  await runText(ctx, ['automount', '-cv']);
  return true;
}

/** Creates a map that is not there, and names it in the master map. */
async function ensureMap(ctx: ModuleContext, config: string): Promise<void> {
  if (isFile(config)) return;
  await ctx.functions.call('file.touch', [config]);
  await ctx.functions.call('file.append', [MASTER, `/-\t\t\t${config}`]);
}

/**
 * Puts an entry into the lines of a map. Of several lines for one place or device, those before the first that differs
 * go away.
 * @returns the lines with the entry, and what came of it
 */
function withEntry(
  lines: readonly string[],
  wanted: MapLine,
  notChange: boolean,
): { readonly lines: string[]; readonly result: 'new' | 'present' | 'change' } {
  const newLine = `${wanted.join('\t')}\n`;
  let result: 'new' | 'present' | 'change' = 'new';
  const out: string[] = [];
  for (const line of lines) {
    const old = parseLine(line);
    if (old === undefined || (old[0] !== wanted[0] && old[2] !== wanted[2])) {
      out.push(line);
      continue;
    }
    if (!notChange && old.some((word, i) => word !== wanted[i])) result = 'change';
    if (result === 'change') out.push(newLine);
    else result = 'present';
  }
  return { lines: result === 'new' ? [...out, newLine] : out, result };
}

const CONFIG = { ...TABLE, default: '/etc/auto_salt', doc: 'The map.' } as const;

/** Functions about the automounter. */
export const automasterFunctions = {
  automaster: defineFunction({
    doc: 'Lists what the automounter mounts.',
    params: { config: CONFIG },
    returns: 'mapping of mount point to `{device, fstype, opts}`',
    examples: ["salt '*' mount.automaster"],
    run: (_ctx, { config }) => listMap(config),
  }),
  rm_automaster: defineFunction({
    doc: 'Has a file system no more mounted by the automounter, and notifies the automounter.',
    params: { name: NAME, device: param.textIfGiven({ doc: DEVICE.doc }), config: CONFIG },
    returns: 'true',
    examples: ["salt '*' mount.rm_automaster /mnt/foo /dev/sdg"],
    run: (ctx, { config, ...entry }) => removeFromMap(ctx, config, entry),
  }),
  set_automaster: defineFunction({
    doc: `Has a file system mounted by the automounter. A map that is not there is created, even by a test, and named in ${MASTER}, which must exist.`,
    params: {
      name: NAME,
      device: DEVICE,
      fstype: FSTYPE,
      opts: param.by(optionText, { ...OPTS, default: '' }),
      config: CONFIG,
      test: HOW.test,
      not_change: HOW.not_change,
    },
    kwargs: 'kwargs',
    returns: SET,
    examples: ["salt '*' mount.set_automaster /mnt/foo /dev/sdz1 ext4"],
    run: async (ctx, args, _rest, kwargs) => {
      const [config, fstype] = [args.config, args.fstype];
      const source = `${fstype}:${args.device}`;
      const entry: MapLine = [
        `${PREFIX}${args.name}`,
        `-fstype=${fstype},${args.opts}`,
        fstype === 'smbfs' ? source.replaceAll(fstype, '') : source,
      ];
      await ensureMap(ctx, config);
      const { lines, result } = withEntry(readLines(config), entry, args.not_change);
      if (result !== 'present' && !isTestMode(args.test, kwargs)) writeChanged(ctx.random, config, lines);
      return result;
    },
  }),
};
