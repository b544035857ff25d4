/**
 * Applying a state function in test mode, for real, and once more: what it was given (`twice` and `parameters` in
 * `test/fixtures/machine/subjects`), and what is not as it has to be. The machine is that of `test/fixtures/machine`,
 * with programs that keep what they are told (`keeping`).
 */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBash } from './bash-script.ts';
import { parseArguments } from '../../src/cli/command-line/arguments.ts';
import { splitWords } from '../../src/python/shell-words.ts';
import { pyRepr, pyStr } from '../../src/python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../src/python/values/value.ts';
import { loadYaml } from '../../src/formats/yaml/load.ts';
import { startServerFor } from './keeping-servers.ts';
import { dirOf, minionOf, type MachineOutcome, type OwnMachine, type Scene } from './machine-calls.ts';
import { recordedGrains } from './machine-records.ts';
import { entriesOf, linesOf as listed } from './machine-subjects.ts';
import { valueToJson } from './module-calls.ts';
import { machineFile, readMachine, type Machine } from './machine.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const MACHINE = join(ROOT, 'test/fixtures/machine');

/** What a scene may be excused from, each with its reason. */
const EXCUSES = [
  'looks',
  'again',
  'silent',
  'tested',
  'unsaid',
  'beyond',
  'tries',
  'later',
  'elsewhere',
] as const;
type Excuse = (typeof EXCUSES)[number];

/** How a state function is applied. */
export interface TwiceScene {
  readonly fun: string;
  readonly kwargs: Dict;
  /** Calls of states beforehand, as lines. */
  readonly first: readonly string[];
  readonly setup: string | undefined;
  /** Grains that the minion has besides. */
  readonly grains: Dict;
  /** A program of the host that it cannot do without. */
  readonly needs: string | undefined;
  readonly excuses: ReadonlyMap<Excuse, string>;
}

function readYaml(name: string): Dict {
  const value = loadYaml(readFileSync(join(MACHINE, name), 'utf8'));
  if (!isDict(value)) throw new Error(`test/fixtures/machine/${name} is no mapping`);
  return value;
}

/** The machine, with programs that keep what they are told. */
export function keepingMachine(): Machine {
  const given = readYaml('keeping.yaml');
  const part = (name: string): [string, Value][] =>
    [...(given.get(name) as Dict)].map(([key, value]) => [pyStr(key), value]);
  const fakes = entriesOf('fakes').flatMap(([file, names]) => {
    const text = readFileSync(join(ROOT, 'test/compare/fakes', file), 'utf8');
    return (names as Value[]).map((name): [string, string] => [pyStr(name), text]);
  });
  const kept = new Map([
    ...fakes,
    ...[...part('programs'), ...entriesOf('keeping')].map(([name, text]): [string, string] => [
      name,
      pyStr(text),
    ]),
  ]);
  const base = readMachine();
  const files = [...part('files'), ...entriesOf('keeping files')].map(([path, file]) =>
    machineFile(path, file),
  );
  const programs = new Map([...base.programs, ...kept]);
  return { ...base, files: [...base.files, ...files], programs };
}

/** Stands for the folder while words are read, since braces are a mapping's. */
const FOLDER = '/<dir>';

function restored(value: Value): Value {
  if (typeof value === 'string') return value.replaceAll(FOLDER, '{dir}');
  if (Array.isArray(value)) return value.map(restored);
  return isDict(value) ? new Map([...value].map(([key, item]) => [key, restored(item)])) : value;
}

/** The arguments that a line gives. */
export function argumentsOf(line: string): Dict {
  const published = parseArguments(splitWords(line.replaceAll('{dir}', FOLDER))).map(restored);
  const last = published.at(-1);
  if (!isDict(last)) return new Map();
  return new Map([...last].filter(([key]) => key !== '__kwarg__'));
}

/** The arguments of the recorded calls of states, the first of each function. */
function recordedArguments(): Map<string, Dict> {
  return new Map(
    listed('states')
      .reverse()
      .map((line): [string, Dict] => {
        const [fun = ''] = line.split(' ');
        return [fun, argumentsOf((line.split(' # ')[0] ?? '').slice(fun.length + 1))];
      }),
  );
}

/**
 * Whether the program that a scene needs is there; where all suites have to run (`.ci/run`), one that is not lets the
 * scene fail.
 */
export function isPlayable({ needs }: TwiceScene): boolean {
  return (
    needs === undefined || existsSync(`/usr/bin/${needs}`) || process.env['BRINE_REQUIRE_DATABASES'] === '1'
  );
}

const linesOf = (given: Value): string[] => (Array.isArray(given) ? given : [given]).map(pyStr);

