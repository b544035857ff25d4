/** `rest`: a program of the site's own is asked over HTTP, and may answer with rules (salt/auth/rest.py, 3006.16). */
import { messageOf, ConfigError } from '../../errors/errors.ts';
import { parseJson } from '../../formats/json/parse.ts';
import { sendHttp } from '../../network/http/client.ts';
import type { Value } from '../../python/values/value.ts';
import type { BackendContext, BackendSpec, Credentials } from '../shared/auth/backend.ts';

const TIMEOUT_MS = 10_000;

/** The backend. */
export const restBackend: BackendSpec = {
  name: 'rest',
  doc: 'Asks the address `^url` by POST with `username` and `password`; 200 lets in, and a list in its JSON are rules.',
  fault: (context) => {
    try {
      urlOf(context);
      return undefined;
    } catch (error) {
      return messageOf(error).replace(/\.$/, '');
    }
  },
  make: (context) => ({
    authenticate: async (credentials) => (await ask(context, credentials)) !== undefined,
    acl: async (credentials) => {
      const own = context.config.get(credentials.username);
      const answered = await ask(context, credentials);
      const rules = [...listOf(own), ...listOf(answered)];
      return rules.length === 0 ? undefined : rules;
    },
  }),
};

/** @returns the answer's JSON, null without one; undefined when the answer was no */
async function ask(context: BackendContext, { username, password }: Credentials): Promise<Value | undefined> {
  const { status, text } = await sendHttp({
    method: 'POST',
    url: urlOf(context),
    headers: new Map([['Content-Type', 'application/x-www-form-urlencoded']]),
    body: new URLSearchParams({ username, password: password.reveal() }).toString(),
    timeoutMs: TIMEOUT_MS,
    clock: context.clock,
  });
  if (status !== 200) return undefined;
  try {
    return text.trim() === '' ? null : parseJson(text);
  } catch {
    context.log.warning(
      'The answer of the address in external_auth:rest:^url is not JSON; it gives no rules.',
    );
    return null;
  }
}

function urlOf({ config }: BackendContext): URL {
  const url = config.get('^url');
  if (typeof url !== 'string' || !/^https?:/.test(url) || !URL.canParse(url))
    throw new ConfigError('external_auth:rest:^url is not the address of a program to ask.');
  return new URL(url);
}

function listOf(value: Value | undefined): Value[] {
  return Array.isArray(value) ? value : [];
}
