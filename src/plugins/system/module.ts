/** `system`: power, clock and name of the machine. Follows 3006.16 salt/modules/system.py. */
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { readTextIfExists, writeFileAtomic } from '../../host/files.ts';
import { makeFolders } from '../../host/make-folders.ts';
import { dirName, pathExists } from '../../python/paths.ts';
import { findProgram } from '../../host/which.ts';
import { pyCount } from '../../python/conversions.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { strftime, strptime } from '../../python/text/strftime.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';
import { runAll, runCode, runText } from '../shared/program.ts';
import { param } from '../../runtime/loader/params.ts';

const WITNESS = '/var/volatile/tmp/salt/reboot_witnessed';
const MACHINE_INFO = '/etc/machine-info';
const PRETTY = /^\s*PRETTY_HOSTNAME=(.*)$/;
const TIME_FORMS = ['%I:%M:%S %p', '%I:%M %p', '%H:%M:%S', '%H:%M'];
const DATE_FORMS = ['%Y-%m-%d', '%m-%d-%Y', '%m-%d-%y', '%m/%d/%Y', '%m/%d/%y', '%Y/%m/%d'];

/** The wall clock as milliseconds of a date without a zone: the system's, or that of an offset (`+0100`). */
function wallClockMs(ctx: ModuleContext, offset: Value): number {
  const nowMs = ctx.clock.nowMs();
  if (offset === null) return nowMs - new Date(nowMs).getTimezoneOffset() * 60_000;
  return nowMs + offsetMinutes(offset) * 60_000;
}

function offsetMinutes(offset: Value): number {
  const match = /^([+-])?(\d\d)(\d\d)$/.exec(pyStr(offset));
  if (match === null) throw new SaltInvocationError('Invalid UTC offset');
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
}

type DateFields = Readonly<Record<'years' | 'months' | 'days' | 'hours' | 'minutes' | 'seconds', Value>>;
const NOW: DateFields = { years: null, months: null, days: null, hours: null, minutes: null, seconds: null };

/** Sets the clock with `date`, and the one of the hardware where that can be set. */
async function setClock(ctx: ModuleContext, fields: Partial<DateFields>, offset: Value): Promise<boolean> {
  const current = new Date(wallClockMs(ctx, offset));
  const wanted = { ...NOW, ...fields };
  const pick = (value: Value, now: number): number => (value === null ? now : pyCount(value));
  const year = pick(wanted.years, current.getUTCFullYear());
  const month = pick(wanted.months, current.getUTCMonth() + 1);
  const day = pick(wanted.days, current.getUTCDate());
  const hour = pick(wanted.hours, current.getUTCHours());
  const minute = pick(wanted.minutes, current.getUTCMinutes());
  const second = pick(wanted.seconds, current.getUTCSeconds());
  let moment = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const isReal =
    moment.getUTCMonth() === month - 1 &&
    moment.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  if (!isReal || [year, month, day, hour, minute, second].some((part) => part < 0))
    throw new SaltInvocationError(
      `There is no such date and time: ${year}-${month}-${day} ${hour}:${minute}:${second}`,
    );
  if (offset !== null) moment = new Date(moment.getTime() - offsetMinutes(offset) * 60_000);
  const two = (value: number, width = 2): string => String(value).padStart(width, '0');
  const text = `${two(moment.getUTCMonth() + 1)}${two(moment.getUTCDate())}${two(moment.getUTCHours())}${two(moment.getUTCMinutes())}${two(moment.getUTCFullYear(), 4)}`;
  const words = offset === null ? ['date'] : ['date', '-u'];
  const exact = await runAll(ctx, [...words, `${text}.${two(moment.getUTCSeconds())}`]);
  if (exact.retcode !== 0 && (await runAll(ctx, [...words, text])).retcode !== 0)
    throw new CommandExecutionError(`date failed: ${exact.stderr}`);
  if (await hasSettableHardwareClock(ctx)) {
    const { retcode, stderr } = await runAll(ctx, ['hwclock', '--systohc']);
    if (retcode !== 0) ctx.log.warning(`hwclock failed to set hardware clock from software clock: ${stderr}`);
  }
  return true;
}

