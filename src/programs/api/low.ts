/**
 * Low data: what a client asks for, one mapping for each call (salt/netapi/__init__.py, salt/client/__init__.py,
 * 3006.16).
 */
import { SaltInvocationError } from '../../errors/errors.ts';
import { Secret } from '../../host/secret.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { isDict, pyTypeName, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { CLIENT_FIELD, type Login } from '../../runtime/client/login.ts';
import { isJid } from '../../storage/jobs/jid.ts';
import { splitKeyword } from '../../formats/yaml/split-keyword.ts';
import { yamlifyArgument } from '../../formats/yaml/yamlify.ts';

/** Fields by which the master finds out who asks. */
export const CREDENTIALS: readonly string[] = ['token', 'eauth', 'username', 'password', CLIENT_FIELD];

/** Characters of a wrong value that a sentence shows. */
const SHOWN_MAX = 60;

/** Parameters of `LocalClient.cmd`; all else goes along with the job. */
const LOCAL_PARAMETERS: ReadonlySet<Value> = new Set([
  ...['client', 'tgt', 'fun', 'arg', 'timeout', 'tgt_type', 'ret', 'jid', 'full_return', 'kwarg'],
  ...['batch', 'subset', 'sub', 'key', 'user'],
  ...CREDENTIALS,
]);

/**
 * Low data that cannot be called: 400, with this sentence. (In Salt Python raises a TypeError, and the answer is a bare
 * 500.)
 */
export class BadCallError extends Error {
  override readonly name = 'BadCallError';
}

/** Who asks. */
export function loginOf(low: Dict): Login {
  const token = low.get('token');
  if (token !== undefined) return { kind: 'token', token: new Secret(pyStr(token)) };
  const text = (name: string): string => pyStr(low.get(name) ?? '');
  return {
    kind: 'eauth',
    eauth: text('eauth'),
    username: text('username'),
    password: new Secret(text('password')),
    client: text(CLIENT_FIELD),
  };
}

/** Whom a job is for. @throws BadCallError */
export function targetOf(low: Dict): Value {
  const tgt = low.get('tgt') ?? null;
  if (tgt === null)
    throw new BadCallError("The low data has no tgt. Say whom the job is for, such as tgt: '*'.");
  if (typeof tgt === 'string' || Array.isArray(tgt)) return tgt;
  throw new BadCallError(
    `tgt is a text or a list of ids, and not ${shown(tgt)}. An id that looks like something else stands in quotes.`,
  );
}

/** The function of a job, or its functions. @throws BadCallError */
export function functionsOf(low: Dict): string | string[] {
  const fun = low.get('fun') ?? null;
  if (fun === null)
    throw new BadCallError('The low data has no fun. Name the function to run, such as test.ping.');
  const names = Array.isArray(fun) ? fun : [fun];
  if (names.length === 0 || names.includes(''))
    throw new BadCallError('fun is empty. Name the function to run, such as test.ping.');
  const texts = names.filter((name) => typeof name === 'string');
  if (texts.length !== names.length)
    throw new BadCallError(`fun is the name of a function or a list of names, and not ${shown(fun)}.`);
  return typeof fun === 'string' ? fun : texts;
}

/** Arguments by name; empty when there are none. @throws BadCallError for what is no mapping */
export function keywordsOf(low: Dict): Dict {
  const kwarg = low.get('kwarg') ?? null;
  if (isDict(kwarg)) return kwarg;
  if (kwarg === null || kwarg === '') return new Map();
  throw new BadCallError(`kwarg is a mapping of names to values, and not ${shown(kwarg)}.`);
}

/** A value with its type, as a sentence shows it; no more of it than helps. */
function shown(value: Value): string {
  const text = pyRepr(value);
  return `${text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text} (${pyTypeName(value)})`;
}

/** A function's name, for clients whose own signature demands it. @throws SaltInvocationError */
export function functionOf(low: Dict, client: string): string {
  const fun = low.get('fun');
  if (fun === undefined) throw new SaltInvocationError(`${client} takes at least 1 argument (0 given)`);
  if (typeof fun !== 'string')
    throw new BadCallError(`fun is the name of a function, and not ${shown(fun)}.`);
  return fun;
}

/** Positional arguments of a job, with the keywords at the end. @throws BadCallError */
export function jobArguments(low: Dict): Value[] {
  const given = low.get('arg') ?? [];
  const args = Array.isArray(given) ? given : [given];
  const kwarg = keywordsOf(low);
  const out = args.map((arg) => (isNumberOfJob(arg) ? String(arg) : arg));
  if (kwarg.size > 0) out.push(new Map([['__kwarg__', true] as [Value, Value], ...kwarg]));
  return out;
}

function isNumberOfJob(arg: Value): boolean {
  return (typeof arg === 'number' || typeof arg === 'bigint') && isJid(String(arg));
}

/** What goes along with a job: `metadata`, `delimiter`, and whatever else is said. */
export function jobKeywords(low: Dict): Dict {
  return new Map([...low].filter(([key]) => !LOCAL_PARAMETERS.has(key)));
}

/** Seconds that a client gives, as a number or as text; `standard` for what is none. */
export function secondsOf(value: Value | undefined, standard: number): number {
  const number = typeof value === 'string' ? Number(value) : toNumber(value);
  return number !== undefined && Number.isFinite(number) && number > 0 ? number : standard;
}

/**
 * `arg` of a runner: words are read as on a command line, `name=value` among them by its name (salt/utils/args.py
 * `parse_input`).
 */
export function parsedArguments(given: Value | undefined): { args: Value[]; kwargs: Dict } {
  const args: Value[] = [];
  const kwargs: Dict = new Map();
  const list = given === undefined || given === null ? [] : Array.isArray(given) ? given : [given];
  for (const arg of list) {
    const keyword = typeof arg === 'string' ? splitKeyword(arg) : undefined;
    if (keyword !== undefined) kwargs.set(keyword.name, yamlifyArgument(keyword.text));
    else if (typeof arg === 'string') args.push(yamlifyArgument(arg));
    else if (isDict(arg) && arg.get('__kwarg__') === true) {
      for (const [key, value] of arg) if (key !== '__kwarg__') kwargs.set(key, value);
    } else args.push(arg);
  }
  return { args, kwargs };
}
