/** `sysctl`: parameters of the kernel. Follows 3006.16 salt/modules/linux_sysctl.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { replaceFile, writeInPlace } from '../../host/file-operations.ts';
import { readTextIfExists } from '../../host/files.ts';
import { dirName, isDir, isFile, pathExists } from '../../python/paths.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { splitLines, strip } from '../../python/values/text.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { linesOf } from '../shared/file-text.ts';
import { programPath, runAll, runStdout, runText } from '../shared/program.ts';
import { isSystemdBooted, systemdVersion } from '../shared/systemd-host.ts';
import { makeFolders } from '../../host/make-folders.ts';
import { param } from '../../runtime/loader/params.ts';

async function defaultConfig(ctx: ModuleContext): Promise<string> {
  const isNew = isSystemdBooted() && ((await systemdVersion(ctx)) ?? 0) >= 207;
  return isNew ? '/etc/sysctl.d/99-salt.conf' : '/etc/sysctl.conf';
}

async function show(ctx: ModuleContext, file: string): Promise<Value> {
  const out: Dict = new Map();
  if (file !== '') {
    if (!pathExists(file)) return [];
    for (const raw of (readTextIfExists(file) ?? '').split('\n')) {
      const line = strip(raw);
      const at = line.indexOf('=');
      if (at >= 0 && !line.startsWith('#'))
        out.set(line.slice(0, at).trimEnd(), line.slice(at + 1).trimStart());
    }
    return out;
  }
  const output = await runStdout(ctx, [programPath('sysctl'), '-a'], { output_loglevel: 'trace' });
  for (const line of splitLines(output)) {
    const at = line.indexOf(' = ');
    if (at >= 0) out.set(line.slice(0, at), line.slice(at + 3));
  }
  return out;
}

function current(ctx: ModuleContext, name: string): Promise<string> {
  return runText(ctx, [programPath('sysctl'), '-n', name]);
}

/** Whether the kernel has a parameter. */
export function hasParameter(name: string): boolean {
  const path = name.replace(/[./]/g, (char) => (char === '.' ? '/' : '.'));
  return !path.split('/').includes('..') && pathExists(`/proc/sys/${path}`);
}

/** `sysctl.assign`. @throws CommandExecutionError when the kernel does not take it */
async function assign(ctx: ModuleContext, name: string, value: string): Promise<Dict> {
  if (!hasParameter(name)) throw new CommandExecutionError(`sysctl ${name} does not exist`);
  const { retcode, stdout, stderr } = await runAll(ctx, [programPath('sysctl'), '-w', `${name}=${value}`]);
  const at = stdout.indexOf(' = ');
  const isTaken = at >= 0 && stdout.slice(0, at).trimEnd() === name && stdout.slice(at + 3) === value;
  if (!isTaken || stderr.includes('Invalid argument')) {
    const error = retcode !== 0 && stderr !== '' ? stderr : stdout;
    throw new CommandExecutionError(`sysctl -w failed: ${error}`);
  }
  return new Map([[stdout.slice(0, at), stdout.slice(at + 3)]]);
}

/** White space inside values does not matter to the kernel. */
function comparable(value: string): string {
  return value.replace(/\s+/g, '\t');
}

/** What a new file begins with. */
const FIRST_LINES = '#\n# Kernel sysctl configuration\n#\n';

/**
 * Salt compat: Salt writes the file first, so that what the kernel refuses stands in it and is tried at every start.
 */
async function persist(ctx: ModuleContext, name: string, value: string, file: string): Promise<string> {
  const lines = linesOf(isFile(file) ? (readTextIfExists(file) ?? '') : FIRST_LINES);
  let isEdited = false;
  for (const [i, line] of lines.entries()) {
    const at = line.indexOf('=');
    const key = strip(at < 0 ? '' : line.slice(0, at));
    if (key !== name) continue;
    if (comparable(strip(line.slice(at + 1))) === comparable(value)) {
      if (comparable(await current(ctx, name)) === comparable(value)) return 'Already set';
      await assign(ctx, name, value);
      return 'Updated';
    }
    lines[i] = `${name} = ${value}\n`;
    isEdited = true;
  }
  if (!isEdited) lines.push(`${name} = ${value}\n`);
  const refused = (error: unknown): CommandExecutionError =>
    new CommandExecutionError(`Could not write to file: ${file}`, { cause: error });
  try {
    if (!isDir(dirName(file))) makeFolders(dirName(file));
  } catch (error) {
    throw refused(error);
  }
  await assign(ctx, name, value);
  try {
    if (!isFile(file)) writeInPlace(file, '');
    replaceFile(ctx.random, file, lines.join(''));
  } catch (error) {
    throw refused(error);
  }
  return 'Updated';
}

const NAME = param.text({ doc: 'The name of the parameter.' });
const VALUE = param.text({ type: 'str or int', doc: 'Its value.' });

/** The module. */
export const sysctlModule = defineModule({
  name: 'sysctl',
  file: 'linux_sysctl',
  doc: 'Reads parameters of the kernel, sets them now and for good.',
  unavailable: () =>
    process.platform === 'linux'
      ? undefined
      : 'The linux_sysctl execution module cannot be loaded: only available on Linux systems.',
  words: { dashes: ['value'] },
  functions: {
    default_config: defineFunction({
      doc: 'Returns the file in which persist keeps parameters.',
      returns: 'a path',
      examples: ["salt '*' sysctl.default_config"],
      run: (ctx) => defaultConfig(ctx),
    }),
    show: defineFunction({
      doc: 'Lists all parameters of the kernel, or those in a file.',
      params: { config_file: param.textIfGiven({ default: false, doc: 'The file.' }) },
      returns: 'mapping of name to value; an empty list when there is no such file',
      examples: ["salt '*' sysctl.show", "salt '*' sysctl.show config_file=/etc/sysctl.conf"],
      run: (ctx, { config_file }) => show(ctx, config_file ?? ''),
    }),
    get: defineFunction({
      doc: 'Gives one parameter.',
      params: { name: NAME },
      returns: 'text',
      examples: ["salt '*' sysctl.get net.ipv4.ip_forward"],
      run: (ctx, { name }) => current(ctx, name),
    }),
    assign: defineFunction({
      doc: 'Sets a parameter until the next start.',
      params: { name: NAME, value: VALUE },
      returns: '`{name: value}`',
      examples: ["salt '*' sysctl.assign net.ipv4.ip_forward 1"],
      run: (ctx, { name, value }) => assign(ctx, name, value),
    }),
    persist: defineFunction({
      doc: 'Sets a parameter now and for every start.',
      params: {
        name: NAME,
        value: VALUE,
        config: param.textOrNone({ default: null, doc: 'The file to keep it in.' }),
      },
      returns: '`Updated` or `Already set`',
      examples: ["salt '*' sysctl.persist net.ipv4.ip_forward 1"],
      run: async (ctx, { name, value, config }) =>
        persist(ctx, name, value, config ?? (await defaultConfig(ctx))),
    }),
  },
});
