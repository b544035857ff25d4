/** `ps`: processes and what they use. Follows 3006.16 salt/modules/ps.py, which has psutil ask the kernel. */
import { CommandExecutionError, CommandNotFoundError, SaltInvocationError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { compilePattern } from '../../python/regex/pattern.ts';
import { localTimeMs, strftime } from '../../python/text/strftime.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, float, type Dict, type Value } from '../../python/values/value.ts';
import {
  defineFunction,
  defineModule,
  type FunctionSpec,
  type ModuleContext,
} from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { runText } from '../shared/program.ts';
import {
  diskCounters,
  diskUsage,
  networkCounters,
  partitions,
  processorCount,
  processorLoad,
  processorTimes,
  swapMemory,
  virtualMemory,
  withMore,
} from './module/machine.ts';
import { bootSeconds, pids, Process, userNames } from './module/process.ts';

const SECOND_MS = 1000;
const TERM = 15;

/**
 * Sends a signal.
 * @returns false where the process is not there
 * @throws CommandExecutionError where it is not allowed
 */
function send(pid: number, signal: number): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw new CommandExecutionError(`Signal ${signal} cannot be sent to process ${pid}: ${String(cause)}`, {
      cause,
    });
  }
}

/** Which processes are meant. */
interface Search {
  readonly pattern: string;
  readonly user: string | undefined;
  readonly full: boolean;
  readonly isRegex: boolean;
}

async function matching({ pattern, user, full, isRegex }: Search): Promise<Process[]> {
  const names = await userNames();
  const expression = isRegex ? compilePattern(pattern) : undefined;
  return Process.all().filter((one) => {
    const line = full ? one.words.join(' ') : one.name;
    const isNamed = expression === undefined ? line.includes(pattern) : expression.search(line) !== undefined;
    return isNamed && (user === undefined || one.user(names) === user);
  });
}

/** The processes that compute most. */
async function top(ctx: ModuleContext, count: number, seconds: number): Promise<Value[]> {
  const before = new Map(Process.all().map((one) => [one.pid, one.seconds]));
  await ctx.clock.sleep(seconds * SECOND_MS, ctx.signal);
  const now = Process.all().filter(({ pid }) => before.has(pid));
  const names = await userNames();
  const used = (one: Process): number => one.seconds - (before.get(one.pid) ?? 0);
  return now
    .sort((a, b) => used(b) - used(a))
    .slice(0, count)
    .map((one) => {
      const words = one.words;
      return dict({
        cmd: words.length > 0 ? words : one.name,
        user: one.user(names),
        status: one.status,
        pid: one.pid,
        create_time: float(one.startedSeconds),
        cpu: dict({ ...one.times }),
        mem: dict({ ...one.memory }),
      });
    });
}

const PID = { pid: param.count({ doc: 'The number of the process.' }) } as const;
const PATTERN = {
  pattern: param.text({ doc: 'What is in its name.' }),
  user: param.textOrNone({ default: null, doc: 'Only those of this user.' }),
} as const;
const FULL = {
  full: param.flag({ default: false, doc: 'Look at all the words that it was started with.' }),
} as const;
const SIGNAL = { signal: param.count({ default: TERM, doc: 'The number of the signal.' }) } as const;
const NAME = { name: param.text({ doc: 'What is looked for.' }) } as const;
const EACH = { per_cpu: param.flag({ default: false, doc: 'Of each processor.' }) } as const;
const ALL = { all: param.flag({ default: false, doc: 'Also what is no disk.' }) } as const;
const BYTES = 'mapping of sizes, in bytes';

/** A function that gives the lines of a program with a text in them. */
const linesOf = (program: string, words: readonly string[], doc: string): FunctionSpec =>
  defineFunction({
    doc,
    params: NAME,
    returns: 'list of the text and of the lines',
    examples: [`salt '*' ps.${program} apache2`],
    run: async (ctx, { name }) => {
      if (findProgram(program) === undefined)
        throw new CommandNotFoundError(`The '${program}' binary was not found in $PATH.`);
      const lines = splitLines(await runText(ctx, [program, ...words]));
      return [name, lines.filter((line) => line.includes(name))];
    },
  });

