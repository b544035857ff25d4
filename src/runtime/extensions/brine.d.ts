/**
 * What custom modules work with: `import { defineModule } from 'brine'`. This file is the published interface; it
 * stands alone, so that an editor needs nothing else.
 */
/** Data that goes in and out: what JSON has, and bytes, great integers and maps with keys of any kind. */
export type Data =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly Data[]
  | ReadonlyMap<Data, Data>
  | { readonly [key: string]: Data | undefined };

/** Names of types that a parameter can have. What comes from the command line is converted or refused. */
export interface ParamTypes {
  str: string;
  int: number;
  float: number;
  bool: boolean;
  list: Data[];
  dict: { [key: string]: Data };
  any: Data;
}

/** One parameter. Without `default` it must be given. */
export interface Param {
  /** Without it anything is taken. */
  readonly type?: keyof ParamTypes;
  /** `null` is allowed whatever the type, and stands for "not given". */
  readonly default?: Data;
  /** For `sys.doc`. */
  readonly doc?: string;
}

/** Parameters, in the order in which positional arguments fill them. */
export type Params = Readonly<Record<string, Param>>;

/** The value that a parameter has in `run`. */
export type ArgOf<P extends Param> =
  | (P extends { readonly type: infer T extends keyof ParamTypes } ? ParamTypes[T] : Data)
  | (P extends { readonly default: null } ? null : never);

/** The context of a custom function. */
export interface Surroundings {
  /** The minion's id. */
  readonly id: string;
  /** The configuration of the program: the minion's, or for runners, outputters and pillar the master's. */
  readonly opts: { readonly [option: string]: Data };
  readonly grains: { readonly [grain: string]: Data };
  readonly pillar: { readonly [key: string]: Data };
  /**
   * Calls a function, built in or custom: `await ctx.call('cmd.run', ['uptime'])`.
   * @throws CommandExecutionError when there is none, and whatever it throws
   */
  call(fun: string, args?: readonly Data[], kwargs?: { readonly [name: string]: Data }): Promise<Data>;
  /** Writes to the program's log. */
  readonly log: {
    debug(message: string): void;
    info(message: string): void;
    warning(message: string): void;
    error(message: string): void;
  };
}

/** What a function may use besides its arguments. */
export interface Context extends Surroundings {
  /** True when only a report of what would be done is wanted (`test=True`). */
  readonly test: boolean;
  /** Aborted when the job is ended. */
  readonly signal: AbortSignal;
  /** Sends an event to the master's bus. False when no master took it. */
  fireEvent(tag: string, data: { readonly [key: string]: Data }): Promise<boolean>;
  /** The job's return code, 0 unless it is set: `salt` ends with 11 or 20 when it is another. */
  setRetcode(code: number): void;
  /** In a state only. */
  readonly state?: StateCall;
}

/** What a state may know of its run. */
export interface StateCall {
  /** The declaration: `state`, `fun`, `name`, `__id__`, `__sls__` and the arguments. */
  readonly low: { readonly [key: string]: Data };
  /**
   * Calls another state as a part of this one: `await ctx.state.call('file.managed', { name: '/etc/motd' })`.
   * @returns its result: name, result, changes, comment
   */
  call(fun: string, args: { readonly [name: string]: Data }): Promise<Data>;
}

/** A value under one known name; nothing when there is no name. */
export type Named<N extends string, V> = string extends N ? unknown : { readonly [Name in N]: V };

/** A function of a module. */
export interface FunctionSpec<P extends Params = Params, R extends string = never, K extends string = never> {
  /** What it is for; `sys.doc` prints it. */
  readonly doc: string;
  readonly params?: P;
  /** Name under which `run` gets all further positional arguments, as a list. */
  readonly varargs?: R;
  /** Name under which `run` gets all further keywords, as an object. */
  readonly kwargs?: K;
  /** What comes back, in words. */
  readonly returns?: string;
  /** Command lines, for `sys.doc`. */
  readonly examples?: readonly string[];
  /** The outputter that shows the return, such as `txt`. */
  readonly outputter?: string;
  run(
    args: { readonly [N in keyof P]: ArgOf<P[N]> } & Named<R, readonly Data[]> &
      Named<K, { readonly [name: string]: Data }>,
    ctx: Context,
  ): Data | undefined | void | Promise<Data | undefined | void>;
}

/** When a module can be used. */
export interface Availability {
  /** The name before the dot, when it is not that of the file. */
  readonly name?: string;
  /** Kinds of systems, as the grain `kernel` names them: `Linux`, `Darwin`, `Windows`. */
  readonly platforms?: readonly string[];
  /** @returns true, or why the module cannot be used here */
  available?(ctx: {
    readonly opts: { readonly [option: string]: Data };
    readonly grains: { readonly [grain: string]: Data };
  }): boolean | string;
}

