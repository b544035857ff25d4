/**
 * The site of `test/fixtures/python-extensions`, whose extensions are all in Python, on ours: laid out as a master and
 * a minion on one machine have it, and asked what `test/compare/python-extensions/cases.yaml` asks of it. `record.py`
 * beside that file has asked a real Salt.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callerServices } from '../../src/cli/call/caller-services.ts';
import { noParseNames, parseArguments } from '../../src/cli/command-line/arguments.ts';
import { loadMinionConfig } from '../../src/config/load.ts';
import { minionOptions } from '../../src/config/minion-options.ts';
import { Options } from '../../src/config/option.ts';
import { decode, encode } from '../../src/formats/wire/msgpack.ts';
import { loadYaml } from '../../src/formats/yaml/load.ts';
import { systemClock } from '../../src/host/clock.ts';
import { silentLogger } from '../../src/host/log.ts';
import { systemRandom } from '../../src/host/random.ts';
import { returnerNames, runReturners } from '../../src/plugins/registry/returner/run.ts';
import { collectGrains } from '../../src/plugins/grains/core/collect.ts';
import { localPillar } from '../../src/programs/minion/local-pillar.ts';
import { ownGrainsSource } from '../../src/programs/minion/own-modules.ts';
import { MinionState, type MinionStateDeps } from '../../src/programs/minion/state.ts';
import { pyRepr } from '../../src/python/values/repr.ts';
import { splitWords } from '../../src/python/shell-words.ts';
import { PyDatetime, dict, isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { ExtensionsHere } from '../../src/runtime/extensions/here.ts';
import { findModules } from '../../src/runtime/extensions/find-modules.ts';
import { executeFunction } from '../../src/runtime/loader/execute.ts';
import type { MinionServices } from '../../src/runtime/loader/module.ts';
import { ours, runProgram } from './fleet.ts';
import { valueToJson } from './module-calls.ts';
import { KINDS, PythonKinds } from './python-kinds.ts';

const ROOT = process.env['BRINE_ROOT'] ?? '.';
const FIXTURE = join(ROOT, 'test/fixtures/python-extensions');
/** Each job has one of its own; recordings have the first. */
const FIRST_JID = 20_261_123_150_405_678_901n;
const JIDS = /20261123150405\d{6}/g;

/** What is asked, by the kind of the question. */
export type Asked = Readonly<Record<string, string>>;

/** A question, and why ours answers otherwise. */
export interface ExtensionCase {
  /** As `recorded.json` names it. */
  readonly key: string;
  readonly asked: Asked;
  /** What our answer, as JSON, matches where it is meant to differ. */
  readonly ours?: RegExp;
  readonly why?: string;
}

/** The questions by group; each group has a site of its own. */
export function extensionCases(): ReadonlyMap<string, readonly ExtensionCase[]> {
  const text = readFileSync(join(ROOT, 'test/compare/python-extensions/cases.yaml'), 'utf8');
  const groups = loadYaml(text) as Dict;
  return new Map([...groups].map(([group, cases]) => [String(group), (cases as Value[]).map(caseOf)]));
}

function caseOf(told: Value): ExtensionCase {
  const all = isDict(told) ? told : new Map<Value, Value>([['job', told]]);
  const asked = [...all].filter(([name]) => name !== 'ours' && name !== 'why');
  const [ours, why] = [all.get('ours'), all.get('why')];
  return {
    key: asked.map(([name, value]) => `${String(name)} ${String(value)}`).join(' | '),
    asked: Object.fromEntries(asked) as Asked,
    ...(ours === undefined ? {} : { ours: new RegExp(String(ours)) }),
    ...(why === undefined ? {} : { why: String(why) }),
  };
}

/**
 * Those of the questions that are asked within a unit test's process: jobs and what shares a Python process. The others
 * are calls of programs, and beacons and engines, each of which starts processes of its own.
 */
export function isJob({ asked }: ExtensionCase): boolean {
  return ['job', 'tops', 'auth', 'reactor'].some((kind) => asked[kind] !== undefined);
}

let recorded: Readonly<Record<string, unknown>> | undefined;

/** What a real Salt answered, by question. */
function recordedAnswers(): Readonly<Record<string, unknown>> {
  return (recorded ??= JSON.parse(readFileSync(join(FIXTURE, 'recorded.json'), 'utf8')) as Record<
    string,
    unknown
  >);
}

let found: string | undefined;

