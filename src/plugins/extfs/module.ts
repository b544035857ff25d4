/** `extfs`: the file systems ext2, ext3 and ext4. Follows 3006.16 salt/modules/extfs.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { pathOperand, runText } from '../shared/program.ts';

/** Options of mke2fs by Salt's names. */
const MAKE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ block_size: 'b', check: 'c', direct: 'D', ext_opts: 'E', fragment_size: 'f', force: 'F' },
    ...{ blocks_per_group: 'g', number_of_groups: 'G', bytes_per_inode: 'i', inode_size: 'I' },
    ...{ journal: 'j', journal_opts: 'J', blocks_file: 'l', label: 'L', reserved: 'm', last_dir: 'M' },
    ...{ test: 'n', number_of_inodes: 'N', creator_os: 'o', opts: 'O', revision: 'r', super: 'S' },
    ...{ usage_type: 'T', uuid: 'U' },
  }),
);
/** Options of tune2fs by Salt's names. */
const TUNE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ max: 'c', count: 'C', error: 'e', extended_opts: 'E', force: 'f', group: 'g', interval: 'i' },
    ...{ journal: 'j', journal_opts: 'J', label: 'L', last_dir: 'M', opts: 'o', feature: 'O' },
    ...{ mmp_check: 'p', reserved: 'r', quota_opts: 'Q', time: 'T', user: 'u', uuid: 'U' },
  }),
);

/** The words for keywords that are options. Salt compat: a flag is the text True. */
function optionWords(known: ReadonlyMap<string, string>, given: Dict): string[] {
  return [...given].flatMap(([key, value]) => {
    const letter = known.get(pyStr(key));
    if (letter === undefined) return [];
    return value === 'True' ? [`-${letter}`] : [`-${letter}`, pyStr(value)];
  });
}

const said = async (ctx: ModuleContext, words: readonly string[]): Promise<string[]> =>
  splitLines(await runText(ctx, words));

/** How lines of mke2fs begin that only tell how far it is. */
const PROGRESS =
  /^(?:mke2fs|Discarding device blocks|Allocating group tables|Writing inode tables|Creating journal|Writing superblocks)/;

/** One group of blocks: its name, and what is known of it. */
function groupOf(line: string): readonly [string, Dict] {
  const [, group = '', , range = ''] = line.replace(/[:()[\]]/g, '').split(/\s+/);
  return [`Group ${group}`, dict({ group, range, extra: [] })];
}

/** What dumpe2fs says. */
function readDump(lines: readonly string[]): { readonly attributes: Dict; readonly blocks: Dict } {
  const [attributes, blocks] = [dict(), dict()];
  let group: Dict | undefined;
  for (const line of lines) {
    if (line === '' || line.startsWith('dumpe2fs')) continue;
    const isGroup = /^Group(?! descriptor size)/.test(line);
    if (group === undefined && !isGroup) {
      const [name = '', value] = line.replaceAll('\t', ' ').split(': ');
      if (value === undefined) continue;
      const isList = line.startsWith('Filesystem features');
      attributes.set(name, isList ? value.split(/\s+/).filter((word) => word !== '') : value.trim());
    } else if (isGroup || line.startsWith('Group')) {
      const [name, about] = groupOf(line);
      group = about;
      blocks.set(name, about);
    } else if (group !== undefined) {
      const free = /Free (blocks|inodes):/.exec(line)?.[1];
      const extra = group.get('extra');
      if (free !== undefined) group.set(`free ${free}`, (line.split(': ')[1] ?? '').split(', '));
      else if (Array.isArray(extra)) extra.push(line.trim());
    }
  }
  return { attributes, blocks };
}

async function dump(ctx: ModuleContext, device: string, args: string | undefined) {
  if (args !== undefined && !/^[\w =]+$/.test(args))
    throw new CommandExecutionError(`Options of dumpe2fs are letters: ${args} is none.`);
  const options = args === undefined ? [] : `-${args}`.split(' ');
  return readDump(await said(ctx, ['dumpe2fs', pathOperand(device), ...options]));
}

const DEVICE = { device: param.text({ doc: 'The device: /dev/sda1.' }) } as const;
const ARGS = { args: param.textIfGiven({ default: null, doc: 'Options of dumpe2fs, as letters.' }) } as const;

/** The module. */
export const extfsModule = defineModule({
  name: 'extfs',
  file: 'extfs',
  doc: 'The file systems ext2, ext3 and ext4.',
  words: {},
  functions: {
    mkfs: defineFunction({
      doc: 'Makes a file system. Options are given as keywords: block_size, label, reserved, opts and so on.',
      params: { ...DEVICE, fs_type: param.text({ doc: 'ext2, ext3 or ext4.' }) },
      kwargs: 'kwargs',
      returns: 'list of the lines that mke2fs says',
      examples: ["salt '*' extfs.mkfs /dev/sda1 fs_type=ext4 opts='acl,noexec'"],
      run: async (ctx, { device, fs_type }, _rest, kwargs) => {
        const words = ['mke2fs', '-F', '-t', fs_type, ...optionWords(MAKE, kwargs), pathOperand(device)];
        return (await said(ctx, words)).filter((line) => line !== '' && !PROGRESS.test(line));
      },
    }),
    tune: defineFunction({
      doc: 'Changes settings of a file system. Options are given as keywords: max, label, reserved, opts and so on.',
      params: DEVICE,
      kwargs: 'kwargs',
      returns: 'list of the lines that tune2fs says',
      examples: ["salt '*' extfs.tune /dev/sda1 force=True label=wildstallyns opts='acl,noexec'"],
      run: (ctx, { device }, _rest, kwargs) =>
        said(ctx, ['tune2fs', ...optionWords(TUNE, kwargs), pathOperand(device)]),
    }),
    attributes: defineFunction({
      doc: 'Returns the settings of a file system.',
      params: { ...DEVICE, ...ARGS },
      returns: 'mapping of name to text',
      examples: ["salt '*' extfs.attributes /dev/sda1"],
      run: async (ctx, { device, args }) => (await dump(ctx, device, args)).attributes,
    }),
    blocks: defineFunction({
      doc: 'Returns the groups of blocks of a file system.',
      params: { ...DEVICE, ...ARGS },
      returns: 'mapping of group to what is known of it',
      examples: ["salt '*' extfs.blocks /dev/sda1"],
      run: async (ctx, { device, args }) => (await dump(ctx, device, args)).blocks,
    }),
    dump: defineFunction({
      doc: 'Returns the settings and the groups of blocks of a file system.',
      params: { ...DEVICE, ...ARGS },
      returns: 'mapping with attributes and blocks',
      examples: ["salt '*' extfs.dump /dev/sda1"],
      run: async (ctx, { device, args }): Promise<Value> => {
        const { attributes, blocks } = await dump(ctx, device, args);
        return dict({ attributes, blocks });
      },
    }),
  },
});