/** A module: of functions of minions, of states, of runners, of returners. */
export interface ModuleSpec extends Availability {
  readonly doc?: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- functions of all parameter types
  readonly functions: Readonly<Record<string, FunctionSpec<any, any, any>>>;
  /** Further names of functions: new name to the name of a function above. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** Custom grains: each function gives some. */
export interface GrainsSpec extends Availability {
  readonly grains: Readonly<
    Record<
      string,
      (ctx: {
        readonly opts: { readonly [option: string]: Data };
        /** What is known so far. */
        readonly grains: { readonly [grain: string]: Data };
      }) => { readonly [grain: string]: Data } | Promise<{ readonly [grain: string]: Data }>
    >
  >;
}

/** What a beacon may use besides its configuration. */
export interface BeaconContext extends Surroundings {
  /** The configuration as it is written: a list. */
  readonly items: readonly Data[];
  /** The same object at every look, until the beacon is configured anew: for what was seen before. */
  readonly memory: Record<string, unknown>;
}

/** A beacon: looks at something of the minion, and says when something is to be told. */
export interface BeaconSpec extends Availability {
  readonly doc?: string;
  /** @returns true, or what is wrong with the configuration */
  validate?(config: { readonly [option: string]: Data }): boolean | string | Promise<boolean | string>;
  /**
   * Looks, once in each `interval`.
   * @param config the list of the configuration as one object
   * @returns the data of each event; `tag` becomes the end of the event's tag
   */
  look(
    config: { readonly [option: string]: Data },
    ctx: BeaconContext,
  ): readonly { readonly [key: string]: Data }[] | Promise<readonly { readonly [key: string]: Data }[]>;
}

/** What a renderer may use besides its input. */
export interface RendererContext extends Surroundings {
  /** What stands behind the renderer's name in the first line: `#!upper -x` gives `-x`. */
  readonly argument: string;
  /** The SLS by its name, such as `web.settings`. */
  readonly sls: string;
  readonly saltenv: string;
  /** The file that is rendered. */
  readonly path: string;
}

/** A renderer: one step of the way from a file to data. */
export interface RendererSpec extends Availability {
  readonly doc?: string;
  /** @param input the text of the file, or what the renderer before gave */
  render(input: Data, ctx: RendererContext): Data | Promise<Data>;
}

/** An outputter: turns what a command shows into text. */
export interface OutputterSpec extends Availability {
  readonly doc?: string;
  /** @param data by minion; `salt-call` says `local` */
  render(data: Data, options: { readonly color: boolean }): string | Promise<string>;
}

/** Somebody who wants to log in. */
export interface Credentials {
  readonly username: string;
  /** As it was typed. Keep it out of logs and of error texts. */
  readonly password: string;
}

/** An authentication system of `external_auth`, under the name of the file. */
export interface AuthSpec extends Availability {
  readonly doc?: string;
  /** @returns true when the password is the name's */
  auth(credentials: Credentials, ctx: Surroundings): boolean | Promise<boolean>;
  /** @returns the names of his groups, for entries `name%` */
  groups?(credentials: Credentials, ctx: Surroundings): readonly string[] | Promise<readonly string[]>;
  /** @returns his rules, in the place of those of the configuration; nothing for those of the configuration */
  acl?(
    credentials: Credentials,
    ctx: Surroundings,
  ): readonly Data[] | null | undefined | Promise<readonly Data[] | null | undefined>;
}

/** What an engine may use besides its options. */
export interface EngineContext extends Surroundings {
  /** The daemon that it runs beside. */
  readonly role: 'master' | 'minion';
  /** Aborted when the engine is to end; its process ends a few seconds later. */
  readonly signal: AbortSignal;
  /** Waits; resolves early when the engine is to end. */
  sleep(seconds: number): Promise<void>;
  /** Calls a runner, on a master. */
  runner(fun: string, args?: readonly Data[], kwargs?: { readonly [name: string]: Data }): Promise<Data>;
  /** Sends an event to the master's bus. False when nobody took it. */
  fireEvent(tag: string, data: { readonly [key: string]: Data }): Promise<boolean>;
  /** The events of the daemon's bus, from now on. @param glob of their tags; default: all */
  events(
    glob?: string,
  ): AsyncIterable<{ readonly tag: string; readonly data: { readonly [key: string]: Data } }>;
}

/** An engine: works beside a master or a minion, in a process of its own, until it is told to end. */
export interface EngineSpec extends Availability {
  readonly doc?: string;
  /** The options that it has; without it any are taken. */
  readonly options?: Params;
  /** Works. When it returns or throws before it is told to end, it is started again after a pause. */
  start(options: { readonly [option: string]: Data }, ctx: EngineContext): Promise<void>;
}

/** Describes a function, so that its arguments have the right types. */
export function defineFunction<
  const P extends Params = Record<never, Param>,
  const R extends string = never,
  const K extends string = never,
>(spec: FunctionSpec<P, R, K>): FunctionSpec<P, R, K>;
/** Describes a module of `_modules`, `_states`, `_runners`, `_returners` or `_utils`. */
export function defineModule<S extends ModuleSpec>(spec: S): S;
/** Describes a module of `_grains`. */
export function defineGrains<S extends GrainsSpec>(spec: S): S;
/** Describes a beacon of `_beacons`. */
export function defineBeacon<S extends BeaconSpec>(spec: S): S;
/** Describes a renderer of `_renderers`. */
export function defineRenderer<S extends RendererSpec>(spec: S): S;
/** Describes an outputter of `_output`. */
export function defineOutputter<S extends OutputterSpec>(spec: S): S;
/** Describes an authentication system of `external_auth`. */
export function defineAuth<S extends AuthSpec>(spec: S): S;
/** Describes an engine of `_engines`, or a process of `ext_processes`. */
export function defineEngine<S extends EngineSpec>(spec: S): S;
/** A number that stays a float even when it is whole: `float(8)` is `8.0`. */
export function float(value: number): Data;

/** Something went wrong: the message alone is returned, behind `ERROR: `. */
export class CommandExecutionError extends Error {
  /** `function-failed` */
  static readonly errorCode: string;
}
/** The function was called in a way that it cannot serve. */
export class SaltInvocationError extends Error {
  /** `function-call-invalid` */
  static readonly errorCode: string;
}
/** A program that the function needs is missing. */
export class CommandNotFoundError extends Error {
  /** `command-not-found` */
  static readonly errorCode: string;
}
