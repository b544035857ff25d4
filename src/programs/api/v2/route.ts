/** One address of the interface: what it takes, what it answers, which right it needs, and what it does. */
import type { Exchange } from '../exchange.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import type { FaultCode } from './fault.ts';
import type { Need } from './need.ts';
import { object, type ObjectOf, type Schema, type Shape } from './schema.ts';
import type { EventStream } from './event-stream.ts';

/** Methods that are used. */
export type Method = 'GET' | 'POST' | 'DELETE';

/** A request that has come to its route. */
export interface Call<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly exchange: Exchange;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  readonly deps: Deps;
}

/** A request of somebody who has logged in. */
export interface CallOfUser<P, Q, B> extends Call<P, Q, B> {
  readonly caller: Caller;
}

/** What can be answered other than the value of a route. */
export type SpecialAnswer =
  | { readonly redirect: string }
  /** Of another status than usual. */
  | { readonly status: 200 | 201 | 202; readonly value: unknown }
  /** Text that is not JSON. */
  | { readonly text: string; readonly type: string }
  /** What is held once for all. */
  | { readonly bytes: Buffer; readonly type: string };

/** Another way to answer than with the value of a route. */
export class Special {
  readonly answer: SpecialAnswer;

  constructor(answer: SpecialAnswer) {
    this.answer = answer;
  }
}

/** What all routes say. */
interface Common<P extends Shape, Q extends Shape, B> {
  /** The name of the operation, `jobs.list`: a stable word for rights, the document and the client. */
  readonly id: string;
  readonly method: Method;
  /** Below the base; `{name}` is a parameter. */
  readonly path: string;
  readonly summary: string;
  /** More than the summary says; sentences. */
  readonly doc?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: Schema<B>;
  readonly faults?: readonly FaultCode[];
}

interface Answering<A> {
  /** Default 200; without a schema, 204 and no body. */
  readonly status?: 200 | 201 | 202;
  readonly answer?: Schema<A>;
}

interface Streaming {
  /** Events by name. */
  readonly events: Readonly<Record<string, Schema<unknown>>>;
}

interface OfUser {
  /** Without it everybody who has logged in may. */
  readonly needs?: Need;
  /**
   * The right by which it is offered, where that is not the same: whoever has it not may use it for what is his own.
   */
  readonly offered?: Need | 'some job';
}

/** A route, as the service and the document use it. */
export interface Route {
  readonly id: string;
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly doc: string | undefined;
  readonly needs: Need | undefined;
  readonly offered: Need | 'some job' | undefined;
  /** False where nobody need have logged in. */
  readonly auth: boolean;
  readonly params: Schema<unknown> & { readonly shape: Shape };
  readonly query: Schema<unknown> & { readonly shape: Shape };
  readonly body: Schema<unknown> | undefined;
  readonly status: number;
  readonly answer: Schema<unknown> | undefined;
  readonly events: Readonly<Record<string, Schema<unknown>>> | undefined;
  readonly redirects: boolean;
  /** Whether fields behind `?` that it does not know are passed over. */
  readonly takesFurtherFields: boolean;
  readonly faults: readonly FaultCode[];
  /** @param request what was read with the schemas above */
  run(request: RawCall): Promise<unknown>;
}

/** A call before its types are known. */
export interface RawCall extends Call<unknown, unknown, unknown> {
  readonly caller: Caller | undefined;
  /** For streams. */
  readonly stream: EventStream | undefined;
}

type None = Readonly<Record<never, Schema<unknown>>>;

/** Describes a route that answers with a value. */
export function route<P extends Shape = None, Q extends Shape = None, B = undefined, A = undefined>(
  spec: Common<P, Q, B> &
    Answering<A> &
    OfUser & {
      run(call: CallOfUser<ObjectOf<P>, ObjectOf<Q>, B>): Promise<A | Special>;
    },
): Route {
  return common(spec, { auth: true, ...spec }, (raw) => {
    if (raw.caller === undefined) throw new Error(`${spec.id} was called by nobody`);
    return spec.run({ ...raw, caller: raw.caller } as CallOfUser<ObjectOf<P>, ObjectOf<Q>, B>);
  });
}

/** Describes a route for everybody. */
export function openRoute<P extends Shape = None, Q extends Shape = None, B = undefined, A = undefined>(
  spec: Common<P, Q, B> &
    Answering<A> & {
      readonly redirects?: boolean;
      readonly takesFurtherFields?: boolean;
      run(call: Call<ObjectOf<P>, ObjectOf<Q>, B>): Promise<A | Special>;
    },
): Route {
  return common(spec, { auth: false, ...spec }, (raw) => spec.run(raw as Call<ObjectOf<P>, ObjectOf<Q>, B>));
}

/** Describes a route that sends events until it ends or the client goes. */
export function streamRoute<P extends Shape = None, Q extends Shape = None>(
  spec: Common<P, Q, undefined> &
    Streaming &
    OfUser & {
      run(call: CallOfUser<ObjectOf<P>, ObjectOf<Q>, undefined>, stream: EventStream): Promise<void>;
    },
): Route {
  return common(spec, { auth: true, ...spec }, (raw) => {
    const { caller, stream } = raw;
    if (caller === undefined || stream === undefined) throw new Error(`${spec.id} has nothing to send to`);
    return spec.run({ ...raw, caller } as CallOfUser<ObjectOf<P>, ObjectOf<Q>, undefined>, stream);
  });
}

interface RouteKind {
  readonly auth: boolean;
  readonly needs?: Need;
  readonly offered?: Need | 'some job';
  readonly status?: number;
  readonly answer?: Schema<unknown>;
  readonly events?: Readonly<Record<string, Schema<unknown>>>;
  readonly redirects?: boolean;
  readonly takesFurtherFields?: boolean;
}

function common(
  { id, method, path, summary, doc, params, query, body, faults }: Common<Shape, Shape, unknown>,
  { auth, needs, offered, status, answer, events, redirects = false, takesFurtherFields = false }: RouteKind,
  run: Route['run'],
): Route {
  return {
    id,
    method,
    path,
    summary,
    doc,
    needs,
    offered,
    auth,
    params: { ...object(params ?? {}), shape: params ?? {} },
    query: { ...object(query ?? {}), shape: query ?? {} },
    body,
    status: status ?? (answer === undefined && events === undefined ? (redirects ? 302 : 204) : 200),
    answer,
    events,
    redirects,
    takesFurtherFields,
    faults: faults ?? [],
    run,
  };
}
