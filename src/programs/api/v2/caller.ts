/**
 * Who sends a request: by a session, an API token, or a token of external authentication; the master says what he may.
 */
import { Secret } from '../../../host/secret.ts';
import type { Exchange } from '../exchange.ts';
import type { Origins } from '../origin.ts';
import type { Session, Sessions } from '../sessions.ts';
import { ApiFault } from './fault.ts';

/** Somebody who shows something. */
export interface Caller {
  /** What the master knows him by. */
  readonly token: Secret;
  readonly kind: 'session' | 'api-token' | 'token';
  readonly session: Session | undefined;
  /** The id of that session. */
  readonly sessionId: string | undefined;
}

const BEARER = /^Bearer +(\S+) *$/i;
const API_TOKEN = /^brine\.[A-Za-z0-9][A-Za-z0-9_-]{0,63}\.[0-9a-f]{64}$/;
const TOKEN = /^[0-9a-f]{32,128}$/;

/**
 * Who sends a request.
 * @returns undefined for whoever shows nothing, or a session that is over
 * @throws ApiFault `foreign-origin` for a cookie that another origin's page makes a browser send
 */
export function callerOf(exchange: Exchange, sessions: Sessions, origins: Origins): Caller | undefined {
  const shown = BEARER.exec(exchange.header('authorization') ?? '')?.[1] ?? exchange.header('x-auth-token');
  if (shown !== undefined) return byText(shown, sessions);
  const cookie = exchange.cookieOf('session_id');
  if (cookie === undefined) return undefined;
  if (origins.mayUseCookie(exchange)) return bySession(cookie, sessions);
  throw new ApiFault(
    'foreign-origin',
    `The page of ${exchange.header('origin') ?? 'another site'} may not use the cookie of this API. Send a token in Authorization, or name the origin in cors_origin.`,
  );
}

function byText(text: string, sessions: Sessions): Caller | undefined {
  const found = bySession(text, sessions);
  if (found !== undefined) return found;
  const kind = API_TOKEN.test(text) ? 'api-token' : TOKEN.test(text) ? 'token' : undefined;
  return kind && { kind, token: new Secret(text), session: undefined, sessionId: undefined };
}

function bySession(id: string, sessions: Sessions): Caller | undefined {
  const session = sessions.find(id);
  return session && { kind: 'session', token: session.token, session, sessionId: id };
}
