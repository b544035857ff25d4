/**
 * What a request brings, read within bounds and made into values by its content type (salt/netapi/rest_cherrypy/app.py `hypermedia_in`,
 * 3006.16).
 */
import type { IncomingMessage } from 'node:http';
import { parseJson } from '../../formats/json/text.ts';
import { JsonSyntaxError } from '../../formats/json/text.ts';
import { loadYaml, YamlError } from '../../formats/yaml/load.ts';
import { yamlifyArgument } from '../../formats/yaml/yamlify.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { HttpFault } from './http-fault.ts';

/** A body that was read. */
export interface RequestBody {
  /** What it means; null without one. */
  readonly data: Value;
  readonly raw: string;
}

const NO_BODY: RequestBody = { data: null, raw: '' };
/** Values that a body may stand for: an alias of YAML brings a whole tree once more. */
const VALUES_MAX = 1_000_000;
const FORM = 'application/x-www-form-urlencoded';

const READERS: ReadonlyMap<string, (text: string) => Value> = new Map([
  [FORM, readForm],
  ['application/json', readJson],
  ['application/x-yaml', readYaml],
  ['text/yaml', readYaml],
  ['text/plain', readText],
]);

/**
 * Reads the body of a request.
 * Salt compat: a body without a content type is refused, and so is a type in capital letters.
 * @param bytesMax `max_request_body_size`
 * @throws HttpFault 406 for a content type that nobody knows, 413, 400
 */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<RequestBody> {
  const { headers } = request;
  const length = headers['content-length'];
  if (length === '0' || (length === undefined && headers['transfer-encoding'] === undefined)) return NO_BODY;
  if (Number(length ?? 0) > bytesMax) throw new HttpFault(413);
  const read = requireType(headers['content-type']);
  const raw = (await readBytes(request, bytesMax)).toString('utf8');
  const data = read(raw);
  if (!isWithin(data, VALUES_MAX))
    throw new HttpFault(413, `The body stands for more than ${VALUES_MAX} values.`);
  return { data, raw };
}

/** The reader of a content type. @throws HttpFault 406 for one that nobody knows */
export function requireType(header: string | undefined): (text: string) => Value {
  const read = READERS.get(mediaType(header ?? ''));
  if (read === undefined) throw new HttpFault(406, 'Content type not supported');
  return read;
}

function mediaType(header: string): string {
  return (header.split(';')[0] ?? '').trim();
}

async function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > bytesMax) throw new HttpFault(413);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks, size);
}

function readJson(text: string): Value {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new HttpFault(400, 'Invalid JSON document');
    throw error;
  }
}

/** Salt compat: Salt answers 500 to what is no YAML, because its reader throws another error than it catches. */
function readYaml(text: string): Value {
  try {
    return loadYaml(text);
  } catch (error) {
    if (error instanceof YamlError) throw new HttpFault(400, 'Invalid YAML document');
    throw error;
  }
}

/** Services send JSON as text. */
function readText(text: string): Value {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** A form; `arg` and `kwarg` are read as on a command line. */
function readForm(text: string): Value {
  const fields = new Map<string, string[]>();
  for (const [name, value] of formFields(text)) {
    const known = fields.get(name);
    if (known === undefined) fields.set(name, [value]);
    else known.push(value);
  }
  const data: Dict = new Map();
  for (const [name, values] of fields) data.set(name, values.length === 1 ? (values[0] as string) : values);
  const kwarg = data.get('kwarg');
  if (typeof kwarg === 'string') data.set('kwarg', yamlifyArgument(kwarg));
  const args = fields.get('arg');
  if (args !== undefined) data.set('arg', args.map(yamlifyArgument));
  return data;
}

/** Python's `parse_qsl`: fields without a value are left out. */
export function* formFields(text: string): Generator<[string, string]> {
  for (const field of text.split('&')) {
    const at = field.indexOf('=');
    if (at < 0 || at === field.length - 1) continue;
    yield [unquote(field.slice(0, at)), unquote(field.slice(at + 1))];
  }
}

/** `+` and `%xx`; what is no UTF-8 is replaced, what is no escape stays. */
function unquote(text: string): string {
  return unquotePath(text.replaceAll('+', ' '));
}

/** `%xx` alone. @param kept an escape that stays as it is */
export function unquotePath(text: string, kept?: string): string {
  if (kept !== undefined)
    return text
      .split(new RegExp(kept, 'i'))
      .map((part) => unquotePath(part))
      .join(kept);
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

/** Whether a value has no more parts than this, counting each as often as it is written out. */
function isWithin(value: Value, max: number): boolean {
  let left = max;
  const look = (each: Value): boolean => {
    if (--left < 0) return false;
    if (Array.isArray(each)) return each.every(look);
    if (!isDict(each)) return true;
    for (const [key, part] of each) if (!look(key) || !look(part)) return false;
    return true;
  };
  return look(value);
}
