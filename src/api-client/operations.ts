/**
 * What the second version of the API takes and answers. Made from `src/programs/api/v2/table.ts` by
 * `scripts/generate-docs.ts`: change it there.
 */

/** Why a request was not served; none is ever given another meaning. */
export type ErrorCode =
  /** The body, or what stands behind `?`, is not of the form that is asked for; `field` says where. */
  | 'bad-request'
  /** The target cannot be understood; `position` is the offset in it where it is known. */
  | 'bad-target'
  /** The cursor was not made by this list. */
  | 'bad-cursor'
  /** The function cannot be called with these arguments. */
  | 'bad-call'
  /** There is no session or token, or it is over. */
  | 'not-logged-in'
  /** The name and the password do not belong together, or the provider says no. */
  | 'login-failed'
  /** The master refuses this to the user; `details` has the client and the function. */
  | 'not-allowed'
  /** A page of another origin may not use the cookie. */
  | 'foreign-origin'
  /** The address is not one of `authorized_ips`. */
  | 'bad-address'
  /** There is nothing of that name. */
  | 'not-found'
  /** The target reaches no minion. */
  | 'no-minions'
  /** The address does not take this method. */
  | 'method-not-allowed'
  /** The client takes none of the media types of the answer. */
  | 'not-acceptable'
  /** Something of that name is there already, or is another one by now. */
  | 'conflict'
  /** The length of the body is not said. */
  | 'length-required'
  /** The body is larger than `max_request_body_size`, or stands for too much. */
  | 'too-large'
  /** The body is not JSON. */
  | 'unsupported-media-type'
  /** The request expects something else than `100-continue`. */
  | 'expectation-failed'
  /** The head of the request has more fields than are read. */
  | 'too-many-fields'
  /** Too many log-ins have failed; `Retry-After` says when to try again. */
  | 'too-many-attempts'
  /** Something went wrong here; `details.id` stands in the log beside the reason. */
  | 'internal'
  /** The master could not do it, for the reason that the message gives: a full disk, for example. */
  | 'master-failed'
  /** The master is not one of Brine, or an option that this needs is not set. */
  | 'not-served'
  /** The function was run, and failed. */
  | 'run-failed'
  /** The master does not answer. */
  | 'master-down'
  /** Too much is under way; `Retry-After` says when to try again. */
  | 'too-busy'
  /** There was no answer in time. */
  | 'timed-out';

export type Begun = {
  /** the id of a job */
  readonly jid: string;
  /** where its events begin */
  readonly tag: string;
};

export type Counts = {
  /** minions that the job was meant for; the others add up to it */
  readonly expected: number;
  /** that have succeeded */
  readonly returned: number;
  /** with another return code than 0, or with `success: false` */
  readonly failed: number;
  /** of which nothing final is known */
  readonly running: number;
  /** that have not returned and are not waited for */
  readonly silent: number;
};

export type Drift = {
  /** the id of a job */
  readonly jid: string;
  readonly minion: string;
  readonly time: string | null;
  readonly fun: string;
  /** states that would change something */
  readonly changes: number;
  readonly failed: number;
  readonly total: number;
  /** ids of states that would change something, at most 50 */
  readonly states: readonly (string)[];
};

export type Ended = {
  readonly jid: string;
  readonly return: unknown;
  readonly success: boolean;
};

export type Finding = {
  /** stays the same whatever the sentences become */
  readonly code: string;
  readonly severity: 'warning' | 'critical';
  readonly what: string;
  /** a minion, a process, a folder */
  readonly who: string | null;
  readonly why: string;
  /** what to do */
  readonly next: string;
  readonly figures: Readonly<Record<string, number>>;
};

export type FunctionDetail = {
  readonly name: string;
  readonly summary: string;
  /** whether it changes anything, where that is known */
  readonly changes: boolean | null;
  /** whether one may call it, with some arguments on some target */
  readonly allowed: boolean;
  readonly doc: string;
  readonly returns: string;
  readonly examples: readonly (string)[];
  readonly params: readonly (Param)[];
  /** takes further arguments */
  readonly varargs: boolean;
  /** takes further keywords */
  readonly kwargs: boolean;
  /** JSON Schema of the arguments by name; x-order has their order */
  readonly schema: Readonly<Record<string, unknown>>;
};

export type FunctionSummary = {
  readonly name: string;
  readonly summary: string;
  /** whether it changes anything, where that is known */
  readonly changes: boolean | null;
  /** whether one may call it, with some arguments on some target */
  readonly allowed: boolean;
};

