/**
 * Rendering one file of a check as far as that can be done without a minion, and finding its lines again afterwards.
 */
import {
  compileTemplate,
  compileWithMarks,
  JinjaError,
  RenderError,
  takeMarks,
  TemplateNotFoundError,
  TemplateSyntaxError,
  UndefinedError,
  type FoundFile,
  type TValue,
} from '../../formats/jinja/index.ts';
import { JsonSyntaxError, parseJson } from '../../formats/json/parse.ts';
import { loadYaml, YamlError } from '../../formats/yaml/load.ts';
import { BrineError, messageOf } from '../../errors/errors.ts';
import { didYouMean } from '../../errors/did-you-mean.ts';
import type { Value } from '../../python/values/value.ts';
import {
  PYTHON_RENDERERS,
  RENDERERS,
  SALTS_RENDERERS,
  STATE_RENDERERS,
} from '../../config/renderer-names.ts';
import { renderTemplate, type JinjaRendererDeps } from '../renderers/jinja.ts';
import type { RenderContext } from '../renderers/renderer.ts';
import { knownFunctions, type KnownFunctionsDeps } from './known-functions.ts';
import { positionsOf, type Positions, type Step } from './positions.ts';
import type { ToldRule } from './catalog.ts';
import type { GonePart } from './later-salt.ts';
import { finding, type Finding, type SourcePlace, type RuleName } from './rules.ts';
import type { Source } from './source.ts';
import { isUncertain, PartlyKnown, Unknowns } from './unknown.ts';

/** What renders the files of a check. */
export interface RenderSourceDeps extends Omit<KnownFunctionsDeps, 'unknowns' | 'isFunction' | 'isCalled'> {
  readonly jinja: JinjaRendererDeps;
  /** Reads a file that a template names, by its path below the root of that template or another. */
  readonly readTemplate: (name: string, from: Source) => FoundFile | undefined;
  /** Names of the site's own renderers. */
  readonly ownRenderers: ReadonlySet<string>;
  /** What is to be said of an execution function. */
  readonly faultsOfFunction: (fun: string) => Promise<readonly ToldRule[]>;
  /** What is to be said of a keyword that a call of an execution function has; undefined when it takes it. */
  readonly faultOfKeyword: (fun: string, keyword: string) => Promise<ToldRule | undefined>;
  /** What is to be said of a renderer that a file names. */
  readonly faultOfRenderer: (name: string) => ToldRule | undefined;
}

/** Where something was found: a way through the data, a text of the source, or a place. */
export type Where =
  { readonly path: readonly Step[] } | { readonly text: string } | { readonly place: SourcePlace };

/** A file after rendering. */
export class RenderedSource {
  readonly source: Source;
  /** The data; undefined when there are none because rendering failed. */
  readonly value: Value | undefined;
  /** The data may have more or other parts than were rendered. */
  readonly isUncertain: boolean;
  readonly #found: {
    readonly rule: RuleName;
    readonly at: Where;
    readonly message: string;
    readonly path: string;
    readonly gone?: GonePart | undefined;
  }[] = [];
  readonly #positions: () => Promise<Positions>;

  constructor(
    source: Source,
    value: Value | undefined,
    isUncertain: boolean,
    positions: () => Promise<Positions>,
  ) {
    this.source = source;
    this.value = value;
    this.isUncertain = isUncertain;
    this.#positions = positions;
  }

  /** Keeps a finding. @param path the file that it is in, when it is another one */
  tell(rule: RuleName, at: Where, message: string, path = this.source.path): void {
    this.#found.push({ rule, at, message, path });
  }

  /** Keeps what rules say of one place. */
  tellAll(rules: readonly ToldRule[], at: Where): void {
    const { path } = this.source;
    for (const { rule, message, gone } of rules) this.#found.push({ rule, at, message, path, gone });
  }

  /** All that was told, with its places. */
  async findings(): Promise<Finding[]> {
    if (this.#found.length === 0) return [];
    const positions = await this.#positions();
    return this.#found.map(({ rule, at, message, path, gone }) => {
      const place =
        'path' in at ? positions.at(...at.path) : 'text' in at ? positions.ofText(at.text) : at.place;
      return finding(rule, path, place, message, gone);
    });
  }
}

/** Steps of pipes that leave the shape of the data as it is. */
const TRANSPARENT: ReadonlySet<string> = new Set(['gpg', 'nacl', 'pass', 'aws_kms', 'text']);
/** Renderers whose files are programs, or templates of other engines. */
const FOREIGN: ReadonlySet<string> = new Set(
  [...RENDERERS, ...PYTHON_RENDERERS, ...STATE_RENDERERS, ...SALTS_RENDERERS].filter(
    (name) => !['jinja', 'yaml', 'json'].includes(name) && !TRANSPARENT.has(name),
  ),
);
const FILE_START: SourcePlace = { line: 1, column: 1 };

