/** Where ours answers otherwise than a real salt-api, and why; `docs/differences/api.md` says the same to users. */
import { isDeepStrictEqual } from 'node:util';
import type { ApiCase } from './cases.ts';
import { comparable, type ApiAnswer } from './send.ts';

/** Two answers beside each other, without what always differs. */
export interface Difference {
  readonly isSame: boolean;
  /** Why they differ, where that is meant. */
  readonly reason: string | undefined;
  readonly salt: ApiAnswer;
  readonly brine: ApiAnswer;
}

interface Reason {
  readonly why: string;
  /** Of what case it is, and of which answers. */
  readonly fits: (one: ApiCase, salt: ApiAnswer, brine: ApiAnswer) => boolean;
}

const isClientsMistake = ({ status }: ApiAnswer): boolean => status >= 400 && status < 500;
const named =
  (...parts: readonly string[]): Reason['fits'] =>
  ({ name }) =>
    parts.some((part) => name.includes(part));

const REASONS: readonly Reason[] = [
  {
    why: 'OPTIONS is an error in Salt wherever a body could be read',
    fits: ({ method }, salt, brine) => method === 'OPTIONS' && salt.status === 500 && brine.status === 200,
  },
  {
    why: 'a mistake of the client is not an error of the server',
    fits: (_one, salt, brine) => salt.status === 500 && isClientsMistake(brine),
  },
  {
    why: 'a refusal names the function and the target, and where they are allowed',
    fits: (_one, salt, brine) =>
      salt.status === brine.status &&
      String(salt.body).endsWith('Authorization error occurred.') &&
      String(brine.body).startsWith(`${String(salt.body)} The master does not allow `),
  },
  {
    why: 'arguments by name that are no mapping are refused; Salt drops them without a word',
    fits: ({ name }, salt, brine) =>
      name.includes('kwarg') &&
      salt.status === 200 &&
      brine.status === 400 &&
      String(brine.body).includes('kwarg is a mapping'),
  },
  {
    why: 'a job for nobody is refused where the target is missing or none; Salt answers with nothing',
    fits: (_one, salt, brine) =>
      salt.status === 200 &&
      brine.status === 400 &&
      /The low data has no tgt|tgt is a text/.test(String(brine.body)),
  },
  { why: 'subset in a form, and of nobody, is no error', fits: named('local_subset') },
  {
    why: 'GET /logout is an error in Salt',
    fits: ({ path, method }, salt) => path === '/logout' && method !== 'POST' && salt.status === 500,
  },
  {
    why: 'browsers get the console where no app is named',
    fits: ({ path, server }, _salt, brine) => server !== 'app' && path === '/' && brine.body === 'a page',
  },
  { why: 'no icon is configured, so nothing is there', fits: ({ path }) => path === '/favicon.ico' },
  {
    why: 'no page of Salt is brought along',
    fits: ({ path, server }) => server !== 'app' && path.startsWith('/app'),
  },
  {
    why: 'an answer that ends says how long it is',
    fits: (_one, salt, brine) =>
      salt.status === brine.status &&
      salt.headers['content-length'] === undefined &&
      isDeepStrictEqual(
        { ...salt.headers, 'content-length': brine.headers['content-length'] },
        brine.headers,
      ),
  },
  {
    why: 'Salt sends a body with the answer to HEAD',
    fits: ({ method }, salt) => method === 'HEAD' && salt.status === 0,
  },
  { why: 'figures are those of this server', fits: named('/stats') },
  {
    why: 'no session begins in the browser of a foreign page',
    fits: (one) => one.headers?.['Origin'] !== undefined,
  },
  { why: 'what is no proper HTTP is refused with a shorter answer', fits: named('bytes: ') },
  { why: 'it is said why a minion did not return', fits: named('a list with a stranger') },
  { why: 'full_return of a wheel function is no error', fits: named('wheel, full_return') },
  { why: "the function's name in the sentence is Salt's own for it", fits: named('wheel, unknown argument') },
  {
    why: 'an error of a wheel function is its sentence; no traceback is made up around it',
    fits: ({ name }, salt, brine) =>
      name.includes('wheel, ') &&
      JSON.stringify(salt.body).includes('Traceback: ') &&
      !JSON.stringify(brine.body).includes('Traceback'),
  },
  { why: 'whoever may log in may have a token', fits: named('POST /token: two', 'a token where no runner') },
  {
    why: 'an address that has moved is told without the host, which a proxy may have changed',
    fits: (_one, salt, brine) => salt.status === 301 && brine.status === 301,
  },
  { why: 'a name of a file holds no path', fits: named('POST /keys: a path') },
  {
    why: 'a file of an unknown kind is not shown as a page',
    fits: (_one, _salt, brine) => brine.headers['content-type'] === 'application/octet-stream',
  },
  {
    why: 'a range that means nothing is passed over',
    fits: named('a part that is nonsense', 'a part in lines'),
  },
  { why: 'max_request_body_size is obeyed', fits: named('a body beyond the limit') },
];

/** Compares two answers. */
export function differenceOf(one: ApiCase, recorded: ApiAnswer, given: ApiAnswer): Difference {
  const salt = { ...recorded, body: comparable(recorded.body) };
  const brine = withoutSafety(given);
  const isSame = isDeepStrictEqual(salt, brine);
  const reason = isSame ? undefined : REASONS.find(({ fits }) => fits(one, salt, brine))?.why;
  return { isSame, reason, salt, brine };
}

/** Cookies that no script reads, and that no other page sends. */
export function withoutSafety(answer: ApiAnswer): ApiAnswer {
  const cookie = answer.headers['set-cookie'];
  if (cookie === undefined) return answer;
  const headers = { ...answer.headers, 'set-cookie': cookie.replace('; HttpOnly; SameSite=Strict', '') };
  return { ...answer, headers };
}