const processes = {
  top: defineFunction({
    doc: 'Lists the processes that compute most.',
    params: {
      num_processes: param.count({ default: 5, doc: 'How many.' }),
      interval: param.numberOnly({ default: 3, doc: 'For how long they are watched, in seconds.' }),
    },
    returns: 'list of mappings: cmd, user, status, pid, create_time, cpu and mem',
    examples: ["salt '*' ps.top 5 10"],
    run: (ctx, { num_processes, interval = 3 }) => top(ctx, num_processes, interval),
  }),
  get_pid_list: defineFunction({
    doc: 'Lists the numbers of all processes.',
    returns: 'list',
    examples: ["salt '*' ps.get_pid_list"],
    run: () => pids(),
  }),
  proc_info: defineFunction({
    doc: 'Describes a process.',
    params: { ...PID, attrs: param.textsIfGiven({ default: null, doc: 'Only these facts.' }) },
    returns: 'mapping',
    examples: ['salt \'*\' ps.proc_info 2322 attrs=\'["pid", "name"]\''],
    run: async (_ctx, { pid, attrs }) => {
      const found = Process.at(pid);
      if (found === undefined) throw new CommandExecutionError(`process PID not found (pid=${pid})`);
      return found.facts(await userNames(), attrs);
    },
  }),
  kill_pid: defineFunction({
    doc: 'Sends a signal to a process.',
    params: { ...PID, ...SIGNAL },
    returns: 'true; false where it is not there',
    examples: ["salt 'minion' ps.kill_pid 2000 signal=9"],
    run: (_ctx, { pid, signal }) => {
      // a number of 0 or less would reach whole groups of processes
      if (pid < 1) throw new SaltInvocationError(`${pid} is no number of a process.`);
      return send(pid, signal);
    },
  }),
  pkill: defineFunction({
    doc: 'Sends a signal to all processes whose names have a text in them.',
    params: { ...PATTERN, ...SIGNAL, ...FULL },
    returns: 'mapping with killed, their numbers; None where there are none',
    examples: ["salt '*' ps.pkill httpd signal=9"],
    run: async (_ctx, { pattern, user, signal, full }) => {
      const found = await matching({ pattern, user, full, isRegex: false });
      const killed = found.filter(({ pid }) => send(pid, signal)).map(({ pid }) => pid);
      return killed.length === 0 ? null : dict({ killed });
    },
  }),
  pgrep: defineFunction({
    doc: 'Lists the processes whose names have a text in them.',
    params: {
      ...PATTERN,
      ...FULL,
      pattern_is_regex: param.flag({ default: false, doc: 'The text is a regular expression.' }),
    },
    returns: 'list of numbers; None where there are none',
    examples: ["salt '*' ps.pgrep httpd"],
    run: async (_ctx, { pattern, user, full, pattern_is_regex }) => {
      const found = await matching({ pattern, user, full, isRegex: pattern_is_regex });
      return found.length === 0 ? null : found.map(({ pid }) => pid);
    },
  }),
  status: defineFunction({
    doc: 'Lists the processes that are in a state.',
    params: { status: param.textIfGiven({ doc: 'The state: running, sleeping, zombie.' }) },
    returns: 'list of mappings: pid and name',
    examples: ["salt '*' ps.status STATUS"],
    run: (_ctx, { status }) => {
      if (status === undefined) throw new SaltInvocationError('Filter is required for ps.status');
      return Process.all()
        .filter((one) => one.status === status)
        .map(({ pid, name }) => dict({ pid, name }));
    },
  }),
};

