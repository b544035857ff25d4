/**
 * Nodes and classes as saltclass keeps them: YAML behind Jinja in `nodes/…/ID.yml` and `classes/…/NAME.yml`, which
 * inherit from each other (3006.16 salt/utils/saltclass.py).
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import type { RenderBudget, TValue } from '../../formats/jinja/index.ts';
import { loadYaml } from '../../formats/yaml/load.ts';
import type { Clock } from '../../host/clock.ts';
import { safeJoin } from '../../host/files.ts';
import { globPaths } from '../../host/glob.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { fnmatch } from '../../python/text/fnmatch.ts';
import { pyStr } from '../../python/values/repr.ts';
import { copyValue, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { renderBudget, renderTemplate } from '../renderers/jinja.ts';
import { expandVariables } from './saltclass-variables.ts';
import { mergeClass } from './saltclass-merge.ts';

/** Where Salt looks when the configuration names no folder. */
export const SALTCLASS_FOLDER = '/srv/saltclass';
const ENDING = '.yml';
/** Folders below `nodes` deeper than this are not looked into: links may form a circle. */
const DEPTH_MAX = 40;
/** Classes that one node may have. */
const CLASSES_MAX = 10_000;

/** What files are rendered with. */
export interface SaltclassDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The node that is asked for, and what its files see. */
export interface SaltclassQuestion {
  /** The folder with `nodes` and `classes`. */
  readonly folder: string;
  readonly minionId: string;
  /** The master's options, for the limits of templates. */
  readonly opt: (name: string) => Value | undefined;
  /** `__opts__` in the files. */
  readonly opts: Dict;
  /** `__grains__`. */
  readonly grains: Dict;
  /** `__pillar__` before the classes add to it. */
  readonly pillar: Dict;
  /** `__salt__`. */
  readonly salt: TValue;
}

/** What was found of a node. */
export interface SaltclassNode {
  /** The merged `pillars` of its classes and itself. */
  readonly pillars: Dict;
  /** SLS, each once, in the order of the classes. */
  readonly states: readonly Value[] & Value;
  /** Classes in the order in which they count. */
  readonly classes: readonly string[] & Value;
  /** Of the last that names one, else ''. */
  readonly environment: Value;
}

/**
 * Reads a node with its classes.
 * @throws errors of templates and YAML, and for what has not the form that saltclass needs, naming the file
 */
export function saltclassNode(question: SaltclassQuestion, deps: SaltclassDeps): Promise<SaltclassNode> {
  return new Reading(question, deps).node();
}

/** The `pillars` of a node with its references resolved, and what saltclass says of the node itself. */
export function saltclassPillar(node: SaltclassNode, minionId: string): Dict {
  const about = new Map<Value, Value>([
    ['states', node.states],
    ['classes', node.classes],
    ['environment', node.environment],
    ['nodename', minionId],
  ]);
  return new Map<Value, Value>([['__saltclass__', about], ...expandVariables(node.pillars)]);
}

class Reading {
  readonly #question: SaltclassQuestion;
  readonly #deps: SaltclassDeps;
  readonly #pillar: Dict;
  readonly #budget: RenderBudget;
  readonly #seen = new Set<string>();

  constructor(question: SaltclassQuestion, deps: SaltclassDeps) {
    this.#question = question;
    this.#deps = deps;
    this.#pillar = copyValue(question.pillar);
    this.#budget = renderBudget(question.opt, deps.clock);
  }

