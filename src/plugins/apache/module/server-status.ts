/** What Apache's handler `server-status` reports. Follows 3006.16 salt/modules/apache.py `server_status`. */
import { splitLines } from '../../../python/values/text.ts';
import { dict, float, toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { httpAnswer } from '../../shared/http-answers.ts';
import { settingText } from '../../shared/settings.ts';

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
  const setting = (name: string): Promise<string | undefined> =>
    settingText(ctx, [`apache.server-status:${profile}:${name}`, '']);
  const url = (await setting('url')) ?? 'http://localhost/server-status';
  const [username, password] = [await setting('user'), await setting('pass')];
  const login = username === undefined || password === undefined ? {} : { username, password };
  const options = dict({ ...login, raise_error: false, decode: false });
  const answer = await httpAnswer(ctx, [`${url}?auto`], options);
  if (answer.has('error')) return 'error';
  const body = answer.get('body');
  return typeof body === 'string' ? readServerStatus(body) : 'error';
}
