/** The gpg renderer and `decrypt_pillar`, with a real gpg and a key made here. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { silentLogger } from '../../src/host/log.ts';
import { systemRandom } from '../../src/host/random.ts';
import { dict, OrderedDict, type Value } from '../../src/python/values/value.ts';
import { decryptPillar } from '../../src/runtime/pillar/decrypt.ts';
import { RenderPipe } from '../../src/runtime/renderers/pipe.ts';
import type { RenderContext } from '../../src/runtime/renderers/renderer.ts';
import { copyWithoutAgent } from '../support/gpg-home.ts';

const folder = mkdtempSync(join(tmpdir(), 'brine-gpg-'));
const gpg = (words: readonly string[], input: string | Uint8Array = ''): string =>
  execFileSync('gpg', ['--homedir', folder, '--batch', '--quiet', ...words], {
    input,
    stdio: ['pipe', 'pipe', 'ignore'],
  }).toString('latin1');
after(() => {
  execFileSync('gpgconf', ['--homedir', folder, '--kill', 'all']);
  rmSync(folder, { recursive: true, force: true });
});
const NAME = 'site@example.com';
gpg([
  '--passphrase',
  '',
  '--pinentry-mode',
  'loopback',
  '--quick-gen-key',
  NAME,
  'future-default',
  'default',
]);
const encrypt = (secret: string | Uint8Array): string =>
  gpg(['--trust-model', 'always', '--armor', '--encrypt', '--recipient', NAME], secret).trim();

const pipe = new RenderPipe({ clock: systemClock, random: systemRandom, log: silentLogger });
function context(opts: Record<string, Value> = {}, sentByMinion: readonly Value[] = []): RenderContext {
  const options = new Map<string, Value>(Object.entries({ gpg_keydir: folder, ...opts }));
  return {
    opt: (name) => options.get(name),
    saltenv: 'base',
    sls: 'a',
    path: '/srv/pillar/a.sls',
    variables: new Map(),
    functions: { has: () => false, call: () => null },
    sentByMinion,
    readTemplate: () => undefined,
  };
}
const decrypt = (value: Value, of = context()): Promise<Value> => pipe.apply('gpg', value, of);

test('gpg - messages in texts and in data become what was encrypted; the rest stays', async () => {
  const [word, umlauts, two] = ['hunter2', 'ünï', 'in side\ntwo'].map(encrypt) as [string, string, string];
  const bytes = Uint8Array.of(0xf1, 0xa9, 0, 10, 255);
  assert.deepEqual(
    await decrypt(
      dict({
        [word]: `${word}\n`,
        list: [umlauts, 5, null],
        mixed: `pre\n${two}\npost\n`,
        escaped: word.replaceAll('\n', '\\n'),
        bytes: encrypt(bytes),
        plain: 'text\n',
      }),
    ),
    dict({
      [word]: 'hunter2',
      list: ['ünï', 5, null],
      mixed: 'pre\nin side\ntwo\npost',
      escaped: 'hunter2',
      bytes: Buffer.from(bytes),
      plain: 'text\n',
    }),
  );
  const sls = `#!gpg|yaml\na: |\n  ${word.replaceAll('\n', '\n  ')}\n`;
  const rendered = await pipe.render(sls, 'yaml', { whitelist: [], blacklist: [] }, context());
  assert.deepEqual(rendered, new OrderedDict([['a', 'hunter2']]));
  assert.equal(await decrypt(encrypt('')), '', 'an empty secret is one');
});

test('gpg - what cannot be decrypted fails, unless the site wants the encrypted text', async () => {
  const broken = '-----BEGIN PGP MESSAGE-----\n\naaaa\n-----END PGP MESSAGE-----';
  await assert.rejects(decrypt(broken), /Could not decrypt cipher b'-----BEGIN.*received: b["'].*NODATA/);
  assert.equal(await decrypt(broken, context({ gpg_decrypt_must_succeed: false })), broken);
  const elsewhere = mkdtempSync(join(folder, 'other-'));
  await assert.rejects(decrypt(encrypt('x'), context({ gpg_keydir: elsewhere })), /Could not decrypt/);
});

test('gpg - with gpg_cache a value is decrypted once, as long as it lives', async () => {
  const message = encrypt('kept');
  const copy = `${folder}-copy`;
  copyWithoutAgent(folder, copy);
  const cached = context({ gpg_keydir: copy, gpg_cache: true, gpg_cache_ttl: 1000 });
  assert.equal(await decrypt(message, cached), 'kept');
  execFileSync('gpgconf', ['--homedir', copy, '--kill', 'all']);
  rmSync(copy, { recursive: true });
  assert.equal(await decrypt(message, cached), 'kept');
  await assert.rejects(decrypt(message, context({ gpg_keydir: copy })), /Could not decrypt/);
});

test('gpg - a message that the minion has sent itself is not decrypted for it', async () => {
  const stolen = encrypt('of another minion');
  const forms = [stolen, stolen.replaceAll('\n', '\\n'), stolen.replaceAll('\n', '\n   '), `see: ${stolen}!`];
  for (const said of [...forms, stolen.split('\n').slice(2, -1).join('')])
    await assert.rejects(
      decrypt(stolen, context({}, [dict({ deep: [dict({ grain: said })] })])),
      /the minion itself has sent/,
    );
  assert.equal(await decrypt(stolen, context({}, [dict({ other: 'grain' })])), 'of another minion');
});

test('decrypt_pillar - the named values are decrypted; one that fails is taken out and told of', async () => {
  const faults: string[] = [];
  const pillar = dict({
    db: dict({ users: dict({ a: encrypt('A'), n: 1 }), 5: encrypt('five') }),
    top: encrypt('T'),
    bad: '-----BEGIN PGP MESSAGE-----\n-----END PGP MESSAGE-----',
    left: 'x',
  });
  const asked = [
    'db|users',
    dict({ 'db|5': null }),
    dict({ top: 'gpg' }),
    'bad',
    'nokey|deep',
    dict({ left: 'rot13' }),
  ];
  const opts = { decrypt_pillar: asked, decrypt_pillar_delimiter: '|' };
  await decryptPillar(pillar, { pipe, context: context(opts), fail: (message) => void faults.push(message) });
  assert.deepEqual(pillar, dict({ db: dict({ users: dict({ a: 'A', n: 1 }), 5: 'five' }), top: 'T' }));
  assert.equal(faults.length, 2);
  assert.match(faults[0] ?? '', /^Failed to decrypt pillar key 'bad': Could not decrypt cipher/);
  assert.match(
    faults[1] ?? '',
    /^Failed to decrypt pillar key 'left': 'rot13' is not a valid decryption renderer/,
  );
});
