/** Answers of our own `salt-call --local`, or of the same code within this process. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callerServices } from '../../src/cli/call/caller-services.ts';
import { loadMinionConfig } from '../../src/config/load.ts';
import { minionOptions } from '../../src/config/minion-options.ts';
import { Options } from '../../src/config/option.ts';
import { collectGrains } from '../../src/plugins/grains/core/collect.ts';
import { systemClock } from '../../src/host/clock.ts';
import { silentLogger } from '../../src/host/log.ts';
import { systemRandom } from '../../src/host/random.ts';
import type { ModuleContext } from '../../src/runtime/loader/module.ts';
import { ownModules } from '../../src/runtime/extensions/own-modules.ts';
import { makePillar } from '../../src/programs/minion/pillar.ts';
import { ownGrainsSource } from '../../src/programs/minion/own-modules.ts';
import { MinionState } from '../../src/programs/minion/state.ts';
import { parseJson } from '../../src/formats/json/parse.ts';
import { isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { ours, runProgram } from '../support/fleet.ts';
import { answerOf } from '../support/call-answers.ts';
import type { CallAnswer } from '../support/module-calls.ts';
import { minionConfig, optionLines, type MinionOptions } from './real-modules.ts';

/** Makes calls in order. */
export type Caller = (words: readonly string[]) => Promise<CallAnswer>;

/** Calls by the built command. */
export function commandCaller(folder: string, options: MinionOptions): Caller {
  configure(folder, options);
  const program = join(process.env['BRINE_PROGRAMS'] ?? ours.folder, 'salt-call');
  return async (words) => {
    const line = ['-c', folder, '--local', '-l', 'error', '--out', 'json', '--', ...words];
    const { stdout, stderr } = await runProgram(program, line);
    const value = stdout.trim() === '' ? undefined : answerIn(stdout);
    return value === undefined ? { error: errorIn(stderr) } : { value };
  };
}

function answerIn(stdout: string): Value | undefined {
  try {
    const whole = parseJson(stdout);
    return isDict(whole) ? whole.get('local') : undefined;
  } catch {
    return undefined; // the documentation that follows wrong arguments
  }
}

/** The message in what `salt-call` writes about an error. */
function errorIn(stderr: string): string {
  const patterns = [
    /(?:^|\n)Command required for '[^']*' not found: ([\s\S]*?)\n?$/,
    /(?:^|\n)Error running '[^']*': ([\s\S]*?)\n?$/,
    /\nPassed invalid arguments: ([\s\S]*)\.\n\nUsage:\n/,
    /global exception handler:\n([\s\S]*?)\n?$/,
  ];
  for (const pattern of patterns) {
    const found = pattern.exec(stderr)?.[1];
    if (found !== undefined) return found.replace(/^TypeError: /, ''); // as the real side's is written down
  }
  return stderr.replace(/\n$/, '');
}

/** Calls within this process. */
export async function directCaller(folder: string, options: MinionOptions): Promise<Caller> {
  const { contextFor } = await directContexts(folder, options);
  return ([fun = '', ...words]) => answerOf(fun, contextFor(fun), words);
}

/** A minion of ours within this process. */
export interface DirectMinion {
  /** Makes the context of one call of a function. */
  contextFor(fun: string): ModuleContext;
  /** Collects the grains anew. */
  refreshGrains(): Promise<void>;
}

/** Makes a minion within this process. */
export async function directContexts(
  folder: string,
  options: MinionOptions & { readonly grains?: () => Promise<Dict>; readonly withExtensions?: boolean },
): Promise<DirectMinion> {
  configure(folder, options);
  const config = loadMinionConfig({ configDir: folder, env: {}, log: silentLogger, cacheId: false });
  const merged = config.toDict().set('local', true).set('file_client', 'local');
  const opts = new Options(minionOptions, merged);
  const [clock, log] = [systemClock, silentLogger];
  const custom = options.withExtensions === true ? [ownGrainsSource(merged, clock, log)] : [];
  const grains = options.grains ?? (() => collectGrains({ opts: merged, log, clock, custom }));
  const own = options.withExtensions === true ? ownModules(log) : {};
  const state = new MinionState({ opts, clock, random: systemRandom, log, ...own }, await grains());
  if (options.withExtensions === true) state.pillar = await makePillar(state);
  const services = callerServices({ opts, link: undefined, clock, log });
  return {
    contextFor: (fun) => {
      const job = { jid: '20240102030405678901', fun, pub: new Map() };
      return state.context(job, services, new AbortController().signal);
    },
    refreshGrains: async () => {
      state.grains = await grains();
    },
  };
}

function configure(folder: string, options: MinionOptions): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'minion'), minionConfig(folder, optionLines(options)));
}
