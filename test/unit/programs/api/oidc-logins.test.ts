import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import type { OidcLoginsDeps, ProviderAnswer } from '../../../../src/programs/api/v2/oidc-logins.ts';
import { LOGIN_SECONDS, OidcLogins } from '../../../../src/programs/api/v2/oidc-logins.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { CLIENT, OidcStandIn } from '../../../support/oidc-stand-in.ts';

const OTHERS = 10_050;

async function made(t: TestContext): Promise<{
  logins: OidcLogins;
  another: OidcLogins;
  answerOf: (url: string) => Promise<ProviderAnswer>;
  later: (ms: number) => void;
}> {
  const provider = await OidcStandIn.start(t);
  let laterMs = 0;
  const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + laterMs };
  const oidc = dict({
    '^issuer': provider.issuer,
    '^client_id': CLIENT.id,
    '^client_secret': CLIENT.secret,
    '^redirect_uri': 'http://127.0.0.1:1/api/v2/session/oidc/callback',
    '^username_claim': 'preferred_username',
  });
  const link = { opts: { raw: () => dict({ oidc }) } } as unknown as OidcLoginsDeps['link'];
  const deps = { link, clock, random: systemRandom };
  const answerOf = async (url: string): Promise<ProviderAnswer> => {
    const { headers } = await fetch(url, { redirect: 'manual' });
    const back = new URL(headers.get('location') ?? '').searchParams;
    const field = (name: string): string | undefined => back.get(name) ?? undefined;
    return { state: field('state'), code: field('code'), error: field('error'), iss: field('iss') };
  };
  return {
    logins: new OidcLogins(deps),
    another: new OidcLogins(deps),
    answerOf,
    later: (ms) => (laterMs += ms),
  };
}

test('openid connect - a log-in under way is not pushed out, however many others a stranger begins', async (t) => {
  const { logins, answerOf } = await made(t);
  const { kept, url } = await logins.begin();
  const answer = await answerOf(url);
  for (let at = 0; at < OTHERS; at++) await logins.begin();
  assert.equal((await logins.finish(kept, answer)).get('username'), 'olga');
  await assert.rejects(logins.finish(kept, answer), /was ended before/, 'once');
});

test('openid connect - what the browser keeps is read by the process that has sealed it alone, and for ten minutes', async (t) => {
  const { logins, another, answerOf, later } = await made(t);
  const { kept, url } = await logins.begin();
  const answer = await answerOf(url);
  const bytes = Buffer.from(kept, 'base64url');
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  for (const forged of [undefined, '', 'x', 'A'.repeat(200), 'A'.repeat(5_000), bytes.toString('base64url')])
    await assert.rejects(logins.finish(forged, answer), /has begun no log-in/, forged);
  await assert.rejects(another.finish(kept, answer), /has begun no log-in/);
  const { state = '' } = answer;
  assert.ok(!Buffer.from(kept, 'base64url').toString('latin1').includes(state), 'nothing of it can be read');
  later(LOGIN_SECONDS * 1000 + 1);
  await assert.rejects(logins.finish(kept, answer), /more than ten minutes/);
});