export type Job = {
  /** the id of a job */
  readonly jid: string;
  /** the function; of several, their names with commas */
  readonly fun: string;
  readonly funs: readonly (string)[];
  readonly arg: readonly (unknown)[];
  readonly kwarg: Readonly<Record<string, unknown>>;
  /** the target as it was given: a text, or a list */
  readonly tgt: unknown;
  readonly tgt_type: string;
  readonly user: string;
  readonly start_time: string | null;
  /** whether it was run in test mode */
  readonly test: boolean;
  readonly metadata: unknown;
  readonly state: 'running' | 'done';
  readonly counts: Counts;
};

export type JobDetail = {
  /** the id of a job */
  readonly jid: string;
  /** the function; of several, their names with commas */
  readonly fun: string;
  readonly funs: readonly (string)[];
  readonly arg: readonly (unknown)[];
  readonly kwarg: Readonly<Record<string, unknown>>;
  /** the target as it was given: a text, or a list */
  readonly tgt: unknown;
  readonly tgt_type: string;
  readonly user: string;
  readonly start_time: string | null;
  /** whether it was run in test mode */
  readonly test: boolean;
  readonly metadata: unknown;
  readonly state: 'running' | 'done';
  readonly counts: Counts;
  readonly minions: readonly (MinionOutcome)[];
};

export type Key = {
  readonly id: string;
  readonly state: KeyState;
  /** by the hash_type of the master */
  readonly fingerprint: string | null;
};

export type KeyState = 'accepted' | 'pending' | 'rejected' | 'denied';

export type Login = {
  /** a system of external_auth */
  readonly eauth: string;
  readonly username: string;
  readonly password: string;
};

export type LoginOptions = {
  /** systems of external_auth that take a name and a password */
  readonly eauths: readonly (string)[];
  readonly oidc: {
    readonly name: string;
    /** where a browser goes to log in, below the base of this interface */
    readonly href: string;
  } | null;
};

export type Me = {
  readonly user: string;
  readonly groups: readonly (string)[];
  /** the authentication system; `api-token` for API tokens */
  readonly eauth: string;
  readonly kind: 'session' | 'api-token' | 'token';
  readonly expires: string | null;
  /** may do everything */
  readonly full: boolean;
  readonly rules: readonly ({
    /** in the forms of external_auth */
    readonly rule: unknown;
    /** where it stands */
    readonly source: string;
  })[];
  /** for every operation of this interface, whether it is offered */
  readonly can: Readonly<Record<string, boolean>>;
};

export type Minion = {
  readonly id: string;
  readonly key: KeyState;
  readonly connected: boolean;
  /** now, when its connection was lost, or when its data were last written */
  readonly last_seen: string | null;
  /** the Salt that it is, or that it follows where it is a minion of Brine */
  readonly version: string | null;
  /** the version of Brine; null for a minion of Salt */
  readonly brine_version: string | null;
  readonly os: string | null;
  readonly osrelease: string | null;
  readonly os_family: string | null;
  readonly kernel: string | null;
  /** the first IPv4 address that is not a loopback */
  readonly ip: string | null;
};

export type MinionData = {
  readonly data: Readonly<Record<string, unknown>>;
  /** when the master last had it from the minion */
  readonly at: string | null;
  /** paths whose values are shown as stars */
  readonly masked: readonly (string)[];
};

export type MinionDetail = {
  readonly id: string;
  readonly key: KeyState;
  readonly connected: boolean;
  /** now, when its connection was lost, or when its data were last written */
  readonly last_seen: string | null;
  /** the Salt that it is, or that it follows where it is a minion of Brine */
  readonly version: string | null;
  /** the version of Brine; null for a minion of Salt */
  readonly brine_version: string | null;
  readonly os: string | null;
  readonly osrelease: string | null;
  readonly os_family: string | null;
  readonly kernel: string | null;
  /** the first IPv4 address that is not a loopback */
  readonly ip: string | null;
  readonly fingerprint: string | null;
  readonly grains_at: string | null;
  /** when its connection was last lost (UTC) */
  readonly since: string | null;
};

export type MinionOutcome = {
  readonly minion: string;
  readonly outcome: OutcomeName;
  readonly retcode: number | null;
  /** what the return says of itself; a function may fail with the code 0 */
  readonly success: boolean | null;
  /** a sentence */
  readonly reason: string | null;
  /** the state of its key, where that is the reason */
  readonly key: string | null;
  /** since when the connection is lost (UTC) */
  readonly since: string | null;
  readonly published: string | null;
  readonly received: string | null;
  readonly returned: string | null;
  readonly given_up: string | null;
  /** from the publication to the return */
  readonly seconds: number | null;
};