/** What a line of the tables makes of a function's scene. */
function sceneOf(fun: string, given: Value, base: TwiceScene | undefined, isMore: boolean): TwiceScene {
  const spec: Dict = isDict(given) ? given : new Map([['with', given]]);
  const line = spec.get('with');
  const setup = spec.get('setup');
  const grains = loadYaml(pyStr(spec.get('grains') ?? '{}'));
  const words = line === undefined ? new Map<Value, Value>() : argumentsOf(pyStr(line));
  const from = isMore && !words.has('name') ? (base?.kwargs ?? []) : [];
  const excuses = new Map(
    EXCUSES.flatMap((excuse): [Excuse, string][] => {
      const reason = spec.get(excuse);
      return reason === undefined || reason === null ? [] : [[excuse, pyStr(reason)]];
    }),
  );
  const kept = isMore ? [...(base?.excuses ?? [])].filter(([excuse]) => spec.get(excuse) !== null) : [];
  return {
    fun,
    kwargs: line === undefined ? (base?.kwargs ?? new Map()) : new Map([...from, ...words]),
    first: spec.has('first') ? linesOf(spec.get('first') ?? null) : isMore ? (base?.first ?? []) : [],
    setup: setup === undefined ? (isMore ? base?.setup : undefined) : pyStr(setup),
    grains: isDict(grains) && grains.size > 0 ? grains : isMore && base ? base.grains : new Map(),
    needs: spec.has('needs') ? pyStr(spec.get('needs') ?? null) : isMore ? base?.needs : undefined,
    excuses: new Map([...kept, ...excuses]),
  };
}

/** The scenes of all functions that have one, by their names. */
export function twiceScenes(): Map<string, TwiceScene> {
  const scenes = new Map<string, TwiceScene>();
  for (const [fun, kwargs] of recordedArguments())
    scenes.set(fun, {
      ...{ fun, kwargs, first: [], setup: undefined, grains: new Map() },
      ...{ needs: undefined, excuses: new Map() },
    });
  for (const [fun, given] of entriesOf('twice')) {
    scenes.set(fun, sceneOf(fun, given, scenes.get(fun), false));
  }
  return scenes;
}

/** What `parameters` says of a function. */
export interface ParameterScenes {
  readonly cases: readonly TwiceScene[];
  /** Parameters that no case gives, each with its reason. */
  readonly without: ReadonlyMap<string, string>;
}

/** Names with blanks between them after a reason, as pairs. */
function reasonsIn(given: Value | undefined): ReadonlyMap<string, string> {
  const pairs = [...(isDict(given) ? given : [])].flatMap(([reason, names]) =>
    pyStr(names)
      .split(/\s+/)
      .map((param): [string, string] => [param, pyStr(reason)]),
  );
  return new Map(pairs);
}

/**
 * Further scenes of functions, by which each of their parameters has an effect.
 * @param scenes those of {@link twiceScenes}
 */
export function parameterScenes(scenes: ReadonlyMap<string, TwiceScene>): Map<string, ParameterScenes> {
  const ofAll = [...readYaml('parameters.yaml')].map(([fun, given]): [string, Value] => [pyStr(fun), given]);
  const all = new Map<string, ParameterScenes>();
  for (const [fun, given] of [...ofAll, ...entriesOf('parameters')]) {
    const before = all.get(fun);
    const spec: Dict = isDict(given) ? given : new Map([['cases', given]]);
    const made = ((spec.get('cases') ?? []) as Value[]).map((one) =>
      sceneOf(fun, one, scenes.get(fun), true),
    );
    all.set(fun, {
      cases: [...(before?.cases ?? []), ...made],
      without: new Map([...(before?.without ?? []), ...reasonsIn(spec.get('without'))]),
    });
  }
  return all;
}

/** The table's entry of parameters that no function has a case for, each with its reason. */
export const OF_ALL = 'every function';

/** The parameters that a function is given in any of its scenes. */
export function givenParameters(scene: TwiceScene, own: ParameterScenes | undefined): Set<string> {
  return new Set([scene, ...(own?.cases ?? [])].flatMap(({ kwargs }) => [...kwargs.keys()].map(pyStr)));
}

/**
 * The parameters of a function that neither a case gives nor a reason excuses. One that is applied elsewhere has its
 * reason there.
 */
export function uncoveredParameters(
  scene: TwiceScene,
  params: readonly string[],
  all: ReadonlyMap<string, ParameterScenes>,
): string[] {
  if (scene.excuses.has('elsewhere')) return [];
  const own = all.get(scene.fun);
  const given = givenParameters(scene, own);
  const isExcused = (param: string): boolean =>
    own?.without.has(param) === true || all.get(OF_ALL)?.without.has(param) === true;
  return params.filter((param) => !given.has(param) && !isExcused(param));
}

function callOf(fun: string, kwargs: Dict, test: boolean): Scene['calls'][number] {
  const plain = Object.fromEntries([...kwargs].map(([key, value]) => [pyStr(key), valueToJson(value)]));
  return { fun: 'state.single', args: [fun], kwargs: { ...plain, test } };
}

/** `PORT` stands for the port of the server that a state is told of, alone or in an address, also within a mapping. */
function withPort(value: Value, port: number | undefined): Value {
  if (isDict(value)) return new Map([...value].map(([key, item]) => [key, withPort(item, port)]));
  if (value === 'PORT') return port ?? null;
  return typeof value === 'string' && port !== undefined ? value.replaceAll(/:PORT\b/g, `:${port}`) : value;
}

