/**
 * What the API has no address of its own for, made out of calls that it has: runners, wheel functions, jobs of one
 * minion, and returns.
 */
import type {
  Drift,
  FunctionDetail,
  FunctionSummary,
  Job,
  Minion,
  Orchestration,
  OrchestrationDetail,
  Page,
  Return,
  Role,
  StateFile,
  Token,
} from '../model/contract.ts';
import { detailOf, type Argspec } from '../model/function-detail.ts';
import { mappingIn } from '../model/json.ts';
import { orchestrationOf } from '../model/orchestration-return.ts';
import { readStateReturn } from '../model/state-run.ts';
import type { Http, Query } from './http.ts';

const BASE = 'api/v2';
/** Test runs that are looked at for drift, and orchestrations that are listed at a time. */
const DRIFT_JOBS = '60';
const ORCHESTRATIONS = '25';
const PAGE = '500';

/** How a function of the master has ended. */
export interface Ended {
  readonly jid: string;
  readonly return: unknown;
  readonly success: boolean;
}

/** Arguments of a call. */
export interface CallArguments {
  readonly arg?: readonly unknown[];
  readonly kwarg?: Readonly<Record<string, unknown>>;
}

/** Makes the calls. */
export class ByCalls {
  readonly #http: Http;
  /** Documentation of the functions of the master, asked for once. */
  readonly #docs = new Map<string, Promise<Readonly<Record<string, unknown>>>>();

  constructor(http: Http) {
    this.#http = http;
  }