export type NewJob = {
  /** a text, or for `list` a list of names */
  readonly tgt: unknown;
  readonly tgt_type?: TargetType;
  /** a function, or several */
  readonly fun: string | readonly (string)[];
  /** of several functions a list for each */
  readonly arg?: readonly (unknown)[];
  readonly kwarg?: Readonly<Record<string, unknown>>;
  /** in test mode: as the keyword test=True */
  readonly test?: boolean;
  readonly timeout?: number;
  readonly gather_timeout?: number;
  /** so many minions at a time: 10, 25% */
  readonly batch?: string;
  readonly batch_wait?: number;
  /** a batch ends with the first minion that fails */
  readonly failhard?: boolean;
  /** the others have their turn only when all of the first succeed */
  readonly canary?: {
    /** so many minions first: 1, 10% */
    readonly size: string;
  };
  /** returners, with commas */
  readonly ret?: string;
  readonly metadata?: unknown;
  /** answers whom it would reach, and sends nothing */
  readonly dry_run?: boolean;
};

export type NewTemplate = {
  readonly name: string;
  readonly call: TemplateCall;
  /** of the one that it replaces; left out for a new one */
  readonly version?: string;
};

export type NewToken = {
  readonly name: string;
  readonly roles?: readonly (string)[];
  readonly rules?: readonly (unknown)[];
  /** 90d, 12h, or seconds */
  readonly expire?: string;
};

export type Orchestration = {
  /** the id of a job */
  readonly jid: string;
  readonly fun: string;
  /** the names of its SLS, with commas */
  readonly mods: string;
  readonly state: 'running' | 'done' | 'failed' | 'paused';
  readonly started: string | null;
  readonly ended: string | null;
  /** steps that failed */
  readonly failed: number;
  /** steps that have ended */
  readonly steps: number;
};

export type OrchestrationDetail = {
  /** the id of a job */
  readonly jid: string;
  readonly fun: string;
  /** the names of its SLS, with commas */
  readonly mods: string;
  readonly state: 'running' | 'done' | 'failed' | 'paused';
  readonly started: string | null;
  readonly ended: string | null;
  /** steps that failed */
  readonly failed: number;
  readonly steps: readonly (OrchestrationStep)[];
};

export type OrchestrationStep = {
  readonly id: string;
  readonly name: string;
  readonly fun: string;
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'skipped';
  readonly comment: string | null;
  readonly started: string | null;
  readonly seconds: number | null;
  readonly jid: string | null;
};

/** what became of one minion of a job; `published` and `still running` are not the last word */
export type OutcomeName = 'published' | 'still running' | 'returned' | 'failed' | 'returned late' | 'never received' | 'connection lost' | 'key not accepted' | 'not known' | 'not here yet' | 'no response' | 'refused';

export type Param = {
  readonly name: string;
  /** the types that it takes, as documentation has them */
  readonly type: string;
  readonly doc: string;
  readonly default?: unknown;
  readonly required: boolean;
  readonly keyword_only: boolean;
};

export type Preview = {
  readonly tgt: unknown;
  readonly tgt_type: TargetType;
  readonly count: number;
  readonly connected: number;
  /** sorted, at most `limit` */
  readonly minions: readonly ({
    readonly id: string;
    readonly connected: boolean;
  })[];
  /** names of a list that have no accepted key */
  readonly missing: readonly (string)[];
  /** nothing is known of some of these minions, which may not fit after all */
  readonly unsure: boolean;
  /** whether one may run the function on all of them */
  readonly allowed: boolean;
  readonly reason: string | null;
};

export type Question = {
  readonly client: 'local' | 'runner' | 'wheel';
  readonly fun: string;
  /** for local: the target; default * */
  readonly tgt?: unknown;
  readonly tgt_type?: string;
  readonly arg?: readonly (unknown)[];
  readonly kwarg?: Readonly<Record<string, unknown>>;
};

export type Return = {
  readonly minion: string;
  /** the id of a job */
  readonly jid: string;
  readonly fun: string;
  readonly return: unknown;
  readonly retcode: number;
  readonly success: boolean;
  /** the outputter that the function asks for */
  readonly out: string | null;
  readonly stamp: string | null;
};

export type Role = {
  readonly role: string;
  readonly users: readonly (string)[];
  readonly groups: readonly (string)[];
  readonly tokens: readonly (string)[];
  readonly rules: readonly (unknown)[];
};

export type Run = {
  readonly run: string;
  readonly state: 'running' | 'done' | 'stopped';
  readonly jids: readonly (string)[];
  /** all that it is for, and that were there at the beginning */
  readonly minions: readonly (string)[];
  /** that have not had their turn */
  readonly waiting: readonly (string)[];
  readonly counts: Counts;
  readonly stopped_because: string | null;
};

