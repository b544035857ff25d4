/**
 * `oidc`: log-ins at a provider of OpenID Connect, through `salt-api`. Salt has no such system. The master believes no
 * program that says who has logged in: it is shown the provider's token and the secret of the log-in, and checks both
 * itself, so that a stolen `salt-api` cannot name anybody who does not log in there. Each token counts once.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { messageOf } from '../../errors/errors.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import {
  IdTokenError,
  namedBy,
  TOKEN_AGE_S,
  TOKEN_LENGTH_MAX,
  type Named,
} from '../../network/oidc/id-token.ts';
import { Provider } from '../../network/oidc/provider.ts';
import { readOidcSettings } from '../../network/oidc/settings.ts';
import { pyStr } from '../../python/values/repr.ts';
import { UsedTokens } from './auth/used-tokens.ts';
import type { AuthBackend, BackendContext, BackendSpec, Credentials } from '../shared/auth/backend.ts';

/** Tokens are remembered for longer than they can be used. */
const REMEMBERED_MS = (TOKEN_AGE_S + 120) * 1000;
const REMEMBERED_MAX = 50_000;
const SECRET_LENGTH_MAX = 256;
const NAMED_MAX = 1_000;
/** Below `cachedir`. */
const FOLDER = 'oidc_used';

/** The backend. */
export const oidcBackend: BackendSpec = {
  name: 'oidc',
  doc: 'A provider of OpenID Connect, for log-ins of browsers through salt-api: `^issuer`, `^client_id`, `^redirect_uri`.',
  fault: ({ config }) => {
    try {
      readOidcSettings(config);
      return undefined;
    } catch (error) {
      return messageOf(error).replace(/\.$/, '');
    }
  },
  make: (context) => new OidcBackend(context),
};

class OidcBackend implements AuthBackend {
  /** The token, a colon, and the secret of the log-in. */
  readonly passwordMax = TOKEN_LENGTH_MAX + 1 + SECRET_LENGTH_MAX;
  readonly #context: BackendContext;
  readonly #provider: Provider;
  readonly #used: UsedTokens;
  /** What the tokens say that have let somebody in here, by their digest; asked for right after. */
  readonly #named = new BoundedMap<string, Named>(NAMED_MAX);

  constructor(context: BackendContext) {
    this.#context = context;
    this.#provider = new Provider(readOidcSettings(context.config), context.clock);
    this.#used = new UsedTokens({
      folder: join(pyStr(context.opts.get('cachedir') ?? ''), FOLDER),
      keptMs: REMEMBERED_MS,
      countMax: REMEMBERED_MAX,
      clock: context.clock,
    });
  }

  async authenticate({ username, password }: Credentials): Promise<boolean> {
    const [token = '', secret = '', ...more] = password.reveal().split(':');
    if (secret === '' || more.length > 0) return false;
    try {
      const named = await namedBy(token, secret, this.#provider, this.#context.clock);
      if (named.username !== username) throw new IdTokenError('the token names another user');
      await this.#use(token, named);
      return true;
    } catch (error) {
      if (!(error instanceof IdTokenError)) throw error;
      this.#context.log.info(`A log-in by OpenID Connect was refused: ${error.message}.`);
      return false;
    }
  }

  groups({ password }: Credentials): Promise<readonly string[]> {
    const [token = ''] = password.reveal().split(':');
    return Promise.resolve(this.#named.get(digestOf(token))?.groups ?? []);
  }

  async #use(token: string, named: Named): Promise<void> {
    const digest = digestOf(token);
    const what = this.#used.use(digest);
    if (what === 'used before') throw new IdTokenError('the token was used before');
    // one that is forgotten too soon could be used again
    if (what === 'full') throw new IdTokenError('too many have logged in just now');
    if ((await this.#context.useOnce?.(`oidc ${digest}`)) === false)
      throw new IdTokenError('the token was used before, at another master');
    this.#named.set(digest, named);
  }
}

/** By what is signed: a signature can be written in more than one way. */
function digestOf(token: string): string {
  return createHash('sha256')
    .update(token.slice(0, token.lastIndexOf('.')))
    .digest('base64url');
}
