/** Which Grafana the functions of `grafana4` speak with, and one request to it (3006.16 salt/modules/grafana4.py). */
import { STATUS_CODES } from 'node:http';
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { JsonSyntaxError, parseJson, toJson } from '../../../formats/json/text.ts';
import { sendHttp, type HttpRequest } from '../../../network/http/client.ts';
import { pathOf } from '../../../network/http/path-words.ts';
import { withoutCredentials } from '../../../python/values/masked.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { optionDict } from '../../shared/settings.ts';

const ANSWER_BYTES_MAX = 48 * 1024 * 1024;
const TIMEOUT_SECONDS = 3;
const BAD_REQUEST = 400;
const SERVER_ERROR = 500;

/** The profile, as a parameter. */
export const PROFILE = {
  profile: param.value({
    default: 'grafana',
    type: 'str or dict',
    doc: 'The option with grafana_url, and grafana_token or grafana_user and grafana_password, and grafana_timeout; or such a mapping.',
  }),
} as const;

/** A request. Names in the path stay one word each. */
export interface Question {
  readonly method: HttpRequest['method'];
  /** Behind `/api/`. */
  readonly path: readonly Value[];
  /** What is sent as JSON. */
  readonly json?: Dict;
  /** How long the answer may take, where the profile does not say. */
  readonly timeoutSeconds?: number;
}

/** What came back, whatever its status. */
export interface Reply {
  readonly status: number;
  readonly data: Value;
  /** What `requests` says of a status that is an error. */
  readonly problem: string | undefined;
}

/** The settings that a profile names. @throws SaltInvocationError when there are none, or no address among them */
export async function profileOf(ctx: ModuleContext, profile: Value): Promise<Dict> {
  const found = typeof profile === 'string' ? await optionDict(ctx, [profile]) : profile;
  if (isDict(found) && truthy(found.get('grafana_url'))) return found;
  const name = typeof profile === 'string' ? `The option ${profile}` : 'The profile';
  throw new SaltInvocationError(
    `${name} must be a mapping with grafana_url, and grafana_token or grafana_user and grafana_password`,
  );
}

/** Sends a request. @throws UnreachableError, CommandExecutionError for an answer that is no JSON */
export async function send(ctx: ModuleContext, profile: Value, question: Question): Promise<Reply> {
  const settings = await profileOf(ctx, profile);
  const { method, json } = question;
  const base = pyStr(settings.get('grafana_url') ?? '').replace(/\/+$/, '');
  const address = `${base}/api/${pathOf(question.path.map(pyStr))}`;
  if (!/^https?:\/\//.test(address) || !URL.canParse(address))
    throw new SaltInvocationError('grafana_url must be an address that begins with http:// or https://');
  const timeout = toNumber(settings.get('grafana_timeout')) ?? question.timeoutSeconds ?? TIMEOUT_SECONDS;
  const { status, text } = await sendHttp({
    method,
    url: new URL(address),
    headers: headersOf(settings),
    ...(json === undefined ? {} : { body: toJson(json) }),
    timeoutMs: timeout * 1000,
    clock: ctx.clock,
    signal: ctx.signal,
    agent: 'salt-minion',
    answerBytesMax: ANSWER_BYTES_MAX,
  });
  const isBad = status >= BAD_REQUEST;
  return { status, data: dataOf(text, isBad), problem: isBad ? problemOf(status, address) : undefined };
}

function headersOf(settings: Dict): Map<string, string> {
  const headers = new Map([
    ['accept', 'application/json'],
    ['content-type', 'application/json'],
  ]);
  const token = settings.get('grafana_token');
  const login = ['grafana_user', 'grafana_password'].map((name) => pyStr(settings.get(name) ?? ''));
  return headers.set(
    'authorization',
    truthy(token)
      ? `Bearer ${pyStr(token ?? '')}`
      : `Basic ${Buffer.from(login.join(':')).toString('base64')}`,
  );
}

function dataOf(text: string, isBad: boolean): Value {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (isBad) return null;
    throw new CommandExecutionError('The answer is no JSON; is it Grafana that listens there?', {
      cause: error,
    });
  }
}

function problemOf(status: number, address: string): string {
  const side = status < SERVER_ERROR ? 'Client' : 'Server';
  return `${status} ${side} Error: ${STATUS_CODES[status] ?? 'Unknown'} for url: ${withoutCredentials(address)}`;
}

/** Sends a request that is to be carried out. @throws CommandExecutionError with what `requests` says */
export async function ask(ctx: ModuleContext, profile: Value, question: Question): Promise<Value> {
  return carriedOut(await send(ctx, profile, question));
}

/** What a reply has. @throws CommandExecutionError where it is an error */
export function carriedOut({ data, problem }: Reply): Value {
  if (problem === undefined) return data;
  const said =
    isDict(data) && truthy(data.get('message')) ? `: ${pyStr(data.get('message') ?? '').slice(0, 300)}` : '';
  throw new CommandExecutionError(`${problem}${said}`);
}

/** Makes an organisation the one that is worked in. @returns it */
export async function switchOrg(ctx: ModuleContext, orgname: string, profile: Value): Promise<Value> {
  const org = await ask(ctx, profile, { method: 'GET', path: ['orgs', 'name', orgname] });
  const id = isDict(org) ? (org.get('id') ?? null) : null;
  await ask(ctx, profile, { method: 'POST', path: ['user', 'using', id] });
  return org;
}

/** The keywords of a call that are the thing itself. */
export const fieldsOf = (given: Dict): Dict =>
  new Map([...given].filter(([name]) => !pyStr(name).startsWith('__')));

/** The one of a list whose field has this value; null when there is none. */
export function pick(list: Value, field: string, value: string): Value {
  return (Array.isArray(list) ? list : []).find((one) => isDict(one) && one.get(field) === value) ?? null;
}
