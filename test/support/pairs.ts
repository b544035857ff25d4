/**
 * Parameters of state functions in pairs (`pairs` in `test/fixtures/machine/subjects`): few applications, in which each
 * value of a parameter comes together with each value of every other, and with each other parameter left out.
 */
import { pyStr } from '../../src/python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../src/python/values/value.ts';
import type { MachineOutcome } from './machine-calls.ts';
import { entriesOf } from './machine-subjects.ts';
import { argumentsOf, described, resultIn, traces, type TwiceScene } from './twice.ts';

/** The choice of a parameter that is left out. */
const LEFT_OUT = -1;
/** A choice for each parameter, in their order. */
type Choices = number[];

/** What may be given, and what may not be given together. */
export interface Choosable {
  /** The values of each parameter. */
  readonly values: ReadonlyMap<string, readonly Value[]>;
  /** Pairs of parameters of which only one is given. */
  readonly apart: readonly (readonly [string, string])[];
  /** Parameters that are only given beside another one. */
  readonly beside: ReadonlyMap<string, string>;
}

/** A choice in each of some places. */
type SomeChoices = ReadonlyMap<number, number>;

class PairCover {
  readonly #names: readonly string[];
  readonly #given: Choosable;
  readonly #left = new Map<string, SomeChoices>();