/** The interpreter behind `python3`, which may be a script that looks for it each time. */
function interpreter(): string {
  const argv = ['-c', 'import sys; print(sys.executable)'];
  return (found ??= spawnSync('python3', argv, { encoding: 'utf8' }).stdout.trim());
}

/** Whether a group has a configuration of its own. */
export function hasOwnSite(group: string): boolean {
  const ends = [`minion-${group.split(' ')[0] ?? ''}`, `master-${group.split(' ')[0] ?? ''}`];
  return ends.some((name) => existsSync(join(FIXTURE, 'site', name)));
}

/** The site on ours. Close it. */
export class OwnSite {
  readonly #root: string;
  readonly #here = new ExtensionsHere();
  #minion: Promise<MinionState> | undefined;
  #kinds: PythonKinds | undefined;
  #jobs = 0n;

  /** @param group whose questions are asked */
  constructor(group: string) {
    this.#root = mkdtempSync(join(tmpdir(), 'python-extensions-'));
    this.#lay(group);
  }

  /** Ends what runs, and takes the folder away. */
  async close(): Promise<void> {
    await this.#kinds?.close();
    this.#here.python.close();
    await (await this.#minion)?.close();
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** The answer to a question, in the form in which a real Salt's is recorded. */
  async ask(asked: Asked): Promise<unknown> {
    const answer = await this.#answer(asked);
    return neutral(answer, this.#root);
  }

  #lay(group: string): void {
    const root = this.#root;
    const site = join(FIXTURE, 'site');
    for (const name of ['srv', 'pillar']) cpSync(join(site, name), join(root, name), { recursive: true });
    for (const kind of readdirSync(join(root, 'srv')).filter((name) => name.startsWith('_')))
      cpSync(join(root, 'srv', kind), join(root, 'ext', kind.slice(1)), { recursive: true });
    for (const name of ['minion', 'master']) {
      const further = join(site, `${name}-${group.split(' ')[0] ?? ''}`);
      const files = [join(site, name), ...(existsSync(further) ? [further] : [])];
      const text = files.map((path) => readFileSync(path, 'utf8')).join('');
      writeFileSync(
        join(root, name),
        `${text.replaceAll('ROOT', root)}python_executable: ${interpreter()}\n`,
      );
    }
    mkdirSync(join(root, 'cache', 'proc'), { recursive: true });
  }

  #answer(asked: Asked): Promise<unknown> {
    if (asked['salt-call'] !== undefined) return this.#program('salt-call', asked['salt-call']);
    if (asked['salt-run'] !== undefined) return this.#program('salt-run', asked['salt-run']);
    if (asked['orchestrate'] !== undefined) return this.#orchestration(asked['orchestrate']);
    const kind = KINDS.find((one) => asked[one] !== undefined);
    if (kind !== undefined) return this.#kind(kind, asked[kind] ?? '');
    return this.#job(asked['job'] ?? '', asked['returner']);
  }

  async #kind(kind: string, words: string): Promise<unknown> {
    this.#kinds ??= new PythonKinds({
      root: this.#root,
      state: () => (this.#minion ??= this.#newMinion()),
      services: servicesOf,
    });
    return { is: plain(await this.#kinds.ask(kind, words.replaceAll('ROOT', this.#root))) };
  }

  /** An orchestration, without times. */
  async #orchestration(words: string): Promise<unknown> {
    const { code, stdout } = await this.#program('salt-run', `state.orchestrate ${words} --out json`);
    return { code, shown: untimed(stdout) };
  }

