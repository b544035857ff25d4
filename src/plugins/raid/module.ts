/** `raid`: arrays of disks, by mdadm. Follows 3006.16 salt/modules/mdadm_raid.py. */
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { pathExists } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { runCode, runStdout, runText } from '../shared/program.ts';

const wordsIn = (line: string): string[] => line.split(/\s+/).filter((word) => word !== '');

async function arrays(ctx: ModuleContext): Promise<Dict> {
  const found = dict();
  for (const line of splitLines(await runStdout(ctx, ['mdadm', '--detail', '--scan']))) {
    const [, device, ...fields] = wordsIn(line);
    if (device === undefined) continue;
    const about = dict({ device });
    for (const field of fields) {
      const [key = '', value = ''] = field.split('=');
      about.set(key.toLowerCase(), value);
    }
    found.set(device, about);
  }
  return found;
}

async function detailOf(ctx: ModuleContext, device: string): Promise<Dict> {
  if (!pathExists(device)) throw new CommandExecutionError(`Device ${device} doesn't exist!`);
  const members = dict();
  const found = dict({ members });
  for (const line of splitLines(await runStdout(ctx, ['mdadm', '--detail', device]))) {
    if (line.startsWith(device) || !line.includes(' ')) continue;
    const [name, value] = line.split(' : ');
    if (!line.includes(':')) {
      const fields = wordsIn(line);
      const [number = '', major = '', minor = '', raiddevice = ''] = fields;
      const state = fields.slice(4, -1).join(' ');
      const about = { device: fields.at(-1) ?? '', major, minor, number, raiddevice, state };
      if (line.includes('/dev/')) members.set(number, dict(about));
    } else if (name !== undefined && value !== undefined)
      found.set(name.toLowerCase().trim().replaceAll(' ', '_'), value.trim());
  }
  return found;
}

const configFile = (ctx: ModuleContext): string =>
  ctx.grains.get('os_family') === 'Debian' ? '/etc/mdadm/mdadm.conf' : '/etc/mdadm.conf';

/** Replaces lines of mdadm's configuration. @returns false where there is no such file */
async function replaceLine(ctx: ModuleContext, args: readonly Value[], keywords: Dict): Promise<boolean> {
  try {
    await ctx.functions.call('file.replace', [configFile(ctx), ...args], keywords);
    return true;
  } catch (error) {
    if (error instanceof SaltInvocationError) return false;
    throw error;
  }
}

async function destroy(ctx: ModuleContext, device: string): Promise<boolean> {
  if (!pathExists(device)) return false;
  const members = (await detailOf(ctx, device)).get('members');
  if ((await runCode(ctx, ['mdadm', '--stop', device])) === 0) {
    const disks = isDict(members) ? [...members.values()] : [];
    const paths = disks.map((disk) => (isDict(disk) ? (disk.get('device') ?? null) : null));
    await runCode(ctx, ['mdadm', '--zero-superblock', ...paths]);
  }
  await replaceLine(ctx, [`ARRAY ${device} .*`, ''], dict());
  return !(await arrays(ctx)).has(device);
}

const escaped = (text: string): string => text.replace(/[^\w/]/g, '\\$&');

async function saveConfig(ctx: ModuleContext): Promise<Value> {
  const isUbuntu = ctx.grains.get('os') === 'Ubuntu';
  // Ubuntu's initramfs renames arrays whose lines have these
  const lines = splitLines(await runText(ctx, ['mdadm', '--detail', '--scan'])).map((line) =>
    isUbuntu ? line.replace(/\s(?:name|metadata)=\S+/gi, '') : line,
  );
  for (const line of lines) {
    const device = wordsIn(line)[1];
    if (device === undefined) throw new CommandExecutionError(`mdadm says what is not understood: ${line}`);
    const pattern = `^ARRAY\\s+${escaped(device)}\\s+.*$`;
    if (await replaceLine(ctx, [pattern, line], dict({ append_if_not_found: true }))) continue;
    await ctx.functions.call('file.write', [configFile(ctx)], { args: lines });
    break;
  }
  const family = ctx.grains.get('os_family');
  if (family === 'Debian') return runText(ctx, ['update-initramfs', '-u']);
  return family === 'RedHat' ? runText(ctx, ['dracut', '--force']) : null;
}

/** Keywords as options of mdadm: a flag has no value. */
function optionWords(kwargs: Dict): string[] {
  return [...kwargs].flatMap(([key, value]) => {
    const name = pyStr(key);
    if (name.startsWith('__')) return [];
    return value === true ? [`--${name}`] : [`--${name}`, pyStr(value)];
  });
}

const spares = (kwargs: Dict): number => toNumber(kwargs.get('spare-devices') ?? 0) ?? 0;
const DEVICES = { devices: param.texts({ doc: 'The disks.' }) } as const;
const NAME = { name: param.text({ doc: 'The array: /dev/md0.' }) } as const;
const TEST_MODE = {
  test_mode: param.value({ default: false, type: 'bool', doc: 'Only return the command.' }),
} as const;

