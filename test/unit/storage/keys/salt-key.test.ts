import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runSaltKey, type SaltKeyDeps } from '../../../../src/cli/key/salt-key.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import { recordedIo } from '../../../support/command-io.ts';
import { fileModes, makeSaltKeyFolder, type RecordedKeys } from '../../../support/salt-key-folder.ts';

interface Run {
  argv: string[];
  stdin: string;
  stdout: string;
  stderr: string;
  code: number;
  pki: string[];
  cache: Record<string, string>;
  file?: string;
}
const fixture = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/keys/salt-key-3006.16.json');
const recorded = JSON.parse(readFileSync(fixture, 'utf8')) as { keys: RecordedKeys; runs: Run[] };

const root = mkdtempSync(join(tmpdir(), 'brine-salt-key-'));
after(() => rmSync(root, { recursive: true, force: true }));
const folder = join(root, 'w');
const outFile = join(root, 'out.txt');

/** Runs that Salt answers with a crash or twice over; what we do instead is tested below. */
const OTHERWISE = new Set(['-a new1,new* -y', '-d web1,web1 -y']);

/** What Salt does half of, and we refuse. */
const REFUSED = /cannot be combined with|belongs to no option|there is no outputter|needs --eauth/;

/** What Salt says of a question without an answer, and then ends with 0; we say more, and end with 1. */
const UNANSWERED = 'Error: EOF when reading a line\n';
const NOTHING_CHANGED = 'Nothing was changed: the question got no answer. With -y it is not asked.\n';

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
  events: [string, Dict][];
}

async function run(argv: string[], stdin?: string, deps: SaltKeyDeps = {}): Promise<Outcome> {
  const io = recordedIo(stdin ?? '');
  const events: [string, Dict][] = [];
  const fire = (tag: string, data: Dict): void => void events.push([tag, data]);
  const code = await runSaltKey(['-c', join(folder, 'etc'), '--exit-codes=salt', ...argv], io, {
    openEvents: () => Promise.resolve({ fire, close: () => Promise.resolve() }),
    ...deps,
  });
  return { code, ...io.written, events };
}

function fresh(): void {
  makeSaltKeyFolder(folder, recorded.keys);
  const config = join(folder, 'etc/master');
  writeFileSync(config, readFileSync(config, 'utf8').replace('user: root', `user: ${userInfo().username}`));
  rmSync(outFile, { force: true });
}

test('salt-key - prints and leaves behind what Salt 3006.16 does', async (t) => {
  for (const expected of recorded.runs) {
    const name = `${expected.argv.join(' ')} <<< ${JSON.stringify(expected.stdin)}`;
    if (OTHERWISE.has(expected.argv.join(' '))) continue;
    // Salt only lists then
    if (/^-l \w+ -[ardpf] /.test(expected.argv.join(' '))) continue;
    fresh();
    const argv = expected.argv.map((word) => word.replace('{out}', outFile));
    if (argv.includes('-u')) argv[argv.indexOf('-u') + 1] = userInfo().username;
    const { code, stdout, stderr } = await run(argv, expected.stdin);
    t.diagnostic(name);
    if (REFUSED.test(stderr)) {
      assert.deepEqual([code, stdout], [64, ''], name);
      continue;
    }
    const rooted = (text: string): string => text.replaceAll('{root}', folder);
    assert.equal(stdout, rooted(expected.stdout), name);
    const isUnanswered = expected.stderr === UNANSWERED;
    // Salt passes over options of the external authentication without a word
    const said = stderr.replace(/^(salt-key: --\S+ has no effect|The key glob ).*\n/gm, '');
    assert.equal(said, isUnanswered ? UNANSWERED + NOTHING_CHANGED : rooted(expected.stderr), name);
    assert.equal(code, isUnanswered ? 1 : expected.code, name);
    assert.deepEqual(Object.keys(fileModes(join(folder, 'pki'))).sort(), expected.pki, name);
    assert.deepEqual(
      withoutSessions(fileModes(join(folder, 'cache'))),
      withoutSessions(expected.cache),
      name,
    );
    assert.equal(existsSync(outFile) ? readFileSync(outFile, 'utf8') : undefined, expected.file, name);
  }
});

function withoutSessions(modes: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(modes).filter(([path]) => !path.startsWith('sessions')));
}

test('salt-key - every change fires its event, once for each key', async () => {
  fresh();
  const accepted = await run(['-a', 'new*', '-y']);
  const event = (act: string, id: string): [string, Dict] => ['salt/key', dict({ result: true, act, id })];
  assert.deepEqual(accepted.events, [event('accept', 'new1'), event('accept', 'new3')]);
  assert.deepEqual((await run(['-r', 'new1', '--include-accepted', '-y'])).events, [event('reject', 'new1')]);
  assert.deepEqual((await run(['-d', 'web1', '-y'])).events, [
    event('delete', 'web1'),
    event('delete', 'web1'),
  ]);
  for (const [words, needs] of [
    [['-a', 'nobody', '--include-accepted'], '--reject or --reject-all'],
    [['-r', 'nobody', '--include-rejected'], '--accept or --accept-all'],
    [['-d', 'nobody', '--include-denied'], '--accept or --accept-all or --reject or --reject-all'],
  ] as const)
    assert.ok(
      (await run([...words])).stderr.includes(`salt-key: ${words[2]} has no effect without ${needs}.`),
      words.join(' '),
    );
  assert.deepEqual((await run(['-d', 'nobody', '-y'])).events, []);
});