const machine = {
  cpu_percent: defineFunction({
    doc: 'Says how busy the processors are.',
    params: {
      interval: param.by((value: Value) => Number(value), {
        default: float(0.1),
        type: 'float',
        doc: 'For how long they are watched, in seconds.',
      }),
      ...EACH,
    },
    returns: 'hundredths; a list of them for each processor',
    examples: ["salt '*' ps.cpu_percent"],
    run: async (ctx, { interval, per_cpu }) => {
      const load = await processorLoad(per_cpu, () => ctx.clock.sleep(interval * SECOND_MS, ctx.signal));
      return per_cpu ? load : (load[0] ?? null);
    },
  }),
  cpu_times: defineFunction({
    doc: 'Says how long the processors have done what.',
    params: EACH,
    returns: 'mapping of seconds; a list of them for each processor',
    examples: ["salt '*' ps.cpu_times"],
    run: (_ctx, { per_cpu }) => {
      const times = processorTimes(per_cpu);
      return per_cpu ? times : (times[0] ?? null);
    },
  }),
  virtual_memory: defineFunction({
    doc: 'Says how much memory there is.',
    returns: BYTES,
    examples: ["salt '*' ps.virtual_memory"],
    run: () => virtualMemory(),
  }),
  swap_memory: defineFunction({
    doc: 'Says how much memory there is on disks.',
    returns: BYTES,
    examples: ["salt '*' ps.swap_memory"],
    run: () => swapMemory(),
  }),
  total_physical_memory: defineFunction({
    doc: 'Says how much memory the machine has.',
    returns: 'bytes',
    examples: ["salt '*' ps.total_physical_memory"],
    run: () => virtualMemory().get('total') ?? null,
  }),
  num_cpus: defineFunction({
    doc: 'Counts the processors.',
    returns: 'number',
    examples: ["salt '*' ps.num_cpus"],
    run: () => processorCount(),
  }),
  boot_time: defineFunction({
    doc: 'Says when the machine was started.',
    params: {
      time_format: param.textIfGiven({ default: null, doc: 'How the time is written: "%Y-%m-%d".' }),
    },
    returns: 'seconds since 1970, or text',
    examples: ["salt '*' ps.boot_time"],
    run: (_ctx, { time_format }) =>
      time_format === undefined
        ? bootSeconds()
        : strftime(localTimeMs(bootSeconds() * SECOND_MS), time_format),
  }),
  disk_partitions: defineFunction({
    doc: 'Lists what is mounted.',
    params: ALL,
    returns: 'list of mappings: device, mountpoint, fstype, opts',
    examples: ["salt '*' ps.disk_partitions"],
    run: (_ctx, { all }) => partitions(all),
  }),
  disk_usage: defineFunction({
    doc: 'Says how full a file system is.',
    params: { path: param.text({ doc: 'Something in it.' }) },
    returns: BYTES,
    examples: ["salt '*' ps.disk_usage /home"],
    run: (_ctx, { path }) => diskUsage(path),
  }),
  disk_partition_usage: defineFunction({
    doc: 'Lists what is mounted, and how full each is.',
    params: ALL,
    returns: 'list of mappings',
    examples: ["salt '*' ps.disk_partition_usage"],
    run: (_ctx, { all }) =>
      partitions(all).map((one: Dict) => withMore(one, diskUsage(String(one.get('mountpoint'))))),
  }),
  network_io_counters: defineFunction({
    doc: 'Says what the networks have carried.',
    params: { interface: param.textIfGiven({ default: null, doc: 'Only this one.' }) },
    returns: 'mapping; false where there is no such one',
    examples: ["salt '*' ps.network_io_counters interface=eth0"],
    run: (_ctx, args) => networkCounters(args.interface) ?? false,
  }),
  disk_io_counters: defineFunction({
    doc: 'Says what the disks have read and written.',
    params: { device: param.textIfGiven({ default: null, doc: 'Only this one.' }) },
    returns: 'mapping; false where there is no such one',
    examples: ["salt '*' ps.disk_io_counters device=sda1"],
    run: (_ctx, { device }) => diskCounters(device) ?? false,
  }),
};

const programs = {
  lsof: defineFunction({
    doc: 'Lists the files that a program has open.',
    params: NAME,
    returns: 'list of the name and of what lsof says',
    examples: ["salt '*' ps.lsof apache2"],
    run: async (ctx, { name }) => [name, await runText(ctx, ['lsof', '-c', name])],
  }),
  netstat: linesOf('netstat', ['-nap'], 'Lists the connections of a program, by netstat.'),
  ss: linesOf('ss', ['-neap'], 'Lists the connections of a program, by ss.'),
  psaux: defineFunction({
    doc: 'Lists the processes whose lines match an expression.',
    params: NAME,
    returns: 'list of the expression, of the lines and of how many there are',
    examples: ["salt '*' ps.psaux www-data.+apache2"],
    run: async (ctx, { name }) => {
      const [expression, own] = [compilePattern(name), /salt.+ps\.psaux.+/];
      const lines = splitLines(await runText(ctx, ['ps', 'aux']));
      const found = lines.filter((line) => expression.search(line) !== undefined && !own.test(line));
      return [name, found, `${found.length} occurrence(s).`];
    },
  }),
};

/** The module. */
export const psModule = defineModule({
  name: 'ps',
  file: 'ps',
  doc: 'Processes and what they use.',
  words: { dashes: ['pattern', 'time_format'] },
  failsWith: { false: ['kill_pid'], none: ['pkill'] },
  functions: { ...processes, ...machine, ...programs },
});
