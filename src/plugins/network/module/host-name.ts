/** The name of this machine. Follows 3006.16 salt/modules/network.py `mod_hostname`, `get_fqdn`, `fqdns`. */
import { hostname as systemHostname } from 'node:os';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { writeInPlace } from '../../../host/file-operations.ts';
import { readTextIfExists } from '../../../host/files.ts';
import { systemAccounts } from '../../../host/users.ts';
import { findProgram } from '../../../host/which.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { compareText } from '../../../python/values/order.ts';
import { splitLines } from '../../../python/values/text.ts';
import { runAll, runText } from '../../shared/program.ts';

/** The name of the kernel. */
export function hostName(): string {
  return systemHostname();
}

/** A line of the system's table of hosts, whatever that is: an address and its names. */
async function hostLine(host: string): Promise<string[]> {
  const answer = await systemAccounts.ask(['getent', '--', 'hosts', host]);
  return (answer ?? '').split('\n')[0]?.trim().split(/\s+/) ?? [];
}

async function namesOf(address: string): Promise<string[]> {
  return (await hostLine(address)).slice(1);
}

/** Python's `socket.getfqdn`: the first name with a dot among the names of the name's address; else the first. */
export async function fullName(name = hostName()): Promise<string> {
  const [address = ''] = await hostLine(name);
  const names = address === '' ? [] : await namesOf(address);
  return names.find((candidate) => candidate.includes('.')) ?? names[0] ?? name;
}

/** `network.fqdns`: names of all addresses. */
export async function namesOfAddresses(addresses: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    addresses.map(async (address) => {
      const [first] = await namesOf(address);
      return first === undefined ? [] : [await fullName(first)];
    }),
  );
  return [...new Set(found.flat())].sort(compareText);
}

/** `network.mod_hostname`. @returns false when it cannot be set */
export async function setHostName(ctx: ModuleContext, name: string): Promise<boolean> {
  if (!/^[A-Za-z0-9._-]{1,253}$/.test(name)) throw new CommandExecutionError(`${name} is no host name.`);
  const program = findProgram('hostnamectl') ?? findProgram('hostname');
  if (program === undefined) return false;
  const isControl = program.endsWith('hostnamectl');
  const before = isControl ? await staticName(ctx, program) : await fullName();
  if (isControl) {
    const { retcode, stderr } = await runAll(ctx, [program, 'set-hostname', name]);
    if (retcode !== 0) {
      ctx.log.debug(`${program} was unable to set hostname. Error: ${stderr}`);
      return false;
    }
  } else await runText(ctx, [program, name]);
  const hosts = splitLines(readTextIfExists('/etc/hosts') ?? '');
  writeInPlace('/etc/hosts', hosts.map((line) => `${renamed(line, before, name)}\n`).join(''));
  const family = ctx.grains.get('os_family');
  if (family === 'Debian') writeInPlace('/etc/hostname', `${name}\n`);
  if (family === 'RedHat') {
    const lines = splitLines(readTextIfExists('/etc/sysconfig/network') ?? '');
    const changed = lines.map((line) => (line.startsWith('HOSTNAME') ? `HOSTNAME=${name}` : line));
    if (lines.length > 0) writeInPlace('/etc/sysconfig/network', changed.map((line) => `${line}\n`).join(''));
  }
  return true;
}

async function staticName(ctx: ModuleContext, program: string): Promise<string> {
  const { retcode, stdout } = await runAll(ctx, [program, 'status']);
  const found = retcode === 0 ? /Static hostname:\s*(\S+)/.exec(stdout)?.[1] : undefined;
  return found ?? hostName();
}

/** A line of the hosts file in which one name is another. Salt compat: lines without it keep their white space. */
function renamed(line: string, before: string, after: string): string {
  const words = line.split(/\s+/);
  const at = words.indexOf(before);
  if (at < 0 || line.trimStart().startsWith('#')) return line;
  words[at] = after;
  return words.filter((word) => word !== '').join('\t');
}
