/** `sh`: tells which programs shells start (salt/beacons/sh.py, 3006.16), through strace. */
import { createInterface } from 'node:readline';
import { CommandExecutionError } from '../../errors/errors.ts';
import { startPiped, type PipedProcess } from '../../host/piped-process.ts';
import { findProgram } from '../../host/which.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { VALID, type BeaconContext, type BeaconSpec, type RunningBeacon } from '../shared/beacon/beacon.ts';

/** Programs kept of one shell between two looks. */
const LINES_MAX = 10_000;

/** One traced shell. */
interface Traced {
  readonly program: PipedProcess;
  readonly user: Value;
  readonly lines: string[];
  hasEnded: boolean;
}

/** What a line of strace says was started: the texts in it, of which the first is the program. */
export function startedProgram(line: string): { cmd: string | undefined; args: string[] } | undefined {
  const behind = line.split('execve')[1];
  if (behind === undefined) return undefined;
  const texts = behind.split('"').filter((_part, nth) => nth % 2 === 1);
  return { cmd: texts[0], args: texts.slice(1) };
}

class ShellTracer implements RunningBeacon {
  readonly #ctx: BeaconContext;
  readonly #strace: string;
  readonly #traced = new Map<string, Traced>();

  constructor(ctx: BeaconContext, strace: string) {
    this.#ctx = ctx;
    this.#strace = strace;
  }

  async look(): Promise<readonly Dict[]> {
    for (const [pid, user] of await this.#shells())
      if (!this.#traced.has(pid)) this.#traced.set(pid, await this.#trace(pid, user));
    const events: Dict[] = [];
    for (const [pid, traced] of this.#traced) {
      for (const line of traced.lines.splice(0)) {
        const started = startedProgram(line);
        if (started === undefined) continue;
        const event = dict({ args: started.args, tag: pid });
        if (started.cmd !== undefined) event.set('cmd', started.cmd);
        events.push(event.set('user', traced.user));
      }
      if (traced.hasEnded) this.#traced.delete(pid);
    }
    return events;
  }

  /** The processes whose name is that of a shell of this host, each with its user. */
  async #shells(): Promise<[pid: string, user: Value][]> {
    const shells = await this.#ctx.call('cmd.shells');
    const names = Array.isArray(shells) ? shells.map(pyStr) : [];
    const processes = await this.#ctx.call('status.procs');
    return [...(isDict(processes) ? processes : [])].flatMap(([pid, process]): [string, Value][] => {
      if (!isDict(process)) return [];
      const cmd = pyStr(process.get('cmd') ?? '').replace(/^-+/, '');
      return names.some((shell) => shell.includes(cmd)) ? [[pyStr(pid), process.get('user') ?? null]] : [];
    });
  }

  async #trace(pid: string, user: Value): Promise<Traced> {
    const program = await startPiped([this.#strace, '-f', '-e', 'execve', '-p', pid]);
    const traced: Traced = { program, user, lines: [], hasEnded: false };
    createInterface({ input: program.stderr }).on('line', (line) => {
      if (traced.lines.length < LINES_MAX) traced.lines.push(line);
    });
    program.stdout.resume();
    void program.exited.then(() => (traced.hasEnded = true));
    return traced;
  }

  close(): void {
    for (const { program } of this.#traced.values()) program.kill();
    this.#traced.clear();
  }
}

/** The beacon. */
export const shBeacon: BeaconSpec = {
  name: 'sh',
  doc: 'Reports the programs that shells start; needs strace.',
  validate: (config) =>
    Array.isArray(config) ? VALID : [false, 'Configuration for sh beacon must be a list.'],
  start: (ctx) => {
    const strace = findProgram('strace');
    if (strace === undefined) throw new CommandExecutionError('strace is missing.');
    return new ShellTracer(ctx, strace);
  },
};
