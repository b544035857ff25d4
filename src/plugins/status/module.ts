/**
 * `status`: load, memory, disks, processes and network of this machine. Follows 3006.16 salt/modules/status.py (Linux).
 */
import { statfsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import { readTextIfExists } from '../../host/files.ts';
import { splitWords } from '../../python/shell-words.ts';
import { findProgram } from '../../host/which.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { strerror } from '../../python/os-errors.ts';
import { pathExists } from '../../python/paths.ts';
import { fnmatch } from '../../python/text/fnmatch.ts';
import { strftime } from '../../python/text/strftime.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, float, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { guarded, textPattern } from '../shared/regex.ts';
import { runStdout, runText } from '../shared/program.ts';
import {
  cpuInfo,
  cpuStats,
  diskStats,
  memoryInfo,
  networkDevices,
  networkStats,
  virtualMemoryStats,
} from './module/kernel.ts';
import { masterStatus, pingMaster } from './module/master.ts';
import { param } from '../../runtime/loader/params.ts';

const DAY_S = 86_400;

async function uptime(ctx: ModuleContext): Promise<Dict> {
  const text = readTextIfExists('/proc/uptime');
  if (text === undefined) throw new CommandExecutionError('File /proc/uptime was not found.');
  const seconds = Math.trunc(Number(text.split(/\s+/)[0]));
  const sinceMs = ctx.clock.nowMs() - seconds * 1000;
  const left = seconds % DAY_S;
  const micros = String(Math.trunc(sinceMs * 1000) % 1_000_000).padStart(6, '0');
  const out = dict({
    seconds,
    since_iso: `${new Date(Math.trunc(sinceMs)).toISOString().slice(0, 19)}.${micros}`,
    since_t: Math.trunc(sinceMs / 1000),
    days: Math.floor(seconds / DAY_S),
    time: `${Math.floor(left / 3600)}:${Math.floor((left % 3600) / 60)}`,
  });
  if (findProgram('who') !== undefined) {
    const who = await runText(ctx, ['who', '-s']);
    out.set('users', who.split('\n').length);
  }
  return out;
}

/** Bytes of file systems: of paths, and of the mounts whose type fits a glob; without arguments of all mounts. */
function diskUsage(ctx: ModuleContext, words: readonly Value[]): Dict {
  const args = words.map(pyStr);
  const types = args.length === 0 ? ['*'] : args.filter((arg) => !arg.startsWith('/'));
  const paths = new Set(args.filter((arg) => arg.startsWith('/')));
  for (const line of splitLines(readTextIfExists('/proc/mounts') ?? '')) {
    const [, path, type] = line.split(/\s+/);
    if (path !== undefined && type !== undefined && types.some((glob) => fnmatch(type, glob)))
      paths.add(path);
  }
  const out: Dict = new Map();
  for (const path of paths) {
    try {
      const { bavail, blocks, bsize } = statfsSync(path);
      out.set(path, dict({ available: bavail * bsize, total: blocks * bsize }));
    } catch (error) {
      // Salt compat: 3006.16 ends with a traceback; a mount may be gone by now, or not be for this user (66646)
      ctx.log.warning(`Cannot get stats from '${path}': ${strerror(error) ?? messageOf(error)}`);
      if (pathExists(path)) out.set(path, dict({ available: null, total: null }));
    }
  }
  return out;
}

function psCommand(ctx: ModuleContext): string[] {
  const grain = ctx.grains.get('ps');
  return splitWords(typeof grain === 'string' && grain !== '' ? grain : 'ps -efHww');
}

async function processes(ctx: ModuleContext): Promise<Dict> {
  const [head = '', ...lines] = splitLines(await runText(ctx, psCommand(ctx)));
  const guide = head.trim().split(/\s+/);
  const column = (...names: string[]): number =>
    Math.max(
      0,
      ...names
        .map((name) => guide.indexOf(name))
        .filter((at) => at >= 0)
        .slice(0, 1),
    );
  const [user, pid, cmd] = [column('USER', 'UID'), column('PID'), column('COMMAND', 'CMD')];
  const out: Dict = new Map();
  for (const line of lines) {
    const words = line.trim().split(/\s+/);
    if (line.trim() === '') continue;
    out.set(words[pid] ?? '', dict({ user: words[user] ?? '', cmd: words.slice(cmd).join(' ') }));
  }
  return out;
}

/** Pids of the processes whose line in the list of processes a regular expression finds. */
async function pidsOf(ctx: ModuleContext, signature: string): Promise<string> {
  const pattern = textPattern(signature);
  const own = String(process.pid);
  const lines = splitLines(await runStdout(ctx, psCommand(ctx)));
  const found = lines.filter((line) => !line.includes(own) && guarded(() => pattern.test(line, 'anywhere')));
  return found.map((line) => line.trim().split(/\s+/)[1] ?? '').join('\n');
}

async function loggedIn(ctx: ModuleContext): Promise<Value[]> {
  const lines = splitLines(await runText(ctx, ['w', '-fh'])).filter((line) => line !== '');
  return lines.map((line) => {
    const [user = '', tty = '', login = '', idle = '', jcpu = '', pcpu = '', ...what] = line
      .trim()
      .split(/\s+/);
    return dict({ idle, jcpu, login, pcpu, tty, user, what: what.join(' ') });
  });
}

/** Values of other functions that the configuration names: `status.<function>: [keys]`. */
async function custom(ctx: ModuleContext): Promise<Dict> {
  const wanted = await ctx.functions.call('config.dot_vals', ['status']);
  const out: Dict = new Map();
  for (const [key, items] of isDict(wanted) ? wanted : []) {
    const fun = pyStr(key).split('.').slice(0, -1).join('.');
    if (fun === 'status.custom') continue;
    if (!(await ctx.functions.has(fun))) {
      ctx.log.warning(`custom status ${fun} isn't loaded`);
      continue;
    }
    const values = await ctx.functions.call(fun);
    for (const item of Array.isArray(items) ? items : []) {
      const value = isDict(values) ? values.get(item) : undefined;
      if (value === undefined) ctx.log.warning(`val ${pyStr(item)} not in return of ${fun}`);
      out.set(item, value ?? 'UNKNOWN');
    }
  }
  return out;
}

function load(): Dict {
  const [one = 0, five = 0, fifteen = 0] = loadavg();
  return new Map<Value, Value>([
    ['1-min', float(one)],
    ['5-min', float(five)],
    ['15-min', float(fifteen)],
  ]);
}

const reading = (doc: string, returns: string, name: string, read: () => Value) =>
  defineFunction({ doc, returns, examples: [`salt '*' status.${name}`], run: read });

const kernel = {
  loadavg: reading(
    'Returns the load of the last 1, 5 and 15 minutes.',
    '`{1-min, 5-min, 15-min}`',
    'loadavg',
    load,
  ),
  cpustats: reading(
    'Returns what the processors have done since the start.',
    'mapping as in /proc/stat',
    'cpustats',
    cpuStats,
  ),
  meminfo: reading(
    'Returns how memory is used.',
    'mapping of name to `{value, unit}`',
    'meminfo',
    memoryInfo,
  ),
  cpuinfo: reading(
    'Describes the processor; of several the last one.',
    'mapping as in /proc/cpuinfo',
    'cpuinfo',
    cpuInfo,
  ),
  diskstats: reading(
    'Returns what disks have read and written since the start.',
    'mapping of device to counters',
    'diskstats',
    diskStats,
  ),
  vmstats: reading(
    'Returns counters of virtual memory.',
    'mapping as in /proc/vmstat',
    'vmstats',
    virtualMemoryStats,
  ),
  netstats: reading(
    'Returns counters of the network protocols.',
    'mapping of protocol to counters',
    'netstats',
    networkStats,
  ),
  netdev: reading(
    'Returns counters of the network interfaces.',
    'mapping of interface to counters',
    'netdev',
    networkDevices,
  ),
  version: reading('Returns the version of the kernel.', 'text', 'version', () =>
    (readTextIfExists('/proc/version') ?? '').trim(),
  ),
};

/** The module. */
export const statusModule = defineModule({
  name: 'status',
  file: 'status',
  doc: 'How this machine is doing: load, memory, disks, processes.',
  unavailable: () =>
    process.platform === 'win32' ? 'Windows platform is not supported by this module' : undefined,
  failsWith: { false: ['proxy_reconnect'] },
  functions: {
    ...kernel,
    uptime: defineFunction({
      doc: 'Returns since when the machine is running, and how many are logged in.',
      returns: '`{seconds, since_iso, since_t, days, time, users}`',
      examples: ["salt '*' status.uptime"],
      run: (ctx) => uptime(ctx),
    }),
    diskusage: defineFunction({
      doc: 'Returns sizes of file systems: of paths, or of the mounts of certain types (globs).',
      varargs: 'args',
      returns: 'mapping of mount to `{available, total}` in bytes',
      examples: [
        "salt '*' status.diskusage",
        "salt '*' status.diskusage / /tmp",
        "salt '*' status.diskusage 'ext?'",
      ],
      run: (ctx, _args, rest) => diskUsage(ctx, rest),
    }),
    nproc: defineFunction({
      doc: 'Returns how many processors there are.',
      returns: 'int',
      examples: ["salt '*' status.nproc"],
      run: async (ctx) => {
        const text = (await runText(ctx, ['nproc'])).trim();
        return /^\d+$/.test(text) ? Number(text) : text;
      },
    }),
    procs: defineFunction({
      doc: 'Lists the processes.',
      returns: 'mapping of pid (text) to `{user, cmd}`',
      examples: ["salt '*' status.procs"],
      run: (ctx) => processes(ctx),
    }),
    pid: defineFunction({
      doc: 'Finds processes by a regular expression on their line in the list of processes.',
      params: { sig: param.text({ doc: 'The regular expression.' }) },
      returns: 'pids, one in a line; empty when there are none',
      examples: ["salt '*' status.pid <sig>"],
      run: (ctx, { sig }) => pidsOf(ctx, sig),
    }),
    w: defineFunction({
      doc: 'Lists who is logged in, as the program w does.',
      returns: 'list of `{idle, jcpu, login, pcpu, tty, user, what}`',
      examples: ["salt '*' status.w"],
      run: (ctx) => loggedIn(ctx),
    }),
    all_status: defineFunction({
      doc: 'Returns everything that the other functions of this module return.',
      returns: 'mapping of function to its return',
      examples: ["salt '*' status.all_status"],
      run: async (ctx) =>
        dict({
          cpuinfo: cpuInfo(),
          cpustats: cpuStats(),
          diskstats: diskStats(),
          diskusage: diskUsage(ctx, []),
          loadavg: load(),
          meminfo: memoryInfo(),
          netdev: networkDevices(),
          netstats: networkStats(),
          uptime: await uptime(ctx),
          vmstats: virtualMemoryStats(),
          w: await loggedIn(ctx),
        }),
    }),
    custom: defineFunction({
      doc: 'Gives what the configuration asks for: `status.<function>.custom` lists keys of the return of a function.',
      returns: 'mapping',
      examples: ["salt '*' status.custom"],
      run: (ctx) => custom(ctx),
    }),
    time: defineFunction({
      doc: 'Returns the local time.',
      params: { format: param.text({ default: '%A, %d. %B %Y %I:%M%p', doc: 'The form, as of strftime.' }) },
      pythonName: 'time_',
      returns: 'text',
      examples: ["salt '*' status.time", "salt '*' status.time '%s'"],
      run: (ctx, { format }) => {
        const nowMs = ctx.clock.nowMs();
        return strftime(nowMs - new Date(nowMs).getTimezoneOffset() * 60_000, format);
      },
    }),
    master: defineFunction({
      doc: 'Returns whether this machine has a connection to a master; an event says when that has changed.',
      params: {
        master: param.textIfGiven({ default: null, doc: 'Name or address of the master.' }),
        connected: param.value({ default: true, type: 'bool', doc: 'What was known before.' }),
      },
      returns: 'true or false; nothing for a name that nobody knows',
      examples: ["salt '*' status.master"],
      run: (ctx, { master, connected }) =>
        master !== undefined ? masterStatus(ctx, master, connected) : null,
    }),
    ping_master: defineFunction({
      doc: 'Returns whether a master answers; an event says when it does.',
      params: { master: param.textIfGiven({ doc: 'Name or address of the master.' }) },
      returns: 'true or false',
      examples: ["salt '*' status.ping_master localhost"],
      run: (ctx, { master }) => (master !== undefined ? pingMaster(ctx, master) : false),
    }),
    proxy_reconnect: defineFunction({
      doc: 'Only for proxy minions.',
      params: {
        proxy_name: param.value({ type: 'str', doc: 'The name of the proxy module.' }),
        opts: param.value({ default: null, type: 'dict', doc: 'Options.' }),
      },
      returns: 'false',
      examples: ["salt '*' status.proxy_reconnect rest_sample"],
      run: () => false,
    }),
  },
});