test('salt-key - works without a master', async () => {
  fresh();
  const io = recordedIo('');
  assert.equal(await runSaltKey(['-c', join(folder, 'etc'), '-a', 'new1', '-y'], io), 0);
  assert.match(io.written.stdout, /^Key for minion new1 accepted\.$/m);
  assert.equal(io.written.stderr, '');
});

test('salt-key - a glob that matches twice changes a key once', async () => {
  fresh();
  const { stdout, stderr } = await run(['-a', 'new1,new*', '-y']);
  assert.match(stdout, /^Unaccepted Keys:\nnew1\nnew3\n/m);
  assert.equal(stdout.match(/Key for minion new1 accepted/g)?.length, 1);
  assert.equal(stderr, '');
  fresh();
  assert.equal((await run(['-d', 'db1,db1', '-y'])).stdout.match(/Key for minion db1 deleted/g)?.length, 1);
});

test('salt-key - a minion without its key loses its session', async () => {
  fresh();
  const sessions = (): string[] => Object.keys(fileModes(join(folder, 'cache/sessions')));
  await run(['-d', 'db1', '-y']);
  assert.ok(!sessions().includes('db1'));
  await run(['-r', 'web1', '--include-accepted', '-y']);
  assert.deepEqual(sessions(), ['gone', 'new1']);
});

test('salt-key - Ctrl-C at the question changes nothing', async () => {
  for (const [argv, code] of [
    [['-A'], 130],
    [['-A', '--hard-crash'], 130],
    [['-A', '--exit-codes=salt'], 0],
    [['-A', '--exit-codes=salt', '--hard-crash'], 1],
  ] as const) {
    fresh();
    const io = recordedIo();
    const before = fileModes(join(folder, 'pki'));
    const stopped = await runSaltKey(['-c', join(folder, 'etc'), ...argv], io, {
      onInterrupt: (stop) => {
        setImmediate(stop);
        return () => undefined;
      },
    });
    assert.equal(stopped, code);
    assert.match(io.written.stdout, /Proceed\? \[n\/Y\] $/);
    assert.equal(io.written.stderr, '\nExiting gracefully on Ctrl-c\n');
    assert.deepEqual(fileModes(join(folder, 'pki')), before);
  }
});

test('salt-key - an answer may come in pieces', async () => {
  fresh();
  const io = recordedIo();
  const ended = runSaltKey(['-c', join(folder, 'etc'), '-d', 'new1'], io);
  io.input.write('ye');
  io.input.write('s\nn\n');
  assert.equal(await ended, 0);
  assert.match(io.written.stdout, /Key for minion new1 deleted\./);
});