async function hasSettableHardwareClock(ctx: ModuleContext): Promise<boolean> {
  if (findProgram('hwclock') === undefined) return false;
  const quiet = { output_loglevel: 'quiet', ignore_retcode: true };
  return (await runAll(ctx, ['hwclock', '--test', '--systohc'], quiet)).retcode === 0;
}

function parsed(text: string, forms: readonly string[]): Date | undefined {
  for (const form of forms) {
    const found = strptime(text, form);
    if (found !== undefined) return new Date(found);
  }
  return undefined;
}

async function computerDescription(ctx: ModuleContext): Promise<Value> {
  const program = findProgram('hostnamectl');
  let text: string | undefined;
  if (program !== undefined) text = await runText(ctx, [program, 'status', '--pretty']);
  else
    for (const line of (readTextIfExists(MACHINE_INFO) ?? '').split('\n')) {
      const value = PRETTY.exec(line)?.[1]?.trim();
      if (value !== undefined) text = /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
    }
  if (text === undefined) return false;
  return text.replaceAll('\\\\', '\\').replaceAll('\\"', '"').replaceAll('\\n', '\n').replaceAll('\\t', '\t');
}

async function describeComputer(ctx: ModuleContext, given: string): Promise<boolean> {
  const text = given.replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  const program = findProgram('hostnamectl');
  if (program !== undefined) return (await runCode(ctx, [program, 'set-hostname', '--pretty', text])) === 0;
  const lines = (readTextIfExists(MACHINE_INFO) ?? '').split('\n').filter((line) => line !== '');
  const at = lines.findIndex((line) => PRETTY.test(line));
  const line = `PRETTY_HOSTNAME="${text}"`;
  if (at < 0) lines.push(line);
  else lines[at] = line;
  writeFileAtomic(MACHINE_INFO, `${lines.join('\n')}\n`, { mode: 0o644 });
  return true;
}

const utc_offset = param.value({
  default: null,
  type: 'str',
  doc: 'In the zone of this offset (`+0100`) and not of the system.',
});
const at_time = param.textIfGiven({
  default: null,
  doc: 'When, as `shutdown` takes it: minutes from now, or `HH:MM`; default: now.',
});
const part = (doc: string) => param.value({ default: null, type: 'int', doc });

const power = (program: string, doc: string) =>
  defineFunction({ doc, returns: 'what the program says', run: (ctx) => runText(ctx, [program]) });

const shutdown = (flag: '-r' | '-h', name: string, doc: string) =>
  defineFunction({
    doc,
    params: { at_time },
    returns: 'what the program says',
    examples: [`salt '*' system.${name} 5`],
    run: (ctx, args) => runText(ctx, ['shutdown', flag, args.at_time ?? 'now']),
  });

const shown = (doc: string, form: string, name: string) =>
  defineFunction({
    doc,
    params: { utc_offset },
    returns: 'text',
    examples: [`salt '*' system.${name}`, `salt '*' system.${name} "'-0500'"`],
    run: (ctx, args) => strftime(wallClockMs(ctx, args.utc_offset), form),
  });

