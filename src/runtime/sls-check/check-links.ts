/** What leads from one state to another: requisites, extensions, and ids that stand in two files of one run. */
import { didYouMean } from '../../errors/did-you-mean.ts';
import { compileGlob } from '../../python/text/fnmatch.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, valuesEqual, type Value } from '../../python/values/value.ts';
import { REQUISITES, REQUISITES_IN } from '../state/keywords.ts';
import { checkCircles } from './check-circles.ts';
import { declaredStates, namesOf, NO_IDS, type Declared } from './declared.ts';
import type { SlsTree } from './includes.ts';
import type { Step } from './positions.ts';
import type { RenderedSource } from './render-source.ts';
import { isUncertain } from './unknown.ts';

const LINKS: ReadonlySet<string> = new Set([...REQUISITES, ...REQUISITES_IN, 'use', 'use_in']);

/** The states of one run. */
interface Run {
  readonly states: readonly Declared[];
  readonly sls: ReadonlySet<string>;
  /** False when there may be others besides. */
  readonly isWhole: boolean;
}

/** Checks how the files of a tree hang together. */
export class LinkChecker {
  readonly #tree: SlsTree;
  /** SLS that are assigned to one target together. */
  readonly #together: readonly ReadonlySet<string>[];
  readonly #declared = new Map<string, readonly Declared[]>();
  readonly #conflicts = new Set<string>();
  /** The runs of {@link #together}, made when one is first asked for. */
  readonly #assigned = new Map<ReadonlySet<string>, Run>();
  #all: Run | undefined;

  constructor(tree: SlsTree, together: readonly ReadonlySet<string>[]) {
    this.#tree = tree;
    this.#together = together;
  }

