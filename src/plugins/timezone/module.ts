/**
 * `timezone`: the time zone of this machine and its hardware clock. Follows 3006.16 salt/modules/timezone.py (Linux).
 */
import { lstatSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { readBytes, writeInPlace } from '../../host/file-operations.ts';
import { readTextIfExists } from '../../host/files.ts';
import { joinPath, normPath, pathExists } from '../../python/paths.ts';
import { hasErrorCode, isOsError, strerror } from '../../python/os-errors.ts';
import { findProgram } from '../../host/which.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import type { Value } from '../../python/values/value.ts';
import { runAll, runCode, runText } from '../shared/program.ts';
import { param } from '../../runtime/loader/params.ts';

const ZONES = '/usr/share/zoneinfo';
const LOCALTIME = '/etc/localtime';

function family(ctx: ModuleContext): string {
  return pyStr(ctx.grains.get('os_family') ?? '');
}

/** The file of a zone. @throws SaltInvocationError for a name that leads elsewhere */
function zoneFile(zone: string): string {
  const path = normPath(joinPath(ZONES, zone));
  if (zone.startsWith('/') || !path.startsWith(`${ZONES}/`))
    throw new SaltInvocationError(`Can't find a local timezone "${zone}"`);
  return path;
}

/** What `timedatectl` says. @throws CommandExecutionError */
async function timedatectl(ctx: ModuleContext): Promise<string> {
  const { retcode, stdout, stderr } = await runAll(ctx, ['timedatectl']);
  if (retcode !== 0) throw new CommandExecutionError(`timedatectl failed: ${stderr}`);
  return stdout;
}

function unreadable(output: string): CommandExecutionError {
  return new CommandExecutionError(
    `Failed to parse timedatectl output: ${output}\nPlease file an issue with SaltStack`,
  );
}

async function currentZone(ctx: ModuleContext): Promise<string> {
  if (findProgram('timedatectl') !== undefined) {
    const output = await timedatectl(ctx);
    const zone = /^\s*Time ?zone:\s+(\S+)/m.exec(output)?.[1];
    if (zone === undefined) throw unreadable(output);
    return zone;
  }
  const os = family(ctx);
  if (pyStr(ctx.grains.get('os') ?? '').toLowerCase() === 'centos') return linkedZone();
  if (os.includes('RedHat') || os.includes('Suse')) return zoneInSysconfig();
  if (os.includes('Debian') || os.includes('Gentoo')) return zoneInFile();
  if (os === 'NILinuxRT' || os === 'Slackware') return linkedZone();
  throw new CommandExecutionError('Unable to get timezone');
}

function linkedZone(): string {
  try {
    const path = normPath(joinPath('/etc', readlinkSync(LOCALTIME)));
    if (path.startsWith(`${ZONES}/`)) return path.slice(ZONES.length + 1);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) throw new CommandExecutionError(`${LOCALTIME} does not exist`);
    if (!hasErrorCode(error, 'EINVAL')) throw error;
  }
  throw new CommandExecutionError('Unable to determine timezone');
}