export type Started = {
  /** the id of a job */
  readonly jid: string | null;
  /** that are expected to return */
  readonly minions: readonly (string)[];
  /** names of a list that have no accepted key */
  readonly missing: readonly (string)[];
  /** of a batch or a canary: see /runs/{run} */
  readonly run: string | null;
};

export type StateFile = {
  readonly path: string;
  readonly kind: 'sls' | 'file';
  /** the name for state.apply */
  readonly sls: string | null;
};

export type TargetType = 'glob' | 'pcre' | 'list' | 'grain' | 'grain_pcre' | 'pillar' | 'pillar_pcre' | 'pillar_exact' | 'nodegroup' | 'ipcidr' | 'compound';

export type Template = {
  readonly id: string;
  readonly name: string;
  /** everybody who may log in sees it */
  readonly shared: boolean;
  /** who has kept it */
  readonly owner: string;
  /** whether one may change and delete it */
  readonly mine: boolean;
  /** another one after each change */
  readonly version: string;
  readonly changed: string | null;
  readonly call: TemplateCall;
};

export type TemplateCall = {
  readonly kind: 'local' | 'runner' | 'wheel';
  readonly tgt: string;
  readonly tgt_type: string;
  readonly fun: string;
  /** arguments by name, as they were typed */
  readonly fields: Readonly<Record<string, string>>;
  /** further arguments, as on the command line */
  readonly line: string;
};

export type Token = {
  readonly name: string;
  readonly created: string | null;
  readonly expires: string | null;
  readonly created_by: string;
  readonly roles: readonly (string)[];
  readonly rules: readonly (unknown)[];
  readonly is_over: boolean;
};

