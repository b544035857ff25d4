/** What stands at an address: which methods it has, what it needs, and what it answers. */
import type { Value } from '../../python/values/value.ts';
import type { RequestBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { HttpFault } from './http-fault.ts';
import type { Session } from './sessions.ts';

/** A request that has come to its resource. */
export interface Call {
  readonly exchange: Exchange;
  /** Parameters by name, from the path and from behind `?`. */
  readonly params: ReadonlyMap<string, string>;
  /** Further names of the path, where the action takes any. */
  readonly rest: readonly string[];
  readonly body: RequestBody;
  /** The body as a list of calls, where it is a mapping. */
  readonly lowstate: Value;
  readonly session: Session | undefined;
  /** The id of that session, or one that nobody has. */
  readonly sessionId: string;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** @throws HttpFault 406 when the client takes none of the media types that there are */
  readonly requireAcceptable: () => void;
}

/**
 * What an action answers: a value that becomes JSON or YAML, bytes, or a beginning behind which it goes on by itself.
 */
export type ActionAnswer =
  | { readonly value: Value; readonly status?: number }
  | {
      readonly bytes: Buffer;
      readonly type: string;
      readonly headers?: readonly (readonly [string, string])[];
    }
  | { readonly stream: string; readonly headers: readonly (readonly [string, string])[] };

/** What a method does. */
export interface Action {
  /** Names of parameters, in the order of the path. */
  readonly params?: readonly string[];
  /** Whether it takes any number of further parameters behind `?`, or in the path. */
  readonly takesAny?: 'query' | 'path' | 'both';
  /** Set where it differs from the resource. */
  readonly sessions?: boolean;
  readonly auth?: boolean;
  readonly run: (call: Call) => Promise<ActionAnswer>;
}

/** What stands at an address. */
export interface Resource {
  /** Whether its answers carry a session cookie. */
  readonly sessions: boolean;
  /** Whether it wants somebody who has logged in. */
  readonly auth: boolean;
  /** Whether bodies are read. */
  readonly readsBody: boolean;
  /**
   * Of whom more is read than of a stranger: default of somebody who has logged in; `with a token` also where a token
   * stands in the body, `of anybody` where strangers are to send.
   */
  readonly bodies?: 'with a token' | 'of anybody';
  readonly get?: Action;
  readonly post?: Action;
  /** Whether `authorized_ips` counts here. */
  readonly checksAddress: boolean;
}

/** The methods of a resource, as `Allow` lists them. */
export function allowed({ get, post }: Resource): string {
  return [...(get === undefined ? [] : ['GET', 'HEAD']), ...(post === undefined ? [] : ['POST'])].join(', ');
}

/** The action for a method. */
export function actionFor({ get, post }: Resource, method: string): Action | undefined {
  if (method === 'GET' || method === 'HEAD') return get;
  return method === 'POST' ? post : undefined;
}

/**
 * Gives the parts of the path and what stands behind `?` to the parameters of an action.
 * @throws HttpFault 404 for one that it has not
 */
export function bindParams(
  { params = [], takesAny }: Action,
  path: readonly string[],
  query: ReadonlyMap<string, string>,
): { params: ReadonlyMap<string, string>; rest: readonly string[] } {
  const named = new Map<string, string>();
  const takesPath = takesAny === 'path' || takesAny === 'both';
  if (path.length > params.length && !takesPath) throw new HttpFault(404);
  params.forEach((name, at) => {
    const value = path[at];
    if (value !== undefined) named.set(name, value);
  });
  for (const [name, value] of query) {
    if (named.has(name) || (!params.includes(name) && takesAny !== 'query' && takesAny !== 'both'))
      throw new HttpFault(404);
    named.set(name, value);
  }
  return { params: named, rest: path.slice(params.length) };
}
