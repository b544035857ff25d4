/** Requests to the Docker daemon: one at a time, each with one bounded answer. */
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { tlsFault } from '../../../network/tls/fault.ts';
import { parseJson, toJson } from '../../../formats/json/text.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type DictInit, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { daemonAddress, versionPrefix, type DaemonAddress } from './address.ts';

const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** Seconds without a byte after which a daemon counts as hanging, where nothing else is said. */
const CLIENT_TIMEOUT_SECONDS = 60;

/** One request. Values of the query that are null are left out. */
export interface DaemonRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** The parts of the path; each is escaped. */
  readonly path: readonly string[];
  readonly query?: DictInit;
  /** Sent in JSON; fields that are null are left out. */
  readonly body?: Dict;
  /** Sent as it is, in place of `body`. */
  readonly stream?: Readable;
  readonly headers?: Readonly<Record<string, string>>;
  /** Seconds without a byte; 0 waits for ever. */
  readonly timeoutSeconds?: number;
}

/** What the daemon said to a request that it refused. */
export class DaemonRefusal extends CommandExecutionError {
  readonly status: number;
  readonly explanation: string;
  constructor(status: number, explanation: string) {
    super(`Error ${status}: ${explanation}`);
    this.status = status;
    this.explanation = explanation;
  }
}

function queryText(query: DictInit): string {
  const words = new URLSearchParams();
  for (const [name, value] of dict(query))
    if (value !== null) words.set(pyStr(name), typeof value === 'boolean' ? String(value) : pyStr(value));
  const text = words.toString();
  return text === '' ? '' : `?${text}`;
}

function whereTo(address: DaemonAddress): RequestOptions {
  return 'socketPath' in address
    ? { socketPath: address.socketPath, host: 'localhost' }
    : { host: address.host, port: address.port };
}

async function collected(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) {
      answer.destroy();
      throw new Error(`its answer is larger than ${ANSWER_BYTES_MAX} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function sent(
  address: DaemonAddress,
  options: RequestOptions,
  wanted: { readonly text: string | undefined; readonly stream: Readable | undefined },
): Promise<{ status: number; body: Buffer }> {
  const start = 'isTls' in address && address.isTls ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = start({ ...whereTo(address), ...options, agent: false });
    request.once('error', reject);
    request.once('timeout', () => request.destroy(new Error('it does not answer')));
    request.once('response', (answer) => {
      collected(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
    });
    if (wanted.stream === undefined) return void request.end(wanted.text);
    wanted.stream.once('error', (error) => request.destroy(error));
    wanted.stream.pipe(request);
  });
}

/** What the daemon gives as the reason of a refusal. */
function explanationOf(body: Buffer): string {
  const text = body.toString('utf8').trim();
  try {
    const said = parseJson(text);
    const message = isDict(said) ? said.get('message') : undefined;
    return message === undefined ? text : pyStr(message);
  } catch {
    return text;
  }
}

/**
 * Sends a request to the daemon that the configuration names.
 * @throws DaemonRefusal `Error 404: …`, CommandExecutionError where the daemon cannot be reached
 */
export async function askDaemon(ctx: ModuleContext, wanted: DaemonRequest): Promise<Buffer> {
  const { method = 'GET', path, query = {}, body, stream, headers = {} } = wanted;
  const address = await daemonAddress(ctx);
  const text =
    body === undefined ? undefined : toJson(new Map([...body].filter(([, value]) => value !== null)));
  const place = path.map((part) => encodeURIComponent(part)).join('/');
  const options: RequestOptions = {
    method,
    path: `${await versionPrefix(ctx)}/${place}${queryText(query)}`,
    timeout: (wanted.timeoutSeconds ?? CLIENT_TIMEOUT_SECONDS) * 1000,
    headers: {
      'user-agent': 'brine',
      ...(text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      ...headers,
    },
  };
  let answer: { status: number; body: Buffer };
  try {
    answer = await sent(address, options, { text, stream });
  } catch (cause) {
    const name = `The Docker daemon at ${address.shown}`;
    throw new CommandExecutionError(
      tlsFault(cause, { address: name }) ?? `${name} cannot be reached: ${messageOf(cause)}. Is it running?`,
      { cause },
    );
  }
  if (answer.status >= 400) throw new DaemonRefusal(answer.status, explanationOf(answer.body));
  return answer.body;
}

/** The same for an answer in JSON; null where it is empty. @throws CommandExecutionError also where it is no JSON */
export async function askForValue(ctx: ModuleContext, wanted: DaemonRequest): Promise<Value> {
  const text = (await askDaemon(ctx, wanted)).toString('utf8');
  return text.trim() === '' ? null : jsonOf(text);
}

function jsonOf(text: string): Value {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new CommandExecutionError(`The Docker daemon's answer is no JSON: ${text.slice(0, 200)}`, {
      cause,
    });
  }
}

/** The same for a mapping. */
export async function askForDict(ctx: ModuleContext, wanted: DaemonRequest): Promise<Dict> {
  const value = await askForValue(ctx, wanted);
  if (!isDict(value))
    throw new CommandExecutionError('The Docker daemon answered with something else than a mapping.');
  return value;
}

/** The same for a list of mappings. */
export async function askForDicts(ctx: ModuleContext, wanted: DaemonRequest): Promise<Dict[]> {
  const value = await askForValue(ctx, wanted);
  return Array.isArray(value) ? value.filter(isDict) : [];
}

/** The same for messages that follow each other: what happens while an image is fetched or built. */
export async function askForEvents(ctx: ModuleContext, wanted: DaemonRequest): Promise<Dict[]> {
  const lines = (await askDaemon(ctx, wanted)).toString('utf8').split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map(jsonOf)
    .filter(isDict);
}

/** Filters as the daemon takes them. */
export function filterText(filters: Dict): string | null {
  if (filters.size === 0) return null;
  const lists = [...filters].map(([name, value]): [Value, Value] => {
    const items = Array.isArray(value) ? value : [value];
    return [name, items.map((item) => (typeof item === 'boolean' ? String(item) : pyStr(item)))];
  });
  return toJson(new Map(lists));
}
