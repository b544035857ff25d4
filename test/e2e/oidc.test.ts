/**
 * Log-ins by OpenID Connect on the built programs, with a provider that speaks the protocol: good ones, and attacks on
 * each step.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { Fleet, freePort } from '../support/fleet.ts';
import { CLIENT, OidcStandIn, unsigned } from '../support/oidc-stand-in.ts';

interface Answer {
  readonly status: number;
  readonly location: string;
  readonly cookies: readonly string[];
}

/** A browser, as far as log-ins go: it keeps cookies by name and sends them to the API. */
class Browser {
  readonly cookies = new Map<string, string>();
  readonly base: string;

  constructor(base: string) {
    this.base = base;
  }

  async open(url: string): Promise<Answer> {
    const isOurs = url.startsWith(this.base);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: isOurs ? { Cookie: cookie, 'Sec-Fetch-Site': 'cross-site' } : {},
    });
    const cookies = response.headers.getSetCookie();
    for (const text of isOurs ? cookies : []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (/Max-Age=0/.test(text)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { status: response.status, location: response.headers.get('location') ?? '', cookies };
  }

  /** Begins a log-in. @returns where the provider sends the browser back to */
  async begin(): Promise<string> {
    const begun = await this.open(`${this.base}/api/v2/session/oidc`);
    assert.equal(begun.status, 302);
    const back = await this.open(begun.location);
    assert.equal(back.status, 302, begun.location);
    return back.location;
  }

  async me(): Promise<{ status: number; json: Record<string, unknown> }> {
    const response = await fetch(`${this.base}/api/v2/session`, {
      headers: { Cookie: `session_id=${this.cookies.get('session_id') ?? ''}` },
    });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  }
}

async function started(t: TestContext): Promise<{ fleet: Fleet; base: string; provider: OidcStandIn }> {
  const [port, provider, fleet] = [await freePort(), await OidcStandIn.start(t), await Fleet.create(t)];
  const base = `http://127.0.0.1:${port}`;
  fleet.configureMaster([
    'auto_accept: True',
    `api_pidfile: ${fleet.path('api.pid')}`,
    `api_logfile: ${fleet.path('api.log')}`,
    'external_auth:',
    '  oidc:',
    '    ^name: the stand-in',
    `    ^issuer: ${provider.issuer}`,
    `    ^client_id: ${CLIENT.id}`,
    `    ^client_secret: '${CLIENT.secret}'`,
    `    ^redirect_uri: ${base}/api/v2/session/oidc/callback`,
    '    ^username_claim: preferred_username',
    "    olga: [test.ping, '@runner']",
    "    ops%: [{'*': [test.echo]}]",
    'netapi_enable_clients: [local, runner, wheel]',
    'rest_cherrypy:',
    `  port: ${port}`,
    '  disable_ssl: True',
    '  api_acl: {users: {olga: ["*"], otto: ["10.0.0.1"], mallory: ["*"]}}',
  ]);
  await fleet.startMaster();
  await fleet.start('salt-api', ['-c', fleet.masterDir, '-l', 'info']).logged('Salt API is starting');
  return { fleet, base, provider };
}

