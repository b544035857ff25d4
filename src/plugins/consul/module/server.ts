/** One question to Consul (3006.16 salt/modules/consul.py `_query`), and what its functions share. */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { parseJson, toJson } from '../../../formats/json/text.ts';
import { pathOf } from '../../../network/http/path-words.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { httpAnswer } from '../../shared/http-answers.ts';
import { settingText } from '../../shared/settings.ts';

/**
 * What an answer may be, and how long it may take, unless the options http_max_body and http_request_timeout allow
 * less.
 */
const ANSWER_BYTES_MAX = 48 * 1024 * 1024;
const ANSWER_SECONDS_MAX = 60;
const OK = 200;
const NO_CONTENT = 204;
const NOT_FOUND = 404;

/** The server, as a parameter. */
export const URL_PARAM = {
  consul_url: param.textIfGiven({
    default: null,
    doc: 'The address of Consul; without it the option consul.url.',
  }),
} as const;
/** The token, as a parameter. */
export const TOKEN_PARAM = {
  token: param.textIfGiven({
    default: null,
    doc: 'The token of ACL; without it the option consul.token.',
  }),
} as const;
/** Where Consul is, as parameters. */
export const PLACE = { ...URL_PARAM, ...TOKEN_PARAM } as const;

/** Where Consul is, and who asks. */
export interface Place {
  readonly consul_url: string | undefined;
  readonly token?: string | undefined;
}

/** A question: the path behind `/v1/`, its words apart. */
export interface Question {
  readonly path: readonly string[];
  readonly method?: 'DELETE' | 'GET' | 'PUT';
  readonly params?: Dict;
  readonly data?: Value;
}

/** What Consul answers: as functions return it, and its parts. */
export interface Reply {
  readonly isGood: boolean;
  readonly data: Value;
  /** `{data, res, error}` */
  readonly whole: Dict;
}

/** Asks a server that is known. */
export type Ask = (question: Question) => Promise<Reply>;

/** `{message, res: false}` */
export const refused = (message: Value): Dict => dict({ message, res: false });

/** @throws SaltInvocationError as Salt's functions do for what is missing */
export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new SaltInvocationError(`Required argument "${name}" is missing.`);
  return value;
}

async function option(ctx: ModuleContext, name: string): Promise<string | undefined> {
  for (const key of [`consul.${name}`, `consul:${name}`]) {
    const value = await settingText(ctx, [key]);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Does something with the Consul that a call or the configuration names; without one it is told. */
export async function withConsul(
  ctx: ModuleContext,
  { consul_url, token }: Place,
  run: (ask: Ask) => Value | Promise<Value>,
): Promise<Value> {
  const url = consul_url ?? (await option(ctx, 'url'));
  if (url !== undefined)
    return run(async (question) => send(ctx, url, token ?? (await option(ctx, 'token')), question));
  ctx.log.error('No Consul URL found.');
  return refused('No Consul URL found.');
}

async function send(
  ctx: ModuleContext,
  url: string,
  token: string | undefined,
  { path, method = 'GET', params = new Map(), data }: Question,
): Promise<Reply> {
  // Salt compat: Salt joins the words as they are, so that a key with `..` or `?` in it asks for something else
  const address = addressOf(url, path);
  const options = dict({
    method,
    params,
    status: true,
    headers: true,
    opts: dict({
      http_max_body: least(ctx, 'http_max_body', ANSWER_BYTES_MAX),
      http_request_timeout: least(ctx, 'http_request_timeout', ANSWER_SECONDS_MAX),
    }),
    header_dict: dict({
      ...(token === undefined ? {} : { 'X-Consul-Token': token }),
      'Content-Type': 'application/json',
    }),
    ...(method === 'GET' ? {} : { data: bodyOf(data) }),
  });
  return replyOf(await httpAnswer(ctx, [address], options));
}

/** An option, or the limit where it allows more. */
const least = ({ opts }: ModuleContext, name: string, limit: number): number =>
  Math.min(toNumber(opts.get(name)) ?? limit, limit);

/**
 * What came back with a status 200: data where it is JSON, else the answer as `http.query` gives it.
 * Salt compat: many of Consul's answers are empty, which Salt cannot read as JSON, and ends with a traceback.
 */
function dataOf(result: Dict): Value {
  const headers = result.get('headers');
  const type = isDict(headers) ? headers.get('Content-Type') : undefined;
  const body = result.get('body') ?? '';
  if (body !== '' && (type === undefined || pyStr(type).includes('json'))) return parseJson(pyStr(body));
  return dict({ body, status: OK, text: body });
}

/** @throws SaltInvocationError for what is no address */
function addressOf(url: string, path: readonly string[]): string {
  if (!URL.canParse(url))
    throw new SaltInvocationError('consul_url is no address; it looks like http://127.0.0.1:8500');
  return new URL(`/v1/${pathOf(path.flatMap((word) => word.split('/')))}`, url).href;
}

function bodyOf(data: Value | undefined): string {
  if (data === undefined || data === null) return '{}';
  return typeof data === 'string' ? data : toJson(data);
}

function replyOf(result: Dict): Reply {
  const status = toNumber(result.get('status'));
  const error = result.get('error') ?? null;
  if (status === OK) return reply(true, dataOf(result));
  if (status === NO_CONTENT) return reply(false, 'No content available.');
  if (status === NOT_FOUND) return reply(false, 'Key not found.');
  if (truthy(error)) return reply(false, 'An error occurred.', error);
  return result.size > 0 ? reply(true, result) : reply(false, '');
}

function reply(isGood: boolean, data: Value, error?: Value): Reply {
  const whole = dict({ data, res: isGood, ...(error === undefined ? {} : { error }) });
  return { isGood, data, whole };
}

/** `{res, message}`: what is said of one thing that was done, or not. */
export const told = ({ isGood }: Reply, done: string, failed: string): Dict =>
  dict({ res: isGood, message: isGood ? done : failed });

/** Those of the keywords of a call that there are, under the names that Consul has for them. */
export function renamed(given: Dict, names: readonly (readonly [from: string, to: string])[]): Dict {
  return new Map(
    names.flatMap(([from, to]): [Value, Value][] => (given.has(from) ? [[to, given.get(from) ?? null]] : [])),
  );
}

/** The same under their own names, for the address. */
export const chosen = (given: Dict, ...names: readonly string[]): Dict =>
  renamed(
    given,
    names.map((name) => [name, name]),
  );

/** A list, or what stands for a list of one. */
export const listOf = (value: Value): Value[] => (Array.isArray(value) ? value : [value]);

/** A keyword that the call must have. @throws SaltInvocationError */
export function keyword(given: Dict, name: string): Value {
  return required(given.get(name), name);
}
