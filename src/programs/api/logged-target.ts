/** Addresses as logs show them: without tokens, passwords and whatever else lets somebody in. */
import { formFields, unquotePath } from './body.ts';

const STARS = '***';
/** Names of fields whose values let somebody in, as a part of the name or the whole of it. */
const SECRET_FIELD = /token|password|passwd|pwd|secret|signature|credential|api_?key|auth/i;
const SECRET_FIELDS: ReadonlySet<string> = new Set(['code', 'state', 'sig', 'key', 'pass', 'session_id']);
/** What stands for somebody wherever it stands: ids of sessions and tokens, API tokens. */
const TOKEN = /[0-9a-f]{32,}|brine\.[A-Za-z0-9_-]+\.[0-9a-f]+/gi;
/** How often what was quoted is quoted again, by programs in between that quote what is quoted already. */
const QUOTED_MAX = 4;
/** Names of the path behind which a token may stand. */
const BEFORE_TOKEN = /^\/*(?:[^/]+\/)?(ws|events)\//;

/** @param target what stands in the first line of a request, or any other address */
export function loggedTarget(target: string): string {
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  const shown = loggedPath(path);
  return at < 0
    ? shown
    : `${shown}?${target
        .slice(at + 1)
        .split('&')
        .map(loggedField)
        .join('&')}`;
}

/** A name and a password before the host of a whole address. */
const USER_INFO = /^([a-z][a-z0-9+.-]*:)?\/\/[^/]*@/i;

function loggedPath(given: string): string {
  const path = given.replace(USER_INFO, `$1//${STARS}@`);
  const plain = unquoted(path);
  const behind = BEFORE_TOKEN.exec(plain);
  if (behind !== null && plain.length > behind[0].length) return `${behind[0]}${STARS}`;
  return withoutTokens(path, plain);
}

function loggedField(field: string): string {
  const at = field.indexOf('=');
  const [[name = ''] = []] = formFields(`${unquoted(field.slice(0, Math.max(at, 0)))}=x`);
  if (at >= 0 && (SECRET_FIELD.test(name) || SECRET_FIELDS.has(name.toLowerCase())))
    return `${field.slice(0, at)}=${STARS}`;
  return withoutTokens(field, unquoted(field));
}

/** A text without its escapes, those of escapes too. */
function unquoted(text: string): string {
  let plain = text;
  for (let times = 0; times < QUOTED_MAX && plain.includes('%'); times++) plain = unquotePath(plain);
  return plain;
}

/** @param path of a request, as a page of an error shows it: without what is or was a token, wherever it stands */
export function shownPath(path: string): string {
  return withoutTokens(path, unquoted(path));
}

/** What hides a token in escapes is shown without them. */
function withoutTokens(written: string, plain: string): string {
  const shown = plain.replace(TOKEN, STARS);
  return shown === plain ? written : shown;
}