  /** Tells what is wrong with the links of one SLS. */
  check(rendered: RenderedSource): void {
    const { sls } = rendered.source;
    const run = this.#run([sls]);
    this.#checkConflicts(run.sls);
    if (!isDict(rendered.value)) return;
    this.#checkExtend(rendered, rendered.value.get('extend'), run);
    for (const state of this.#of(sls)) this.#checkRequisites(rendered, state, run);
    checkCircles(rendered, this.#of(sls), run.states);
  }

  #run(names: Iterable<string>): Run {
    const { names: sls, isWhole } = this.#tree.closure(names);
    return { states: [...sls].flatMap((name) => this.#of(name)), sls, isWhole };
  }

  /** The runs that a top file makes of this SLS and others. */
  #around(sls: string): Run[] {
    return this.#together
      .filter((names) => names.has(sls))
      .map((names) => {
        let run = this.#assigned.get(names);
        if (run === undefined) this.#assigned.set(names, (run = this.#run(names)));
        return run;
      });
  }

  #of(sls: string): readonly Declared[] {
    let states = this.#declared.get(sls);
    if (states === undefined) {
      const value = this.#tree.files.get(sls)?.value;
      const extended = isDict(value) ? value.get('extend') : undefined;
      states = isDict(value)
        ? [...declaredStates(value), ...(isDict(extended) ? declaredStates(extended, ['extend']) : [])]
        : [];
      this.#declared.set(sls, states);
    }
    return states;
  }

  #checkRequisites(rendered: RenderedSource, state: Declared, run: Run): void {
    for (const { name, value, path } of state.args) {
      if (!LINKS.has(name) || !Array.isArray(value)) continue;
      for (const [index, item] of value.entries()) {
        const [kind, target] = isDict(item) ? ([...item][0] ?? []) : ['id', item];
        if (typeof target !== 'string' || isUncertain(target)) continue;
        this.#checkTarget(
          rendered,
          { kind: pyStr(kind ?? null), target, requisite: name, path: [...path, index] },
          run,
        );
      }
    }
  }

  #checkTarget(
    rendered: RenderedSource,
    {
      kind,
      target,
      requisite,
      path,
    }: { kind: string; target: string; requisite: string; path: readonly Step[] },
    run: Run,
  ): void {
    const shown = kind === 'id' ? `'${target}'` : `${kind} '${target}'`;
    if (isIn(run, kind, target)) return;
    const around = this.#around(rendered.source.sls);
    if (around.some((one) => isIn(one, kind, target))) return;
    const all = (this.#all ??= this.#run(this.#tree.files.keys()));
    const elsewhere = [...all.sls].find((name) =>
      isIn({ states: this.#of(name), sls: new Set([name]) }, kind, target),
    );
    if (elsewhere !== undefined) {
      if (!run.isWhole || around.some(({ isWhole }) => !isWhole)) return;
      rendered.tell(
        'far-requisite',
        { path },
        `${requisite} names ${shown}, which is in '${elsewhere}': include it.`,
      );
      return;
    }
    if (!all.isWhole) {
      const unread = [...this.#tree.files.values()].filter(
        (one) => one.value === undefined || one.isUncertain,
      );
      const files = unread.slice(0, 3).map(({ source }) => source.path);
      const more = unread.length > files.length ? ` and ${unread.length - files.length} more` : '';
      rendered.tell(
        'unsure-requisite',
        { path },
        `${requisite} names ${shown}, which no file has of those that could be read to their end; ${files.join(', ')}${more} could not be.`,
      );
      return;
    }
    const names = all.states.filter(({ module }) => kind === 'id' || module === kind).flatMap(namesOf);
    const ofOther = all.states.find((one) => kind !== 'id' && namesOf(one).includes(target));
    const hint = ofOther === undefined ? didYouMean(target, names) : ` It is a state of ${ofOther.module}.`;
    rendered.tell('lost-requisite', { path }, `${requisite} names ${shown}, which no file has.${hint}`);
  }

  #checkExtend(rendered: RenderedSource, extend: Value | undefined, run: Run): void {
    if (!isDict(extend) || !run.isWhole) return;
    for (const key of extend.keys()) {
      const id = pyStr(key);
      const declared = run.states.filter((state) => state.path[0] !== 'extend');
      if (isUncertain(id) || declared.some((state) => namesOf(state).includes(id))) continue;
      const ids = declared.map((state) => state.id);
      rendered.tell(
        'lost-extend',
        { path: ['extend', id] },
        `'${id}' is extended, and neither this file nor what it includes has it.${didYouMean(id, ids)}`,
      );
    }
  }

  /** Tells of ids that stand in two files of a run, once for each pair. */
  #checkConflicts(names: ReadonlySet<string>): void {
    const owners = new Map<Value, { readonly rendered: RenderedSource; readonly body: Value }>();
    for (const name of names) {
      const rendered = this.#tree.files.get(name);
      if (rendered === undefined || !isDict(rendered.value)) continue;
      for (const [id, body] of rendered.value) {
        if (NO_IDS.has(id) || isUncertain(pyStr(id))) continue;
        const owner = owners.get(id);
        if (owner === undefined) owners.set(id, { rendered, body });
        else if (!valuesEqual(owner.body, body)) this.#tellConflict(pyStr(id), owner.rendered, rendered);
      }
    }
  }

  #tellConflict(id: string, one: RenderedSource, other: RenderedSource): void {
    const pair = [one, other].map(({ source }) => source.path).sort();
    const key = [id, ...pair].join('\0');
    if (this.#conflicts.has(key)) return;
    this.#conflicts.add(key);
    const message = `The id '${id}' stands in ${one.source.path} as well, which is part of the same run.`;
    other.tell('conflicting-id', { path: [id] }, message);
  }
}

function isIn(run: Pick<Run, 'states' | 'sls'>, kind: string, target: string): boolean {
  const glob = compileGlob(target);
  if (kind === 'sls') return [...run.sls].some((name) => glob.matches(name));
  const module = kind.split('.')[0];
  return run.states.some(
    (state) =>
      (kind === 'id' || state.module === module) &&
      namesOf(state).some((name) => glob.matches(name) || isUncertain(name)),
  );
}