/** The calls: what comes first, then in test mode, for real, once more, and in test mode again. */
function callsOf({ fun, kwargs: given, first }: TwiceScene, port: number | undefined): Scene['calls'] {
  const kwargs = new Map([...given].map(([key, value]) => [key, withPort(value, port)]));
  const before = first.map((line) => {
    const [name = ''] = line.split(' ');
    return callOf(name, argumentsOf(line.slice(name.length + 1)), false);
  });
  return [...before, ...[true, false, false, true].map((test) => callOf(fun, kwargs, test))];
}

/**
 * Applies a state function in test mode, twice, and in test mode again.
 * @param judge says what of the four is not as it has to be
 * @returns what is not as it has to be
 */
export async function applyTwice(
  machine: OwnMachine,
  scene: TwiceScene,
  judge: (scene: TwiceScene, outcomes: readonly MachineOutcome[]) => string[] = faultsOf,
): Promise<string[]> {
  const socket = join(machine.places.base, 'docker.sock');
  // what a server is told to do is noted where the programs note what they are
  const log = join(machine.places.root, 'var/log/acts');
  const server = await startServerFor(scene.fun, socket, (act) => appendFileSync(log, `${act}\n`));
  const setup = scene.setup
    ?.replaceAll('{dir}', dirOf(machine.places))
    .replaceAll('{minion}', minionOf(machine.places))
    .replaceAll('{fakes}', join(ROOT, 'test/compare/fakes'));
  try {
    const outcomes = await machine.play(
      {
        scene: scene.fun,
        minion: [...(server?.options ?? [])],
        calls: callsOf(scene, server?.port),
        ...(setup === undefined ? {} : { setup }),
      },
      new Map([...recordedGrains(), ...scene.grains]),
      (env) => {
        if (setup === undefined) return;
        const { status, stderr } = runBash(setup, { env, cwd: dirOf(machine.places) });
        assert.equal(status, 0, `${scene.fun}: ${stderr}`);
      },
    );
    return judge(scene, outcomes.slice(-4)).map((fault) => `${scene.fun} ${pyRepr(scene.kwargs)}: ${fault}`);
  } finally {
    await server?.stop();
  }
}

/** A state's result. */
export function resultIn({ answer }: MachineOutcome): Dict | undefined {
  const value = 'value' in answer ? answer.value : undefined;
  if (!isDict(value)) return undefined;
  const [result] = [...value.values()];
  return isDict(result) ? result : undefined;
}

/** A state's result in a line. */
export function described(outcome: MachineOutcome): string {
  const result = resultIn(outcome);
  if (result === undefined)
    return pyRepr('value' in outcome.answer ? outcome.answer.value : outcome.answer.error);
  const field = (name: string): Value => result.get(name) ?? null;
  return `${pyStr(field('result'))}, ${pyRepr(field('changes'))}, ${pyStr(field('comment'))}`;
}

/** What was written, and which programs had something to do. */
export function traces({ changes, acts }: MachineOutcome): string[] {
  const paths = changes.map(([path]) => path).filter((path) => path !== '/var/log/acts');
  return [...paths, ...acts.split('\n').filter((line) => line !== '')];
}

/** Everything that is not as it has to be; nothing when all is well. */
function faultsOf(scene: TwiceScene, outcomes: readonly MachineOutcome[]): string[] {
  const [foretold, applied, again, after] = outcomes;
  if (foretold === undefined || applied === undefined || again === undefined || after === undefined)
    return ['it was not applied'];
  const has = (excuse: Excuse): boolean => scene.excuses.has(excuse);
  const faults: string[] = [];
  const check = (isRight: boolean, what: string, outcome: MachineOutcome): void => {
    if (!isRight) faults.push(`${what}: ${[described(outcome), ...traces(outcome)].join('; ')}`);
  };
  const result = (outcome: MachineOutcome): Value => resultIn(outcome)?.get('result') ?? null;
  const changed = (outcome: MachineOutcome): boolean => truthy(resultIn(outcome)?.get('changes') ?? null);
  const isQuiet = (outcome: MachineOutcome): boolean => traces(outcome).length === 0;
  const changes = !has('looks');
  check(isQuiet(foretold), 'test mode has changed something', foretold);
  check(result(foretold) === (changes ? null : true) || has('tested'), 'the result of test mode', foretold);
  check(changed(foretold) === changes || has('silent'), 'the changes of test mode', foretold);
  check(result(applied) === true, 'it fails', applied);
  check(changed(applied) === changes || has('unsaid'), 'the changes', applied);
  check(isQuiet(applied) !== changes || has('beyond'), 'what it does', applied);
  if (has('again')) return faults;
  check(result(again) === true, 'it fails the second time', again);
  check(!changed(again) && (isQuiet(again) || has('tries')), 'it changes something the second time', again);
  check(
    (result(after) === true && !changed(after)) || has('later'),
    'test mode foretells something when all is done',
    after,
  );
  check(isQuiet(after) || has('tries'), 'test mode has changed something when all is done', after);
  return faults;
}
