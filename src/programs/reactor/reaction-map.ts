/** Which files react to which events: the option `reactor`, and what is added while the master runs. */
import { existsSync, readFileSync } from 'node:fs';
import { loadYaml } from '../../formats/yaml/load.ts';
import { messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { globPaths } from '../../host/glob.ts';
import type { Logger } from '../../host/log.ts';
import { compileGlob, fnmatch, type Glob } from '../../python/text/fnmatch.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, pyTypeName, type Dict, type Value } from '../../python/values/value.ts';

/** What the map is read from. */
export interface ReactionMapDeps {
  /** The option `reactor`: a list of one-key mappings, or the path of a YAML file that holds one. */
  readonly configured: Value;
  /** How long a file that was read counts, milliseconds (`reactor_refresh_interval`). */
  readonly refreshMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Rule {
  readonly tag: Glob;
  /** The tag as it was written. */
  readonly text: string;
  readonly files: readonly string[];
}

/** A file of a rule, with the tag that it is for. */
export interface RuleFile {
  readonly tag: string;
  readonly file: string;
}

/** The answer to an addition or a removal, in Salt's words. */
export interface MapChange {
  readonly isDone: boolean;
  readonly comment: string;
}

/** The rules, in their order. */
export class ReactionMap {
  readonly #deps: ReactionMapDeps;
  #entries: Value[] = [];
  #rules: readonly Rule[] = [];
  #readAtMs = -Infinity;
  /** What was added to and taken from a map in a file; a configured list is changed itself. */
  readonly #added: Dict[] = [];
  readonly #removed = new Set<Value>();
  /** What is wrong with the rules as they are read, and with those before them. */
  #wrong = new Set<string>();
  #said = new Set<string>();
  /** What is wrong with the whole. */
  #form: string | undefined;

  constructor(deps: ReactionMapDeps) {
    this.#deps = deps;
    this.#refresh();
  }

  /** Whether any rule is for events with this tag. */
  wants(tag: string): boolean {
    this.#refresh();
    return this.#rules.some((rule) => rule.tag.matches(tag));
  }

  /** The files of all rules for a tag, in their order. */
  filesFor(tag: string): string[] {
    this.#refresh();
    return this.#rules.filter((rule) => rule.tag.matches(tag)).flatMap(({ files }) => files);
  }

  /** The files of all rules that are on the file server, whether they are there or not. */
  served(): RuleFile[] {
    this.#refresh();
    return this.#rules.flatMap(({ text, files }) =>
      files.filter(isServed).map((file) => ({ tag: text, file })),
    );
  }

  /** The map as it stands. */
  list(): Value {
    this.#refresh();
    return this.#entries;
  }

  add(tag: Value, files: Value): MapChange {
    this.#refresh();
    if (this.#entries.some((entry) => firstKey(entry) === tag))
      return { isDone: false, comment: 'Reactor already exists.' };
    // Salt compat: Salt adds a rule whose file is not there, and nothing happens when the event comes
    const missing = fileList(files)?.find(isMissing);
    if (missing !== undefined)
      return {
        isDone: false,
        comment: `There is no file ${missing}, so the rule was not added. Make the file, or correct the path.`,
      };
    this.#added.push(new Map([[tag, files]]));
    this.#rebuild(this.#entries.concat(this.#added.slice(-1)));
    return { isDone: true, comment: 'Reactor added.' };
  }

  remove(tag: Value): MapChange {
    this.#refresh();
    const at = this.#entries.findIndex((entry) => firstKey(entry) === tag);
    if (at < 0) return { isDone: false, comment: 'Reactor does not exists.' };
    const added = this.#added.findIndex((entry) => firstKey(entry) === tag);
    if (added >= 0) this.#added.splice(added, 1);
    else this.#removed.add(tag);
    this.#rebuild(this.#entries.filter((_, index) => index !== at));
    return { isDone: true, comment: 'Reactor deleted.' };
  }

  #refresh(): void {
    const { configured, clock, refreshMs } = this.#deps;
    const isFile = typeof configured === 'string';
    const nowMs = clock.monotonicMs();
    if (this.#readAtMs !== -Infinity && (!isFile || nowMs - this.#readAtMs < refreshMs)) return;
    this.#readAtMs = nowMs;
    const entries = isFile ? this.#readFile(configured) : configured;
    // a file that cannot be read now leaves the rules as they were
    if (entries === undefined) return;
    const wrong =
      Array.isArray(entries) || entries === null
        ? undefined
        : `The option reactor is ${pyTypeName(entries)} and no list, so nothing reacts to any event. Write each tag as an item: - 'tag/*': [file.sls]`;
    if (wrong !== undefined && wrong !== this.#form) this.#deps.log.error(wrong);
    this.#form = wrong;
    const kept = (Array.isArray(entries) ? entries : []).filter(
      (entry) => !this.#removed.has(firstKey(entry)),
    );
    this.#rebuild([...kept, ...this.#added]);
  }

  #readFile(path: string): Value | undefined {
    const { log } = this.#deps;
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      log.error(
        `Failed to read reactor map: "${path}": ${messageOf(error)}. Make the file, or correct the option reactor.`,
        error,
      );
      return undefined;
    }
    try {
      return loadYaml(text);
    } catch (error) {
      log.error(`Failed to parse YAML in reactor map: "${path}": ${messageOf(error)}`, error);
      return undefined;
    }
  }

  #rebuild(entries: Value[]): void {
    this.#entries = entries;
    this.#wrong = new Set();
    this.#rules = entries.flatMap((entry) => this.#rule(entry));
    this.#said = this.#wrong;
  }

  /** Rules are made anew whenever their file is read again; what is wrong with one is said when it begins. */
  #sayOnce(text: string): void {
    this.#wrong.add(text);
    if (!this.#said.has(text)) this.#deps.log.warning(text);
  }

  #rule(entry: Value): Rule[] {
    const [first] = isDict(entry) && entry.size === 1 ? entry : [];
    const files = first === undefined ? undefined : fileList(first[1]);
    if (first === undefined || files === undefined) {
      this.#sayOnce(
        `An entry of the option reactor does nothing, because it is not a tag with a file or a list of files: ${pyStr(entry)}`,
      );
      return [];
    }
    const [tag] = first;
    if (typeof tag !== 'string')
      this.#sayOnce(
        `The option reactor has the tag ${pyStr(tag)}, which is ${pyTypeName(tag)} and no text: no event has it. Put it in quotation marks, or correct it.`,
      );
    for (const file of files.filter(isMissing)) this.#sayOnce(noSuchFile({ tag: pyStr(tag), file }));
    return [{ tag: compileGlob(pyStr(tag)), text: pyStr(tag), files }];
  }
}

/**
 * Whether a path on this machine, or a pattern, is of no file. Who has the functions asks for what is on the file
 * server.
 */
function isMissing(file: string): boolean {
  return !isServed(file) && (/[*?[]/.test(file) ? globPaths(file, fnmatch).length === 0 : !existsSync(file));
}

function isServed(file: string): boolean {
  return file.startsWith('salt://');
}

/** What is said of a rule whose file is not there. */
export function noSuchFile({ tag, file }: RuleFile): string {
  return `The option reactor names ${file} for the tag ${tag}, and there is no such file: nothing happens when the event comes. Make the file, or correct the path.`;
}

function firstKey(entry: Value): Value {
  return isDict(entry) ? (entry.keys().next().value ?? null) : null;
}

function fileList(value: Value): string[] | undefined {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.map(pyStr) : undefined;
}

/** A change as Salt's events tell it. */
export function changeDict({ isDone, comment }: MapChange): Dict {
  return dict({ status: isDone, comment });
}