/** Renders one file. What is wrong with it is told to what comes back. */
export async function renderSource(source: Source, deps: RenderSourceDeps): Promise<RenderedSource> {
  const unknowns = new Unknowns();
  const plain = async (): Promise<Positions> => positionsOf(source.text, source.text, undefined);
  const bare = new RenderedSource(source, undefined, true, plain);
  const steps = pipeOf(source.text);
  const ofRenderers = steps.map(deps.faultOfRenderer).filter((one) => one !== undefined);
  bare.tellAll(ofRenderers, { place: FILE_START });
  const odd = steps.find((step) => !['jinja', 'yaml', 'json'].includes(step) && !TRANSPARENT.has(step));
  if (odd !== undefined) {
    if (FOREIGN.has(odd) || deps.ownRenderers.has(odd))
      bare.tell('needs-data', { place: FILE_START }, `Files of the renderer ${odd} are not looked into.`);
    else {
      const known = ['jinja', 'yaml', 'json', ...TRANSPARENT, ...FOREIGN, ...deps.ownRenderers];
      bare.tell(
        'render-failed',
        { place: FILE_START },
        `There is no renderer '${odd}'.${didYouMean(odd, known)}`,
      );
    }
    return bare;
  }
  const faults: [text: string, fault: ToldRule][] = [];
  const context = contextOf(source, deps, unknowns, faults);
  const isTemplate = steps.includes('jinja') && /\{[{%#]|^#/m.test(source.text);
  let text = source.text;
  try {
    if (isTemplate) text = await renderTemplate(source.text, context, deps.jinja);
  } catch (error) {
    tellFailure(bare, error, unknowns, deps.knowledge.complete.size === 2);
    for (const [words, fault] of faults) bare.tellAll([fault], { text: words });
    return bare;
  }
  const positions = async (): Promise<Positions> =>
    positionsOf(source.text, text, isTemplate ? await linesOf(source, text, context, deps.jinja) : undefined);
  const { value, error } = read(text, steps);
  const rendered = new RenderedSource(source, value, unknowns.names.size > 0, positions);
  rendered.tellAll(ofRenderers, { place: FILE_START });
  for (const [words, fault] of faults) rendered.tellAll([fault], { text: words });
  if (error !== undefined) {
    const { inSource } = await positions();
    if (error instanceof YamlError) tellYaml(rendered, error, inSource);
    else tellJson(rendered, error, inSource);
  }
  return rendered;
}

/** The names of the renderers of a file. */
function pipeOf(text: string): string[] {
  const first = text.slice(0, text.includes('\n') ? text.indexOf('\n') : undefined);
  if (!first.startsWith('#!') || first.startsWith('#!/')) return ['jinja', 'yaml'];
  const names = first.trim().slice(2).split('|');
  const steps = names.map((name) => name.trim().split(' ')[0] ?? '');
  return steps.flatMap((step) =>
    step === 'yaml_jinja' || step === 'json_jinja' ? step.split('_').reverse() : [step],
  );
}

function contextOf(
  source: Source,
  deps: RenderSourceDeps,
  unknowns: Unknowns,
  faults: [string, ToldRule][],
): RenderContext {
  const { knowledge } = deps;
  const told = new Set<string>();
  const isFunction = async (fun: string): Promise<boolean> => {
    const ofFunction = await deps.faultsOfFunction(fun);
    if (!told.has(fun)) faults.push(...ofFunction.map((fault): [string, ToldRule] => [fun, fault]));
    told.add(fun);
    return !ofFunction.some(({ rule }) => rule === 'unknown-function');
  };
  const isCalled = async (fun: string, keywords: readonly string[]): Promise<void> => {
    for (const keyword of keywords) {
      const call = `${fun}(${keyword})`;
      if (told.has(call)) continue;
      told.add(call);
      const fault = await deps.faultOfKeyword(fun, keyword);
      if (fault !== undefined) faults.push([keyword, fault]);
    }
  };
  const given = (name: 'pillar' | 'grains'): TValue =>
    knowledge.complete.has(name) ? knowledge[name] : new PartlyKnown(name, knowledge[name], unknowns);
  const ofEvent = (): [string, TValue][] => [
    ['data', new PartlyKnown('data', new Map(), unknowns)],
    ['tag', unknowns.value('tag')],
  ];
  return {
    opt: () => undefined,
    saltenv: 'base',
    sls: source.sls,
    path: `${source.root.folder}/${source.name}`,
    variables: new Map<string, TValue>([
      ['grains', given('grains')],
      ['pillar', given('pillar')],
      ['opts', new PartlyKnown('opts', new Map(), unknowns)],
      ['salt', knownFunctions({ knowledge, compute: deps.compute, unknowns, isFunction, isCalled })],
      ...(source.kind === 'reactor' ? ofEvent() : []),
    ]),
    functions: { has: () => true, call: (fun, args, kwargs) => deps.compute(fun, args, new Map(kwargs)) },
    readTemplate: (name) => deps.readTemplate(name, source),
  };
}

function read(text: string, steps: readonly string[]): { readonly value?: Value; readonly error?: unknown } {
  try {
    if (steps.includes('json')) return { value: parseJson(text.replace(/^#!.*/, '')) };
    return { value: loadYaml(text) };
  } catch (error) {
    if (!(error instanceof BrineError || error instanceof JsonSyntaxError)) throw error;
    return { error };
  }
}

/** Renders once more, with the lines of the source in the text; undefined when that comes to another text. */
async function linesOf(
  source: Source,
  text: string,
  context: RenderContext,
  jinja: JinjaRendererDeps,
): Promise<readonly number[] | undefined> {
  const compile: typeof compileTemplate = (template, options) =>
    (template === source.text ? compileWithMarks : compileTemplate)(template, options);
  try {
    const marked = takeMarks(await renderTemplate(source.text, context, { ...jinja, cache: { compile } }));
    return marked.text.split('\n').length === text.split('\n').length ? marked.lines : undefined;
  } catch {
    return undefined;
  }
}

function tellFailure(bare: RenderedSource, error: unknown, unknowns: Unknowns, isAllKnown: boolean): void {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof RenderError)) {
    bare.tell('render-failed', { place: FILE_START }, messageOf(error));
    return;
  }
  const inner = cause.cause instanceof JinjaError ? cause.cause : undefined;
  const line = inner?.place?.line ?? cause.line ?? 1;
  const path = inner?.place?.path;
  const at = { place: { line, column: 1 } };
  const said = (cause.reason.split('\n')[0] ?? '').replace(/^Jinja (syntax )?error: /, '');
  const isMissing = inner instanceof TemplateNotFoundError && !said.includes(' ');
  const reason = isMissing ? `There is no template '${said}' below the roots.` : sentence(said);
  const limit = whatWasMissing(bare.source, inner, unknowns, isAllKnown);
  if (inner instanceof TemplateSyntaxError) bare.tell('jinja-syntax', at, reason, path);
  else if (limit !== undefined) bare.tell('needs-data', at, `Rendered up to here${limit}: ${reason}`);
  else bare.tell('render-failed', at, reason, path);
}

/** What was not known, as far as the failure may come from it; undefined when it is the file's own. */
function whatWasMissing(
  source: Source,
  error: JinjaError | undefined,
  unknowns: Unknowns,
  isAllKnown: boolean,
): string | undefined {
  if (unknowns.names.size > 0) return `, without knowing ${[...unknowns.names].slice(0, 3).join(', ')}`;
  if (isAllKnown || error instanceof TemplateNotFoundError) return undefined;
  const isVariable = error instanceof UndefinedError && error.message.endsWith(' is undefined');
  // whoever includes a file of pillar may give it variables; what has no such part may have it on another machine
  return !isVariable || source.kind === 'pillar' ? '' : undefined;
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

function tellJson(
  rendered: RenderedSource,
  error: unknown,
  inSource: (place: SourcePlace) => SourcePlace,
): void {
  const place = error instanceof JsonSyntaxError ? inSource(error) : FILE_START;
  rendered.tell('yaml-syntax', { place }, sentence(`JSON: ${messageOf(error)}`));
}

function tellYaml(
  rendered: RenderedSource,
  error: YamlError,
  inSource: (place: SourcePlace) => SourcePlace,
): void {
  const place = inSource({ line: error.line, column: error.column });
  const conflict = /conflicting ID '(.*)'/.exec(error.reason)?.[1];
  if (conflict !== undefined && isUncertain(conflict))
    rendered.tell(
      'needs-data',
      { place },
      `Not looked into: whether '${conflict}' is one key or several depends on data.`,
    );
  else if (conflict !== undefined)
    rendered.tell('duplicate-key', { place }, `'${conflict}' stands twice in this mapping.`);
  else {
    const braces = error.reason.includes('mapping as key')
      ? ' Braces of a template need quotes around them.'
      : '';
    const context = error.context === undefined ? '' : ` ${error.context}`;
    rendered.tell('yaml-syntax', { place }, `${sentence(`YAML${context}: ${error.reason}`)}${braces}`);
  }
}
