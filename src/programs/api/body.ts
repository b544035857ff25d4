/**
 * What a request brings, read within bounds and made into values by its content type (salt/netapi/rest_cherrypy/app.py
 * `hypermedia_in`, 3006.16).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJson } from '../../formats/json/text.ts';
import { JsonSyntaxError } from '../../formats/json/text.ts';
import { loadYaml, YamlError } from '../../formats/yaml/load.ts';
import { yamlifyArgument } from '../../formats/yaml/yamlify.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import {
  fitsStranger,
  STRANGER_BYTES_MAX,
  type BodyBudget,
  type Division,
  type Sender,
} from './body-budget.ts';
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

/** How a content type is read. */
interface BodyKind {
  readonly division: Division;
  readonly read: (text: string) => Value;
}

const KINDS: ReadonlyMap<string, BodyKind> = new Map([
  [FORM, { division: 'form', read: readForm }],
  ['application/json', { division: 'json', read: readJson }],
  ['application/x-yaml', { division: 'yaml', read: readYaml }],
  ['text/yaml', { division: 'yaml', read: readYaml }],
  ['text/plain', { division: 'json', read: readText }],
]);

/** Who sends a body, and what holds for it. */
export interface BodyTerms {
  /** `max_request_body_size` */
  readonly bytesMax: number;
  readonly budget: BodyBudget;
  /**
   * Finds out who sends it, once it exceeds what a stranger may send.
   * @param begun what has come of it; all of it with `looksAtWhole`
   */
  readonly senderOf: (begun: Buffer) => Promise<Sender> | Sender;
  /** Whether it may be known only by what stands at the end of it. */
  readonly looksAtWhole?: boolean;
}

/**
 * Reads the body of a request.
 * Salt compat: a body without a content type is refused, and so is a type in capital letters.
 * @throws HttpFault 406 for a content type that nobody knows, 413, 400, 503
 */
export async function readBody({ request, response }: BodyOf, terms: BodyTerms): Promise<RequestBody> {
  const { headers } = request;
  const length = headers['content-length'];
  if (length === '0' || (length === undefined && headers['transfer-encoding'] === undefined)) return NO_BODY;
  if (Number(length ?? 0) > terms.bytesMax) throw new HttpFault(413);
  const { read, division } = requireType(headers['content-type']);
  const reading = new Reading(request, terms, division);
  const bytes = await reading.bytes();
  if (bytes.length > STRANGER_BYTES_MAX) {
    const release = terms.budget.hold(bytes.length);
    if (response.destroyed) release();
    else response.once('close', release);
  }
  const raw = bytes.toString('utf8');
  const data = read(raw);
  if (!isWithin(data, VALUES_MAX))
    throw new HttpFault(413, `The body stands for more than ${VALUES_MAX} values.`);
  return { data, raw };
}

/** A request and what it is answered with. */
interface BodyOf {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** One body on its way: a stranger's until it exceeds what one may send. */
class Reading {
  readonly #request: IncomingMessage;
  readonly #terms: BodyTerms;
  readonly #division: Division;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #sender: Sender = 'stranger';

  constructor(request: IncomingMessage, terms: BodyTerms, division: Division) {
    this.#request = request;
    this.#terms = terms;
    this.#division = division;
  }

  /** @throws HttpFault 413, 503 */
  async bytes(): Promise<Buffer> {
    const growing = this.#terms.budget.growing(() => this.#request.destroy());
    try {
      for await (const chunk of this.#request) {
        const bytes = chunk as Buffer;
        this.#size += bytes.length;
        if (this.#size > this.#terms.bytesMax) throw new HttpFault(413);
        this.#chunks.push(bytes);
        if (this.#sender === 'stranger') growing.add(bytes.length);
        if (this.#size > STRANGER_BYTES_MAX && this.#terms.looksAtWhole !== true) await this.#requireKnown();
        if (this.#sender !== 'stranger') growing.end();
      }
    } catch (error) {
      if (error instanceof HttpFault || !this.#request.destroyed || this.#request.complete) throw error;
      throw new HttpFault(400, 'The connection has ended before the body did.');
    } finally {
      growing.end();
    }
    const whole = Buffer.concat(this.#chunks);
    if (!fitsStranger(whole, this.#division)) await this.#requireKnown();
    this.#terms.budget.requireFew(whole, this.#division, this.#sender);
    return whole;
  }

  async #requireKnown(): Promise<void> {
    if (this.#sender !== 'stranger') return;
    this.#sender = await this.#terms.senderOf(Buffer.concat(this.#chunks));
    if (this.#sender !== 'stranger' || this.#size <= STRANGER_BYTES_MAX) return;
    this.#terms.budget.counters.tooLong++;
    throw new HttpFault(
      413,
      `Nobody is known to have sent this body, and it is longer than ${STRANGER_BYTES_MAX} bytes. Log in, and send the token in X-Auth-Token.`,
    );
  }
}

/** The reader of a content type. @throws HttpFault 406 for one that nobody knows */
export function requireType(header: string | undefined): BodyKind {
  const kind = KINDS.get(mediaType(header ?? ''));
  if (kind === undefined) throw new HttpFault(406, 'Content type not supported');
  return kind;
}

function mediaType(header: string): string {
  return (header.split(';')[0] ?? '').trim();
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
