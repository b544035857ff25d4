/**
 * The master's own schedule: runners that are run at given times (salt/master.py `handle_schedule`, 3006.16). Each run
 * is a `salt-run` of its own, so that it has its events and its entry in the job cache, and cannot harm the master.
 */
import { dirname } from 'node:path';
import type { MasterOptions } from '../../config/master-options.ts';
import { messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { ownProgram } from '../../host/own-program.ts';
import type { Logger } from '../../host/log.ts';
import { runProcess } from '../../host/process.ts';
import type { Random } from '../../host/random.ts';
import { Scheduler, type ScheduledRun } from '../../runtime/scheduler/scheduler.ts';
import { systemZone } from '../../runtime/scheduler/zone.ts';
import { runnerInput, runnerWord } from './runner-words.ts';
import { copyValue, isDict, truthy, type Dict } from '../../python/values/value.ts';

/** Fields of a job by which a minion hands its return to a returner. */
const RETURNER_FIELDS = ['returner', 'return_config', 'return_kwargs'];
const OUTPUT_BYTES_MAX = 64 * 1024;

/** What it needs. */
export interface MasterScheduleDeps {
  readonly opts: MasterOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Whether scheduled runs are this master's to do. */
  readonly hasDuty: () => boolean;
}

/** Runs the master's scheduled runners, each as a `salt-run` of its own. */
export class MasterSchedule {
  readonly #deps: MasterScheduleDeps;
  readonly #scheduler: Scheduler;
  readonly #running = new Map<string, number>();
  /** Jobs whose runner is not there, and which that was, as they were told; no more than there are jobs. */
  readonly #told = new Map<string, string>();
  readonly #stop = new AbortController();

  constructor(deps: MasterScheduleDeps) {
    this.#deps = deps;
    const { opts, clock, random, log } = deps;
    this.#scheduler = new Scheduler({
      clock,
      zone: systemZone,
      random,
      log,
      loopMs: 1000,
      configured: copyValue(opts.get('schedule')),
      pillar: () => undefined,
      whens: () => [],
      running: (name) => this.#running.get(name) ?? 0,
      run: (run) => {
        if (deps.hasDuty()) void this.#run(run);
      },
      seen: (name, data) => this.#tellUnread(name, data),
      persist: () => undefined,
    });
    this.#scheduler.start();
  }

  close(): void {
    this.#scheduler.stop();
    this.#stop.abort();
  }

  /** A runner that is not there is said once, anything else each time. */
  #tellFailed(name: string, fun: string, retcode: number, text: string): void {
    const { log, opts } = this.#deps;
    const isMissing =
      text.includes(`'${fun}' is not available`) || text.includes('__virtual__ returned False');
    if (!isMissing) {
      this.#told.delete(name);
      return log.error(`The scheduled runner ${fun} (${name}) ended with ${retcode}: ${text}`);
    }
    if (this.#told.get(name) === fun) return;
    this.#told.set(name, fun);
    const reason = text.replaceAll(/\s*\n\s*/g, ' ').replace(/^\[ERROR *\] /, '');
    log.error(
      `The master's scheduled job "${name}" cannot run ${fun}: ${reason} Each of its runs fails until schedule in ` +
        `${opts.get('conf_file')} names a runner that is there (salt-run -d lists them); this is said once.`,
    );
  }

  /** What a minion's schedule has, and a master's does not. */
  #tellUnread(name: string, data: Dict): void {
    const given = RETURNER_FIELDS.filter((field) => truthy(data.get(field)));
    if (given.length > 0)
      this.#deps.log.warning(
        `The master's scheduled job "${name}": ${given.join(' and ')} has no effect, as runners return to the job cache; ` +
          'name the database in master_job_cache or event_return.',
      );
  }

  async #run({ name, fun, data, lateSeconds }: ScheduledRun): Promise<void> {
    const { log, opts } = this.#deps;
    const late = lateSeconds > 0 ? ` (runtime missed by ${lateSeconds} seconds)` : '';
    log.info(`Running scheduled job: ${name}${late}`);
    this.#running.set(name, (this.#running.get(name) ?? 0) + 1);
    try {
      const { command, stdin } = saltRun(opts, fun, data);
      const { retcode, stderr } = await runProcess(command, {
        stdin,
        signal: this.#stop.signal,
        outputLimitBytes: OUTPUT_BYTES_MAX,
      });
      const text = stderr.toString().trim().slice(0, 1000);
      if (retcode !== 0) this.#tellFailed(name, fun, retcode, text);
      else if (text !== '') log.error(`The scheduled runner ${fun} (${name}) says: ${text}`);
    } catch (error) {
      log.error(`The scheduled runner ${fun} (${name}) could not be run: ${messageOf(error)}`, error);
    } finally {
      this.#running.set(name, (this.#running.get(name) ?? 1) - 1);
    }
  }
}

/**
 * The command, and its arguments as JSON, which `salt-run` reads as YAML from standard input: command lines are
 * everybody's to see.
 */
function saltRun(opts: MasterOptions, fun: string, data: Dict): { command: string[]; stdin: string } {
  const [args, kwargs] = [data.get('args'), data.get('kwargs')];
  const words = (Array.isArray(args) ? args : []).map(runnerWord);
  const named = isDict(kwargs)
    ? [...kwargs].map(([key, value]) => `${String(key)}=${runnerWord(value)}`)
    : [];
  const options = ['-c', dirname(opts.get('conf_file')), '--out=quiet', '--log-level=error', '--args-stdin'];
  return { command: [...ownProgram('salt-run'), ...options, fun], stdin: runnerInput([...words, ...named]) };
}
