/** `max_open_files`: how many files and connections a process of the master may have open (salt/master.py, 3006.16). */
import { messageOf } from '../../errors/errors.ts';
import { readTextIfExists } from '../../host/files.ts';
import { runProcess } from '../../host/process.ts';
import type { Logger } from '../../host/log.ts';

/**
 * Brings the limit of this process, which its children inherit, to the wanted one: down to it, or up as far as the
 * system allows; root may raise the hard limit too. Says so when fewer files may be open.
 */
export async function limitOpenFiles(wanted: number, log: Logger): Promise<void> {
  const before = limits();
  if (before === undefined || wanted <= 0) return;
  log.info(`Current values for max open files soft/hard setting: ${before.soft}/${before.hard}`);
  const isRoot = process.getuid?.() === 0;
  const soft = isRoot ? wanted : Math.min(wanted, before.hard);
  if (soft === before.soft) return warnIfFewer(wanted, soft, log);
  const hard = Math.max(before.hard, soft);
  try {
    await runProcess(['prlimit', `--pid=${process.pid}`, `--nofile=${soft}:${text(hard)}`]);
    log.info(`Setting the max open files value to ${soft}`);
  } catch (error) {
    log.warning(`The limit of open files stays at ${before.soft}: ${messageOf(error).split('\n', 1)[0]}.`);
  }
  warnIfFewer(wanted, limits()?.soft ?? before.soft, log);
}

function warnIfFewer(wanted: number, soft: number, log: Logger): void {
  if (soft >= wanted) return;
  log.info(
    `The value of max_open_files, ${wanted}, is higher than the system allows this user (${soft}). With more minions than ` +
      'that raise the limit of the service (LimitNOFILE=) or of the user.',
  );
}

function limits(): { readonly soft: number; readonly hard: number } | undefined {
  const line = /^Max open files\s+(\S+)\s+(\S+)/m.exec(readTextIfExists('/proc/self/limits') ?? '');
  if (line === null) return undefined;
  return { soft: count(line[1]), hard: count(line[2]) };
}

function count(word: string | undefined): number {
  return word === 'unlimited' ? Infinity : Number(word);
}

function text(limit: number): string {
  return limit === Infinity ? 'unlimited' : String(limit);
}