  /** Names of functions; those of minions as one that is connected has them. */
  async functions(kind: 'local' | 'runner' | 'wheel'): Promise<Page<FunctionSummary>> {
    if (kind === 'local') {
      const names = await this.#onSomeMinion('sys.list_functions', []);
      return listed((Array.isArray(names) ? names : []).filter(isText).map((name) => summaryOf(name, '')));
    }
    const docs = Object.entries(await this.#docsOf(kind));
    return listed(docs.map(([name, doc]) => summaryOf(name, textIn(doc))));
  }

  /** One function with its documentation and parameters. */
  async describe(kind: 'local' | 'runner' | 'wheel', name: string): Promise<FunctionDetail> {
    if (kind === 'local') {
      const [docs, specs] = await Promise.all([
        this.#onSomeMinion('sys.doc', [name]),
        this.#onSomeMinion('sys.argspec', [name]),
      ]);
      return detailOf(name, textIn(mappingIn(docs)[name]), mappingIn(specs)[name] as Argspec | undefined);
    }
    const docs = await this.#docsOf(kind);
    return detailOf(name, textIn(docs[name]), undefined);
  }

  /** Calls a runner and waits for its end. */
  runner(name: string, call: CallArguments = {}): Promise<Ended> {
    return this.#http.ask('POST', `${BASE}/runners/${name}`, { body: { ...call, wait: true } });
  }

  /** How a runner that was started has ended; undefined while it runs. */
  async runnerEnd(jid: string): Promise<Ended | undefined> {
    const { items } = await this.#returns(jid, {});
    const [item] = items;
    if (item === undefined) return undefined;
    const value = mappingIn(item.return);
    return { jid, return: 'return' in value ? value['return'] : item.return, success: item.success };
  }

  async stateFiles(env: string): Promise<Page<StateFile>> {
    const { return: paths } = await this.runner('fileserver.file_list', { kwarg: { saltenv: env } });
    const names = (Array.isArray(paths) ? paths : []).filter(isText);
    return listed(
      names.map((path) => ({
        path,
        kind: path.endsWith('.sls') ? ('sls' as const) : ('file' as const),
        sls: path.endsWith('.sls') ? path.replace(/(\/init)?\.sls$/, '').replaceAll('/', '.') : null,
      })),
    );
  }

  /** What the newest test runs have found. */
  async drift(since: string | undefined): Promise<Page<Drift>> {
    const jobs = await this.#jobs({ fun: 'state.*', test: 'true', since, limit: DRIFT_JOBS });
    const found = await Promise.all(jobs.items.map(async (job) => this.#driftOf(job)));
    return listed(found.flat());
  }

  async #driftOf(job: Job): Promise<Drift[]> {
    const { items } = await this.#returns(job.jid, { limit: PAGE });
    return items.flatMap(({ minion, return: value, fun, stamp }) => {
      const read = readStateReturn(value);
      if (read === undefined) return [];
      const would = read.rows.filter(({ result }) => result === 'would change');
      const failed = read.rows.filter(({ result }) => result === 'failed').length + read.errors.length;
      return {
        jid: job.jid,
        minion,
        time: stamp ?? job.start_time,
        fun,
        changes: would.length,
        failed,
        total: read.rows.length,
        states: would.slice(0, 50).map(({ id }) => id),
      };
    });
  }

  async orchestrations(): Promise<Page<Orchestration>> {
    const jobs = await this.#jobs({ fun: 'runner.state.orch*', limit: ORCHESTRATIONS });
    const items = await Promise.all(
      jobs.items.map(async (job) => {
        const detail = orchestrationOf(job, (await this.#returns(job.jid, {})).items[0]);
        return { ...detail, steps: detail.steps.length };
      }),
    );
    return listed(items);
  }

  async orchestration(jid: string): Promise<OrchestrationDetail> {
    const job = await this.#http.ask<Job>('GET', `${BASE}/jobs/${encodeURIComponent(jid)}`);
    return orchestrationOf(job, (await this.#returns(jid, {})).items[0]);
  }

  async roles(): Promise<Page<Role>> {
    const { return: options } = await this.#http.ask<Ended>('POST', `${BASE}/wheel/config.values`, {
      body: {},
    });
    const roles = Object.entries(mappingIn(mappingIn(options)['roles']));
    return listed(
      roles.map(([role, given]) => {
        const { users, groups, tokens, rules } = mappingIn(given);
        return {
          role,
          users: textsIn(users),
          groups: textsIn(groups),
          tokens: textsIn(tokens),
          rules: listIn(rules),
        };
      }),
    );
  }

  async tokens(): Promise<Page<Token>> {
    const { return: tokens } = await this.runner('auth.token_list');
    return listed(Object.entries(mappingIn(tokens)).map(([name, given]) => tokenOf(name, mappingIn(given))));
  }

  async revokeToken(name: string): Promise<void> {
    await this.runner('auth.token_revoke', { arg: [name] });
  }

  #docsOf(kind: 'runner' | 'wheel'): Promise<Readonly<Record<string, unknown>>> {
    const known = this.#docs.get(kind);
    if (known !== undefined) return known;
    const docs = this.runner(`doc.${kind}`).then((ended) => mappingIn(ended.return));
    this.#docs.set(kind, docs);
    // the next one who asks tries again
    docs.catch(() => this.#docs.delete(kind));
    return docs;
  }

  /** What a function returns on one minion that is connected. */
  async #onSomeMinion(fun: string, arg: readonly unknown[]): Promise<unknown> {
    const { items } = await this.#http.ask<Page<Minion>>('GET', `${BASE}/minions`, {
      query: { connected: 'true', limit: '1' },
    });
    const id = items[0]?.id;
    if (id === undefined) return undefined;
    // the address of Salt's own interface: it waits for the return
    const body = [{ client: 'local', tgt: [id], tgt_type: 'list', fun, arg }];
    const reply = await this.#http.ask<{ return: readonly unknown[] }>('POST', '', { body });
    return mappingIn(reply.return[0])[id];
  }

  #jobs(query: Query): Promise<Page<Job>> {
    return this.#http.ask('GET', `${BASE}/jobs`, { query });
  }

  #returns(jid: string, query: Query): Promise<Page<Return>> {
    return this.#http.ask('GET', `${BASE}/jobs/${encodeURIComponent(jid)}/returns`, { query });
  }
}

function listed<T>(items: readonly T[]): Page<T> {
  return { items, next: null };
}

function summaryOf(name: string, doc: string): FunctionSummary {
  const summary = doc.trim().split('\n')[0] ?? '';
  return { name, summary, changes: null, allowed: true };
}

function tokenOf(name: string, given: Readonly<Record<string, unknown>>): Token {
  const time = (value: unknown): string | null =>
    typeof value === 'number' ? new Date(value * 1000).toISOString() : isText(value) ? value : null;
  const expires = time(given['expires'] ?? given['expire']);
  return {
    name,
    created: time(given['created']) ?? '',
    expires,
    created_by: textIn(given['created_by']),
    roles: textsIn(given['roles']),
    rules: listIn(given['rules']),
    is_over: given['is_over'] === true,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function textIn(value: unknown): string {
  return isText(value) ? value : '';
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsIn(value: unknown): string[] {
  return listIn(value).filter(isText);
}