test('salt-key - a weak key is named with its fault and stays pending', async () => {
  fresh();
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  writeFileSync(join(folder, 'pki/minions_pre/weak1'), publicKey.export({ type: 'spki', format: 'pem' }));
  const { stderr } = await run(['-a', 'weak1', '-y']);
  assert.match(stderr, /^\[ERROR {3}\] Invalid RSA public key: weak1 \(the key has 1024 bits/);
  assert.match(stderr, /^Unable to accept invalid key for weak1\.$/m);
  assert.ok(existsSync(join(folder, 'pki/minions_pre/weak1')));
});

test('salt-key - links out of the folder are neither shown nor accepted, and ids cannot steer the terminal', async () => {
  fresh();
  writeFileSync(join(root, 'secret'), 'top secret\n');
  symlinkSync(join(root, 'secret'), join(folder, 'pki/minions_pre/thief'));
  writeFileSync(join(folder, 'pki/minions_pre/\x1b[2Jx\rmallory'), recorded.keys.b);
  const printed = await run(['-P']);
  assert.doesNotMatch(printed.stdout, /secret|thief/);
  await run(['-A', '-y']);
  assert.ok(!existsSync(join(folder, 'pki/minions/thief')));
  assert.doesNotMatch((await run(['-d', '*mallory', '-y'])).stdout, /[\x1b]|minion .*\r/);
});

test('salt-key - an existing request for a new session key is left alone', async () => {
  fresh();
  writeFileSync(join(folder, 'cache/.dfn'), '', { mode: 0o400 });
  const { mtimeMs } = statSync(join(folder, 'cache/.dfn'));
  assert.equal((await run(['-d', 'db1', '-y'])).stderr, '');
  assert.equal(statSync(join(folder, 'cache/.dfn')).mtimeMs, mtimeMs);
});

test('salt-key - the session key is renewed even when a deletion fails half-way', async () => {
  fresh();
  const failing: SaltKeyDeps = {
    openEvents: () =>
      Promise.resolve({
        fire: () => {
          throw new Error('the disk is on fire');
        },
        close: () => Promise.resolve(),
      }),
  };
  assert.equal((await run(['-d', '*', '-y'], '', failing)).stderr, 'Error: the disk is on fire\n');
  assert.ok(existsSync(join(folder, 'cache/.dfn')));
});

test('salt-key - key pairs have the forms and modes of Salt, and are never overwritten', async () => {
  fresh();
  const directory = join(root, 'new/keys');
  const first = await run(['--gen-keys=mine', `--gen-keys-dir=${directory}`]);
  assert.match(first.stdout, /^return:\n {4}([0-9a-f]{2}:){31}[0-9a-f]{2}\n$/);
  assert.deepEqual(fileModes(directory), { 'mine.pem': '400', 'mine.pub': '644' });
  assert.match(readFileSync(join(directory, 'mine.pem'), 'utf8'), /^-----BEGIN RSA PRIVATE KEY-----\n/);
  assert.match(readFileSync(join(directory, 'mine.pub'), 'utf8'), /^-----BEGIN PUBLIC KEY-----\n/);
  const second = await run(['--gen-keys=mine', `--gen-keys-dir=${directory}`, '--out=json']);
  assert.deepEqual(JSON.parse(second.stdout), { return: first.stdout.split('\n')[1]?.trim() });
  const outside = await run(['--gen-keys=../../etc/x', `--gen-keys-dir=${directory}`]);
  assert.match(outside.stderr, /^Error: The path "..\/..\/etc\/x.pem" would leave /);
});

test('salt-key - keys can be made without a configuration', async () => {
  const io = recordedIo('');
  const directory = join(root, 'bare');
  assert.equal(await runSaltKey(['-c', '/nonexistent', '--gen-keys=x', '--gen-keys-dir', directory], io), 0);
  assert.doesNotMatch(io.written.stderr, /WARNING: CONFIG/);
  assert.ok(existsSync(join(directory, 'x.pem')));
});

test("salt-key - the master's key is signed so that minions can check what is sent", async () => {
  fresh();
  const answer = async (...argv: string[]): Promise<string> =>
    (await run(['--gen-signature', ...argv])).stdout.replace(/^return:\n {4}/, '').trim();
  assert.equal(await answer(), 'No usable private-key found');
  assert.equal(await answer('--pub=/nope'), 'Public-key /nope does not exist');
  assert.equal(await answer('--priv=/nope'), 'Private-key /nope does not exist');
  assert.equal(await answer('--auto-create'), 'True');
  assert.equal(await answer(), 'False');
  const pki = join(folder, 'pki');
  assert.equal(statSync(join(pki, 'master_sign.pem')).mode & 0o777, 0o400);
  assert.equal(statSync(join(pki, 'master_pubkey_signature')).mode & 0o777, 0o644);
  const text = readFileSync(join(pki, 'master_pubkey_signature'), 'utf8');
  assert.match(text, /^[A-Za-z0-9+/]{342}==\n$/);
  const sent = readFileSync(join(pki, 'master.pub'), 'utf8').trim();
  const signer = readFileSync(join(pki, 'master_sign.pub'), 'utf8');
  assert.ok(verify('sha1', Buffer.from(sent), signer, Buffer.from(text, 'base64')));
  rmSync(join(pki, 'master.pub'));
  assert.equal(await answer(), 'No usable public-key found');
});

test('salt-key - a pass phrase protects the signing key', async () => {
  fresh();
  const config = join(folder, 'etc/master');
  writeFileSync(config, `${readFileSync(config, 'utf8')}signing_key_pass: open sesame\n`);
  assert.match((await run(['--gen-signature', '--auto-create'])).stdout, /True/);
  const pem = readFileSync(join(folder, 'pki/master_sign.pem'), 'utf8');
  assert.match(pem, /^-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,/);
});

test('salt-key - what cannot work is said in one sentence', async () => {
  fresh();
  const eauth = await run(['--auth=pam', '--gen-keys=x']);
  assert.equal(eauth.code, 64);
  assert.match(eauth.stderr, /^salt-key: error: keys are made where they are used: leave --auth out/m);
  const unknown = await run(['-u', 'no-such-user', '-L']);
  assert.equal(unknown.code, 67);
  assert.equal(
    unknown.stderr,
    'Failed to prepare the Salt environment for user no-such-user. The user is not available. Make the account, or name another one in the option user.\n',
  );
  rmSync(join(folder, 'pki'), { recursive: true });
  assert.match(
    (await run(['-L'])).stderr,
    /^Error: There is no folder of keys at .*\/pki\. Start the master once/,
  );
  writeFileSync(join(folder, 'etc/master'), 'user: [\n');
  const broken = await run(['-L']);
  assert.equal(broken.code, 1);
  assert.match(broken.stderr, /^Error parsing configuration file: .*\/etc\/master - line /);
});