  async node(): Promise<SaltclassNode> {
    const { folder, minionId } = this.#question;
    const path = nodeFile(join(folder, 'nodes'), `${minionId}${ENDING}`);
    if (path === undefined) this.#deps.log.warning(`${minionId}: Node definition not found`);
    const node = path === undefined ? new Map<Value, Value>() : await this.#read(path);
    mergeClass(this.#pillar, copyValue(pillarsOf(node, path ?? '')));
    const expanded = await this.#expand(node.get('classes') ?? []);
    const classes = [...expanded.keys()];
    // Salt compat: a node without any definition costs its last class, of which it has none
    if (node.size > 0) expanded.set(minionId, node);
    const all = [...expanded.values()];
    return {
      pillars: mergedPillars(all),
      states: [...new Set(all.flatMap((one) => listOf(one, 'states')))],
      classes,
      environment: all.findLast((one) => one.has('environment'))?.get('environment') ?? '',
    };
  }

  /** Classes with those that they name before them; each once. */
  async #expand(names: Value): Promise<Map<string, Dict>> {
    const out = new Map<string, Dict>();
    if (!Array.isArray(names)) throw new CommandExecutionError(`the classes are no list: ${pyStr(names)}`);
    const wanted = new Set(names.flatMap((name) => this.#named(pyStr(name))));
    for (const name of wanted) {
      if (this.#seen.has(name)) continue;
      this.#seen.add(name);
      if (this.#seen.size > CLASSES_MAX)
        throw new CommandExecutionError(`a node has more than ${CLASSES_MAX} classes`);
      const one = await this.#class(name);
      const pillars = one.get('pillars');
      if (isDict(pillars)) mergeClass(this.#pillar, pillars);
      if (one.has('classes'))
        for (const [inner, data] of await this.#expand(one.get('classes') ?? null)) out.set(inner, data);
      out.set(name, one);
    }
    return out;
  }

  /** The classes that a name with or without wildcards means. */
  #named(pattern: string): string[] {
    const root = join(this.#question.folder, 'classes');
    const found = this.#placesOf(pattern).flatMap((place) => globPaths(place, fnmatch).sort());
    if (found.length === 0) this.#deps.log.warning(`${pattern}: Class globbing did not yield any results`);
    return [...new Set(found)].map((path) =>
      path
        .slice(root.length + 1, -ENDING.length)
        .replaceAll(sep, '.')
        .replace(/\.init$/, ''),
    );
  }

  /** The files that a class may be. */
  #placesOf(name: string): [string, string, string] {
    const root = join(this.#question.folder, 'classes');
    const below = name.replaceAll('.', '/');
    return [
      safeJoin(root, `${name}${ENDING}`),
      safeJoin(root, `${below}${ENDING}`),
      safeJoin(root, below, `init${ENDING}`),
    ];
  }

  async #class(name: string): Promise<Dict> {
    const [plain, nested, init] = this.#placesOf(name);
    const path = [plain, nested, init].find((one) => statSync(one, { throwIfNoEntry: false })?.isFile());
    if (path !== undefined) return this.#read(path);
    this.#deps.log.warning(`${name}: Class definition not found`);
    return new Map();
  }

  async #read(path: string): Promise<Dict> {
    const { opts, grains, salt, minionId, opt } = this.#question;
    try {
      const text = await renderTemplate(
        readFileSync(path, 'utf8'),
        {
          opt: (name) => (name === 'allow_undefined' ? true : opt(name)),
          saltenv: 'base',
          sls: undefined,
          path,
          variables: new Map<string, TValue>([
            ['__opts__', opts],
            ['__salt__', salt],
            ['__grains__', grains],
            ['__pillar__', this.#pillar],
            ['minion_id', minionId],
          ]),
          functions: { has: () => false, call: () => null },
          budget: this.#budget,
          readTemplate: (name) => templateBeside(path, name),
        },
        this.#deps,
      );
      const data = loadYaml(text);
      if (isDict(data)) return data;
      if (!truthy(data)) return new Map();
      throw new CommandExecutionError('it does not render to a dictionary');
    } catch (error) {
      throw new CommandExecutionError(`${path}: ${messageOf(error)}`, { cause: error });
    }
  }
}

function templateBeside(path: string, name: string): { text: string; path: string } | undefined {
  const beside = safeJoin(dirname(path), name);
  if (!statSync(beside, { throwIfNoEntry: false })?.isFile()) return undefined;
  return { text: readFileSync(beside, 'utf8'), path: beside };
}

/** The file of a node anywhere below a folder; of several the last. */
function nodeFile(folder: string, name: string, depth = 0): string | undefined {
  if (depth > DEPTH_MAX || !isFolder(folder)) return undefined;
  let found: string | undefined;
  const below: string[] = [];
  for (const entry of readdirSync(folder).sort()) {
    const path = join(folder, entry);
    if (isFolder(path)) below.push(path);
    else if (entry === name) found = path;
  }
  for (const path of below) found = nodeFile(path, name, depth + 1) ?? found;
  return found;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function pillarsOf(node: Dict, path: string): Dict {
  const pillars = node.get('pillars');
  if (pillars === undefined || pillars === null) return new Map();
  if (isDict(pillars)) return pillars;
  throw new CommandExecutionError(`${path}: pillars is no mapping`);
}

function mergedPillars(all: readonly Dict[]): Dict {
  const merged: Dict = new Map();
  for (const one of all) if (one.has('pillars')) mergeClass(merged, one);
  const pillars = merged.get('pillars');
  return isDict(pillars) ? pillars : new Map();
}

function listOf(node: Dict, name: string): readonly Value[] {
  const list = node.get(name) ?? [];
  if (Array.isArray(list)) return list;
  throw new CommandExecutionError(`${name} of a class is no list: ${pyStr(list)}`);
}