/** The module. */
export const systemModule = defineModule({
  name: 'system',
  file: 'system',
  doc: 'Power, clock and name of the machine.',
  words: { dashes: ['utc_offset'] },
  failsWith: {
    false: [
      'set_computer_desc',
      'set_computer_name',
      'set_system_date',
      'set_system_date_time',
      'set_system_time',
    ],
  },
  functions: {
    halt: power('halt', 'Stops the machine.'),
    poweroff: power('poweroff', 'Stops the machine and switches it off.'),
    init: defineFunction({
      doc: 'Changes the runlevel.',
      params: { runlevel: param.text({ type: 'int', doc: 'The runlevel.' }) },
      returns: 'what the program says',
      examples: ["salt '*' system.init 3"],
      run: (ctx, { runlevel }) => runText(ctx, ['init', runlevel]),
    }),
    reboot: shutdown('-r', 'reboot', 'Starts the machine anew.'),
    shutdown: shutdown('-h', 'shutdown', 'Shuts the machine down.'),
    has_settable_hwclock: defineFunction({
      doc: 'Returns whether the clock of the hardware can be set.',
      returns: 'bool',
      run: (ctx) => hasSettableHardwareClock(ctx),
    }),
    get_system_time: shown('Returns the time.', '%I:%M:%S %p', 'get_system_time'),
    get_system_date: shown('Returns the date.', '%a %m/%d/%Y', 'get_system_date'),
    get_system_date_time: shown('Returns date and time.', '%Y-%m-%d %H:%M:%S', 'get_system_date_time'),
    set_system_time: defineFunction({
      doc: 'Sets the time.',
      params: {
        newtime: param.text({ doc: '`HH:MM:SS AM`, `HH:MM AM`, `HH:MM:SS` or `HH:MM`.' }),
        utc_offset,
      },
      returns: 'bool',
      examples: ["salt '*' system.set_system_time '11:20'"],
      run: (ctx, { newtime, utc_offset: offset }) => {
        const time = parsed(newtime, TIME_FORMS);
        if (time === undefined) return false;
        const [hours, minutes, seconds] = [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()];
        return setClock(ctx, { hours, minutes, seconds }, offset);
      },
    }),
    set_system_date: defineFunction({
      doc: 'Sets the date.',
      params: {
        newdate: param.text({ doc: '`YYYY-MM-DD`, `MM-DD-YYYY`, `MM/DD/YYYY`, `YYYY/MM/DD`…' }),
        utc_offset,
      },
      returns: 'bool',
      examples: ["salt '*' system.set_system_date '03-28-13'"],
      run: (ctx, { newdate, utc_offset: offset }) => {
        const date = parsed(newdate, DATE_FORMS);
        if (date === undefined) throw new SaltInvocationError('Invalid date format');
        const [years, months, days] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
        return setClock(ctx, { years, months, days }, offset);
      },
    }),
    set_system_date_time: defineFunction({
      doc: 'Sets date and time; what is not given stays.',
      params: {
        years: part('The year.'),
        months: part('The month, 1 to 12.'),
        days: part('The day, 1 to 31.'),
        hours: part('The hour, 0 to 23.'),
        minutes: part('The minute.'),
        seconds: part('The second.'),
        utc_offset,
      },
      returns: 'bool',
      examples: [`salt '*' system.set_system_date_time 2015 5 12 11 37 53 "'-0500'"`],
      run: (ctx, { utc_offset: offset, ...fields }) => setClock(ctx, fields, offset),
    }),
    set_reboot_required_witnessed: defineFunction({
      doc: 'Notes that a restart is needed, until the machine starts anew (NI Linux Real-Time).',
      returns: 'bool: whether it was noted just now',
      run: async (ctx) => {
        const folder = dirName(WITNESS);
        if (pathExists(folder)) return false;
        makeFolders(folder);
        return (await runCode(ctx, ['touch', WITNESS])) === 0;
      },
    }),
    get_reboot_required_witnessed: defineFunction({
      doc: 'Returns whether that was noted.',
      returns: 'bool',
      run: () => pathExists(WITNESS),
    }),
    get_computer_desc: defineFunction({
      doc: 'Returns the description of the machine (`PRETTY_HOSTNAME`).',
      returns: 'text; False when there is none',
      run: (ctx) => computerDescription(ctx),
    }),
    set_computer_desc: defineFunction({
      doc: 'Sets the description of the machine.',
      params: { desc: param.text({ doc: 'The description.' }) },
      returns: 'bool',
      examples: [`salt '*' system.set_computer_desc "Michael's laptop"`],
      run: (ctx, { desc }) => describeComputer(ctx, desc),
    }),
    get_computer_name: defineFunction({
      doc: "Returns the machine's name.",
      returns: 'text',
      run: (ctx) => ctx.functions.call('network.get_hostname'),
    }),
    set_computer_name: defineFunction({
      doc: "Sets the machine's name.",
      params: { hostname: param.value({ type: 'str', doc: 'The name.' }) },
      returns: 'bool',
      examples: ["salt '*' system.set_computer_name master.saltstack.com"],
      run: (ctx, { hostname }) => ctx.functions.call('network.mod_hostname', [hostname]),
    }),
  },
});