function zoneInSysconfig(): string {
  const file = '/etc/sysconfig/clock';
  const lines = splitLines(readTextIfExists(file) ?? '').filter((line) => !/^\s*#/.test(line));
  const line = lines.find((text) => text.includes('ZONE') && text.includes('='));
  if (line === undefined) throw new CommandExecutionError(`Unable to get timezone from ${file}`);
  return (line.split('=').at(-1) ?? '').replace(/^['"]+|['"]+$/g, '') || 'UTC';
}

function zoneInFile(): string {
  const file = '/etc/timezone';
  try {
    return readBytes(file).toString('utf8').trim();
  } catch (error) {
    throw new CommandExecutionError(`Problem reading timezone file ${file}: ${strerror(error) ?? ''}`, {
      cause: error,
    });
  }
}

/** `timezone.set_zone`. @returns true, or Salt's sentence that there is no such zone */
async function setZone(ctx: ModuleContext, zone: string): Promise<Value> {
  const path = zoneFile(zone);
  // asked first: it may know zones that have no file, and it says itself what it knows not
  if (findProgram('timedatectl') !== undefined) await runText(ctx, ['timedatectl', 'set-timezone', zone]);
  if (!pathExists(path)) return `Zone does not exist: ${ZONES}/${zone}`;
  if (lstatSync(LOCALTIME, { throwIfNoEntry: false }) !== undefined) unlinkSync(LOCALTIME);
  symlinkSync(path, LOCALTIME);
  const os = family(ctx);
  if (os.includes('RedHat') || os.includes('Suse')) {
    const name = os.includes('RedHat') ? 'ZONE' : 'TIMEZONE';
    await ctx.functions.call('file.sed', ['/etc/sysconfig/clock', `^${name}=.*`, `${name}="${zone}"`]);
  } else if (os.includes('Debian') || os.includes('Gentoo'))
    writeInPlace('/etc/timezone', `${zone.trim()}\n`);
  return true;
}

/**
 * Whether a zone is the one that is set, by its name. Salt compat: as 3008 (65719); 3006.16 compares the files, which
 * several zones have alike. Those decide where no name is known.
 */
async function isZone(ctx: ModuleContext, zone: string): Promise<boolean> {
  let current: string;
  try {
    current = await currentZone(ctx);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return isZoneByFile(zone);
  }
  if (zone === current) return true;
  if (!pathExists(zoneFile(zone))) throw new SaltInvocationError(`Can't find a local timezone "${zone}"`);
  return false;
}

function isZoneByFile(zone: string): boolean {
  let wanted: Buffer;
  try {
    wanted = readBytes(zoneFile(zone));
  } catch (error) {
    if (!isOsError(error)) throw error;
    throw new SaltInvocationError(`Can't find a local timezone "${zone}"`);
  }
  try {
    return readBytes(LOCALTIME).equals(wanted);
  } catch (error) {
    throw new CommandExecutionError(
      `Failed to read ${LOCALTIME} to determine current timezone: ${strerror(error) ?? ''}`,
      { cause: error },
    );
  }
}

async function hardwareClock(ctx: ModuleContext): Promise<Value> {
  if (findProgram('timedatectl') !== undefined) {
    const output = await timedatectl(ctx);
    const answer = /^\s*rtc in local tz:\s*(\S+)/im.exec(output)?.[1];
    if (answer === undefined) throw unreadable(output);
    return answer.toLowerCase() === 'yes' ? 'localtime' : 'UTC';
  }
  if (family(ctx).includes('Debian')) {
    const lines = splitLines(readTextIfExists('/etc/default/rcS') ?? '').filter(
      (line) => !/^\s*#/.test(line),
    );
    const line = lines.find((text) => text.includes('UTC='));
    if (line !== undefined)
      return (line.split('=').at(-1) ?? '').toLowerCase() === 'yes' ? 'UTC' : 'localtime';
  }
  const lines = splitLines(readTextIfExists('/etc/adjtime') ?? '');
  if (lines.length > 0) return lines.at(-1) ?? null;
  if (pathExists('/dev/rtc'))
    throw new CommandExecutionError('Unable to get hwclock timezone from /etc/adjtime');
  return null;
}

async function setHardwareClock(ctx: ModuleContext, clock: string): Promise<boolean> {
  if (findProgram('timedatectl') !== undefined) {
    const value = clock === 'localtime' ? 'true' : 'false';
    return (await runCode(ctx, ['timedatectl', 'set-local-rtc', value])) === 0;
  }
  const zone = await currentZone(ctx);
  const path = zoneFile(zone);
  if (!pathExists(path)) throw new CommandExecutionError(`Zone '${path}' does not exist`);
  unlinkSync(LOCALTIME);
  symlinkSync(path, LOCALTIME);
  const os = family(ctx);
  const edit = (file: string, before: string, after: string): Promise<Value> =>
    ctx.functions.call('file.sed', [file, before, after]);
  if (os.includes('RedHat')) await edit('/etc/sysconfig/clock', '^ZONE=.*', `ZONE="${zone}"`);
  else if (os.includes('Suse')) await edit('/etc/sysconfig/clock', '^TIMEZONE=.*', `TIMEZONE="${zone}"`);
  else if (os.includes('Debian') && clock === 'UTC') await edit('/etc/default/rcS', '^UTC=.*', 'UTC=yes');
  else if (os.includes('Debian') && clock === 'localtime')
    await edit('/etc/default/rcS', '^UTC=.*', 'UTC=no');
  return true;
}

const ZONE = { timezone: param.text({ doc: 'The zone, as Europe/Berlin.' }) } as const;

/** The module. */
export const timezoneModule = defineModule({
  name: 'timezone',
  file: 'timezone',
  doc: 'Shows and sets the time zone, and how the hardware clock is kept.',
  unavailable: () =>
    process.platform === 'linux' ? undefined : 'The timezone execution module is only available on Linux.',
  words: {},
  failsWith: { false: ['set_hwclock', 'set_zone'], text: ['set_zone'] },
  functions: {
    get_zone: defineFunction({
      doc: 'Returns the time zone.',
      returns: 'text, as Europe/Berlin',
      examples: ["salt '*' timezone.get_zone"],
      run: (ctx) => currentZone(ctx),
    }),
    get_zonecode: defineFunction({
      doc: 'Returns the short name of the time zone.',
      returns: 'text, as CET',
      examples: ["salt '*' timezone.get_zonecode"],
      run: (ctx) => runText(ctx, ['date', '+%Z']),
    }),
    get_offset: defineFunction({
      doc: 'Returns how far local time is from UTC.',
      returns: 'text, as +0100',
      examples: ["salt '*' timezone.get_offset"],
      run: (ctx) => runText(ctx, ['date', '+%z']),
    }),
    set_zone: defineFunction({
      doc: 'Sets the time zone.',
      params: ZONE,
      returns: 'true, or a sentence that there is no such zone',
      examples: ["salt '*' timezone.set_zone 'America/Denver'"],
      run: (ctx, { timezone }) => setZone(ctx, timezone),
    }),
    zone_compare: defineFunction({
      doc: 'Returns whether a time zone is the one that is set.',
      params: ZONE,
      returns: 'true or false',
      examples: ["salt '*' timezone.zone_compare 'America/Denver'"],
      run: (ctx, { timezone }) => isZone(ctx, timezone),
    }),
    get_hwclock: defineFunction({
      doc: 'Returns how the hardware clock is kept.',
      returns: 'UTC or localtime',
      examples: ["salt '*' timezone.get_hwclock"],
      run: (ctx) => hardwareClock(ctx),
    }),
    set_hwclock: defineFunction({
      doc: 'Sets how the hardware clock is kept.',
      params: { clock: param.text({ doc: 'UTC or localtime.' }) },
      returns: 'true or false',
      examples: ["salt '*' timezone.set_hwclock UTC"],
      run: (ctx, { clock }) => setHardwareClock(ctx, clock),
    }),
  },
});
