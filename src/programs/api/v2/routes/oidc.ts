/** Logging in at a provider of OpenID Connect, for browsers. */
import { messageOf } from '../../../../errors/errors.ts';
import { visibleName } from '../../../../python/values/visible.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import type { Exchange } from '../../exchange.ts';
import { beginSession } from '../begin-session.ts';
import type { Deps } from '../deps.ts';
import { ApiFault } from '../fault.ts';
import { HttpFault } from '../../http-fault.ts';
import { LOGIN_SECONDS } from '../oidc-logins.ts';
import { openRoute, Special, type Route } from '../route.ts';
import { optional, text } from '../schema.ts';

const TEXT_MAX = 4096;

/** The routes. */
export const oidcRoutes: readonly Route[] = [
  openRoute({
    id: 'session.oidc',
    method: 'GET',
    path: '/session/oidc',
    summary: 'Sends a browser to the provider of OpenID Connect that `external_auth` names, to log in there.',
    redirects: true,
    run: async ({ deps, exchange }) => {
      try {
        const { kept, url } = await deps.oidc.begin();
        setCookie(exchange, deps, `${kept}; Max-Age=${LOGIN_SECONDS}`);
        return new Special({ redirect: url });
      } catch (error) {
        return refused(deps, exchange, error);
      }
    },
  }),
  openRoute({
    id: 'session.oidc.callback',
    method: 'GET',
    path: '/session/oidc/callback',
    summary: 'Where the provider sends the browser back to.',
    doc:
      'Begins a session, sets its cookie and sends the browser to the console, with `#login-error=` and a code behind it where nobody was let in. ' +
      'Fields of the provider’s own are passed over.',
    query: {
      state: optional(text({ maxLength: TEXT_MAX })),
      code: optional(text({ maxLength: TEXT_MAX })),
      error: optional(text({ maxLength: TEXT_MAX })),
      iss: optional(text({ maxLength: TEXT_MAX })),
    },
    takesFurtherFields: true,
    redirects: true,
    run: async ({ deps, exchange, query }) => {
      const kept = exchange.cookieOf(cookieName(deps));
      setCookie(exchange, deps, '; Max-Age=0');
      try {
        const { state, code, error, iss } = query;
        const credentials = await deps.oidc.finish(kept, { state, code, error, iss });
        exchange.isProvenBrowser = true;
        exchange.cookie = await beginSession(deps, credentials, exchange.address);
        return new Special({ redirect: rootOf(deps) });
      } catch (error) {
        return refused(deps, exchange, error);
      }
    },
  }),
];

/** People see a page, not JSON; what has happened stands in the log. */
function refused({ log, ...deps }: Deps, exchange: Exchange, error: unknown): Special {
  if (!(error instanceof ApiFault || error instanceof HttpFault)) throw error;
  const code =
    error instanceof ApiFault ? error.code : error.status === 429 ? 'too-many-attempts' : 'internal';
  log.warning(
    `A log-in by OpenID Connect from ${exchange.address} was refused: ${visibleName(pyStr(messageOf(error)))}`,
  );
  return new Special({ redirect: `${rootOf(deps)}#login-error=${code}` });
}

/** The root of the application: a path, so that nothing in a request leads to another host. */
function rootOf({ settings }: Pick<Deps, 'settings'>): string {
  return `/${settings.values.root_prefix.replace(/^\/+|\/+$/g, '')}/`.replace(/^\/+/, '/');
}

/** Where there is TLS, no other host of the domain can set it. */
function cookieName({ settings }: Pick<Deps, 'settings'>): string {
  return settings.values.disable_ssl ? 'oidc_login' : '__Host-oidc_login';
}

/** The provider's page sends the browser here: a cookie that is `Strict` would stay behind. */
function setCookie(exchange: Exchange, deps: Deps, value: string): void {
  const secure = deps.settings.values.disable_ssl ? '' : '; Secure';
  exchange.addCookie(`${cookieName(deps)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}`);
}
