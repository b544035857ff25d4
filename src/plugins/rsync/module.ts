/** `rsync`: copying folders. Follows 3006.16 salt/modules/rsync.py. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { readBytes } from '../../host/file-operations.ts';
import { findProgram } from '../../host/which.ts';
import { isOsError, osErrorText } from '../../python/os-errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { decodeUtf8 } from '../../python/values/text.ts';
import { truthy, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { ranAll, runStdout } from '../shared/program.ts';

const OPTIONS = {
  delete: param.value({ default: false, type: 'bool', doc: 'Remove what the source does not have.' }),
  force: param.value({ default: false, type: 'bool', doc: 'Remove folders even when they are not empty.' }),
  update: param.value({ default: false, type: 'bool', doc: 'Leave files alone that are newer.' }),
  passwordfile: param.value({
    default: null,
    type: 'str',
    doc: 'The file with the password of an rsync daemon.',
  }),
  exclude: param.value({ default: null, type: 'list or str', doc: 'What is left out.' }),
  excludefrom: param.value({ default: null, type: 'str', doc: 'A file of patterns of what is left out.' }),
  dryrun: param.value({ default: false, type: 'bool', doc: 'Only say what would be copied.' }),
  rsh: param.value({ default: null, type: 'str', doc: 'The remote shell.' }),
} as const;
type Options = { readonly [K in keyof typeof OPTIONS]: Value };

function wordsOf(given: Options): string[] {
  const when = (value: Value, ...words: string[]): string[] => (truthy(value) ? words : []);
  const excluded = truthy(given.excludefrom)
    ? []
    : Array.isArray(given.exclude)
      ? given.exclude
      : when(given.exclude, pyStr(given.exclude));
  return [
    '-avz',
    ...when(given.delete, '--delete'),
    ...when(given.force, '--force'),
    ...when(given.update, '--update'),
    ...when(given.rsh, `--rsh=${pyStr(given.rsh)}`),
    ...when(given.passwordfile, '--password-file', pyStr(given.passwordfile)),
    ...when(given.excludefrom, '--exclude-from', pyStr(given.excludefrom)),
    ...excluded.flatMap((each) => ['--exclude', pyStr(each)]),
    ...when(given.dryrun, '--dry-run'),
  ];
}

/**
 * What is fetched for one run has the times of that run, so that its content alone says whether it is another.
 *
 * Salt compat: Salt copies all of it again whenever a second has passed since the last time.
 */
const BY_CONTENT = ['--checksum', '--no-times'];

/** What is at an address `salt://`, copied into a folder. @throws CommandExecutionError where there is nothing */
async function fetched(ctx: ModuleContext, source: string, saltenv: Value, folder: string): Promise<string> {
  const path = source.replaceAll('salt://', '');
  const folders = await ctx.functions.call('cp.list_master_dirs', [], { saltenv });
  const isFolder = Array.isArray(folders) && folders.includes(path);
  const target = isFolder ? `${folder}/` : join(folder, 'file');
  const got = await ctx.functions.call(isFolder ? 'cp.get_dir' : 'cp.get_file', [source, target, saltenv]);
  if (!truthy(got)) throw new CommandExecutionError(`${source} does not exist`);
  return target;
}

async function copy(
  ctx: ModuleContext,
  given: Options & {
    readonly src: Value | undefined;
    readonly dst: Value | undefined;
    readonly additional_opts: Value[] | undefined;
    readonly saltenv: Value;
  },
): Promise<Value> {
  const option = async (name: string, value: Value | undefined): Promise<Value> =>
    value !== undefined ? value : ctx.functions.call('config.option', [`rsync.${name}`]);
  const src = pyStr(await option('src', given.src));
  const dst = pyStr(await option('dst', given.dst));
  if (src === '' || dst === '') throw new SaltInvocationError('src and dst cannot be empty');
  const settings: Record<string, Value> = {};
  for (const name of Object.keys(OPTIONS)) settings[name] = await option(name, given[name as keyof Options]);
  const words = wordsOf(settings as Options);
  if (given.additional_opts !== undefined) words.push(...given.additional_opts.map(pyStr));
  const folder = src.startsWith('salt://') ? mkdtempSync(join(tmpdir(), 'salt-rsync-')) : undefined;
  try {
    const from = folder === undefined ? src : await fetched(ctx, src, given.saltenv, folder);
    if (folder !== undefined) words.push(...BY_CONTENT);
    return await ranAll(ctx, [['rsync', ...words, from, dst]], { python_shell: false });
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function configuration(path: string): string {
  try {
    const bytes = readBytes(path);
    return decodeUtf8(bytes) ?? Buffer.from(bytes).toString('latin1');
  } catch (error) {
    if (!isOsError(error)) throw error;
    const code = (error as { readonly code?: string }).code;
    if (code === 'ENOENT') throw new CommandExecutionError(`${path} does not exist`);
    if (code === 'EACCES') throw new CommandExecutionError(`Unable to read ${path}, access denied`);
    if (code === 'EISDIR') throw new CommandExecutionError(`Unable to read ${path}, path is a directory`);
    throw new CommandExecutionError(`Error ${osErrorText(error)}`);
  }
}

/** The module. */
export const rsyncModule = defineModule({
  name: 'rsync',
  file: 'rsync',
  doc: 'Copying folders (`rsync`).',
  words: { dashes: ['additional_opts', 'rsh', 'passwordfile', 'exclude', 'excludefrom'] },
  unavailable: () =>
    findProgram('rsync') === undefined
      ? 'The rsync execution module cannot be loaded: the rsync binary is not in the path.'
      : undefined,
  functions: {
    rsync: defineFunction({
      doc: 'Copies a file or a folder. What is not said is taken from the options rsync.src, rsync.dst and so on.',
      params: {
        src: param.valueIfGiven({
          type: 'str',
          doc: 'What is copied: a path, host:path, or an address salt://.',
        }),
        dst: param.valueIfGiven({ type: 'str', doc: 'Where it goes.' }),
        ...OPTIONS,
        additional_opts: param.listIfGiven({ default: null, doc: 'Further words for rsync.' }),
        saltenv: param.value({ default: 'base', type: 'str', doc: 'The environment of an address salt://.' }),
      },
      returns: 'mapping with pid, retcode, stdout and stderr',
      examples: ["salt '*' rsync.rsync /path/to/src /path/to/dest delete=True update=True"],
      run: (ctx, given) => copy(ctx, given),
    }),
    version: defineFunction({
      doc: 'Returns the version of rsync.',
      returns: 'text',
      examples: ["salt '*' rsync.version"],
      run: async (ctx) => {
        const word = (await runStdout(ctx, ['rsync', '--version'])).split('\n')[0]?.split(/\s+/)[2];
        if (word !== undefined) return word;
        throw new CommandExecutionError('Unable to determine rsync version');
      },
    }),
    config: defineFunction({
      doc: 'Returns the configuration of the rsync daemon.',
      params: { conf_path: param.text({ default: '/etc/rsyncd.conf', doc: 'The file.' }) },
      returns: 'text',
      examples: ["salt '*' rsync.config"],
      run: (_ctx, { conf_path }) => configuration(conf_path),
    }),
  },
});
