/** One run of the benchmark over all kinds that were asked for. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../src/errors/errors.ts';
import { preseedKeys, swarmKeys } from '../src/programs/swarm/key-pairs.ts';
import type { Figure } from './figure.ts';
import { Fleet } from './fleet.ts';
import type { Kind } from './kind.ts';
import { LoadClient } from './load/client.ts';
import { SHARED_KEYS } from './load/process.ts';
import { measureLimits } from './limits/limits.ts';
import type { ProcessGroups } from './processes.ts';
import type { Progress } from './progress.ts';
import { api } from './scenarios/api.ts';
import { bigFleet } from './scenarios/big-fleet.ts';
import { bigReturns } from './scenarios/big-returns.ts';
import { cluster } from './scenarios/cluster.ts';
import { databases } from './scenarios/databases.ts';
import { callLocal, cliRoundTrip, pingAll } from './scenarios/cli.ts';
import { events } from './scenarios/events.ts';
import { fileServer } from './scenarios/file-server.ts';
import { jobStart } from './scenarios/job-start.ts';
import { logIns } from './scenarios/log-ins.ts';
import { idleMemory, loadedMemory } from './scenarios/memory.ts';
import { pillarOfMany, pillarOfOne } from './scenarios/pillars.ts';
import { pythonModules } from './scenarios/python.ts';
import { reactor } from './scenarios/reactor.ts';
import { restart } from './scenarios/restart.ts';
import { SWARM_PREFIX, SWARM_SIZE, type Scenario, type ScenarioContext } from './scenarios/scenario.ts';
import { chained, fileManaged, highstate } from './scenarios/states.ts';
import { auth, returnStorm } from './scenarios/storms.ts';

/** In the order in which they run: what wants a fresh master first. */
export const SCENARIOS: readonly Scenario[] = [
  idleMemory,
  cliRoundTrip,
  callLocal,
  jobStart,
  chained,
  highstate,
  fileManaged,
  pillarOfOne,
  pillarOfMany,
  pingAll,
  auth,
  returnStorm,
  loadedMemory,
  bigReturns,
  events,
  fileServer,
  restart,
  bigFleet,
  databases,
  cluster,
  reactor,
  logIns,
  pythonModules,
  api,
];

/** What one kind has given so far. */
export interface KindResult {
  readonly kind: Kind;
  readonly figures: Figure[];
  readonly faults: string[];
}

/** How to run. */
export interface RunOptions {
  readonly only: readonly string[];
  readonly rounds: number | undefined;
  /** The program that runs a load process. */
  readonly program: string;
}

function isWanted(scenario: Scenario, only: readonly string[]): boolean {
  return only.length > 0 ? only.includes(scenario.name) : scenario.isLong !== true;
}

/** Everything that a run has to let go of. */
export class BenchRun {
  /** Of each kind that was begun, also when the run ends early. */
  readonly results: KindResult[] = [];
  readonly #groups: ProcessGroups;
  readonly #progress: Progress;
  readonly #options: RunOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), 'brine-bench-'));
  #fleet: Fleet | undefined;
  #load: LoadClient | undefined;
  #closed = false;

  constructor(groups: ProcessGroups, progress: Progress, options: RunOptions) {
    this.#groups = groups;
    this.#progress = progress;
    this.#options = options;
  }

  /**
   * Measures one kind. A scenario that fails is reported, and the others go on.
   * @param deadlineMs no scenario begins after this moment of `performance.now()`
   */
  async measure(kind: Kind, deadlineMs: number): Promise<void> {
    if (this.#closed) return;
    const result: KindResult = { kind, figures: [], faults: [] };
    this.results.push(result);
    this.#progress.step(`${kind.label}: starts`);
    const fleet = (this.#fleet = await Fleet.start(kind, join(this.#folder, kind.name), this.#groups));
    const load = (this.#load = new LoadClient(this.#options.program));
    const keysDir = join(this.#folder, 'keys');
    preseedKeys(fleet.pkiDir, SWARM_PREFIX, SWARM_SIZE, await swarmKeys(SHARED_KEYS, keysDir));
    const { only, rounds } = this.#options;
    for (const scenario of SCENARIOS) {
      if (!isWanted(scenario, only) || (kind.name === 'salt' && scenario.isOursOnly === true)) continue;
      const step = (text: string): void => this.#progress.step(`${kind.label}: ${scenario.name}: ${text}`);
      if (performance.now() > deadlineMs)
        result.faults.push(`${kind.label}: ${scenario.name} was left out, because the time is up`);
      else await this.#runScenario(scenario, { fleet, load, keysDir, rounds, step }, result);
    }
    await this.#release();
  }

  /** What the machine itself can do at most, for the scenarios that are measured. */
  async limits(): Promise<Figure[]> {
    if (this.#closed) return [];
    const { only, program } = this.#options;
    const names = SCENARIOS.filter((scenario) => isWanted(scenario, only)).map(({ name }) => name);
    const context = { groups: this.#groups, folder: this.#folder, program };
    const step = (text: string): void => this.#progress.step(`limits: ${text}`);
    return measureLimits(context, new Set(names), step, (fault) => this.results.at(-1)?.faults.push(fault));
  }

  async #runScenario(scenario: Scenario, context: ScenarioContext, result: KindResult): Promise<void> {
    if (this.#closed) return;
    try {
      const figures = await scenario.run(context);
      // a command that was ended with the benchmark has printed less than it would have
      if (this.#closed) result.faults.push(`${result.kind.label}: ${scenario.name} was cut off`);
      else result.figures.push(...figures);
    } catch (error) {
      if (!this.#closed)
        result.faults.push(`${result.kind.label}: ${scenario.name} failed: ${messageOf(error)}`);
    }
  }

  /** Ends every process and removes every folder; safe to call at any time. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#release();
    await this.#groups.stopAll();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #release(): Promise<void> {
    this.#load?.close();
    await this.#fleet?.stop();
    this.#fleet = undefined;
    this.#load = undefined;
  }
}
