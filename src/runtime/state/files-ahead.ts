/**
 * What a state run will ask the master's file server for next, asked for together: one request in place of dozens, each
 * of which passes three processes. Only masters of ours answer that (`_brine_files`); with others, and for everything
 * that was not foreseen, each question is asked by itself.
 *
 * An answer is used once, soon, and only as long as nothing has happened on this machine that may have changed what it
 * says: a minion may well be on the master's own machine, and manage the files that it serves.
 */
import { join } from 'node:path';
import { readdirSync } from 'node:fs';
import { messageOf, UnsafePathError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { isDir, isFile } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { cachedFilePath } from '../../storage/fileclient/cache-paths.ts';
import { isSaltUrl, parseSaltUrl } from '../../storage/fileclient/salt-url.ts';
import { QUESTIONS_MAX, SEVERAL_FILES } from '../../storage/fileserver/several.ts';
import type { MinionServices } from '../loader/module.ts';
import { hasChanges } from './result.ts';

/** An answer that is older is not used. */
const FRESH_MS = 5_000;
/** States that are looked at first; twice as many each time when nothing has spoiled the answers. */
const FIRST_STATES = 4;
/** Files beside an SLS that are taken for what it imports, at most. */
const BESIDE_MAX = 8;

/** One file, as questions name it. */
interface Place {
  readonly path: string;
  readonly saltenv: string;
}

interface Answer {
  readonly value: Value;
  readonly place: Place;
  readonly untilMs: number;
}

/** What it works with. */
export interface FilesAheadDeps {
  readonly services: MinionServices;
  readonly cachedir: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Asks ahead for one run, and answers from that. */
export class FilesAhead {
  /** The services of the job: what was brought is answered here. */
  readonly services: MinionServices;
  readonly #deps: FilesAheadDeps;
  readonly #answers = new Map<string, Answer>();
  readonly #foreseen = new WeakSet<Dict>();
  #isOn = false;
  #states = FIRST_STATES;

  constructor(deps: FilesAheadDeps) {
    this.#deps = deps;
    const { services } = deps;
    this.services = {
      ...services,
      request: (load, options) => {
        const known = options === undefined ? this.#take(load) : undefined;
        return known === undefined ? services.request(load, options) : Promise.resolve(known.value);
      },
    };
  }

  /** Begins to ask ahead, of a master that answers it. */
  begin(): void {
    this.#isOn = true;
  }

  /** SLS that are about to be rendered, with what lies beside them in the cache. */
  async forSls(names: readonly string[], saltenv: string): Promise<void> {
    if (!this.#isOn || names.length < 2) return;
    const questions: Dict[] = [];
    for (const name of names) {
      const path = name.replaceAll('.', '/');
      for (const file of [`${path}.sls`, `${path}/init.sls`, ...this.#beside(path, saltenv)])
        questions.push(...this.#ofTemplate({ path: file, saltenv }, '_file_hash_and_stat'));
    }
    for (let at = 0; at < questions.length; at += QUESTIONS_MAX)
      await this.#ask(questions.slice(at, at + QUESTIONS_MAX));
  }

  /** The sources of the next states. @param low the one that is about to be called */
  async forState(low: Dict, chunks: readonly Dict[]): Promise<void> {
    if (!this.#isOn || this.#foreseen.has(low) || sourceOf(low) === undefined) return;
    const questions: Dict[] = [];
    let states = 0;
    for (let at = Math.max(0, chunks.indexOf(low)); at < chunks.length && states < this.#states; at++) {
      const next = chunks[at] as Dict;
      const source = this.#foreseen.has(next) ? undefined : sourceOf(next);
      if (source === undefined) continue;
      const more = this.#ofSource(source, next);
      if (questions.length + more.length > QUESTIONS_MAX) break;
      this.#foreseen.add(next);
      questions.push(...more);
      states++;
    }
    this.#states = Math.min(this.#states * 2, QUESTIONS_MAX);
    if (states > 1) await this.#ask(questions);
  }

  /**
   * What a state has done. A managed file can be that of the file server only where both have one name; what others
   * change is not known.
   */
  changed(low: Dict, result: Dict): void {
    if (this.#answers.size === 0 || !(hasChanges(result) || truthy(low.get('parallel')))) return;
    const name = isPlainFile(low) ? low.get('name') : undefined;
    if (typeof name !== 'string') {
      this.#answers.clear();
      this.#states = FIRST_STATES;
      return;
    }
    for (const [key, { place }] of this.#answers)
      if (baseName(place.path) === baseName(name)) this.#answers.delete(key);
  }

  #take(load: Dict): Answer | undefined {
    if (this.#answers.size === 0) return undefined;
    const key = keyOf(load);
    const answer = this.#answers.get(key);
    this.#answers.delete(key);
    return answer !== undefined && answer.untilMs > this.#deps.clock.monotonicMs() ? answer : undefined;
  }

  async #ask(questions: readonly Dict[]): Promise<void> {
    if (questions.length === 0) return;
    const { services, clock, log } = this.#deps;
    try {
      const answers = await services.request(dict({ cmd: SEVERAL_FILES, questions: [...questions] }));
      const untilMs = clock.monotonicMs() + FRESH_MS;
      for (const [at, answer] of (Array.isArray(answers) ? answers : []).entries()) {
        const question = questions[at];
        if (question === undefined || !Array.isArray(answer) || answer[0] === undefined) continue;
        const place = {
          path: pyStr(question.get('path') ?? ''),
          saltenv: pyStr(question.get('saltenv') ?? ''),
        };
        this.#answers.set(keyOf(question), { value: answer[0], place, untilMs });
      }
    } catch (error) {
      // whoever needs the file asks for it, and says what is wrong
      this.#isOn = false;
      log.debug(`Files were not asked for ahead: ${messageOf(error)}`, error);
    }
  }

  /** The questions of `file.managed` about its source, as long as nothing unusual is there. */
  #ofSource(source: Place, low: Dict): Dict[] {
    if (truthy(low.get('template'))) return this.#ofTemplate(source, '_file_hash');
    const questions = [dict({ cmd: '_file_hash', ...source })];
    const isThere = isFile(pyStr(low.get('name') ?? '')) || this.#isCached(source) !== false;
    return isThere ? questions : [...questions, contentOf(source)];
  }

  /** Of a file that is here the sum, of one that is not its content. */
  #ofTemplate(place: Place, about: '_file_hash' | '_file_hash_and_stat'): Dict[] {
    const isCached = this.#isCached(place);
    if (isCached === undefined) return [];
    return [isCached ? dict({ cmd: about, ...place }) : contentOf(place)];
  }

  /** Undefined for what cannot be a path here. */
  #isCached({ path, saltenv }: Place): boolean | undefined {
    try {
      return isFile(cachedFilePath(this.#deps.cachedir, saltenv, path));
    } catch (error) {
      if (error instanceof UnsafePathError) return undefined;
      throw error;
    }
  }

  /** Files in the cache that lie in the folder of an SLS, and are no SLS: its maps and defaults. */
  #beside(path: string, saltenv: string): string[] {
    try {
      const folder = cachedFilePath(this.#deps.cachedir, saltenv, path);
      if (!isDir(folder)) return [];
      const names = readdirSync(folder).filter(
        (name) => !name.endsWith('.sls') && isFile(join(folder, name)),
      );
      return names.slice(0, BESIDE_MAX).map((name) => `${path}/${name}`);
    } catch (error) {
      if (error instanceof UnsafePathError) return [];
      throw error;
    }
  }
}

/** A managed file that changes nothing else; what goes on beside the run, and commands, may change anything. */
function isPlainFile(low: Dict): boolean {
  const isElse = truthy(low.get('parallel')) || low.has('check_cmd');
  return low.get('state') === 'file' && low.get('fun') === 'managed' && !isElse;
}

/** The `salt://` source of a `file.managed`, when it is one. */
function sourceOf(low: Dict): Place | undefined {
  const source = low.get('source');
  if (low.get('state') !== 'file' || low.get('fun') !== 'managed') return undefined;
  if (typeof source !== 'string' || !isSaltUrl(source)) return undefined;
  const own = pyStr(low.get('saltenv') ?? low.get('__env__') ?? 'base');
  const { path, saltenv = own } = parseSaltUrl(source);
  return { path, saltenv };
}

function contentOf(place: Place): Dict {
  return dict({ cmd: '_serve_file', ...place, loc: 0 });
}

/** What tells one question from another. */
function keyOf(load: Dict): string {
  return JSON.stringify(['cmd', 'path', 'saltenv', 'loc', 'gzip'].map((name) => load.get(name) ?? null));
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