/** Calls that are answered, by their names. */
export interface Operations {
  /** How one can log in. */
  'session.options': {
    readonly answer: LoginOptions;
  };
  /** Begins a session. */
  'session.login': {
    readonly body: Login;
    readonly answer: {
      readonly token: string;
      readonly me: Me;
    };
  };
  /** Who one is, and what one may. */
  'session.me': {
    readonly answer: Me;
  };
  /** Ends the session. */
  'session.logout': {
    readonly answer: undefined;
  };
  /** Whether one may call functions with these arguments on these targets. Nothing is called. */
  'session.may': {
    readonly body: {
      readonly questions: readonly (Question)[];
    };
    readonly answer: {
      /** in the order of the questions */
      readonly answers: readonly ({
        readonly allowed: boolean;
        readonly reason: string | null;
      })[];
    };
  };
  /** The API tokens, without their secrets. */
  'tokens.list': {
    readonly query?: {
      /** items of a page; default 100 */
      readonly limit?: number;
      /** `next` of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly items: readonly (Token)[];
      /** the cursor of the next page; null at the end */
      readonly next: string | null;
      /** all items that the filters let pass, where that is known */
      readonly total?: number;
    };
  };
  /** Makes an API token; its secret is shown this once. */
  'tokens.create': {
    readonly body: NewToken;
    readonly answer: {
      readonly token: string;
      readonly name: string;
      readonly created: string | null;
      readonly expires: string | null;
      readonly created_by: string;
      readonly roles: readonly (string)[];
      readonly rules: readonly (unknown)[];
      readonly is_over: boolean;
    };
  };
  /** Ends an API token, at once. */
  'tokens.revoke': {
    readonly params: {
      readonly name: string;
    };
    readonly answer: undefined;
  };
  /** Templates of calls: your own, and those that are shared. */
  'templates.list': {
    readonly query?: {
      /** items of a page; default 100 */
      readonly limit?: number;
      /** `next` of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly items: readonly (Template)[];
      /** the cursor of the next page; null at the end */
      readonly next: string | null;
      /** all items that the filters let pass, where that is known */
      readonly total?: number;
    };
  };
  /** Keeps a template of your own. */
  'templates.save': {
    readonly body: NewTemplate;
    readonly answer: Template;
  };
  /** Keeps a template that everybody sees. */
  'templates.share': {
    readonly body: NewTemplate;
    readonly answer: Template;
  };
  /** Deletes a template of your own, or one that you have shared. */
  'templates.delete': {
    readonly params: {
      readonly id: string;
    };
    readonly query?: {
      /** only if it is still this one */
      readonly version?: string;
    };
    readonly answer: undefined;
  };
  /** Jobs, the newest first. */
  'jobs.list': {
    readonly query?: {
      /** glob of the function */
      readonly fun?: string;
      /** glob of the target as it was written */
      readonly target?: string;
      /** a minion that it was meant for */
      readonly minion?: string;
      /** glob of who published it */
      readonly user?: string;
      readonly since?: string;
      readonly until?: string;
      readonly outcome?: OutcomeName;
      readonly state?: 'running' | 'done';
      /** only those in test mode, or only the others */
      readonly test?: boolean;
      /** with the questions that programs ask while they wait */
      readonly find_job?: boolean;
      /** items of a page; default 100 */
      readonly limit?: number;
      /** `next` of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly items: readonly (Job)[];
      /** the cursor of the next page; null at the end */
      readonly next: string | null;
      /** all items that the filters let pass, where that is known */
      readonly total?: number;
    };
  };
  /** Starts a job, or with dry_run says whom it would reach. */
  'jobs.start': {
    readonly body: NewJob;
    readonly answer: Started;
  };
  /** A job with what became of each minion. */
  'jobs.get': {
    readonly params: {
      /** the id of a job */
      readonly jid: string;
    };
    readonly answer: JobDetail;
  };
  /** What the minions of a job returned. */
  'jobs.returns': {
    readonly params: {
      /** the id of a job */
      readonly jid: string;
    };
    readonly query?: {
      readonly minion?: string;
      /** items of a page; default 100 */
      readonly limit?: number;
      /** `next` of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly items: readonly (Return)[];
      /** the cursor of the next page; null at the end */
      readonly next: string | null;
      /** all items that the filters let pass, where that is known */
      readonly total?: number;
    };
  };
  /** Asks the minions of a job to end it. */
  'jobs.term': {
    readonly params: {
      /** the id of a job */
      readonly jid: string;
    };
    readonly answer: Started;
  };
  /** Ends a job on its minions by force. */
  'jobs.kill': {
    readonly params: {
      /** the id of a job */
      readonly jid: string;
    };
    readonly answer: Started;
  };
  /** How far a batch or a canary is. */
  'runs.get': {
    readonly params: {
      readonly run: string;
    };
    readonly answer: Run;
  };
  /** Gives no further minions their turn; those that are at it go on. */
  'runs.stop': {
    readonly params: {
      readonly run: string;
    };
    readonly answer: undefined;
  };
  /** Whom a target reaches. Nothing is sent to any minion. */
  'targets.preview': {
    readonly body: {
      /** a text, or for `list` a list of names */
      readonly tgt: unknown;
      readonly tgt_type?: TargetType;
      /** default test.ping */
      readonly fun?: string;
      readonly arg?: readonly (unknown)[];
      readonly kwarg?: Readonly<Record<string, unknown>>;
      /** minions in the answer; default 1000 */
      readonly limit?: number;
    };
    readonly answer: Preview;
  };
  /** The node groups of the master. */
  'targets.nodegroups': {
    readonly answer: {
      readonly items: readonly ({
        readonly name: string;
        readonly expression: string;
      })[];
    };
  };
  /** Minions, with a few of their grains. */
  'minions.list': {
    readonly query?: {
      /** part of the id, the system, the version or the address */
      readonly search?: string;
      readonly key?: KeyState;
      readonly connected?: boolean;
      /** a target expression */
      readonly tgt?: string;
      readonly tgt_type?: TargetType;
      /** grains as targets have them, `os:Debian`; may be given several times */
      readonly grain?: readonly (string)[];
      readonly sort?: 'id' | 'last_seen' | 'version' | 'os' | 'key';
      readonly desc?: boolean;
      /** items of a page; default 100 */
      readonly limit?: number;
      /** `next` of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly items: readonly (Minion)[];
      /** the cursor of the next page; null at the end */
      readonly next: string | null;
      /** all items that the filters let pass, where that is known */
      readonly total?: number;
    };
  };
  /** What is known of a minion. */
  'minions.get': {
    readonly params: {
      readonly id: string;
    };
    readonly answer: MinionDetail;
  };
  /** The grains that the master has of a minion. */
  'minions.grains': {
    readonly params: {
      readonly id: string;
    };
    readonly answer: MinionData;
  };
  /** The pillar that a minion last got; what looks like a secret is shown as stars. */
  'minions.pillar': {
    readonly params: {
      readonly id: string;
    };
    readonly answer: MinionData;
  };
  /** What a minion has put into the mine. */
  'minions.mine': {
    readonly params: {
      readonly id: string;
    };
    readonly answer: MinionData;
  };
  /** Asks a minion for its schedule. */
  'minions.schedule': {
    readonly params: {
      readonly id: string;
    };
    readonly answer: {
      readonly data: Readonly<Record<string, unknown>>;
    };
  };
  /** Asks a minion for its beacons. */
  'minions.beacons': {
    readonly params: {
      readonly id: string;
    };
    readonly answer: {
      readonly data: Readonly<Record<string, unknown>>;
    };
  };
  /** The jobs of a minion, the newest first. */
  'minions.jobs': {
    readonly params: {
      readonly id: string;
    };
    readonly query?: {
      /** items of a page; default 100 */
      readonly limit?: number;
      /** `next` of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly items: readonly (Job)[];
      /** the cursor of the next page; null at the end */
      readonly next: string | null;
      /** all items that the filters let pass, where that is known */
      readonly total?: number;
    };
  };
  /** Keys with their states and fingerprints. */
  'keys.list': {
    readonly query?: {
      readonly state?: KeyState;
      readonly search?: string;
      /** items of a page; default 100 */
      readonly limit?: number;
      /** `next` of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly items: readonly (Key)[];
      readonly next: string | null;
      readonly total: number;
      /** keys by state */
      readonly counts: Readonly<Record<string, number>>;
    };
  };
  /** The fingerprint of the master, which minions can be told as master_finger. */
  'keys.master': {
    readonly answer: {
      readonly fingerprint: string | null;
    };
  };
  /** The keys of one id: there may be one in several states. */
  'keys.get': {
    readonly params: {
      readonly id: string;
    };
    readonly answer: {
      readonly items: readonly (Key)[];
    };
  };
  /** Accepts keys. */
  'keys.accept': {
    readonly body: {
      readonly ids: readonly (string)[];
      /** the states from which they are taken; default pending */
      readonly states?: readonly (KeyState)[];
      readonly fingerprint?: string;
    };
    readonly answer: {
      /** ids by the state that they were in */
      readonly changed: Readonly<Record<string, readonly (string)[]>>;
      /** ids without a key in these states */
      readonly missing: readonly (string)[];
    };
  };
  /** Rejects keys. */
  'keys.reject': {
    readonly body: {
      readonly ids: readonly (string)[];
      /** the states from which they are taken; default pending */
      readonly states?: readonly (KeyState)[];
      readonly fingerprint?: string;
    };
    readonly answer: {
      /** ids by the state that they were in */
      readonly changed: Readonly<Record<string, readonly (string)[]>>;
      /** ids without a key in these states */
      readonly missing: readonly (string)[];
    };
  };
  /** Deletes keys. */
  'keys.delete': {
    readonly body: {
      readonly ids: readonly (string)[];
      /** the states from which they are taken; default accepted, pending, rejected, denied */
      readonly states?: readonly (KeyState)[];
      readonly fingerprint?: string;
    };
    readonly answer: {
      /** ids by the state that they were in */
      readonly changed: Readonly<Record<string, readonly (string)[]>>;
      /** ids without a key in these states */
      readonly missing: readonly (string)[];
    };
  };
  /** The execution functions, which work on minions. */
  'functions.list': {
    readonly query?: {
      /** part of the name or of the summary */
      readonly search?: string;
      /** the name before the dot */
      readonly module?: string;
      /** items of a page; default 100 */
      readonly limit?: number;
      /** `next` of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly items: readonly (FunctionSummary)[];
      /** the cursor of the next page; null at the end */
      readonly next: string | null;
      /** all items that the filters let pass, where that is known */
      readonly total?: number;
    };
  };
  /** One of the execution functions, which work on minions, with its documentation and arguments. */
  'functions.get': {
    readonly params: {
      readonly name: string;
    };
    readonly query?: {
      /** asks this minion */
      readonly minion?: string;
    };
    readonly answer: FunctionDetail;
  };
  /** The runners, which work on the master. */
  'runners.list': {
    readonly query?: {
      /** part of the name or of the summary */
      readonly search?: string;
      /** the name before the dot */
      readonly module?: string;
      /** items of a page; default 100 */
      readonly limit?: number;
      /** `next` of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly items: readonly (FunctionSummary)[];
      /** the cursor of the next page; null at the end */
      readonly next: string | null;
      /** all items that the filters let pass, where that is known */
      readonly total?: number;
    };
  };
  /** One of the runners, which work on the master, with its documentation and arguments. */
  'runners.get': {
    readonly params: {
      readonly name: string;
    };
    readonly answer: FunctionDetail;
  };
  /** The wheel functions, which control the master. */
  'wheel.list': {
    readonly query?: {
      /** part of the name or of the summary */
      readonly search?: string;
      /** the name before the dot */
      readonly module?: string;
      /** items of a page; default 100 */
      readonly limit?: number;
      /** `next` of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly items: readonly (FunctionSummary)[];
      /** the cursor of the next page; null at the end */
      readonly next: string | null;
      /** all items that the filters let pass, where that is known */
      readonly total?: number;
    };
  };
  /** One of the wheel functions, which control the master, with its documentation and arguments. */
  'wheel.get': {
    readonly params: {
      readonly name: string;
    };
    readonly answer: FunctionDetail;
  };
  /** Starts a runner; with wait answers when it has ended. */
  'runners.run': {
    readonly params: {
      readonly name: string;
    };
    readonly body: {
      readonly arg?: readonly (unknown)[];
      readonly kwarg?: Readonly<Record<string, unknown>>;
      /** answer 200 with what it returns */
      readonly wait?: boolean;
    };
    readonly answer: Begun;
  };
  /** Calls a wheel function. */
  'wheel.run': {
    readonly params: {
      readonly name: string;
    };
    readonly body: {
      readonly arg?: readonly (unknown)[];
      readonly kwarg?: Readonly<Record<string, unknown>>;
    };
    readonly answer: Ended;
  };
  /** The environments that the master serves. */
  'states.environments': {
    readonly answer: {
      readonly items: readonly (string)[];
    };
  };
  /** The files of an environment. */
  'states.files': {
    readonly query?: {
      /** the environment; default base */
      readonly env?: string;
      readonly prefix?: string;
      /** items of a page; default 100 */
      readonly limit?: number;
      /** `next` of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly items: readonly (StateFile)[];
      /** the cursor of the next page; null at the end */
      readonly next: string | null;
      /** all items that the filters let pass, where that is known */
      readonly total?: number;
    };
  };
  /** What stands in a file. */
  'states.content': {
    readonly query: {
      /** the environment; default base */
      readonly env?: string;
      readonly path: string;
    };
    readonly answer: {
      readonly path: string;
      readonly text: string | null;
      readonly bytes: number;
      readonly truncated: boolean;
      readonly binary: boolean;
    };
  };
  /** What test runs of states have found that would change, the newest first. */
  'states.drift': {
    readonly query?: {
      readonly minion?: string;
      readonly since?: string;
      /** items of a page; default 100 */
      readonly limit?: number;
      /** `next` of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly items: readonly (Drift)[];
      /** the cursor of the next page; null at the end */
      readonly next: string | null;
      /** all items that the filters let pass, where that is known */
      readonly total?: number;
    };
  };
  /** Runs of orchestrations, the newest first. */
  'orchestrations.list': {
    readonly query?: {
      /** items of a page; default 100 */
      readonly limit?: number;
      /** `next` of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly items: readonly (Orchestration)[];
      /** the cursor of the next page; null at the end */
      readonly next: string | null;
      /** all items that the filters let pass, where that is known */
      readonly total?: number;
    };
  };
  /** A run with its steps. */
  'orchestrations.get': {
    readonly params: {
      /** the id of a job */
      readonly jid: string;
    };
    readonly answer: OrchestrationDetail;
  };
  /** Starts an orchestration. */
  'orchestrations.start': {
    readonly body: {
      readonly mods: string | readonly (string)[];
      readonly saltenv?: string;
      readonly pillar?: Readonly<Record<string, unknown>>;
      readonly test?: boolean;
    };
    readonly answer: {
      /** the id of a job */
      readonly jid: string;
      readonly tag: string;
    };
  };
  /** The roles of the option roles. */
  'roles.list': {
    readonly query?: {
      /** items of a page; default 100 */
      readonly limit?: number;
      /** `next` of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly items: readonly (Role)[];
      /** the cursor of the next page; null at the end */
      readonly next: string | null;
      /** all items that the filters let pass, where that is known */
      readonly total?: number;
    };
  };
  /** Which limit binds, which minion is ill, and what to do. */
  'doctor': {
    readonly answer: {
      readonly state: 'well' | 'warning' | 'ill';
      readonly findings: readonly (Finding)[];
      readonly at: string;
    };
  };
  /** This document. */
  'openapi': {
    readonly answer: Readonly<Record<string, unknown>>;
  };
}

