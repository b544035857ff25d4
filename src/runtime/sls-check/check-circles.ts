/** States that require each other in a circle. */
import { pyStr } from '../../python/values/repr.ts';
import { isDict } from '../../python/values/value.ts';
import { namesOf, type Declared } from './declared.ts';
import type { Step } from './positions.ts';
import type { RenderedSource } from './render-source.ts';
import { isUncertain } from './unknown.ts';

/** Requisites that let a state wait for another one; `listen` waits for the end of the run. */
const WAITS: ReadonlySet<string> = new Set(
  ['require', 'watch', 'onchanges', 'onfail', 'prereq'].flatMap((name) => [name, `${name}_any`]),
);
const IS_WAITED_FOR: ReadonlySet<string> = new Set(
  ['require', 'watch', 'onchanges', 'onfail', 'prereq'].map((name) => `${name}_in`),
);

interface Link {
  readonly to: Declared;
  readonly path: readonly Step[];
}

/** Tells of circles that the states of one file are part of. @param all the states of the run */
export function checkCircles(
  rendered: RenderedSource,
  own: readonly Declared[],
  all: readonly Declared[],
): void {
  const byName = new Map<string, Declared[]>();
  for (const state of all)
    for (const name of namesOf(state)) byName.set(name, [...(byName.get(name) ?? []), state]);
  const links = linksOf(all, byName);
  const told = new Set<Declared>();
  for (const state of own) {
    if (told.has(state)) continue;
    const circle = circleFrom(state, links);
    if (circle === undefined) continue;
    for (const { to } of circle) told.add(to);
    const names = [state, ...circle.map(({ to }) => to)].map(({ id, module }) => `${module} '${id}'`);
    rendered.tell(
      'recursive-requisite',
      { path: circle[0]?.path ?? state.path },
      `States require each other in a circle: ${names.join(' → ')}.`,
    );
  }
}

function linksOf(
  all: readonly Declared[],
  byName: ReadonlyMap<string, readonly Declared[]>,
): Map<Declared, Link[]> {
  const links = new Map<Declared, Link[]>(all.map((state) => [state, []]));
  for (const state of all)
    for (const { name, value, path } of state.args) {
      const isIn = IS_WAITED_FOR.has(name);
      if (!Array.isArray(value) || (!isIn && !WAITS.has(name))) continue;
      for (const [index, item] of value.entries())
        for (const to of targetsOf(item, byName)) {
          const step = [...path, index];
          // who names a prereq runs before it
          if (isIn !== name.startsWith('prereq')) links.get(to)?.push({ to: state, path: step });
          else links.get(state)?.push({ to, path: step });
        }
    }
  return links;
}

function targetsOf(item: unknown, byName: ReadonlyMap<string, readonly Declared[]>): readonly Declared[] {
  const [kind, target] = isDict(item as never)
    ? ([...(item as ReadonlyMap<unknown, unknown>)][0] ?? [])
    : ['id', item];
  if (typeof target !== 'string' || isUncertain(target)) return [];
  const module = pyStr((kind ?? null) as never).split('.')[0];
  return (byName.get(target) ?? []).filter((state) => module === 'id' || state.module === module);
}

/** The way from a state back to it; the shortest. */
function circleFrom(
  start: Declared,
  links: ReadonlyMap<Declared, readonly Link[]>,
): readonly Link[] | undefined {
  const cameBy = new Map<Declared, readonly Link[]>([[start, []]]);
  const open = [start];
  for (let at = open.shift(); at !== undefined; at = open.shift())
    for (const link of links.get(at) ?? []) {
      const way = [...(cameBy.get(at) ?? []), link];
      if (link.to === start) return way;
      if (cameBy.has(link.to)) continue;
      cameBy.set(link.to, way);
      open.push(link.to);
    }
  return undefined;
}
