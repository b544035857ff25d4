/**
 * `minion_pub`, `minion_publish`, `minion_runner` and `pub_ret`: minions that publish jobs and call runners, as far as
 * the master's options `peer` and `peer_run` let them (salt/master.py, salt/daemons/masterapi.py, 3006.16). Without
 * those options nothing is allowed, and what is not allowed is answered with an empty mapping. Stricter than Salt where
 * marked.
 */
import { refusalFor } from '../../../network/channel/refusal.ts';
import type { AesRequest } from '../../../network/channel/door.ts';
import type { MasterOptions } from '../../../config/master-options.ts';
import type { Clock } from '../../../host/clock.ts';
import { isSafeJid } from '../../../storage/jobs/jid.ts';
import type { StoredReturn } from '../../../storage/jobs/stored-return.ts';
import { forecast } from '../../../runtime/targeting/forecast.ts';
import { parseTarget } from '../../../runtime/targeting/parse-target.ts';
import { TargetError } from '../../../runtime/targeting/target.ts';
import { decide } from '../../../runtime/access/decide.ts';
import { given } from '../../../runtime/access/auth-list.ts';
import { startMatches } from '../../../runtime/access/local-rules.ts';
import { reachOfRule } from '../../../runtime/access/reach.ts';
import type { Decision, GivenRule } from '../../../runtime/access/question.ts';
import { dict, isDict, toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import { parseKeyword } from '../../../formats/yaml/keyword.ts';
import { splitKeyword } from '../../../formats/yaml/split-keyword.ts';
import { yamlifyArgument } from '../../../formats/yaml/yamlify.ts';
import type { countedWarnings } from '../counted-log.ts';
import { returnToStore } from './returns.ts';
import { publishForPeer, type PublishedJob } from './publish.ts';
import { type JobOrder } from './publish-request.ts';
import { type PublishDeps } from './publish-deps.ts';

/** Runs a runner. @returns what it returned; undefined when it could not be run */
export type PeerRunner = (fun: string, arg: readonly Value[]) => Promise<Value | undefined>;

/** Listens to the returns that come from now on. @param tell told of each, as the minion sent it */
export type HearReturns = (tell: (jid: string, id: string, load: Dict) => void) => Promise<{ close(): void }>;

/** What serving peers needs. */
export interface PeerCommandsDeps {
  readonly publishing: PublishDeps;
  readonly run: PeerRunner;
  readonly hear: HearReturns;
  readonly warn: ReturnType<typeof countedWarnings>;
}

/** The commands of this file. */
export type PeerCommand = 'minion_pub' | 'minion_publish' | 'minion_runner' | 'pub_ret';

const NOTHING: Dict = new Map();
/** How long `minion_publish` waits unless the request says so, and at most. */
const WAIT_MS = 5_000;
const WAIT_MAX_MS = 60_000;
/** Runs and waits at a time in one worker; more are refused, so that minions cannot fill a master's memory. */
const AT_ONCE_MAX = 20;
/** Returns of any jobs that are held while a job is being published. */
const EARLY_MAX = 10_000;
/** A function's name, and so neither an option of a command nor a path. */
const FUNCTION = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$/;

/** Serves the commands. One object for each worker. */
export class PeerCommands {
  readonly #deps: PeerCommandsDeps;
  #atOnce = 0;

  constructor(deps: PeerCommandsDeps) {
    this.#deps = deps;
  }

  async serve(cmd: PeerCommand, { id, load }: AesRequest): Promise<Value> {
    switch (cmd) {
      case 'minion_pub':
        return this.#publish(id, load);
      case 'minion_publish':
        return this.#bounded(id, cmd, load, () => this.#publishAndWait(id, load));
      case 'minion_runner':
        return this.#bounded(id, cmd, load, () => this.#runner(id, load));
      case 'pub_ret':
        return this.#returns(id, load);
    }
  }

  async #publish(id: string, load: Dict): Promise<Value> {
    const job = await this.#job(id, load);
    return job instanceof Refusal ? job.reply(load) : dict({ jid: job.jid, minions: [...job.minions] });
  }

  async #job(id: string, load: Dict): Promise<PublishedJob | Refusal> {
    const order = readOrder(load);
    const { publishing, warn } = this.#deps;
    if (order === undefined)
      return new Refusal(
        'The request is not understood; functions of the module publish cannot be published.',
      );
    const what = order.funs.join(', ');
    const rules = rulesFor(publishing.opts, 'peer', id);
    const decision = mayPublish(publishing, { user: id, rules }, order);
    if (!decision.allowed) {
      const text = `The minion ${id} may not publish ${what}; the option peer would have to allow it`;
      // which rules there are is for the master's log
      warn(`${text} (${decision.reason})`);
      return new Refusal(`${text} on the master.`);
    }
    const noParse = noParseNames(load);
    const job = await publishForPeer(publishing, {
      funs: order.funs,
      fun: order.fun,
      arg: parseInput(order.arg, noParse),
      tgt: order.tgt,
      tgtType: order.tgtType,
      ret: order.ret,
      publisher: id,
      perms: rules.map(({ rule }) => rule),
    });
    if (job !== undefined) return job;
    const text = `What the minion ${id} published (${what}) could not be sent`;
    warn(text);
    return new Refusal(
      `${text}: no minion of this master fits the target, or publisher_acl_blacklist names it.`,
    );
  }

  /** For minions before Salt 3006: publishes and waits for the returns. */
  async #publishAndWait(id: string, load: Dict): Promise<Value> {
    const waitMs = patienceMs(load);
    if (waitMs === undefined) return NOTHING;
    const returns = new ReturnsOfOneJob(this.#deps.publishing.clock);
    const hearing = await this.#deps.hear((jid, from, each) => returns.add(jid, from, each));
    try {
      const job = await this.#job(id, load);
      if (job instanceof Refusal) return job.reply(load);
      const found = await returns.of(job, waitMs);
      if (found.size < job.minions.length) await this.#addKept(job, found);
      const isFull = load.get('form') === 'full';
      const out: Dict = new Map();
      for (const [from, ret] of found) out.set(from, isFull ? fullReturn(ret) : ret.return);
      if (isFull) out.set('__jid__', job.jid);
      return out;
    } finally {
      hearing.close();
    }
  }

  /** What nobody heard, because the event bus was being restarted. */
  async #addKept(job: PublishedJob, found: Map<string, StoredReturn>): Promise<void> {
    for (const ret of await this.#deps.publishing.jobs.returns(job.jid))
      if (!found.has(ret.id)) found.set(ret.id, ret);
  }

  /** The returns of a job, for the minion that published it. */
  async #returns(id: string, load: Dict): Promise<Value> {
    const jid = load.get('jid');
    // Salt compat: who published a job stands in the job cache; Salt keeps a file named by the jid (CVE-2025-22242)
    if (!isSafeJid(jid)) return NOTHING;
    const { jobs } = this.#deps.publishing;
    if ((await jobs.job(jid))?.get('id') !== id) return NOTHING;
    const out: Dict = new Map();
    for (const ret of await jobs.returns(jid)) {
      const entry = dict({ ret: ret.return });
      if (ret.out !== undefined) entry.set('out', ret.out);
      out.set(ret.id, entry);
    }
    return out;
  }

  async #runner(id: string, load: Dict): Promise<Value> {
    const [fun, arg] = [load.get('fun'), load.get('arg')];
    if (typeof fun !== 'string' || !Array.isArray(arg)) return NOTHING;
    const allowed = rulesFor(this.#deps.publishing.opts, 'peer_run', id).some(
      ({ rule }) => typeof rule === 'string' && startMatches(rule, fun),
    );
    if (!allowed || !FUNCTION.test(fun)) {
      const text = `The minion ${id} may not run ${fun}; the option peer_run would have to allow it`;
      this.#deps.warn(text);
      return new Refusal(`${text} on the master.`).reply(load);
    }
    const ran = await this.#deps.run(fun, parseInput(arg, noParseNames(load)));
    return (
      ran ?? new Refusal(`The runner ${fun} could not be run; the log of the master says why.`).reply(load)
    );
  }

  async #bounded(id: string, cmd: string, load: Dict, work: () => Promise<Value>): Promise<Value> {
    if (this.#atOnce >= AT_ONCE_MAX) {
      const text = `${cmd} of ${id} was refused: ${AT_ONCE_MAX} such requests are being served already`;
      this.#deps.warn(text);
      return new Refusal(`${text}. Try again later.`).reply(load);
    }
    this.#atOnce++;
    try {
      return await work();
    } finally {
      this.#atOnce--;
    }
  }
}