  constructor(given: Choosable) {
    this.#given = given;
    this.#names = [...given.values.keys()];
    for (let one = 0; one < this.#names.length; one++)
      for (let other = one + 1; other < this.#names.length; other++)
        for (const a of this.#choices(one))
          for (const b of this.#choices(other)) {
            const pair = new Map([
              [one, a],
              [other, b],
            ]);
            if (this.#complete(pair) !== undefined) this.#left.set(keyOf(one, a, other, b), pair);
          }
  }

  #choices(place: number): number[] {
    const count = this.#given.values.get(this.#names[place] ?? '')?.length ?? 0;
    return [...Array.from({ length: count }, (_, i) => i), LEFT_OUT];
  }

  /**
   * Whether what is chosen so far may stand together; a parameter beside another one waits until the other is chosen.
   */
  #isAllowed(chosen: SomeChoices): boolean {
    const isGiven = (name: string): boolean | undefined => {
      const choice = chosen.get(this.#names.indexOf(name));
      return choice === undefined ? undefined : choice !== LEFT_OUT;
    };
    const { apart, beside } = this.#given;
    return (
      apart.every(([one, other]) => isGiven(one) !== true || isGiven(other) !== true) &&
      [...beside].every(([one, other]) => isGiven(one) !== true || isGiven(other) !== false)
    );
  }

  /** All choices, with as many pairs as can be that were not there before; nothing where there is no way. */
  #complete(start: SomeChoices): Choices | undefined {
    const chosen = new Map(start);
    if (!this.#isAllowed(chosen)) return undefined;
    // what another one waits for is chosen first
    const order = this.#names.map((_, place) => place).filter((place) => !chosen.has(place));
    const isAwaited = (place: number): number =>
      [...this.#given.beside.values()].includes(this.#names[place] ?? '') ? 0 : 1;
    for (const place of order.sort((a, b) => isAwaited(a) - isAwaited(b))) {
      const possible = this.#choices(place).filter((choice) =>
        this.#isAllowed(new Map([...chosen, [place, choice]])),
      );
      const best = possible.map((choice) => [this.#gain(chosen, place, choice), choice] as const);
      const [, choice] = best.reduce((a, b) => (b[0] > a[0] ? b : a), [-1, undefined] as readonly [
        number,
        number | undefined,
      ]);
      if (choice === undefined) return undefined;
      chosen.set(place, choice);
    }
    return this.#names.map((_, place) => chosen.get(place) ?? LEFT_OUT);
  }

  #gain(chosen: SomeChoices, place: number, choice: number): number {
    return [...chosen].filter(([other, own]) => this.#left.has(keyOf(place, choice, other, own))).length;
  }

  /** The applications, as arguments. */
  *cases(): Generator<Dict, void> {
    for (;;) {
      const [next] = this.#left.values();
      const choices = next === undefined ? undefined : this.#complete(next);
      if (choices === undefined) return;
      for (const [one, a] of choices.entries())
        for (const [other, b] of choices.entries()) this.#left.delete(keyOf(one, a, other, b));
      yield new Map(
        this.#names.flatMap((name, place): [Value, Value][] => {
          const value = this.#given.values.get(name)?.[choices[place] ?? LEFT_OUT];
          return value === undefined ? [] : [[name, value]];
        }),
      );
    }
  }
}

const keyOf = (one: number, a: number, other: number, b: number): string =>
  one < other ? `${one}=${a} ${other}=${b}` : `${other}=${b} ${one}=${a}`;

/** Arguments in which each two values come together that may. */
export const pairwise = (given: Choosable): Dict[] => [...new PairCover(given).cases()];

const wordsOf = (value: Value | undefined): string[][] =>
  (Array.isArray(value) ? value : []).map((line) => pyStr(line).split(' '));

function choosableOf(spec: Dict): Choosable {
  const give = spec.get('give');
  return {
    values: new Map([...(isDict(give) ? give : [])].map(([name, all]) => [pyStr(name), all as Value[]])),
    apart: wordsOf(spec.get('apart')).flatMap((names) =>
      names.flatMap((one, i) => names.slice(i + 1).map((other): [string, string] => [one, other])),
    ),
    beside: new Map(wordsOf(spec.get('beside')).map(([one = '', other = '']) => [one, other])),
  };
}

/** The scenes of each function. */
export function pairScenes(): Map<string, TwiceScene[]> {
  const scenes = new Map<string, TwiceScene[]>();
  for (const [fun, bases] of entriesOf('pairs'))
    for (const spec of (bases as Value[]).filter(isDict)) {
      const base = argumentsOf(pyStr(spec.get('with') ?? ''));
      const setup = pyStr(spec.get('setup') ?? ':');
      const made = pairwise(choosableOf(spec)).map((more): TwiceScene => ({
        ...{ fun, kwargs: new Map([...base, ...more]), first: [], setup },
        ...{ grains: new Map(), needs: undefined, excuses: new Map() },
      }));
      scenes.set(fun, [...(scenes.get(fun) ?? []), ...made]);
    }
  return scenes;
}

/**
 * Everything that is not as it has to be when a function is applied in test mode, for real, once more and in test mode
 * again: test mode writes nothing and foretells just what the first run does, and the second one does nothing.
 */
export function pairFaults(outcomes: readonly MachineOutcome[]): string[] {
  const [foretold, applied, again, after] = outcomes;
  if (foretold === undefined || applied === undefined || again === undefined || after === undefined)
    return ['it was not applied'];
  const faults: string[] = [];
  const check = (isRight: boolean, what: string, ...shown: MachineOutcome[]): void => {
    const told = shown.map((outcome) => [described(outcome), ...traces(outcome)].join('; '));
    if (!isRight) faults.push([`${what}:`, ...told].join('\n    '));
  };
  const result = (outcome: MachineOutcome): Value => resultIn(outcome)?.get('result') ?? null;
  const isChange = (outcome: MachineOutcome): boolean =>
    truthy(resultIn(outcome)?.get('changes') ?? null) || traces(outcome).length > 0;
  const isQuiet = (outcome: MachineOutcome): boolean => result(outcome) === true && !isChange(outcome);
  check(traces(foretold).length === 0, 'test mode has changed something', foretold);
  check(result(applied) === true, 'it fails', applied);
  check(
    (result(foretold) === null) === isChange(applied),
    'test mode foretells otherwise',
    foretold,
    applied,
  );
  check(isQuiet(again), 'it does something the second time', applied, again);
  check(isQuiet(after), 'test mode foretells something when all is done', after);
  return faults;
}