/** The module. */
export const mdadmRaidModule = defineModule({
  name: 'raid',
  file: 'mdadm_raid',
  doc: 'Arrays of disks, by mdadm.',
  unavailable: () =>
    findProgram('mdadm') === undefined
      ? 'The mdadm execution module cannot be loaded: the mdadm binary is not in the path.'
      : undefined,
  words: {},
  failsWith: { false: ['add', 'destroy'], true: ['stop'] },
  functions: {
    list: defineFunction({
      doc: 'Lists the arrays.',
      returns: 'mapping of array to what mdadm says of it',
      examples: ["salt '*' raid.list"],
      pythonName: 'list_',
      run: (ctx) => arrays(ctx),
    }),
    detail: defineFunction({
      doc: 'Describes an array and its disks.',
      params: { device: param.text({ default: '/dev/md0', doc: 'The array.' }) },
      returns: 'mapping of what mdadm says, and members',
      examples: ["salt '*' raid.detail /dev/md0"],
      run: (ctx, { device }) => detailOf(ctx, device),
    }),
    destroy: defineFunction({
      doc: 'Stops an array, and takes its mark off all its disks.',
      params: { device: param.text({ doc: 'The array.' }) },
      returns: 'true or false',
      examples: ["salt '*' raid.destroy /dev/md0"],
      run: (ctx, { device }) => destroy(ctx, device),
    }),
    stop: defineFunction({
      doc: 'Stops all arrays that are not in use.',
      // Salt compat: the other way round, as there
      returns: 'true where mdadm has failed, false where it has stopped them',
      examples: ["salt '*' raid.stop"],
      run: async (ctx) => (await runCode(ctx, ['mdadm', '--stop', '--scan'])) !== 0,
    }),
    create: defineFunction({
      doc: 'Makes an array. Further keywords are options of mdadm.',
      params: {
        ...NAME,
        level: param.text({ doc: 'The level: 1, 5.' }),
        ...DEVICES,
        metadata: param.text({ default: 'default', doc: 'The version of the metadata.' }),
        ...TEST_MODE,
      },
      kwargs: 'kwargs',
      returns: 'what mdadm says; in test mode the command',
      examples: [`salt '*' raid.create /dev/md0 level=1 chunk=256 devices="['/dev/xvdd', '/dev/xvde']"`],
      run: (ctx, { name, level, devices, metadata, test_mode }, _rest, kwargs) => {
        const count = String(devices.length - spares(kwargs));
        const head = ['mdadm', '-C', name, '-R', '-v', '-l', level, ...optionWords(kwargs)];
        const words = [...head, '-e', metadata, '-n', count, ...devices];
        if (test_mode === true) return words.join(' ');
        return test_mode === false ? runText(ctx, words) : null;
      },
    }),
    save_config: defineFunction({
      doc: "Writes the arrays into mdadm's configuration, and makes the initial RAM disk anew.",
      returns: 'what update-initramfs or dracut says',
      examples: ["salt '*' raid.save_config"],
      run: (ctx) => saveConfig(ctx),
    }),
    assemble: defineFunction({
      doc: 'Puts an array together that was made before. Further keywords are options of mdadm.',
      params: { ...NAME, ...DEVICES, ...TEST_MODE },
      kwargs: 'kwargs',
      returns: 'what mdadm says; in test mode the words of the command',
      examples: [`salt '*' raid.assemble /dev/md0 "['/dev/xvdd', '/dev/xvde']"`],
      run: (ctx, { name, devices, test_mode }, _rest, kwargs) => {
        const words = ['mdadm', '-A', name, '-v', ...optionWords(kwargs), ...devices];
        if (test_mode === true) return words;
        return test_mode === false ? runText(ctx, words) : null;
      },
    }),
    examine: defineFunction({
      doc: 'Describes a disk of an array.',
      params: {
        device: param.text({ doc: 'The disk.' }),
        quiet: param.flag({ default: false, doc: 'A disk that is in none is no failure.' }),
      },
      returns: 'mapping of names, as mdadm exports them, to texts',
      examples: ["salt '*' raid.examine /dev/sda1"],
      run: async (ctx, { device, quiet }) => {
        const said = await runStdout(ctx, ['mdadm', '-Y', '-E', device], { ignore_retcode: quiet });
        const found = dict();
        for (const line of splitLines(said)) {
          const at = line.indexOf('=');
          found.set(at < 0 ? line : line.slice(0, at), at < 0 ? '' : line.slice(at + 1));
        }
        return found;
      },
    }),
    add: defineFunction({
      doc: 'Adds a disk to an array.',
      params: { ...NAME, device: param.text({ doc: 'The disk.' }) },
      returns: 'true or false',
      examples: ["salt '*' raid.add /dev/md0 /dev/sda1"],
      run: async (ctx, { name, device }) =>
        (await runCode(ctx, ['mdadm', '--manage', name, '--add', device])) === 0,
    }),
  },
});
