/**
 * Daemons that systemd runs: Salt's unit stays as it is, and a drop-in beside it starts Brine's program in place of
 * Salt's. What else the unit says (limits, accounts, order) goes on to hold, and an upgrade of Salt's package changes
 * nothing.
 */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder } from '../../host/disk-sync.ts';
import { makeDirectory, writeFileAtomic } from '../../host/files.ts';
import { runProcess } from '../../host/process.ts';
import { isDirectory } from '../../config/read-file.ts';
import { optionsOn, programOf, type DaemonManager, type ManagerPlace } from './daemon-manager.ts';
import { lastLines } from './process-manager.ts';
import type { RecordedDaemon } from './record.ts';
import { TakeoverError } from './takeover-error.ts';

const UNITS = '/etc/systemd/system';
const DROP_IN = 'brine.conf';
/** systemd has limits of its own, which end first. */
const SYSTEMCTL_MS = 300_000;

/** Runs `systemctl`; tests hand in their own. */
export type Systemctl = (...words: string[]) => Promise<{ readonly code: number; readonly text: string }>;

/** This machine's. */
export const systemctl: Systemctl = async (...words) => {
  const { retcode, stdout, stderr } = await runProcess(['systemctl', ...words], { timeoutMs: SYSTEMCTL_MS });
  return { code: retcode, text: `${stdout.toString('utf8')}${stderr.toString('utf8')}` };
};

/** Whether systemd runs this machine, as sd_booted(3) tells it. */
export function isSystemdHere(): boolean {
  return isDirectory('/run/systemd/system');
}

/** The unit that runs a process as its main one. */
export async function unitOf(
  pid: number,
  role: RecordedDaemon['role'],
  run: Systemctl,
): Promise<string | undefined> {
  const unit = `${programOf(role)}.service`;
  const { code, text } = await run('show', '-P', 'MainPID', unit);
  return code === 0 && text.trim() === String(pid) ? unit : undefined;
}

/** Starts and ends units. */
export class SystemdManager implements DaemonManager {
  readonly #place: ManagerPlace;
  readonly #run: Systemctl;
  readonly #units: string;

  /** @param units where an administrator's units and drop-ins are */
  constructor(place: ManagerPlace, run: Systemctl = systemctl, units = UNITS) {
    this.#place = place;
    this.#run = run;
    this.#units = units;
  }

  filesOf({ unit }: RecordedDaemon): string[] {
    return unit === undefined ? [] : [this.#dropIn(unit)];
  }

  async stop(daemon: RecordedDaemon): Promise<void> {
    await this.#must('stop', daemon);
  }

  async startBrine(daemon: RecordedDaemon): Promise<void> {
    for (const path of this.filesOf(daemon)) {
      makeDirectory(dirname(path), 0o755);
      const words = [
        ...this.#place.command(programOf(daemon.role)),
        ...optionsOn(this.#place.configDir, daemon),
      ];
      writeFileAtomic(path, dropIn(words), { mode: 0o644, durable: true });
    }
    await this.#reload();
    await this.#must('start', daemon);
  }

  async startSalt(daemon: RecordedDaemon): Promise<void> {
    for (const path of this.filesOf(daemon)) {
      rmSync(path, { force: true });
      if (isDirectory(dirname(path))) syncFolder(dirname(path));
    }
    await this.#reload();
    await this.#must('start', daemon);
  }

  #dropIn(unit: string): string {
    return join(this.#units, `${unit}.d`, DROP_IN);
  }

  async #reload(): Promise<void> {
    const { code, text } = await this.#run('daemon-reload');
    if (code !== 0) throw new TakeoverError(`systemctl daemon-reload failed: ${lastLines(text)}`);
  }

  async #must(verb: 'start' | 'stop', { unit = '' }: RecordedDaemon): Promise<void> {
    // one that failed too often would refuse to start
    if (verb === 'start') await this.#run('reset-failed', unit);
    const { code, text } = await this.#run(verb, unit);
    if (code === 0) return;
    const more = verb === 'start' ? (await this.#run('status', '--no-pager', '--lines=8', unit)).text : '';
    throw new TakeoverError(`systemctl ${verb} ${unit} failed: ${lastLines(`${text}\n${more}`)}`);
  }
}

/**
 * The drop-in. Brine tells systemd itself when it is up; codes 64 and 78 name a fault in the configuration that no new
 * start mends.
 */
export function dropIn(command: readonly string[]): string {
  return [
    '# Made by "brine takeover"; "brine takeover --back" removes it.',
    '[Service]',
    'Type=notify',
    '# systemd-notify speaks for the daemon, since Node has no sockets of this kind.',
    'NotifyAccess=all',
    'PIDFile=',
    'ExecStart=',
    `ExecStart=${command.map(unitWord).join(' ')}`,
    'Restart=on-failure',
    'RestartSec=5',
    'RestartPreventExitStatus=64 78',
    '',
  ].join('\n');
}

/** A word as systemd.service(5) reads it. */
function unitWord(word: string): string {
  const text = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(text) ? text : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
