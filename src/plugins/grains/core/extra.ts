/** Grains about the minion's surroundings (salt/grains: extra, minion_process, opts). */
import { dirname, join } from 'node:path';
import { messageOf } from '../../../errors/errors.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { loadYaml } from '../../../formats/yaml/load.ts';
import { option, isDirectory, isFile, type GrainsContext } from './context.ts';

/** shell */
export function shellGrain({ host }: GrainsContext): Dict {
  const windows = host.platform === 'win32';
  const fallback = windows ? 'C:\\Windows\\system32\\cmd.exe' : '/bin/sh';
  return dict({ shell: host.env.get(windows ? 'COMSPEC' : 'SHELL') ?? fallback });
}

/**
 * The path of the static grains file, which `grains.setval` writes too.
 * @param confFile the option `conf_file`: the minion's configuration file or its folder
 */
function grainsFilePath(ctx: GrainsContext, confFile: string): string {
  return join(isDirectory(ctx.host, confFile) ? confFile : dirname(confFile), 'grains');
}

/**
 * The grains of the static grains file. A file that is not YAML is left out with a warning. Of a grain that stands
 * there twice the last one counts, as in 3008; 3006.16 leaves the whole file out.
 */
export function grainsFileGrains(ctx: GrainsContext): Dict {
  const confFile = option(ctx, 'conf_file', '');
  if (typeof confFile !== 'string' || confFile === '') return new Map();
  const path = grainsFilePath(ctx, confFile);
  if (!isFile(ctx.host, path)) return new Map();
  const text = ctx.host.readText(path);
  try {
    if (text === undefined) throw new Error('it cannot be read');
    const value = loadYaml(text, {
      source: path,
      onDuplicate: (error) =>
        ctx.log.warning(
          `A grain stands twice in the grains file, the last one counts; remove the other: ${messageOf(error)}`,
        ),
    });
    return isDict(value) ? value : new Map();
  } catch (error) {
    ctx.log.warning(`The grains file ${path} is left out: ${messageOf(error)}`, error);
    return new Map();
  }
}

/** transactional */
export function transactionalGrain(ctx: GrainsContext): Dict {
  return dict({ transactional: ctx.which('transactional-update') !== undefined });
}

/** efi and efi-secure-boot */
export function efiGrains({ host }: GrainsContext): Dict {
  const folder = ['/sys/firmware/efi/efivars', '/sys/firmware/efi/vars'].find((x) => host.stat(x));
  let secure = false;
  if (folder !== undefined) {
    const names = host.list(folder).filter((x) => x.startsWith('SecureBoot-'));
    const data = folder.endsWith('efivars') ? '' : '/data';
    const files = names.map((x) => `${folder}/${x}${data}`).filter((x) => host.stat(x));
    const [file] = files;
    if (file !== undefined && files.length === 1) secure = host.readBytes(file, 0, 4096)?.at(-1) === 1;
  }
  return dict({ efi: folder !== undefined, 'efi-secure-boot': secure });
}

/** username, groupname, pid, gid and uid */
export async function processGrains(ctx: GrainsContext): Promise<Dict> {
  const { host } = ctx;
  const user = host.user();
  const grains = dict({
    username: user?.name ?? '',
    groupname: user && host.platform !== 'win32' ? await groupName(ctx, user.primaryGid) : '',
    pid: host.pid,
  });
  if (user && host.platform !== 'win32') {
    grains.set('gid', user.gid);
    grains.set('uid', user.uid);
  }
  return grains;
}

async function groupName(ctx: GrainsContext, gid: number): Promise<string> {
  for (const line of (ctx.host.readText('/etc/group') ?? '').split('\n')) {
    const [name = '', , number] = line.split(':');
    if (number === String(gid)) return name;
  }
  const result = await ctx.run(['getent', 'group', String(gid)]);
  return result?.retcode === 0 ? (result.stdout.split(':')[0] ?? '') : '';
}

/** opts: the whole configuration, with the option `grain_opts` */
export function optionsGrain(ctx: GrainsContext): Dict {
  return truthy(option(ctx, 'grain_opts', false)) ? new Map<Value, Value>([['opts', ctx.opts]]) : new Map();
}
