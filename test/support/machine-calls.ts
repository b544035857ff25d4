/**
 * Calls on the machine of `test/fixtures/machine`: how they are written down, made on ours, and made comparable with
 * what a real Salt answered. `test/compare/record-machine.ts` records, `test/unit/plugins/modules/machine.test.ts`
 * makes the calls again.
 */
// a driver that functions load when they are called, which they could not on a machine without it
import 'mysql2/promise';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArguments } from '../../src/cli/command-line/arguments.ts';
import { splitWords } from '../../src/python/shell-words.ts';
import { loadYaml } from '../../src/formats/yaml/load.ts';
import { isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { directContexts, type DirectMinion } from '../compare/own-modules.ts';
import { answerOfValues } from './call-answers.ts';
import {
  changesBetween,
  layMachine,
  putBack,
  readMachine,
  snapshotOf,
  type Machine,
  type SeenEntries,
  type TreeChange,
  type TreeEntry,
} from './machine.ts';
import { MachineView } from './machine-view.ts';
import {
  comparable,
  setUpGroup,
  valueFromJson,
  valueToJson,
  type CallAnswer,
  type GivenFile,
} from './module-calls.ts';

/** One call: words of a command line, or a function with values (see {@link valueToJson}). */
export type MachineCall =
  | string
  | { readonly fun: string; readonly args?: readonly unknown[]; readonly kwargs?: Record<string, unknown> };

/** What differs from run to run in the answers of a scene. */
export interface Masks {
  readonly mask?: readonly string[];
  readonly maskText?: readonly string[];
  readonly unordered?: boolean;
  readonly shape?: boolean;
}

/** Calls one after the other on one machine; `fresh` ones each on the machine as it was. */
export interface Scene extends Masks {
  readonly scene: string;
  readonly calls: readonly MachineCall[];
  readonly fresh?: boolean;
  /** With the option `test: True`. */
  readonly test?: boolean;
  /** Files of the folder `{dir}` that the machine does not have already. */
  readonly files?: Readonly<Record<string, GivenFile>>;
  /** A shell command before the calls. */
  readonly setup?: string;
  /** The machine's configuration has these lines besides. */
  readonly minion?: readonly string[];
}

/** What a call did: its answer, the paths that it changed, and the programs that it had do something. */
export interface MachineOutcome {
  readonly answer: CallAnswer;
  readonly changes: readonly TreeChange[];
  readonly acts: string;
}

/** Where calls are made; what differs in these is the same in texts to compare. */
export interface MachinePlaces {
  /** The folder that stands for `/`; empty for `/` itself. */
  readonly root: string;
  /** The folder of a run: `dir` and `minion` lie in it. */
  readonly base: string;
}

/** The folder `{dir}` of the calls, within the file roots. */
export function dirOf(places: MachinePlaces): string {
  return join(minionOf(places), 'srv/dir');
}

/** The minion's folder. */
export function minionOf({ base }: MachinePlaces): string {
  return join(base, 'minion');
}

/** The lines of the configuration that the machine's minion has besides those of every comparison. */
export function machineConfig({ minion = [] }: Pick<Scene, 'minion'>): string[] {
  return ['hosts.file: /etc/hosts', ...minion];
}

/** The grains that a scene's minion is configured with. */
function configuredGrains({ minion = [] }: Pick<Scene, 'minion'>): Dict {
  const config = loadYaml(minion.join('\n'));
  const grains = isDict(config) ? config.get('grains') : undefined;
  return isDict(grains) ? grains : new Map();
}

/** A call as a function and the published form of its arguments, with the places filled in. */
export function publishedCall(call: MachineCall, places: MachinePlaces): readonly [fun: string, Value[]] {
  const filled = (text: string): string =>
    text
      .replaceAll('{dir}', dirOf(places))
      .replaceAll('{cache}', join(minionOf(places), 'cache'))
      .replaceAll('{minion}', minionOf(places));
  if (typeof call === 'string') {
    const [fun = '', ...words] = splitWords(call).map(filled);
    return [fun, parseArguments(words)];
  }
  const fill = (value: Value): Value => {
    if (typeof value === 'string') return filled(value);
    if (Array.isArray(value)) return value.map(fill);
    return isDict(value) ? new Map([...value].map(([key, item]) => [fill(key), fill(item)])) : value;
  };
  const args = (call.args ?? []).map((value) => fill(valueFromJson(value)));
  const kwargs = Object.entries(call.kwargs ?? {}).map(([key, value]): [Value, Value] => [
    key,
    fill(valueFromJson(value)),
  ]);
  return [call.fun, kwargs.length === 0 ? args : [...args, new Map([['__kwarg__', true], ...kwargs])]];
}

/** The same in JSON, for the real Salt's driver: function, positional values, keywords. */
export function callForDriver(call: MachineCall, places: MachinePlaces): unknown {
  const [fun, published] = publishedCall(call, places);
  const last = published.at(-1);
  const hasKeywords = isDict(last) && last.get('__kwarg__') === true;
  const keywords: Dict = hasKeywords
    ? new Map([...last].filter(([key]) => key !== '__kwarg__'))
    : new Map<Value, Value>();
  const args = hasKeywords ? published.slice(0, -1) : published;
  return { fun, args: args.map(valueToJson), kwargs: valueToJson(keywords) };
}

/** The files that every scene's folder has. */
export const SCENE_FILES: Readonly<Record<string, GivenFile>> = {
  'a.txt': 'one\ntwo\nthree\n',
  'conf.ini': 'top=1\n[main]\nkey = value\nlist=a,b\n\n[other]\nx=y\n',
  'sub/': '',
  'sub/b.txt': 'b\n',
  link: { link: '{dir}/a.txt' },
  'run.sh': { text: '#!/bin/sh\necho "ran $*"\n', mode: '0755' },
  'change.patch': '--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n',
};

/** Makes the folder of a scene anew. */
export function setUpScene(scene: Scene, places: MachinePlaces): void {
  const files = { ...SCENE_FILES, ...scene.files };
  setUpGroup({ group: scene.scene, calls: [], files }, dirOf(places));
}

/** What a scene's setup sees. */
export function setupEnvironment(machine: Machine, { root }: MachinePlaces): Record<string, string> {
  return { ...machine.environment, MACHINE: root, FAKE_CRONTABS: `${root}/var/spool/tabs` };
}

const MEMORY = '/dev/shm';

/**
 * The temporary folder, or a file system in memory where programs can be started from it: much is written and taken
 * away.
 */
function quickFolder(): string {
  const probe = join(MEMORY, `.brine-probe-${process.pid}`);
  try {
    writeFileSync(probe, '#!/bin/sh\n', { mode: 0o755 });
    return spawnSync(probe).status === 0 ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  } finally {
    rmSync(probe, { force: true });
  }
}

/** The machine laid out in a temporary folder, and our functions on it. */
export class OwnMachine {
  readonly machine: Machine;
  readonly places: MachinePlaces;
  readonly #view: MachineView;
  readonly #before: Map<string, TreeEntry>;
  readonly #folder: string;
  /** Changes of everything are told, and not only of the folders that the machine shares with a recording. */
  readonly #isWhole: boolean;
  readonly #seen: SeenEntries = new Map();
  /** Numbers of all that was ever seen, by its text, and of the entries of a path. */
  readonly #ids = new Map<string, number>();
  readonly #entryIds = new WeakMap<TreeEntry, number>();
  /**
   * How everything stood when the last scene began, with the files it was given; nothing when it stands no more as
   * then.
   */
  #initial: { readonly files: string; readonly tree: Map<string, TreeEntry> } | undefined;

  /**
   * @param machine another machine than the recorded one, of which all files are looked at; its programs keep what they
   *   are told, and so are started each time
   */
  constructor(machine?: Machine) {
    this.machine = machine ?? readMachine();
    this.#isWhole = machine !== undefined;
    this.#folder = mkdtempSync(join(quickFolder(), 'brine-machine.'));
    chmodSync(this.#folder, 0o755); // programs may run as other users
    this.places = { root: join(this.#folder, 'root'), base: join(this.#folder, 'run') };
    mkdirSync(this.places.root);
    mkdirSync(this.places.base);
    layMachine(this.machine, this.places.root);
    const { base, environment, programs } = this.machine;
    const scripts = this.#isWhole ? keepingPrograms(programs) : programs.keys();
    const view = { root: this.places.root, folder: this.#home, base, scripts, environment };
    this.#view = new MachineView(this.#isWhole ? { ...view, state: () => this.#state() } : view);
    this.#before = this.#snapshot();
  }

  get #home(): string {
    return join(this.places.root, 'root');
  }

  /** Takes it away. */
  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Makes the calls of a scene. @param grains what the machine tells of itself */
  async play(
    scene: Scene,
    grains: Dict,
    setUp?: (env: Record<string, string>) => void,
  ): Promise<MachineOutcome[]> {
    return this.#view.within(async () => {
      const newMinion = (): Promise<DirectMinion> =>
        directContexts(minionOf(this.places), {
          test: scene.test ?? false,
          minion: machineConfig(scene),
          grains: () => Promise.resolve(new Map([...grains, ...configuredGrains(scene)])),
        });
      const outcomes: MachineOutcome[] = [];
      let before = this.#startOver(scene);
      const initial = before;
      let minion = await newMinion();
      if (scene.setup !== undefined) this.#initial = undefined;
      setUp?.(setupEnvironment(this.machine, this.places));
      if (this.#isWhole && scene.setup !== undefined) before = this.#afterSetUp();
      for (const call of scene.calls) {
        const outcome = await this.#make(call, minion, before);
        outcomes.push(outcome.made);
        const { changes, acts } = outcome.made;
        const isTouched = changes.length > 0 || acts !== '' || this.#hasMinionWritten();
        before = outcome.after;
        if (scene.fresh === true) this.#view.resetEnvironment();
        if (scene.fresh === true && isTouched) {
          before = this.#undo(scene, initial, changes);
          minion = await newMinion();
        } else if (outcome.hasWritten) this.#initial = undefined;
      }
      return outcomes;
    });
  }

  /** The machine and the folder as they were. */
  #startOver(scene: Scene): Map<string, TreeEntry> {
    process.chdir(this.#home);
    this.#forgetMinion();
    const files = JSON.stringify(scene.files ?? {});
    if (this.#initial?.files === files) return this.#initial.tree;
    putBack(this.places.root, this.#before, changesBetween(this.#before, this.#snapshot()));
    setUpScene(scene, this.places);
    this.#initial = { files, tree: new Map([...this.#before, ...this.#snapshotOfScene()]) };
    return this.#initial.tree;
  }

  /** The same when it is known what has changed since then. */
  #undo(
    scene: Scene,
    initial: Map<string, TreeEntry>,
    changes: readonly TreeChange[],
  ): Map<string, TreeEntry> {
    process.chdir(this.#home);
    this.#forgetMinion();
    const isOfScene = ([path]: TreeChange): boolean => path.startsWith(dirOf(this.places));
    putBack(
      this.places.root,
      this.#before,
      changes.filter((change) => !isOfScene(change)),
    );
    if (changes.some(isOfScene)) setUpScene(scene, this.places);
    return initial;
  }

  #forgetMinion(): void {
    for (const name of this.#ofMinion()) rmSync(join(minionOf(this.places), name), { recursive: true });
  }

  /** What a minion has kept for itself: its cache, grains, schedule… */
  #ofMinion(): string[] {
    const folder = minionOf(this.places);
    return existsSync(folder) ? readdirSync(folder).filter((name) => !MINIONS_OWN.has(name)) : [];
  }

  #hasMinionWritten(): boolean {
    return this.#ofMinion().some((name) => name !== 'log');
  }

  async #make(
    call: MachineCall,
    minion: DirectMinion,
    before: Map<string, TreeEntry>,
  ): Promise<{ made: MachineOutcome; after: Map<string, TreeEntry>; hasWritten: boolean }> {
    const [fun, published] = publishedCall(call, this.places);
    const { writes } = this.#view;
    const answer = await answerOfValues(fun, minion.contextFor(fun), published);
    const log = join(this.places.root, 'var/log/acts');
    const acts = readFileSync(log, 'utf8');
    if (acts !== '') writeFileSync(log, '');
    const hasWritten = this.#view.writes !== writes;
    const after = hasWritten ? this.#snapshotOfAll() : before;
    return { made: { answer, changes: changesBetween(before, after), acts }, after, hasWritten };
  }

  /** How everything stands behind a setup, which is no call's doing. */
  #afterSetUp(): Map<string, TreeEntry> {
    writeFileSync(join(this.places.root, 'var/log/acts'), '');
    return this.#snapshotOfAll();
  }

  #snapshot(): Map<string, TreeEntry> {
    const { folders, kept } = this.machine;
    const all = this.#isWhole ? readdirSync(this.places.root).map((name) => `/${name}`) : folders;
    return snapshotOf(this.places.root, all, { left: kept, seen: this.#seen });
  }

  /** What a scene's own folder has, and what its minion keeps. */
  #snapshotOfScene(): Map<string, TreeEntry> {
    const own = this.#isWhole ? this.#ofMinion().filter((name) => !PASSING.has(name)) : [];
    const places = [dirOf(this.places), ...own.map((name) => join(minionOf(this.places), name))];
    return snapshotOf('', places, { seen: this.#seen });
  }

  /** How everything stands: the same number for the same files. */
  #state(): number {
    const ids = [...this.#snapshotOfAll()]
      .filter(([path]) => !NOTES.has(path))
      .map(([path, entry]) => this.#idOf(path, entry));
    return this.#numberOf(ids.sort((a, b) => a - b).join());
  }

  #idOf(path: string, entry: TreeEntry): number {
    const id = this.#entryIds.get(entry) ?? this.#numberOf([path, ...entry].join('\0'));
    this.#entryIds.set(entry, id);
    return id;
  }

  #numberOf(text: string): number {
    const id = this.#ids.get(text) ?? this.#ids.size;
    this.#ids.set(text, id);
    return id;
  }

  #snapshotOfAll(): Map<string, TreeEntry> {
    const all = this.#snapshot();
    for (const [path, entry] of this.#snapshotOfScene()) all.set(path, entry);
    return all;
  }
}

/** Programs that answer from what they keep, and start no program of the host by its path. */
function keepingPrograms(programs: ReadonlyMap<string, string>): string[] {
  return [...programs].flatMap(([name, text]) =>
    name === 'crontab' || /\bexec \//.test(text) ? [] : [name],
  );
}

/** What a scene's minion starts with. */
const MINIONS_OWN = new Set(['minion', 'srv']);
/** What a minion may write at any time. */
const PASSING = new Set(['cache', 'log', 'run', 'pki']);
/** What programs note, and none of them reads. */
const NOTES = new Set(['/var/log/acts', '/var/log/unanswered']);
const LONGEST_TEXT = 1200;

/** What can be compared of a call, as one text: the answer, then what changed, then what programs were made to do. */
export function outcomeText(outcome: MachineOutcome, scene: Masks, places: MachinePlaces): string {
  const folders = { dir: dirOf(places), cache: join(minionOf(places), 'cache') };
  const answer = comparable(stripped(outcome.answer), { call: '', ...scene }, folders);
  const changes = outcome.changes
    .filter(([path]) => !path.startsWith('/var/log/'))
    .map(([path, now]) => `${path} ${now === null ? 'is gone' : `is ${entryText(now)}`}`);
  const acts = outcome.acts.split('\n').filter((line) => line !== '');
  const lines = [answer, ...changes.sort(), ...acts.map((line) => `ran ${line}`)];
  return shortened(neutral(lines.join('\n'), places));
}

function entryText([kind, mode, owner, content]: TreeEntry): string {
  if (kind === 'link') return `a link to ${content}`;
  return `${kind} ${mode} ${owner}${kind === 'file' ? ` ${JSON.stringify(content)}` : ''}`;
}

/** A result without its times. */
function stripped(answer: CallAnswer): CallAnswer {
  if ('error' in answer) return answer;
  const strip = (value: Value): Value => {
    if (Array.isArray(value)) return value.map(strip);
    if (!isDict(value)) return value;
    const isResult = value.has('result') && value.has('comment');
    const number = (result: Value): number => (isDict(result) ? Number(result.get('__run_num__') ?? 0) : 0);
    const dropped = isResult ? ['duration', 'start_time', '__run_num__', '__sls__', '__id__'] : [];
    return new Map(
      [...value]
        .sort(([, a], [, b]) => number(a) - number(b))
        .filter(([key]) => !dropped.includes(String(key)))
        .map(([key, item]): [Value, Value] => [key, strip(item)]),
    );
  };
  return { value: strip(answer.value) };
}

/** A text without what differs between places and times. */
function neutral(text: string, places: MachinePlaces): string {
  return (
    text
      .replaceAll(dirOf(places), '<DIR>')
      .replaceAll(minionOf(places), '<MINION>')
      .replaceAll(places.base, '<BASE>')
      .replaceAll(places.root === '' ? '\0' : places.root, '')
      .replace(/\/tmp\/[\w.@+-]+(?:\/[\w.@+-]+)*/g, '<TMP>')
      .replace(/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)_\w{3}_\d\d_[\d:]+_\d+_\d{4}/g, '<WHEN>')
      .replace(/\b20\d\d(?:-\d\d){5}\b/g, '<WHEN>')
      .replace(/\b20\d{12}(?:\d{6})?\b/g, '<JID>')
      .replace(/Traceback \(most recent call last\):\\n(?: {2}(?:(?!\\n).)*\\n)*/g, 'Traceback…\\n')
      // Salt's traceback names files in quotes, which decides how the whole text is quoted
      .replace(
        /"(An exception occurred in this state: Traceback…[^"]*)"/g,
        (_, said: string) => `'${said.replaceAll("'", "\\'")}'`,
      )
      .replace(/('pid': )\d+/g, '$1<PID>')
      // the last change of a password, as /etc/shadow counts days
      .replace(new RegExp(`(?<=:)${daysSinceEpoch()}(?=:)`, 'g'), '<TODAY>')
  );
}

function daysSinceEpoch(): number {
  return Math.floor(Date.now() / 86_400_000);
}

/** A long text by its beginning and its sum, since fixtures stay small. */
function shortened(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  const sum = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${text.slice(0, LONGEST_TEXT / 2)}… ${text.length} characters, sum ${sum}`;
}