/** Why something was not done. */
class Refusal {
  readonly #reason: string;

  constructor(reason: string) {
    this.#reason = reason;
  }

  /** Salt's minions take an empty mapping for a refusal, and stumble over everything else; ours ask for the reason. */
  reply(load: Dict): Value {
    return refusalFor(load, this.#reason, NOTHING);
  }
}

/** The returns of a job whose id is not known until it is published: a minion may be quicker. */
class ReturnsOfOneJob {
  readonly #clock: Clock;
  readonly #early: [jid: string, id: string, load: Dict][] = [];
  readonly #found = new Map<string, StoredReturn>();
  readonly #isComplete = new AbortController();
  #job: PublishedJob | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(jid: string, id: string, load: Dict): void {
    const value = load.get('return');
    if (this.#job === undefined) {
      if (this.#early.length < EARLY_MAX) this.#early.push([jid, id, load]);
    } else if (jid === this.#job.jid && value !== undefined && this.#job.minions.includes(id)) {
      this.#found.set(id, returnToStore(jid, id, load, value));
      if (this.#found.size >= this.#job.minions.length) this.#isComplete.abort();
    }
  }

  /** Resolves when all have returned, or the time is over. */
  async of(job: PublishedJob, waitMs: number): Promise<Map<string, StoredReturn>> {
    this.#job = job;
    if (job.minions.length === 0) return this.#found;
    for (const [jid, id, load] of this.#early.splice(0)) this.add(jid, id, load);
    await this.#clock.sleep(waitMs, this.#isComplete.signal);
    return this.#found;
  }
}

/** Salt compat: a function of the module `publish` is refused anywhere in a list; Salt looks at the first only. */
function readOrder(load: Dict): JobOrder | undefined {
  const [fun, arg, tgt, ret] = ['fun', 'arg', 'tgt', 'ret'].map((name) => load.get(name));
  const tgtType = load.get('tgt_type') ?? 'glob';
  if (typeof fun !== 'string' || !Array.isArray(arg) || typeof ret !== 'string') return undefined;
  if (typeof tgtType !== 'string' || (typeof tgt !== 'string' && !Array.isArray(tgt))) return undefined;
  const funs = fun.split(',');
  if (funs.some((name) => name === '' || name.startsWith('publish.'))) return undefined;
  if (funs.length === 1) return { funs, fun, arg, tgt, tgtType, ret };
  const lists = arg.map((words) => (typeof words === 'string' ? words.split(/\s+/).filter(Boolean) : words));
  return { funs, fun: funs, arg: lists, tgt, tgtType, ret };
}

/** Salt compat: the blacklist of publishers is not for peers. */
function mayPublish(
  { opts, fleet }: PublishDeps,
  { user, rules }: { readonly user: string; readonly rules: readonly GivenRule[] },
  order: JobOrder,
): Decision {
  if (rules.length === 0) return { allowed: false, reason: 'it has no rule for this minion' };
  const nodegroups = opts.get('nodegroups');
  const minionsOf = (type: string): readonly string[] =>
    forecast(parseTarget(order.tgt, type, undefined, nodegroups), fleet, { greedy: true }).minions;
  try {
    const minions = minionsOf(order.tgtType);
    const exact = new Set(minionsOf(exactType(order.tgtType)));
    // a pattern that reaches more than its exact reading would tell of other minions' pillars
    if (!minions.every((minion) => exact.has(minion)))
      return { allowed: false, reason: 'its target is a pattern over pillar' };
    return decide(
      { user, rights: { kind: 'limited', rules } },
      {
        client: 'local',
        funs: order.funs,
        args: order.funs.length === 1 ? [[...order.arg]] : order.arg,
        minions,
        minionsOf: (expression) => reachOfRule(expression, fleet, nodegroups),
      },
    );
  } catch (error) {
    if (error instanceof TargetError) return { allowed: false, reason: error.message };
    throw error;
  }
}

function exactType(type: string): string {
  const name = type.toLowerCase();
  if (name === 'pillar' || name === 'pillar_pcre') return 'pillar_exact';
  return name === 'compound' ? 'compound_pillar_exact' : type;
}

/** The rules of all entries whose expression fits the minion; it is anchored at the start only, as in Salt. */
function rulesFor(opts: MasterOptions, name: 'peer' | 'peer_run', id: string): GivenRule[] {
  return [...opts.get(name)].flatMap(([pattern, rules]) =>
    typeof pattern === 'string' && startMatches(pattern, id) ? given(rules, `${name} ${pattern}`) : [],
  );
}

function noParseNames(load: Dict): readonly string[] {
  const names = load.get('no_parse');
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

/**
 * Texts as YAML, `k=v` texts and keyword mappings as one keyword mapping at the end (3006.16 salt/utils/args.py
 * `parse_input`).
 */
function parseInput(given: readonly Value[], noParse: readonly string[]): Value[] {
  const args: Value[] = [];
  const keywords: Dict = new Map();
  for (const item of given) {
    if (typeof item === 'string') {
      const split = splitKeyword(item);
      if (split === undefined) args.push(yamlifyArgument(item));
      else
        keywords.set(
          split.name,
          noParse.includes(split.name) ? split.text : (parseKeyword(item)?.value ?? null),
        );
    } else if (isDict(item) && item.get('__kwarg__') === true) {
      for (const [key, value] of item) if (key !== '__kwarg__') keywords.set(key, value);
    } else args.push(item);
  }
  if (keywords.size > 0) args.push(new Map<Value, Value>([['__kwarg__', true], ...keywords]));
  return args;
}

function patienceMs(load: Dict): number | undefined {
  const given = load.get('timeout') ?? load.get('tmo');
  if (given === undefined) return WAIT_MS;
  const seconds = typeof given === 'string' ? Number(given) : toNumber(given);
  if (seconds === undefined || !Number.isFinite(seconds)) return undefined;
  return Math.min(WAIT_MAX_MS, Math.max(0, Math.trunc(seconds) * 1000));
}

function fullReturn({ id, jid, fun, retcode, success, out, return: ret }: StoredReturn): Dict {
  return dict({ id, jid, fun, retcode, success, ret, ...(out === undefined ? {} : { out }) });
}
