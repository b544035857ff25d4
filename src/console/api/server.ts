/** Every operation of the API that the console uses. No other file knows an address. */
import { sleep } from '../model/clock.ts';
import type {
  LoginForm,
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
  Template,
  TemplateCall,
  Token,
} from '../model/contract.ts';
import { ByCalls } from './by-calls.ts';
import { ApiError, type Http, type Query } from './http.ts';
import { openStream, type StreamHandlers } from './stream.ts';

/** Kinds of functions, and where the API lists them. */
export type ListedKind = 'local' | 'runner' | 'wheel';
const LISTS: Readonly<Record<ListedKind, string>> = {
  local: 'functions',
  runner: 'runners',
  wheel: 'wheel',
};

/** What is asked of data that a minion has. */
export type MinionPart = 'grains' | 'pillar' | 'mine' | 'schedule' | 'beacons';

const BASE = 'api/v2';
const LOOK_MS = 700;
const part = encodeURIComponent;

/** The API. */
export class Server {
  readonly #http: Http;
  readonly #calls: ByCalls;
  /** Addresses that this API does not have. */
  readonly #missing = new Set<string>();

  constructor(http: Http) {
    this.#http = http;
    this.#calls = new ByCalls(http);
  }

  loginOptions(): Promise<LoginOptions> {
    return this.#get('session/options');
  }

  me(): Promise<Me> {
    return this.#get('session');
  }

  async logIn(credentials: LoginForm): Promise<Me> {
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

  functions(kind: ListedKind, query: Query): Promise<Page<FunctionSummary>> {
    return this.#or(
      `list ${kind}`,
      () => this.#get(LISTS[kind], query),
      () => this.#calls.functions(kind),
    );
  }

  describeFunction(kind: ListedKind, name: string, query: Query = {}): Promise<FunctionDetail> {
    return this.#or(
      `list ${kind}`,
      () => this.#get(`${LISTS[kind]}/${part(name)}`, query),
      () => this.#calls.describe(kind, name),
    );
  }

  callRunner(
    name: string,
    call: { arg: readonly unknown[]; kwarg: Readonly<Record<string, unknown>> },
  ): Promise<{ readonly jid: string; readonly tag: string }> {
    return this.#post(`runners/${part(name)}`, call);
  }

  followRunner(jid: string, handlers: StreamHandlers): () => void {
    const stops: (() => void)[] = [];
    const refused = (): void => void stops.push(this.#pollRunner(jid, handlers));
    stops.push(
      openStream(this.#http, `${BASE}/runners/runs/${part(jid)}/stream`, {}, { ...handlers, refused }),
    );
    return () => stops.forEach((stop) => stop());
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
    return this.#or(
      'states',
      () => this.#get('states/files', query),
      () => this.#calls.stateFiles(query['env'] ?? 'base'),
    );
  }

  drift(query: Query): Promise<Page<Drift>> {
    return this.#or(
      'drift',
      () => this.#get('states/drift', query),
      () => this.#calls.drift(query['since']),
    );
  }

  orchestrations(query: Query): Promise<Page<Orchestration>> {
    return this.#or(
      'orchestrations',
      () => this.#get('orchestrations', query),
      () => this.#calls.orchestrations(),
    );
  }

  orchestration(jid: string): Promise<OrchestrationDetail> {
    return this.#or(
      'orchestrations',
      () => this.#get(`orchestrations/${part(jid)}`),
      () => this.#calls.orchestration(jid),
    );
  }

  startOrchestration(what: {
    mods: string;
    pillar?: unknown;
    test?: boolean;
  }): Promise<{ readonly jid: string; readonly tag: string }> {
    return this.#or(
      'orchestrations',
      () => this.#post('orchestrations', what),
      () => this.callRunner('state.orchestrate', { arg: [], kwarg: what }),
    );
  }

  roles(): Promise<Page<Role>> {
    return this.#or(
      'roles',
      () => this.#get('roles'),
      () => this.#calls.roles(),
    );
  }

  tokens(): Promise<Page<Token>> {
    return this.#or(
      'tokens',
      () => this.#get('tokens'),
      () => this.#calls.tokens(),
    );
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
    return this.#or(
      'tokens',
      () => this.#http.ask('DELETE', `${BASE}/tokens/${part(name)}`),
      () => this.#calls.revokeToken(name),
    );
  }

  templates(): Promise<Page<Template>> {
    return this.#get('templates', { limit: '1000' });
  }

  /** @param version of the one that it replaces @throws ApiError `conflict` when there is another one of that name */
  keepTemplate(
    template: { name: string; call: TemplateCall; version?: string },
    isShared: boolean,
  ): Promise<Template> {
    return this.#post(isShared ? 'templates/shared' : 'templates', template);
  }

  deleteTemplate({ id, version }: Template): Promise<void> {
    return this.#http.ask('DELETE', `${BASE}/templates/${part(id)}`, { query: { version } });
  }

  doctor(): Promise<Doctor> {
    return this.#get('doctor');
  }

  /** Asks an address, or makes the answer out of others when there is none. */
  async #or<T>(what: string, ask: () => Promise<T>, instead: () => Promise<T>): Promise<T> {
    if (this.#missing.has(what)) return instead();
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404 && error.message.startsWith('There is no /')))
        throw error;
      this.#missing.add(what);
      return instead();
    }
  }

  /** Waits for the end of a runner without a stream of it. */
  #pollRunner(jid: string, handlers: StreamHandlers): () => void {
    const gone = new AbortController();
    const look = async (): Promise<void> => {
      while (!gone.signal.aborted) {
        const end = await this.#calls.runnerEnd(jid).catch(() => undefined);
        if (gone.signal.aborted) return;
        if (end !== undefined) return handlers.event('end', end);
        await sleep(LOOK_MS, gone.signal);
      }
    };
    void look();
    return () => gone.abort();
  }

  #get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    return this.#http.ask('GET', `${BASE}/${path}`, { query, signal });
  }

  #post<T>(path: string, body: unknown): Promise<T> {
    return this.#http.ask('POST', `${BASE}/${path}`, { body });
  }
}