/** Streams of events, by their names. */
export interface Streams {
  /** A job as it happens. */
  'jobs.stream': {
    readonly params: {
      /** the id of a job */
      readonly jid: string;
    };
    readonly events: {
      readonly job: JobDetail;
      readonly outcome: MinionOutcome;
      readonly return: Return;
      readonly counts: Counts;
      readonly progress: {
        readonly minion: string;
        readonly data: unknown;
      };
      readonly end: Counts;
    };
  };
  /** A batch or a canary as it happens. */
  'runs.stream': {
    readonly params: {
      readonly run: string;
    };
    readonly events: {
      readonly run: Run;
      readonly end: Run;
    };
  };
  /** A runner as it runs. */
  'runners.stream': {
    readonly params: {
      /** the id of a job */
      readonly jid: string;
    };
    readonly events: {
      readonly progress: {
        readonly tag: string;
        readonly data: unknown;
      };
      readonly end: {
        readonly return: unknown;
        readonly success: boolean;
      };
    };
  };
  /** Events as they happen. */
  'events': {
    readonly query?: {
      /** globs of tags; may be given several times */
      readonly tag?: readonly (string)[];
    };
    readonly events: {
      readonly event: {
        readonly tag: string;
        readonly data: unknown;
        readonly stamp: string | null;
      };
      readonly gap: {
        readonly reason: string;
      };
    };
  };
}

