/** What logs show of addresses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loggedTarget, shownPath } from '../../../../src/programs/api/logged-target.ts';

const SESSION = 'ab12'.repeat(10);
const API_TOKEN = `brine.ci.${'0f'.repeat(32)}`;

/** Every letter as an escape. */
function quoted(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('');
}

/** Addresses with a token or a password in them. */
const SECRET: readonly string[] = [
  `/events?token=${SESSION}`,
  `/events?salt_token=${SESSION}`,
  `/events?a=1&%74oken=${SESSION}&b=2`,
  `/events/${SESSION}`,
  `/events/${SESSION}/${SESSION}`,
  `/ws/${SESSION}?format_events`,
  `/%77s/${SESSION}`,
  `//ws//${SESSION}`,
  `/prefix/ws/${SESSION}`,
  `/hook/x/${SESSION}`,
  `/hook/x?x=${API_TOKEN}`,
  `/hook/x?a=%62rine.ci.${'0f'.repeat(32)}`,
  `/nothing/${API_TOKEN}`,
  `http://x/ws/${SESSION}`,
  `http://x/events?token=${SESSION}`,
  `/ws/${quoted(SESSION)}`,
  `/nothing/${quoted(quoted(SESSION))}`,
  `/nothing?${quoted(quoted(quoted(SESSION)))}`,
  `/events?${quoted(quoted('token'))}=${quoted(SESSION)}`,
  `/hook/x?a=${quoted(quoted(API_TOKEN))}`,
  'http://ann:ab12ab12ab12@x/login',
  '//ann:ab12ab12ab12@x/login?a=b',
];

test('API logs - no address shows a token, however it is written', () => {
  for (const address of SECRET) {
    const shown = loggedTarget(address);
    assert.match(shown, /\*\*\*/, address);
    let plain = shown;
    for (let times = 0; times < 5; times++) plain = decodeURIComponent(plain);
    assert.doesNotMatch(plain, /(ab12){3}|(0f){3}/, address);
  }
});

test('API logs - fields that let somebody in have stars, all others stay as they were written', () => {
  const shown = loggedTarget(
    '/login?username=al%69ce&password=pw&Secret=x&code=1&state=2&X-Signature=3&api_key=4&tgt=*&fun=test.ping',
  );
  assert.equal(
    shown,
    '/login?username=al%69ce&password=***&Secret=***&code=***&state=***&X-Signature=***&api_key=***&tgt=*&fun=test.ping',
  );
  for (const plain of ['/', '/jobs/20261128184627919234', '/ws', '/events/', '/a%20b?c', '/minions?', '*'])
    assert.equal(loggedTarget(plain), plain);
});

test('API logs - the page of an error shows a path as it was, but no token', () => {
  for (const path of ['/nothing', '/ws/x/y', '/a%20b', '/events/x']) assert.equal(shownPath(path), path);
  for (const token of [SESSION, API_TOKEN, quoted(SESSION), quoted(quoted(API_TOKEN))])
    assert.match(shownPath(`/ws/${token}/x`), /^\/ws\/\*\*\*\/x$/);
});
