/** Every operation of the API that the console uses. No other file knows an address. */
import type {
  Credentials,
  Doctor,
  Drift,
  FunctionDetail,
  FunctionSummary,
  Job,
  JobDetail,
  Key,
  KeyState,
  LoginOptions,
  Me,
  Minion,
  MinionData,
  MinionDetail,
  NewJob,
  Orchestration,
  OrchestrationDetail,
  Page,
  Preview,
  Return,
  Role,
  Run,
  Started,
  StateFile,
  Token,
} from '../model/contract.ts';
import type { Http, Query } from './http.ts';
import { openStream, type StreamHandlers } from './stream.ts';

/** Kinds of functions, and where the API lists them. */
export type FunctionKind = 'local' | 'runner' | 'wheel';
const LISTS: Readonly<Record<FunctionKind, string>> = {
  local: 'functions',
  runner: 'runners',
  wheel: 'wheel',
};

/** What is asked of data that a minion has. */
export type MinionPart = 'grains' | 'pillar' | 'mine' | 'schedule' | 'beacons';

const BASE = 'api/v2';
const part = encodeURIComponent;

/** The API. */
export class Server {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  loginOptions(): Promise<LoginOptions> {
    return this.#get('session/options');
  }

  me(): Promise<Me> {
    return this.#get('session');
  }

  async logIn(credentials: Credentials): Promise<Me> {
    const { me } = await this.#post<{ me: Me }>('session', credentials);
    return me;
  }

  logOut(): Promise<void> {
    return this.#http.ask('DELETE', `${BASE}/session`);
  }

  /** Listens to the event bus. @param tags globs; all without any */
  events(handlers: StreamHandlers): () => void {
    return openStream(this.#http, `${BASE}/events`, {}, handlers);
  }

  jobs(query: Query, signal?: AbortSignal): Promise<Page<Job>> {
    return this.#get('jobs', query, signal);
  }

  job(jid: string): Promise<JobDetail> {
    return this.#get(`jobs/${part(jid)}`);
  }

  returns(jid: string, query: Query): Promise<Page<Return>> {
    return this.#get(`jobs/${part(jid)}/returns`, query);
  }

  followJob(jid: string, handlers: StreamHandlers): () => void {
    return openStream(this.#http, `${BASE}/jobs/${part(jid)}/stream`, {}, handlers);
  }

  start(job: NewJob): Promise<Started> {
    return this.#post('jobs', job);
  }

  endJob(jid: string, how: 'term' | 'kill'): Promise<Started> {
    return this.#post(`jobs/${part(jid)}/${how}`, {});
  }

  run(run: string): Promise<Run> {
    return this.#get(`runs/${part(run)}`);
  }

  followRun(run: string, handlers: StreamHandlers): () => void {
    return openStream(this.#http, `${BASE}/runs/${part(run)}/stream`, {}, handlers);
  }

  stopRun(run: string): Promise<void> {
    return this.#http.ask('DELETE', `${BASE}/runs/${part(run)}`);
  }

  preview(
    target: { tgt: unknown; tgt_type: string; fun?: string | undefined; limit?: number },
    signal?: AbortSignal,
  ): Promise<Preview> {
    return this.#http.ask('POST', `${BASE}/targets/preview`, { body: target, signal });
  }

  nodegroups(): Promise<Page<{ readonly name: string; readonly expression: unknown }>> {
    return this.#get('targets/nodegroups');
  }

  minions(query: Query, signal?: AbortSignal): Promise<Page<Minion>> {
    return this.#get('minions', query, signal);
  }

  minion(id: string): Promise<MinionDetail> {
    return this.#get(`minions/${part(id)}`);
  }

  minionPart(id: string, what: MinionPart): Promise<MinionData> {
    return this.#get(`minions/${part(id)}/${what}`);
  }

  keys(
    query: Query,
    signal?: AbortSignal,
  ): Promise<Page<Key> & { readonly counts?: Readonly<Record<KeyState, number>> }> {
    return this.#get('keys', query, signal);
  }

  masterFingerprint(): Promise<{ readonly fingerprint: string }> {
    return this.#get('keys/master');
  }

  changeKeys(
    how: 'accept' | 'reject' | 'delete',
    what: { ids: readonly string[]; states?: readonly KeyState[]; fingerprint?: string },
  ): Promise<{ readonly changed: Readonly<Record<string, readonly string[]>> }> {
    return this.#post(`keys/${how}`, what);
  }

  functions(kind: FunctionKind, query: Query): Promise<Page<FunctionSummary>> {
    return this.#get(LISTS[kind], query);
  }

  describeFunction(kind: FunctionKind, name: string, query: Query = {}): Promise<FunctionDetail> {
    return this.#get(`${LISTS[kind]}/${part(name)}`, query);
  }

  callRunner(
    name: string,
    call: { arg: readonly unknown[]; kwarg: Readonly<Record<string, unknown>> },
  ): Promise<{ readonly jid: string; readonly tag: string }> {
    return this.#post(`runners/${part(name)}`, call);
  }

  followRunner(jid: string, handlers: StreamHandlers): () => void {
    return openStream(this.#http, `${BASE}/runners/runs/${part(jid)}/stream`, {}, handlers);
  }

  callWheel(
    name: string,
    call: { arg: readonly unknown[]; kwarg: Readonly<Record<string, unknown>> },
  ): Promise<{ readonly jid: string; readonly return: unknown; readonly success: boolean }> {
    return this.#post(`wheel/${part(name)}`, call);
  }

  stateEnvironments(): Promise<{ readonly items: readonly string[] }> {
    return this.#get('states/environments');
  }

  stateFiles(query: Query): Promise<Page<StateFile>> {
    return this.#get('states/files', query);
  }

  drift(query: Query): Promise<Page<Drift>> {
    return this.#get('states/drift', query);
  }

  orchestrations(query: Query): Promise<Page<Orchestration>> {
    return this.#get('orchestrations', query);
  }

  orchestration(jid: string): Promise<OrchestrationDetail> {
    return this.#get(`orchestrations/${part(jid)}`);
  }

  startOrchestration(what: {
    mods: string;
    pillar?: unknown;
    test?: boolean;
  }): Promise<{ readonly jid: string; readonly tag: string }> {
    return this.#post('orchestrations', what);
  }

  roles(): Promise<Page<Role>> {
    return this.#get('roles');
  }

  tokens(): Promise<Page<Token>> {
    return this.#get('tokens');
  }

  createToken(token: {
    name: string;
    roles: readonly string[];
    rules: readonly unknown[];
    expire?: string;
  }): Promise<Token & { readonly token: string }> {
    return this.#post('tokens', token);
  }

  revokeToken(name: string): Promise<void> {
    return this.#http.ask('DELETE', `${BASE}/tokens/${part(name)}`);
  }

  doctor(): Promise<Doctor> {
    return this.#get('doctor');
  }

  #get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    return this.#http.ask('GET', `${BASE}/${path}`, { query, signal });
  }

  #post<T>(path: string, body: unknown): Promise<T> {
    return this.#http.ask('POST', `${BASE}/${path}`, { body });
  }
}
