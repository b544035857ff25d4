/** What SLS include, and which files a run of one therefore consists of. */
import { didYouMean } from '../../errors/did-you-mean.ts';
import { compileGlob } from '../../python/text/fnmatch.ts';
import { isDict, type Value } from '../../python/values/value.ts';
import { readPillarInclude } from '../pillar/includes.ts';
import { readInclude } from '../state/includes.ts';
import type { Step } from './positions.ts';
import type { RenderedSource } from './render-source.ts';
import type { Source } from './source.ts';
import { isUncertain } from './unknown.ts';

/** One entry of an `include`. */
interface Include {
  readonly name: string;
  readonly path: readonly Step[];
}

/** The files of one tree by the names of their SLS. */
export class SlsTree {
  readonly files: ReadonlyMap<string, RenderedSource>;
  readonly #included = new Map<string, readonly string[]>();

  constructor(files: ReadonlyMap<string, RenderedSource>) {
    this.files = files;
  }

  /** Tells of the includes of a file that lead nowhere. */
  check(rendered: RenderedSource): void {
    const { value } = rendered;
    const list = isDict(value) ? value.get('include') : undefined;
    if (list !== undefined && !Array.isArray(list) && rendered.source.kind === 'state')
      rendered.tell('wrong-shape', { path: ['include'] }, 'What is under include has to be a list.');
    for (const { fault, path } of faultsOf(rendered))
      rendered.tell('wrong-shape', { path }, `The include ${fault.replace(/\.?$/, '.')}`);
    for (const { name, path } of includesOf(rendered)) {
      const full = fullName(name, rendered.source);
      if (full === undefined)
        rendered.tell('missing-include', { path }, `The include '${name}' goes beyond the top of the tree.`);
      else if (this.#matching(full).length === 0)
        rendered.tell(
          'missing-include',
          { path },
          `There is no SLS '${full}' to include.${didYouMean(full, this.files.keys())}`,
        );
    }
  }

  /**
   * The files of a run of some SLS: themselves and what they include.
   * @returns the names, and whether all of them are known: a file that could not be rendered may include others
   */
  closure(names: Iterable<string>): { readonly names: ReadonlySet<string>; readonly isWhole: boolean } {
    const found = new Set<string>();
    const open = [...names];
    let isWhole = true;
    for (let name = open.shift(); name !== undefined; name = open.shift()) {
      if (found.has(name)) continue;
      found.add(name);
      const rendered = this.files.get(name);
      if (rendered?.value === undefined || rendered.isUncertain) isWhole = false;
      open.push(...this.#includedBy(name));
    }
    return { names: found, isWhole };
  }

  #includedBy(sls: string): readonly string[] {
    let names = this.#included.get(sls);
    if (names === undefined) {
      const rendered = this.files.get(sls);
      names =
        rendered === undefined
          ? []
          : includesOf(rendered).flatMap(({ name }) => this.#named(name, rendered.source));
      this.#included.set(sls, names);
    }
    return names;
  }

  #named(name: string, source: Source): readonly string[] {
    const full = fullName(name, source);
    return full === undefined ? [] : this.#matching(full);
  }

  #matching(name: string): readonly string[] {
    if (this.files.has(name)) return [name];
    if (!/[*?[]/.test(name)) return [];
    const glob = compileGlob(name);
    return [...this.files.keys()].filter((one) => glob.matches(one));
  }
}

function includesOf(rendered: RenderedSource): Include[] {
  return itemsOf(rendered).flatMap((read, index) =>
    typeof read === 'string' || isUncertain(read.name) ? [] : [{ name: read.name, path: ['include', index] }],
  );
}

function faultsOf(rendered: RenderedSource): { readonly fault: string; readonly path: readonly Step[] }[] {
  return itemsOf(rendered).flatMap((read, index) =>
    typeof read === 'string' ? [{ fault: read, path: ['include', index] }] : [],
  );
}

/** Each item as the state system, or pillar, reads it: the include, or what is wrong with it. */
function itemsOf({ value, source }: RenderedSource): readonly ({ readonly name: string } | string)[] {
  const list: Value | undefined = isDict(value) ? value.get('include') : undefined;
  const read = source.kind === 'pillar' ? readPillarInclude : readInclude;
  return (Array.isArray(list) ? list : []).map((item) => read(item, () => undefined));
}

/** The whole name of an include that may begin with dots. */
export function fullName(name: string, { sls, isInit }: Source): string | undefined {
  const dots = /^\.+/.exec(name)?.[0].length ?? 0;
  if (dots === 0) return name;
  const parts = [...sls.split('.').filter((part) => part !== ''), ...(isInit ? ['init'] : [])];
  if (dots > parts.length) return undefined;
  return [...parts.slice(0, -dots), name.slice(dots)].filter((part) => part !== '').join('.');
}
