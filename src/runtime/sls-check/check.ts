/** `sls check`: looks through a tree of SLS, pillar, top files and reactions without a minion. */
import { didYouMean } from '../../errors/did-you-mean.ts';
import { jinjaOptions, parseTemplate, TemplateSyntaxError } from '../../formats/jinja/index.ts';
import { isDict, truthy, type Value } from '../../python/values/value.ts';
import { SALTS_RENDERERS } from '../../config/renderer-names.ts';
import { lookUp, rulesFor, type SlsCatalog, type ToldRule } from './catalog.ts';
import { goneFrom, goneText } from './later-salt.ts';
import { LinkChecker } from './check-links.ts';
import { checkPillar } from './check-pillar.ts';
import { checkReactor, isReactor } from './check-reactor.ts';
import { checkStates } from './check-states.ts';
import type { HasPath } from './check-values.ts';
import { checkTop, together, type Assignment } from './check-top.ts';
import { SlsTree } from './includes.ts';
import { renderSource, type RenderedSource, type RenderSourceDeps } from './render-source.ts';
import { finding, type Finding } from './rules.ts';
import type { Source } from './source.ts';

/** What a check works with. */
export interface CheckDeps extends Omit<
  RenderSourceDeps,
  'faultsOfFunction' | 'faultOfKeyword' | 'faultOfRenderer' | 'ownRenderers'
> {
  readonly catalog: SlsCatalog;
  readonly hasPath: HasPath;
  /** Called after each file, with how many have been looked at. */
  readonly progress?: (done: number, all: number) => void;
}

/** Checks some files, which make trees by their roots. @returns what was found, in the order of files and lines */
export async function checkSources(sources: readonly Source[], deps: CheckDeps): Promise<Finding[]> {
  const { catalog } = deps;
  const faultsOfFunction = async (fun: string): Promise<readonly ToldRule[]> =>
    rulesFor(catalog, await lookUp(catalog, 'modules', fun), 'unknown-function', 'function-not-here');
  const faultOfKeyword = (fun: string, keyword: string): Promise<ToldRule | undefined> =>
    keywordFault(catalog, fun, keyword);
  const faultOfRenderer = (name: string): ToldRule | undefined => rendererFault(catalog, name);
  const faults = { faultsOfFunction, faultOfKeyword, faultOfRenderer };
  const ownRenderers = catalog.own.get('_renderers') ?? new Set<string>();
  const found: Finding[] = [];
  const rendered: RenderedSource[] = [];
  for (const [index, source] of sources.entries()) {
    if (source.kind === 'template') found.push(...checkTemplate(source));
    else if (/\..*\.sls$/.test(source.name)) found.push(unreachable(source));
    else rendered.push(await renderSource(source, { ...deps, ...faults, ownRenderers }));
    deps.progress?.(index + 1, sources.length);
  }
  const reactions = rendered.filter(
    ({ source, value }) =>
      source.kind === 'reactor' || (source.kind === 'state' && isDict(value) && isReactor(value)),
  );
  const of = (kind: Source['kind']): RenderedSource[] =>
    rendered.filter((one) => one.source.kind === kind && !reactions.includes(one));
  await checkTree(of('state'), of('top'), deps);
  const pillar = new SlsTree(new Map(of('pillar').map((one) => [one.source.sls, one])));
  checkPillar(
    pillar,
    of('pillar-top').flatMap((top) => checked(top, pillar)),
  );
  for (const one of reactions) if (isDict(one.value)) await checkReactor(one, one.value, catalog);
  for (const one of rendered) found.push(...(await one.findings()));
  return withoutRepeats(found).sort(
    (a, b) => compare(a.path, b.path) || a.line - b.line || a.column - b.column,
  );
}

/** What is to be said of a renderer. */
function rendererFault({ insteadOf, own }: SlsCatalog, name: string): ToldRule | undefined {
  if (own.get('_renderers')?.has(name) === true) return undefined;
  const isInBrine = !SALTS_RENDERERS.includes(name);
  const gone = goneFrom(insteadOf, 'renderers', name, isInBrine);
  return gone && { rule: 'gone-from-salt', message: goneText(insteadOf, gone), gone };
}

/** Modules that Salt has another of on other systems, with other arguments. */
const OF_THE_SYSTEM: ReadonlySet<string> = new Set(
  'docker file group ip pkg service shadow status sysctl system timezone user x509'.split(' '),
);

/** A keyword that no function of this name takes: Salt calls it, and Python refuses. */
async function keywordFault(
  catalog: SlsCatalog,
  fun: string,
  keyword: string,
): Promise<ToldRule | undefined> {
  const found = await lookUp(catalog, 'modules', fun);
  if (found.kind !== 'known' || keyword.startsWith('__')) return undefined;
  if (OF_THE_SYSTEM.has(fun.slice(0, fun.indexOf('.')))) return undefined;
  const takes = found.specs.some(
    ({ params = {}, kwargs }) => kwargs !== undefined || Object.hasOwn(params, keyword),
  );
  if (takes) return undefined;
  const names = found.specs.flatMap(({ params = {} }) => Object.keys(params));
  const message = `${fun} has no argument '${keyword}'.${didYouMean(keyword, names)}`;
  return { rule: 'unknown-argument', message };
}

/** What a loop, or several files that import one, let be found again and again is told once. */
function withoutRepeats(found: readonly Finding[]): Finding[] {
  const keyOf = ({ rule, path, line, column, message }: Finding): string =>
    [rule, path, line, column, message].join('\0');
  return [...new Map(found.map((one) => [keyOf(one), one])).values()];
}

/** An SLS of two dots, which Salt looks for in a folder: most are templates of other files. */
function unreachable(source: Source): Finding {
  const message = 'The name has a dot in it, so that nothing can name this SLS; it was not looked at.';
  return finding('dotted-name', source.path, { line: 1, column: 1 }, message);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A template that SLS import: whether it can be read. */
function checkTemplate(source: Source): Finding[] {
  try {
    parseTemplate(
      source.text,
      jinjaOptions(
        () => undefined,
        true,
        () => undefined,
      ),
    );
    return [];
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error;
    return [
      finding(
        'jinja-syntax',
        source.path,
        { line: error.line, column: 1 },
        `${error.message}.`.replace(/\.\.$/, '.'),
      ),
    ];
  }
}

async function checkTree(
  states: readonly RenderedSource[],
  tops: readonly RenderedSource[],
  { catalog, hasPath }: CheckDeps,
): Promise<void> {
  const tree = new SlsTree(new Map(states.map((one) => [one.source.sls, one])));
  const links = new LinkChecker(
    tree,
    tops.flatMap((top) => together(checked(top, tree))),
  );
  for (const one of states) {
    if (one.value === undefined) continue;
    tree.check(one);
    if (isDict(one.value)) await checkStates(one, one.value, catalog, hasPath);
    else if (truthy(one.value))
      one.tell('wrong-shape', { path: [] }, 'An SLS is a mapping of ids to states.');
    links.check(one);
  }
}

function checked(top: RenderedSource, tree: SlsTree): Assignment[] {
  const { value } = top;
  return value === undefined || isEmpty(value) ? [] : checkTop(top, value, new Set(tree.files.keys()));
}

const isEmpty = (value: Value): boolean => !truthy(value);