/** Method and address of each, below the base. */
export const ADDRESSES: Readonly<
  Record<keyof Operations | keyof Streams, readonly [method: 'GET' | 'POST' | 'DELETE', path: string]>
> = {
  'session.options': ['GET', '/session/options'],
  'session.login': ['POST', '/session'],
  'session.me': ['GET', '/session'],
  'session.logout': ['DELETE', '/session'],
  'session.may': ['POST', '/session/may'],
  'tokens.list': ['GET', '/tokens'],
  'tokens.create': ['POST', '/tokens'],
  'tokens.revoke': ['DELETE', '/tokens/{name}'],
  'templates.list': ['GET', '/templates'],
  'templates.save': ['POST', '/templates'],
  'templates.share': ['POST', '/templates/shared'],
  'templates.delete': ['DELETE', '/templates/{id}'],
  'jobs.list': ['GET', '/jobs'],
  'jobs.start': ['POST', '/jobs'],
  'jobs.get': ['GET', '/jobs/{jid}'],
  'jobs.returns': ['GET', '/jobs/{jid}/returns'],
  'jobs.stream': ['GET', '/jobs/{jid}/stream'],
  'jobs.term': ['POST', '/jobs/{jid}/term'],
  'jobs.kill': ['POST', '/jobs/{jid}/kill'],
  'runs.get': ['GET', '/runs/{run}'],
  'runs.stop': ['DELETE', '/runs/{run}'],
  'runs.stream': ['GET', '/runs/{run}/stream'],
  'targets.preview': ['POST', '/targets/preview'],
  'targets.nodegroups': ['GET', '/targets/nodegroups'],
  'minions.list': ['GET', '/minions'],
  'minions.get': ['GET', '/minions/{id}'],
  'minions.grains': ['GET', '/minions/{id}/grains'],
  'minions.pillar': ['GET', '/minions/{id}/pillar'],
  'minions.mine': ['GET', '/minions/{id}/mine'],
  'minions.schedule': ['GET', '/minions/{id}/schedule'],
  'minions.beacons': ['GET', '/minions/{id}/beacons'],
  'minions.jobs': ['GET', '/minions/{id}/jobs'],
  'keys.list': ['GET', '/keys'],
  'keys.master': ['GET', '/keys/master'],
  'keys.get': ['GET', '/keys/{id}'],
  'keys.accept': ['POST', '/keys/accept'],
  'keys.reject': ['POST', '/keys/reject'],
  'keys.delete': ['POST', '/keys/delete'],
  'functions.list': ['GET', '/functions'],
  'functions.get': ['GET', '/functions/{name}'],
  'runners.list': ['GET', '/runners'],
  'runners.get': ['GET', '/runners/{name}'],
  'wheel.list': ['GET', '/wheel'],
  'wheel.get': ['GET', '/wheel/{name}'],
  'runners.run': ['POST', '/runners/{name}'],
  'runners.stream': ['GET', '/runners/runs/{jid}/stream'],
  'wheel.run': ['POST', '/wheel/{name}'],
  'states.environments': ['GET', '/states/environments'],
  'states.files': ['GET', '/states/files'],
  'states.content': ['GET', '/states/files/content'],
  'states.drift': ['GET', '/states/drift'],
  'orchestrations.list': ['GET', '/orchestrations'],
  'orchestrations.get': ['GET', '/orchestrations/{jid}'],
  'orchestrations.start': ['POST', '/orchestrations'],
  'roles.list': ['GET', '/roles'],
  'events': ['GET', '/events'],
  'doctor': ['GET', '/doctor'],
  'openapi': ['GET', '/openapi.json'],
};