  /** A built program with its streams; what it logs is left out. */
  async #program(
    name: 'salt-call' | 'salt-run',
    words: string,
  ): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const local = name === 'salt-call' ? ['--local'] : [];
    const argv = [
      '-c',
      this.#root,
      '-l',
      'quiet',
      ...local,
      ...splitWords(words.replaceAll('ROOT', this.#root)),
    ];
    const { code, stdout, stderr } = await runProgram(join(ours.folder, name), argv);
    return { code, stdout, stderr };
  }

  async #job(words: string, returner?: string): Promise<unknown> {
    const [fun = '', ...rest] = splitWords(words.replaceAll('ROOT', this.#root));
    const state = await (this.#minion ??= this.#newMinion());
    const events: unknown[] = [];
    const services = {
      ...servicesOf(state),
      fireMaster: (tag: string, data: Value) => {
        events.push([tag, plain(data)]);
        return Promise.resolve(true);
      },
    };
    const arg = parseArguments(rest, noParseNames([]));
    const jid = String(FIRST_JID + this.#jobs++);
    const pub = dict({ fun, arg, jid, ret: '', tgt: state.id, tgt_type: 'glob', user: 'root' });
    const ctx = state.context({ jid, fun, pub }, services, new AbortController().signal);
    const result = await executeFunction(fun, ctx, arg);
    const { retcode, success, out } = result;
    if (returner !== undefined) {
      const ret = dict({ ...result, jid, fun, fun_args: arg, user: 'root', id: state.id });
      await runReturners(await state.returners(), returnerNames(returner), ret, ctx);
    }
    const value = plain(decode(encode(result.return, 'network'), 'network'));
    return {
      return: value,
      retcode,
      success,
      ...(out === undefined ? {} : { out }),
      ...(events.length === 0 ? {} : { events }),
    };
  }

  async #newMinion(): Promise<MinionState> {
    const config = loadMinionConfig({ configDir: this.#root, env: {}, log: silentLogger, cacheId: false });
    const merged = config.toDict().set('local', true).set('file_client', 'local');
    const opts = new Options(minionOptions, merged);
    const [clock, random, log] = [systemClock, systemRandom, silentLogger];
    const custom = [ownGrainsSource(merged, clock, log)];
    const grains = await collectGrains({ opts: merged, log, clock, custom });
    const own: Pick<MinionStateDeps, 'custom' | 'python'> = {
      python: () => this.#here.python,
      custom: (context, kind) => findModules(this.#here, kind, context, { clock, log }),
    };
    const state = new MinionState({ ...{ opts, clock, random, log }, ...own }, grains);
    const at = { opts: state.opts, id: state.id, grains: () => Promise.resolve(grains) };
    state.pillar = await localPillar({ ...at, clock, random, log, own });
    return state;
  }
}

function servicesOf({ deps: { opts } }: MinionState): MinionServices {
  return callerServices({ opts, link: undefined, clock: systemClock, log: silentLogger });
}

const TIMED: readonly string[] = ['duration', 'start_time', '__jid__', 'jid', '_stamp'];

/** What a program has shown as JSON, without what is another each time; the text where it is none. */
function untimed(text: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown) => (TIMED.includes(key) ? undefined : value));
  } catch {
    return text;
  }
}

function plain(value: Value): unknown {
  if (value instanceof PyDatetime)
    return {
      dict: [
        ['type', 'datetime'],
        ['text', value.toString()],
      ],
    };
  if (Array.isArray(value)) return value.map(plain);
  if (isDict(value)) {
    const isTimed = (key: Value): boolean =>
      value.has('result') && (key === 'duration' || key === 'start_time');
    const pairs = [...value].filter(([key]) => !isTimed(key));
    return { dict: pairs.map(([key, item]) => [plain(key), plain(item)]) };
  }
  if (typeof value === 'number' && !Number.isFinite(value)) return { float: pyRepr(value) };
  return valueToJson(value);
}

const FRAMES = /Traceback \(most recent call last\):\n(?: {2}.*\n)*/g;

/** Places and the frames of tracebacks are each side's own. */
function neutral(value: unknown, root: string): unknown {
  if (typeof value === 'string')
    return value.replaceAll(root, 'ROOT').replace(FRAMES, 'Traceback\n').replace(JIDS, String(FIRST_JID));
  if (Array.isArray(value)) return value.map((item) => neutral(item, root));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, neutral(item, root)]));
}

/** Makes answers comparable: the order of a mapping's keys says nothing. */
function comparable(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(comparable);
  if (typeof answer !== 'object' || answer === null) return answer;
  const entries = Object.entries(answer);
  const [[kind, inner] = []] = entries;
  if (kind === 'dict' && entries.length === 1) {
    const pairs = (inner as unknown[]).map(comparable);
    return { dict: pairs.map((pair) => JSON.stringify(pair)).sort() };
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, comparable(item)] as const).sort());
}

/**
 * Asks a question, and says how the answer differs from the recorded one without a reason; undefined when it does not.
 */
export async function faultOf(
  site: OwnSite,
  { key, asked, ours: meant, why }: ExtensionCase,
): Promise<string | undefined> {
  const salt = recordedAnswers()[key];
  const answer = await site.ask(asked);
  const isSame = JSON.stringify(comparable(answer)) === JSON.stringify(comparable(salt));
  const isMeant = meant !== undefined && why !== undefined && meant.test(JSON.stringify(answer));
  if (isSame ? meant === undefined : isMeant) return undefined;
  return `${key}${isSame ? ' (no longer differs)' : ''}\n  Salt: ${JSON.stringify(salt)}\n  ours: ${JSON.stringify(answer)}`;
}
