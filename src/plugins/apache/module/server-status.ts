/** What Apache's handler `server-status` reports. Follows 3006.16 salt/modules/apache.py `server_status`. */
import { splitLines } from '../../../python/values/text.ts';
import {
  dict,
  float,
  isDict,
  toNumber,
  truthy,
  type Dict,
  type Value,
} from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';

const SCOREBOARD = [...'_SRWKDCLGI.'];

/** A figure: a whole number, or one with a fraction; texts stay what they are. */
function figure(text: string): Value {
  // Salt compat: newer servers report texts too (the name of the server), over which Salt's function fails with a
  // ValueError.
  if (text === '' || !Number.isFinite(Number(text))) return text;
  return /^\d+$/.test(text) ? Number(text) : float(Number(text));
}

/** What the report says, line by line. */
function readServerStatus(text: string): Dict {
  const board = dict(Object.fromEntries(SCOREBOARD.map((letter) => [letter, 0])));
  const found = dict({ Scoreboard: board });
  for (const line of splitLines(text)) {
    const at = line.indexOf(':');
    if (at < 0) continue;
    const [name, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    if (name !== 'Scoreboard') found.set(name, figure(value));
    else for (const letter of value) board.set(letter, (toNumber(board.get(letter)) ?? 0) + 1);
  }
  return found;
}

/**
 * Asks the server.
 * @param profile the part of the option `apache.server-status` that has its address and who asks
 * @returns the figures, or `error` where nothing answers
 */
export async function serverStatus(ctx: ModuleContext, profile: string): Promise<Value> {
  const setting = (name: string, fallback: Value): Promise<Value> =>
    ctx.functions.call('config.get', [`apache.server-status:${profile}:${name}`, fallback]);
  const url = await setting('url', 'http://localhost/server-status');
  const [user, password] = [await setting('user', ''), await setting('pass', '')];
  const login = truthy(user) && truthy(password) ? { username: user, password } : {};
  const options = dict({ ...login, raise_error: false, decode: false });
  const answer = await ctx.functions.call('http.query', [`${String(url)}?auto`], options);
  if (!isDict(answer) || answer.has('error')) return 'error';
  const body = answer.get('body');
  return typeof body === 'string' ? readServerStatus(body) : 'error';
}