test('openid connect - log-ins and attacks on them', async (t) => {
  const { fleet, base, provider } = await started(t);
  const options = (await (await fetch(`${base}/api/v2/session/options`)).json()) as object;
  assert.deepEqual(options, { eauths: [], oidc: { name: 'the stand-in', href: 'session/oidc' } });

  await t.test('a good one has the rights that the master knows of', async () => {
    const browser = new Browser(base);
    const back = await browser.begin();
    const done = await browser.open(back);
    assert.deepEqual([done.status, done.location], [302, '/']);
    assert.ok(done.cookies.some((text) => /^session_id=[0-9a-f]{40};.*HttpOnly; SameSite=Strict/.test(text)));
    assert.ok(done.cookies.some((text) => /^oidc_login=; Max-Age=0/.test(text)));
    const { status, json } = await browser.me();
    assert.equal(status, 200);
    assert.deepEqual(
      [json['user'], json['groups'], json['eauth'], json['full']],
      ['olga', ['ops'], 'oidc', false],
    );
    assert.deepEqual(json['rules'], [
      { rule: 'test.ping', source: 'external_auth oidc olga' },
      { rule: '@runner', source: 'external_auth oidc olga' },
      { rule: { '*': ['test.echo'] }, source: 'external_auth oidc ops%' },
    ]);
  });

  /** Does everything of a log-in but its last step, with something wrong. */
  const refused = async (
    what: string,
    attack: (browser: Browser) => Promise<Answer>,
    code = 'login-failed',
  ): Promise<void> => {
    const browser = new Browser(base);
    const answer = await attack(browser);
    assert.deepEqual([answer.status, answer.location], [302, `/#login-error=${code}`], what);
    assert.equal(browser.cookies.has('session_id'), false, what);
    assert.equal((await browser.me()).status, 401, what);
    provider.misdeeds = {};
  };
  const changed = (url: string, name: string, value: string | undefined): string => {
    const out = new URL(url);
    out.searchParams.delete(name);
    if (value !== undefined) out.searchParams.set(name, value);
    return out.href;
  };
  const withToken = (claims: Record<string, unknown>) => async (browser: Browser) => {
    provider.misdeeds.claims = (good) => ({ ...good, ...claims });
    return browser.open(await browser.begin());
  };
  const now = Math.floor(Date.now() / 1000);

  await t.test('what the browser brings back must be of the log-in that it has begun', async () => {
    await refused('another state', async (browser) =>
      browser.open(changed(await browser.begin(), 'state', 'x'.repeat(43))),
    );
    await refused('no state', async (browser) =>
      browser.open(changed(await browser.begin(), 'state', undefined)),
    );
    await refused('another code', async (browser) =>
      browser.open(changed(await browser.begin(), 'code', 'f'.repeat(32))),
    );
    await refused('no code', async (browser) =>
      browser.open(changed(await browser.begin(), 'code', undefined)),
    );
    await refused('another provider', async (browser) =>
      browser.open(changed(await browser.begin(), 'iss', 'https://evil.example.com')),
    );
    await refused('the provider says no', async (browser) =>
      browser.open(changed(await browser.begin(), 'error', 'access_denied')),
    );
    await refused('a browser that has begun nothing', async (browser) =>
      browser.open(await new Browser(base).begin()),
    );
    await refused("the code of the attacker's own log-in in somebody's browser", async (browser) => {
      await browser.begin();
      return browser.open(await new Browser(base).begin());
    });
    await refused("a stolen code with the attacker's state: PKCE", async (browser) => {
      const stolen = new URL(await new Browser(base).begin()).searchParams.get('code') ?? '';
      return browser.open(changed(await browser.begin(), 'code', stolen));
    });
  });

  await t.test('a log-in that is over is not made again, whatever the provider takes', async () => {
    provider.misdeeds.takesCodesAgain = true;
    const browser = new Browser(base);
    const back = await browser.begin();
    const cookie = browser.cookies.get('oidc_login') ?? '';
    assert.equal((await browser.open(back)).location, '/');
    const thief = new Browser(base);
    thief.cookies.set('oidc_login', cookie);
    assert.equal((await thief.open(back)).location, '/#login-error=login-failed');
    await refused('the code again, in a log-in of its own', async (other) => {
      provider.misdeeds.takesCodesAgain = true;
      const code = new URL(back).searchParams.get('code') ?? '';
      return other.open(changed(await other.begin(), 'code', code));
    });
  });

  await t.test('tokens that are not good', async () => {
    await refused('no signature', async (browser) => {
      provider.misdeeds.token = unsigned;
      return browser.open(await browser.begin());
    });
    await refused('another nonce', withToken({ nonce: 'x'.repeat(43) }));
    await refused('another audience', withToken({ aud: 'another-client' }));
    await refused('another issuer', withToken({ iss: 'https://evil.example.com' }));
    await refused('expired', withToken({ iat: now - 200, exp: now - 100 }));
    await refused('a name that is a group entry', withToken({ preferred_username: 'ops%' }));
    await refused('api_acl does not let him in from here', withToken({ preferred_username: 'otto' }));
  });

  await t.test('nothing in a request leads to another host', async () => {
    for (const query of ['?next=https://evil.example.com', '?redirect_uri=https://evil.example.com', '']) {
      const browser = new Browser(base);
      const { status, location } = await browser.open(`${base}/api/v2/session/oidc${query}`);
      if (query !== '') assert.equal(status, 400, query);
      else
        assert.equal(
          new URL(location).searchParams.get('redirect_uri'),
          `${base}/api/v2/session/oidc/callback`,
        );
    }
    const browser = new Browser(base);
    const back = await browser.begin();
    const done = await browser.open(changed(back, 'next', '//evil.example.com'));
    assert.equal(done.location, '/');
    const response = await fetch(`${base}/api/v2/session/oidc`, {
      redirect: 'manual',
      headers: { Host: 'evil.example.com', 'X-Forwarded-Host': 'evil.example.com' },
    });
    assert.equal(new URL(response.headers.get('location') ?? '').origin, provider.issuer);
    assert.doesNotMatch(response.headers.get('location') ?? '', /evil/);
  });

  await t.test('whom the master is told of it does not believe without the token', async () => {
    const login = (body: object): Promise<Response> =>
      fetch(`${base}/api/v2/session`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ eauth: 'oidc', ...body }),
      });
    const claims = provider.claims('x'.repeat(43));
    for (const password of ['', 'x', `${provider.signed(claims)}:x`, `${unsigned(claims)}:x`])
      assert.equal(
        (await login({ username: 'olga', password: password.slice(0, 1024) })).status,
        401,
        password,
      );
  });

  await t.test('the log says why somebody was refused, and no secret', () => {
    const log = readFileSync(fleet.path('api.log'), 'utf8');
    assert.match(
      log,
      /A log-in by OpenID Connect from 127\.0\.0\.1 was refused: The answer is not to the log-in/,
    );
    for (const secret of [CLIENT.secret, 'eyJ']) assert.ok(!log.includes(secret), secret);
  });
});
